"""Summaries and distances of fits, against SciPy and cases solved by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import energy_distance, wasserstein_distance

from murmura.core.errors import ScenarioError
from murmura.lab.fit.folder import weighted_quantiles
from murmura.lab.fit.summaries import (
    FAR,
    MAPS,
    Scope,
    Triple,
    check_names,
    distance_of,
    summarize,
    summary_size,
)
from murmura.lab.observations import triple_of
from murmura.measure import Flock

NAMES = (
    "polarization", "speeds", "nearest_neighbor_distances", "turning_rates", "neighbor_map", "response_map",
    "alignment_curve",
)  # fmt: skip


def flocks(seed: int, drift: float = 1.0) -> list[Triple]:
    chance = np.random.default_rng(seed)
    made = []
    for _ in range(6):
        places = chance.uniform(0.0, 40.0, (30, 2))
        velocities = np.array([drift, 0.0]) + chance.normal(0.0, 1.0, (30, 2))
        three = [
            Flock(places + k * velocities, velocities + k * 0.1, 60.0, 60.0, False, 5.0) for k in (-1, 0, 1)
        ]
        made.append(triple_of(three[0], three[1], three[2], 1.0, 5.0))
    return made


def test_summaries_have_their_size_and_mean_what_they_say():
    triples = flocks(1)
    found = summarize(triples, Scope(NAMES, 1.0, 10.0, 5.0))
    assert {name: len(values) for name, values in found.items() if values is not None} == {
        name: summary_size(name) for name in NAMES
    }
    speeds = np.concatenate([np.hypot(*now.velocities.T) for _, now, _ in triples])
    assert found["speeds"] is not None
    np.testing.assert_allclose(found["speeds"], np.quantile(speeds, (np.arange(32) + 0.5) / 32))
    # All velocities grow by (0.1, 0.1) per second, whatever the neighbours.
    response = found["response_map"]
    assert response is not None and np.hypot(*np.nanmean(response.reshape(2, -1), axis=1)) < 0.2


def turning_pairs(count: int, turn: float) -> Triple:
    """Pairs 20 u apart; in each, one flies 3 u ahead of the other, and both turn by `turn` [rad] in a second."""
    places = np.array([[x, 20.0 * k + 10.0] for k in range(count) for x in (20.0, 23.0)])
    ahead = np.tile([1.0, 0.0], (2 * count, 1))
    turned = np.tile([np.cos(turn), np.sin(turn)], (2 * count, 1))
    flocks = [Flock(places, v, 60.0, 400.0, False, 5.0) for v in (ahead, ahead, turned)]
    return triple_of(flocks[0], flocks[1], flocks[2], 1.0, 5.0)


def test_maps_of_many_instants_weigh_each_by_its_visits():
    """Nine pairs that turn and one that flies straight: the mean is nine tenths of the turn, not half of it."""
    scope = Scope(("response_map",), 1.0, 10.0, 5.0)

    def turning(*triples: Triple) -> float:
        found = summarize(triples, scope)["response_map"]
        assert found is not None
        known = found[: len(found) // 2]
        [first, second] = known[np.isfinite(known)]  # one bin ahead and one behind
        assert first == pytest.approx(second)
        return float(first)

    alone = turning(turning_pairs(9, 0.2))
    assert abs(alone) > 0.05 and turning(turning_pairs(1, 0.0)) == pytest.approx(0.0)
    assert turning(turning_pairs(9, 0.2), turning_pairs(1, 0.0)) == pytest.approx(0.9 * alone)


def test_nothing_defined_is_none_and_far():
    still = Flock(np.array([[1.0, 1.0]]), np.zeros((1, 2)), 9.0, 9.0, False, 1.0)
    found = summarize(
        [(still, still, still)], Scope(("polarization", "nearest_neighbor_distances"), 1.0, 3.0, 1.0)
    )
    assert found == {"polarization": None, "nearest_neighbor_distances": None}
    assert distance_of("polarization", "wasserstein")(np.full(32, np.nan), np.zeros(32)) == FAR


@pytest.mark.parametrize(
    ("metric", "expected"), [("wasserstein", wasserstein_distance), ("energy", energy_distance)]
)
def test_distances_of_distributions_are_those_of_scipy(metric: str, expected: object):
    chance = np.random.default_rng(4)
    one, other = chance.normal(0.0, 1.0, 20_000), chance.normal(0.7, 2.0, 20_000)
    shares = (np.arange(32) + 0.5) / 32
    found = distance_of("speeds", metric)(np.quantile(one, shares), np.quantile(other, shares))
    assert found == pytest.approx(expected(one, other), rel=0.03)  # type: ignore[operator]
    assert distance_of("speeds", metric)(np.quantile(one, shares), np.quantile(one, shares)) == 0.0


def test_flocks_that_differ_are_farther_apart_than_flocks_that_do_not():
    scope = Scope(NAMES, 1.0, 10.0, 5.0)
    a, same, other = (summarize(flocks(*how), scope) for how in ((1,), (2,), (3, 6.0)))
    for name in ("polarization", "speeds", "turning_rates", "alignment_curve"):
        far = distance_of(name, "wasserstein")
        assert far(a[name], other[name]) > 1.5 * far(a[name], same[name]), name


def test_maps_are_compared_where_both_are_known():
    compare = distance_of(next(iter(MAPS)), "energy")
    one, other = np.zeros(8), np.full(8, 2.0)
    other[5:] = np.nan
    assert compare(one, other) == 2.0
    other[1:] = np.nan
    assert compare(one, other) == FAR


def test_names_are_checked():
    assert check_names(["speeds", "polarization", "speeds"]) == ("speeds", "polarization")
    with pytest.raises(ScenarioError, match=r"cannot compare 'speed' \(did you mean 'speeds'\?\)"):
        check_names(["speed"])
    with pytest.raises(ScenarioError, match="say what to compare"):
        check_names([])
    with pytest.raises(ScenarioError, match="cannot compare 'births'"):
        check_names(["births"])


def test_weighted_quantiles_follow_the_weights():
    values = np.array([3.0, 1.0, 2.0])
    assert weighted_quantiles(values, np.ones(3), (0.5,)) == [2.0]
    assert weighted_quantiles(values, np.array([8.0, 1.0, 1.0]), (0.5,))[0] > 2.5
    many = np.random.default_rng(0).normal(0.0, 1.0, 20_000)
    found = weighted_quantiles(many, np.ones(len(many)), (0.05, 0.5, 0.95))
    np.testing.assert_allclose(found, np.quantile(many, (0.05, 0.5, 0.95)), atol=1e-3)
