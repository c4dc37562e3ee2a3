"""The catalog contains all measures, including the user's own."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import murmura.measure as room
from murmura.core.events import Cause
from murmura.measure import MEASURES, Flock, measure_flock, register_measure, unregister_measure
from murmura.measure.time.catalog import OBSERVABLES

from .oracle import make_flock, random_flock

BUILT_IN = [
    "polarization",
    "milling",
    "mean_speed",
    "speed_deviation",
    "turning_rate",
    "spread",
    "nearest_neighbor_distance",
    "local_density",
    "clustering_coefficient",
    "groups",
    "largest_group",
    "mean_group",
    "correlation_length",
]
OF_SPACE = ["thickness", "thickness_to_width", "thickness_to_length", "anisotropy"]
WHEN_NAMED = ["extent", "radial_velocity", "tangential_velocity", "egocentric_angle"]
OF_LIVES = ["births", "deaths", *(f"deaths_by_{cause.name.lower()}" for cause in Cause)]
DOCS = Path(__file__).parents[2] / "docs" / "measures.md"


@pytest.fixture(autouse=True)
def catalog_as_before() -> Iterator[None]:
    before = dict(MEASURES)
    yield
    MEASURES.clear()
    MEASURES.update(before)


def northernmost(flock: Flock) -> float:
    return float(flock.positions[:, 1].max())


def test_measures_everything_in_order() -> None:
    flock = random_flock(seed=0)
    found = measure_flock(flock)
    assert list(found) == BUILT_IN
    assert list(MEASURES) == [
        *BUILT_IN, *OF_SPACE, *WHEN_NAMED, *OF_LIVES, "gene_diversity", "part_heterozygosity"
    ]  # fmt: skip
    assert all(type(value) is float for value in found.values())
    assert found == pytest.approx({name: getattr(room, name)(flock) for name in BUILT_IN}, nan_ok=True)


def test_measures_an_empty_flock_and_a_flock_of_one() -> None:
    nobody = measure_flock(make_flock(np.zeros((0, 2))))
    defined = {name: value for name, value in nobody.items() if not math.isnan(value)}
    assert defined == {"groups": 0.0, "largest_group": 0.0}
    one = measure_flock(make_flock([[1.0, 2.0]], wraps=True))
    assert {name for name, value in one.items() if math.isnan(value)} == {
        "milling",
        "turning_rate",
        "nearest_neighbor_distance",
        "correlation_length",
    }


def test_takes_the_requested_measures() -> None:
    assert list(measure_flock(random_flock(seed=0), ["spread", "groups"])) == ["spread", "groups"]
    assert measure_flock(random_flock(seed=0), []) == {}
    with pytest.raises(ValueError, match="got 'polarisation'; did you mean 'polarization'"):
        measure_flock(random_flock(seed=0), ["polarisation"])
    with pytest.raises(ValueError, match="got 'xyz'; known are polarization, milling"):
        measure_flock(random_flock(seed=0), ["xyz"])
    with pytest.raises(ValueError, match=r"write \['spread'\]"):
        measure_flock(random_flock(seed=0), "spread")


def test_a_users_measure_is_registered_and_unregistered() -> None:
    flock = make_flock([[0.0, 3.0], [0.0, 8.0]])
    assert register_measure("northernmost", northernmost) is northernmost
    assert measure_flock(flock)["northernmost"] == 8.0
    assert unregister_measure("northernmost") is northernmost
    assert "northernmost" not in measure_flock(flock)


def test_a_users_measure_by_decorator() -> None:
    @register_measure("mean_x")
    def mean_x(flock: Flock) -> float:
        return float(flock.positions[:, 0].mean())

    flock = make_flock([[2.0, 0.0], [4.0, 0.0]])
    assert measure_flock(flock)["mean_x"] == mean_x(flock) == 3.0


def test_a_users_measure_can_be_replaced_and_a_built_in_one_cannot() -> None:
    register_measure("mine", northernmost, unit="u")
    register_measure("mine", lambda flock: 4.0)  # the same cell of a notebook, changed
    assert (MEASURES["mine"].unit, measure_flock(random_flock(seed=0), ["mine"])) == ("", {"mine": 4.0})
    with pytest.raises(ValueError, match="'spread' is a built-in measure, which cannot be replaced"):
        register_measure("spread", northernmost)
    assert MEASURES["spread"].function is room.spread


@pytest.mark.parametrize("name", ["", "two words", "9lives", None, northernmost])
def test_refuses_invalid_names(name: Any) -> None:
    with pytest.raises(ValueError, match="must be a Python identifier, got"):
        register_measure(name)


def test_refuses_what_is_not_a_function() -> None:
    number: Any = 3.0
    with pytest.raises(ValueError, match=r"measure 'three' must be a function of a Flock, got 3\.0"):
        register_measure("three", number)


@pytest.mark.parametrize("value", [None, "much", np.zeros(2), [1.0]])
def test_refuses_a_result_that_is_not_a_number(value: Any) -> None:
    register_measure("odd", lambda flock: value)
    with pytest.raises(ValueError, match="measure 'odd' must return one number, got"):
        measure_flock(random_flock(seed=0))


def test_unregisters_only_known_measures() -> None:
    with pytest.raises(ValueError, match="got 'spreads'; did you mean 'spread'"):
        unregister_measure("spreads")


def test_the_table_in_the_documents_is_the_catalogue() -> None:
    rows = [
        line.split("|")
        for line in DOCS.read_text(encoding="utf-8").splitlines()
        if line.startswith("| `") and line.count("|") == 7
    ]
    listed = {cells[1].strip(" `"): (cells[3].strip().strip("–"), cells[-2].strip()) for cells in rows}
    assert list(listed) == list(MEASURES)
    for name, measure in MEASURES.items():
        unit, meaning = listed[name]
        assert (unit, meaning) == (measure.unit, measure.meaning), name


def test_the_page_lists_the_measures_over_time() -> None:
    rows = [
        line.split("|")
        for line in DOCS.read_text(encoding="utf-8")
        .split("## Measures over time")[1]
        .split("## ")[0]
        .splitlines()
        if line.startswith("| `")
    ]
    listed = {cells[1].strip(" `"): tuple(cell.strip().strip("–") for cell in cells[2:5]) for cells in rows}
    expected = {
        name: (one.unit, f"{one.x} [{one.x_unit}]" if one.x else "", one.meaning)
        for name, one in OBSERVABLES.items()
    }
    assert listed == expected


def test_large_flocks_take_only_cheap_measures() -> None:
    assert room.cheap_measures(1_000) == BUILT_IN
    large = room.cheap_measures(1_000_000)
    assert {"polarization", "milling", "mean_speed", "spread", "turning_rate"} <= set(large)
    assert "clustering_coefficient" not in large
    register_measure("northernmost", northernmost, unit="u", meaning="The top.", live_up_to=2_000_000)
    assert room.cheap_measures(1_000_000) == [*large, "northernmost"]
    assert (MEASURES["northernmost"].unit, MEASURES["northernmost"].meaning) == ("u", "The top.")
