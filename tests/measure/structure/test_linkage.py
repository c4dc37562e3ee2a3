"""The proximity graph, against graphs made by hand, brute force, freud and random geometric graphs."""

from __future__ import annotations

import math

import numpy as np
import pytest

from murmura.measure import Flock, clustering_coefficient, groups, largest_group, mean_group, measure_flock
from murmura.measure.structure.linkage import _closed_pairs_by_bits, _closed_pairs_by_product
from tests.measure.oracle import clustering, group_sizes, make_flock, random_flock

TRIANGLE = [[20.0, 20.0], [26.0, 20.0], [23.0, 25.0]]
PATH = [[20.0, 20.0], [29.0, 20.0], [38.0, 20.0], [47.0, 20.0]]


# S4-51
def test_clustering_of_graphs_made_by_hand() -> None:
    assert clustering_coefficient(make_flock(TRIANGLE)) == 1.0
    assert clustering_coefficient(make_flock(PATH)) == 0.0
    # A triangle with a tail: the agent where the tail begins has 1 of 3 pairs linked, two corners 1, the tail 0.
    assert clustering_coefficient(make_flock([*TRIANGLE, [12.0, 20.0]])) == pytest.approx(
        (1 / 3 + 1 + 1 + 0) / 4
    )
    # A square with one diagonal (a kite): corners on the diagonal 2 of 3, the others 1.
    kite = [[20.0, 20.0], [28.0, 20.0], [24.0, 25.0], [24.0, 15.0]]
    assert clustering_coefficient(make_flock(kite, radius=9.0)) == pytest.approx((2 / 3 + 2 / 3 + 1 + 1) / 4)
    # A square without diagonals has none.
    square = [[20.0, 20.0], [28.0, 20.0], [28.0, 28.0], [20.0, 28.0]]
    assert clustering_coefficient(make_flock(square)) == 0.0


# S4-51
def test_clustering_counts_lone_agents_as_zero() -> None:
    assert clustering_coefficient(make_flock([*TRIANGLE, [90.0, 50.0]])) == 0.75
    assert clustering_coefficient(make_flock([[1.0, 1.0]])) == 0.0
    assert clustering_coefficient(make_flock([[1.0, 1.0], [2.0, 2.0]])) == 0.0
    assert math.isnan(clustering_coefficient(make_flock(np.zeros((0, 2)))))


# S4-51
def test_clustering_of_agents_in_one_place_is_one() -> None:
    assert clustering_coefficient(make_flock(np.full((100, 2), 7.0))) == 1.0


# S4-51
def test_a_triangle_over_the_corner_of_a_torus() -> None:
    corner = [[98.0, 58.0], [2.0, 58.0], [0.0, 3.0]]
    assert clustering_coefficient(make_flock(corner, wraps=True)) == 1.0
    assert clustering_coefficient(make_flock(corner, wraps=False)) == 0.0


# S4-51
@pytest.mark.parametrize("wraps", [True, False])
@pytest.mark.parametrize("radius", [3.0, 10.0, 20.0, 40.0, 70.0])
def test_clustering_is_that_of_brute_force(radius: float, wraps: bool) -> None:
    flock = random_flock(seed=int(radius), count=60, radius=radius, wraps=wraps)
    assert clustering_coefficient(flock) == pytest.approx(clustering(flock), rel=1e-12)


# S4-51
@pytest.mark.parametrize("count", [1, 63, 64, 65, 300])
def test_both_methods_of_counting_triangles_agree(count: int) -> None:
    for radius in (2.0, 15.0, 200.0):
        flock = random_flock(seed=count, count=count, radius=radius)
        by_bits = _closed_pairs_by_bits(flock.links, count)
        assert np.array_equal(by_bits, _closed_pairs_by_product(flock.adjacency))


# S4-51
def test_clustering_of_random_points_on_a_large_torus() -> None:
    # Dall & Christensen 2002: 1 - 3 sqrt(3) / (4 pi) in two dimensions, whatever the density. About 20
    # neighbours each, 10,000 agents: the size that must stay far below a second.
    radius = math.sqrt(20.0 * 6000.0 / 10_000.0 / math.pi)
    flock = random_flock(seed=9, count=10_000, radius=radius, wraps=True)
    assert clustering_coefficient(flock) == pytest.approx(
        1.0 - 3.0 * math.sqrt(3.0) / (4.0 * math.pi), abs=0.005
    )


