"""Interaction maps, against cases solved by hand, SciPy's bins and trajectorytools on real zebrafish."""

from __future__ import annotations

import math
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from murmura.measure import (
    Flock,
    alignment_by_distance,
    anisotropy,
    leadership,
    neighbor_map,
    response_map,
)


def flock(places: Any, velocities: Any, wraps: bool = False, ids: Any = None) -> Flock:
    return Flock(np.asarray(places, float), np.asarray(velocities, float), 100.0, 100.0, wraps, 5.0, ids=ids)


def test_a_neighbour_is_where_its_focal_agent_sees_it():
    # The first heads along x; y grows downwards, so its right is +y. The other is 3 ahead and 1 to the right.
    pair = flock([[10.0, 10.0], [13.0, 11.0]], [[1.0, 0.0], [0.0, 0.0]])
    found = neighbor_map([pair], 4.0, 8)
    assert found.counts.sum() == 1 and found.counts[5, 7] == 1  # right 1..2, ahead 3..4
    assert found.focal_count == 1 and found.density[5, 7] == pytest.approx(1.0)


def test_maps_are_invariant_under_rotation_and_across_the_edge_of_a_torus():
    random = np.random.default_rng(2)
    places, velocities = random.uniform(40.0, 60.0, (30, 2)), random.normal(0.0, 1.0, (30, 2))
    expected = neighbor_map([flock(places, velocities)], 6.0).counts
    turn = np.array([[0.0, -1.0], [1.0, 0.0]])
    turned = flock((places - 50.0) @ turn.T + 50.0, velocities @ turn.T)
    np.testing.assert_array_equal(neighbor_map([turned], 6.0).counts, expected)
    across = flock((places + 47.0) % 100.0, velocities, wraps=True)
    np.testing.assert_array_equal(neighbor_map([across], 6.0).counts, expected)


def test_a_response_is_counted_where_the_neighbour_is():
    # The agent turns right by one and brakes by two while a neighbour stays one ahead and one to its left.
    speeds = ([3.0, 0.0], [3.0, 0.0], [-1.0, 2.0])
    flocks = [flock([[10.0, 10.0], [11.0, 9.0]], [v, [0.0, 0.0]]) for v in speeds]
    found = response_map(flocks, 1.0, 2.0, 2)
    assert found.counts.tolist() == [[0, 1], [0, 0]]
    assert found.turning[0, 1] == pytest.approx(1.0) and found.speeding[0, 1] == pytest.approx(-2.0)
    assert math.isnan(found.turning[0, 0])


def test_accelerations_follow_ids_not_rows():
    before = flock([[0.0, 0.0], [1.0, 1.0]], [[1.0, 0.0], [2.0, 0.0]], ids=[4, 7])
    now = flock([[1.0, 1.0], [2.0, 1.0]], [[3.0, 0.0], [1.0, 0.0]], ids=[7, 9])
    after = flock([[1.0, 1.0], [5.0, 1.0]], [[4.0, 0.0], [1.0, 0.0]], ids=[7, 9])
    found = response_map([before, now, after], 1.0, 2.0, 2)
    # Only 7 is in all three: it went from 2 to 4 in two seconds.
    assert found.counts.sum() == 1 and found.speeding[~np.isnan(found.speeding)] == pytest.approx(1.0)


def test_alignment_falls_where_headings_differ():
    places = [[0.0, 0.0], [1.0, 0.0], [5.0, 0.0]]
    distances, cosines = alignment_by_distance([flock(places, [[1, 0], [2, 0], [-1, 0]])], 6.0, 6)
    assert distances.tolist() == [0.5, 1.5, 2.5, 3.5, 4.5, 5.5]
    assert cosines[1] == pytest.approx(1.0) and cosines[4] == cosines[5] == pytest.approx(-1.0)
    assert math.isnan(cosines[0])


def test_anisotropy_of_columns_rows_and_crowds():
    ahead = [[float(k), 0.0] for k in range(6)]
    side = [[0.0, float(k)] for k in range(6)]
    along = [[1.0, 0.0]] * 6
    assert anisotropy([flock(ahead, along)], 2) == pytest.approx([0.0, 0.0], abs=1e-12)
    assert anisotropy([flock(side, along)], 2) == pytest.approx([1.0, 1.0])
    random = np.random.default_rng(0)
    crowds = [flock(random.uniform(0, 100, (80, 2)), [[1.0, 0.0]] * 80, wraps=True) for _ in range(200)]
    assert anisotropy(crowds, 1)[0] == pytest.approx(0.5, abs=0.1)
    assert math.isnan(anisotropy([flock(ahead[:2], along[:2])], 3)[2])


