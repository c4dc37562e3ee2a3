"""Periods of a population begin and end where values cross their thresholds (numbers 2.2.5)."""

from __future__ import annotations

import math

import pytest

from murmura.measure.atmosphere import Atmosphere, Census, Thresholds

CALM = {"agents": 100, "before": 100, "births": 5, "deaths": 5, "predators": 10, "energy": 0.6}


def times(*changes: dict, **limits: float) -> list[tuple]:
    watch = Atmosphere(100, Thresholds(**limits))
    for k, change in enumerate(changes):
        watch.look(Census(float(k), **(CALM | change)))
    return [(period.kind, period.begin, period.end, period.extreme, period.lasts) for period in watch.periods]


@pytest.mark.parametrize(
    ("kind", "edge", "beyond", "extreme"),
    [
        ("mass_extinction", {"deaths": 15}, {"deaths": 16}, 0.16),
        ("mating_season", {"births": 10}, {"births": 11}, 0.11),
        ("predator_dominance", {"predators": 30}, {"predators": 31}, 0.31),
        ("starvation", {"energy": 0.30}, {"energy": 0.29}, 0.29),
        ("boom", {"agents": 150}, {"agents": 151}, 1.51),
    ],
)
def test_each_period_begins_beyond_its_threshold_and_ends(
    kind: str, edge: dict, beyond: dict, extreme: float
) -> None:
    assert times({}, edge) == []
    assert times({}, beyond, beyond, edge, {}, beyond) == [
        (kind, 1.0, 2.0, pytest.approx(extreme), False),
        (kind, 5.0, 5.0, pytest.approx(extreme), True),
    ]
    assert times(beyond, **{kind: 0.01 if kind == "starvation" else 9.0}) == []


def test_the_extreme_of_a_period_is_kept_and_periods_may_overlap() -> None:
    found = times(
        {"deaths": 20, "energy": 0.2}, {"deaths": 40, "energy": 0.1}, {"deaths": 30, "energy": 0.25}
    )
    assert found == [("mass_extinction", 0.0, 2.0, 0.4, True), ("starvation", 0.0, 2.0, 0.1, True)]


def test_a_beginning_is_reported_once() -> None:
    watch = Atmosphere(100)
    hungry = Census(0.0, **(CALM | {"energy": 0.1}))
    assert [period.kind for period in watch.look(hungry)] == ["starvation"]
    assert watch.look(hungry) == [] and watch.current == ["starvation"]
    watch.look(Census(1.0, **CALM))
    assert watch.current == []


def test_unknown_values_and_an_empty_flock_begin_no_period() -> None:
    assert times({"predators": math.nan, "energy": math.nan}) == []
    assert times({"agents": 0, "before": 0, "births": 0, "deaths": 0, "energy": math.nan}) == []


@pytest.mark.parametrize("value", [0, -1.0, math.nan, math.inf, "much"])
def test_thresholds_are_positive(value: object) -> None:
    with pytest.raises(ValueError, match="window must be a finite number > 0, got"):
        Thresholds(window=value)  # type: ignore[arg-type]