def test_groups_of_graphs_made_by_hand() -> None:
    flock = make_flock([*TRIANGLE, [60.0, 20.0], [69.0, 20.0], [90.0, 50.0]])
    assert (groups(flock), largest_group(flock), mean_group(flock)) == (3.0, 3.0, 2.0)
    assert groups(make_flock(PATH)) == 1.0
    assert groups(make_flock(PATH, radius=8.9)) == 4.0


def test_groups_of_an_empty_flock() -> None:
    nobody = make_flock(np.zeros((0, 2)))
    assert (groups(nobody), largest_group(nobody)) == (0.0, 0.0)
    assert math.isnan(mean_group(nobody))


def test_groups_join_over_the_edge_of_a_torus() -> None:
    assert groups(make_flock([[1.0, 30.0], [98.0, 30.0]], wraps=True)) == 1.0
    assert groups(make_flock([[1.0, 30.0], [98.0, 30.0]], wraps=False)) == 2.0


def assert_sizes(flock: Flock, sizes: list[int]) -> None:
    assert groups(flock) == len(sizes)
    assert largest_group(flock) == max(sizes)
    assert mean_group(flock) == pytest.approx(sum(sizes) / len(sizes))


@pytest.mark.parametrize("wraps", [True, False])
@pytest.mark.parametrize("radius", [3.0, 6.0, 9.0, 15.0])
def test_groups_are_those_of_a_flood_fill(radius: float, wraps: bool) -> None:
    flock = random_flock(seed=int(radius), count=60, radius=radius, wraps=wraps)
    assert_sizes(flock, group_sizes(flock))


@pytest.mark.parametrize("radius", [1.0, 2.5, 4.0, 6.0])
def test_groups_are_those_of_freud_on_a_torus(radius: float) -> None:
    freud = pytest.importorskip("freud")
    flock = random_flock(seed=4, count=300, radius=radius, wraps=True)
    box = freud.box.Box(flock.width, flock.height, is2D=True)
    points = np.column_stack([flock.positions - flock.size / 2.0, np.zeros(flock.agent_count)])
    found = freud.cluster.Cluster().compute((box, points), neighbors={"r_max": radius})
    assert_sizes(flock, [len(keys) for keys in found.cluster_keys])


def crowd(gap: float) -> Flock:
    """Two dense clumps of 900 that a gap separates: nearly a million links."""
    rng = np.random.default_rng(3)
    clump = rng.random((900, 2)) * [8.0, 8.0]
    return make_flock(np.vstack([np.add(clump, [10.0, 20.0]), np.add(clump, [18.0 + gap, 20.0])]))


def test_a_crowd_is_measured_by_shortcuts(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = {gap: measure_flock(crowd(gap)) for gap in (9.0, 10.5)}
    monkeypatch.setattr("murmura.measure.flock.MOST_LINKS", 1_000)
    for gap, whole in exact.items():
        flock = crowd(gap)
        assert flock.is_crowded
        part = measure_flock(flock)
        # Sampled: three standard errors.
        assert part.pop("clustering_coefficient") == pytest.approx(
            whole.pop("clustering_coefficient"), abs=0.012
        )
        assert part["local_density"] == whole["local_density"]
        # Each agent's nearest neighbours lie in its own clump: a few links across the gap may be missed, but no wrong
        # ones are added.
        assert part.pop("groups") >= whole.pop("groups")
        for name in ("largest_group", "mean_group"):
            assert part.pop(name) <= whole.pop(name)
        assert part == pytest.approx(whole, nan_ok=True)


def test_groups_of_a_spread_out_crowd_are_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    flock = random_flock(seed=12, count=400, radius=6.0, wraps=True)
    expected = sorted(flock.group_sizes)
    monkeypatch.setattr("murmura.measure.flock.MOST_LINKS", 10)
    again = random_flock(seed=12, count=400, radius=6.0, wraps=True)
    assert again.is_crowded
    assert sorted(again.group_sizes) == expected