def test_the_leader_and_the_delay_are_found():
    times = np.arange(60) * 0.1
    course = np.cumsum(np.random.default_rng(3).normal(0.0, 0.4, 80))
    angles = np.stack([course[20:80], course[17:77], course[12:72]], axis=1)  # 0.3 s and 0.8 s behind
    flocks = [
        flock(np.zeros((3, 2)) + np.arange(3)[:, None], np.stack([np.cos(a), np.sin(a)], axis=1))
        for a in angles
    ]
    found = leadership(flocks, 0.1, 1.5)
    assert found.delays[0, 1] == pytest.approx(0.3) and found.delays[0, 2] == pytest.approx(0.8)
    assert found.delays[1, 2] == pytest.approx(0.5) and found.delays[2, 1] == pytest.approx(-0.5)
    assert found.leads.argmax() == 0 and found.leads.argmin() == 2 and len(times) == len(flocks)
    with pytest.raises(ValueError, match="need more than 60 instants"):
        leadership(flocks, 0.1, 6.0)


def test_invalid_arguments_of_maps_are_refused():
    for act in (lambda: neighbor_map([], -1.0), lambda: response_map([], 1.0, 1.0, 0)):
        with pytest.raises(ValueError, match="expected a reach > 0"):
            act()
    with pytest.raises(ValueError, match="seconds between instants"):
        response_map([flock([[0, 0]], [[1, 0]])] * 3, 0.0, 1.0)
    with pytest.raises(ValueError, match="1 or more neighbours"):
        anisotropy([], 0)


@pytest.fixture(scope="module")
def fish() -> Any:
    """Eight zebrafish from trajectorytools: positions, velocities and accelerations per frame."""
    tools = pytest.importorskip("trajectorytools")
    spec = find_spec("trajectorytools")
    assert spec is not None and spec.origin is not None
    path = Path(spec.origin).parent / "data" / "test_trajectories_idtrackerai.npy"
    return tools.Trajectories.from_idtrackerai(path, interpolate_nans=True)


def test_the_maps_of_zebrafish_are_those_of_trajectorytools_and_scipy(fish: Any):
    import trajectorytools as tt
    from scipy.stats import binned_statistic_2d

    places, velocities, headings = fish.s, fish.v, fish.e
    flocks = [
        Flock(p - places.min(axis=(0, 1)), v, 2000.0, 2000.0, False, 60.0)
        for p, v in zip(places, velocities, strict=True)
    ]
    found = response_map(flocks, 1.0, 300.0, 12)
    # All others in the comoving frame of trajectorytools, whose x is to the left on a page with y downwards.
    offsets = places[:, None, :, :] - places[:, :, None, :]
    seen = tt.geometry.fixed_to_comoving(offsets, headings) * (-1.0, 1.0)
    pushes = (velocities[2:] - velocities[:-2]) / 2.0
    felt = tt.geometry.fixed_to_comoving(pushes, headings[1:-1]) * (-1.0, 1.0)
    others = np.broadcast_to(~np.eye(8, dtype=bool), seen.shape[:3])
    right, ahead = seen[1:-1][others[1:-1]].T
    edges = np.linspace(-300.0, 300.0, 13)
    for axis, values in ((0, found.turning), (1, found.speeding)):
        felt_by_pair = np.broadcast_to(felt[:, :, None, axis], others[1:-1].shape)[others[1:-1]]
        expected = binned_statistic_2d(right, ahead, felt_by_pair, "mean", (edges, edges)).statistic
        np.testing.assert_allclose(values, expected, atol=1e-9)
    count = binned_statistic_2d(*seen[others].T, None, "count", (edges, edges)).statistic
    np.testing.assert_array_equal(neighbor_map(flocks, 300.0, 12).counts, count)


def test_delays_of_zebrafish_are_those_of_trajectorytools(fish: Any):
    from trajectorytools.socialcontext import neighbour_indices
    from trajectorytools.socialcontext.leadership import dot_product_with_delays, sweep_delays

    headings, longest = fish.e, 12
    indices = neighbour_indices(fish.s, num_neighbours=7)[..., 1:]
    swept = sweep_delays(headings, indices, longest)
    frames = list(range(len(headings) - longest))
    expected = dot_product_with_delays(headings, indices, swept, frames)
    found = leadership([flock(np.zeros((8, 2)) + np.arange(8)[:, None], e) for e in headings], 1.0, 11.0)
    alone = ~np.eye(8, dtype=bool)
    for lag in range(longest):
        early, late = headings[: len(frames)], headings[lag : lag + len(frames)]
        mean = np.einsum("tik,tjk->ij", early, late) / len(frames)
        np.testing.assert_allclose(
            mean[alone], expected[lag][alone], atol=1e-9
        )  # what trajectorytools computes
        whole = np.einsum("tik,tjk->ij", headings[: len(headings) - lag], headings[lag:]) / (
            len(headings) - lag
        )
        np.testing.assert_allclose(found.correlations[11 + lag], whole, atol=1e-9)
