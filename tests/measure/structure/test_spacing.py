"""Distances and density, against brute force, freud and theory of random points."""

from __future__ import annotations

import math

import numpy as np
import pytest

from murmura.measure import Flock, local_density, nearest_neighbor_distance, spread
from tests.measure.oracle import Vectors, distance, make_flock, neighbor_sets, random_flock


# S4-50
def test_nearest_neighbor_distance_of_known_states() -> None:
    assert nearest_neighbor_distance(make_flock([[0.0, 0.0], [3.0, 4.0]])) == 5.0
    assert nearest_neighbor_distance(make_flock([[0.0, 0.0], [1.0, 0.0], [4.0, 0.0]])) == pytest.approx(
        5.0 / 3.0
    )
    assert nearest_neighbor_distance(make_flock([[1.0, 30.0], [98.0, 30.0]], wraps=False)) == 97.0
    assert nearest_neighbor_distance(make_flock([[1.0, 30.0], [98.0, 30.0]], wraps=True)) == 3.0


# S4-50
def test_nearest_neighbor_distance_needs_two() -> None:
    assert math.isnan(nearest_neighbor_distance(make_flock(np.zeros((0, 2)))))
    assert math.isnan(nearest_neighbor_distance(make_flock([[1.0, 2.0]], wraps=True)))


# S4-50
def test_nearest_neighbor_distance_of_agents_in_one_place() -> None:
    assert nearest_neighbor_distance(make_flock(np.full((500, 2), 7.0))) == 0.0
    assert nearest_neighbor_distance(make_flock([[0.0, 0.0], [0.0, 0.0], [3.0, 4.0]])) == pytest.approx(
        5.0 / 3.0
    )


# S4-50
@pytest.mark.parametrize("wraps", [True, False])
def test_nearest_neighbor_distance_is_that_of_brute_force(wraps: bool) -> None:
    flock = random_flock(seed=5, wraps=wraps)
    everyone = range(flock.agent_count)
    nearest = [min(distance(flock, i, j) for j in everyone if j != i) for i in everyone]
    assert nearest_neighbor_distance(flock) == pytest.approx(np.mean(nearest), rel=1e-12)


# S4-50
def test_nearest_neighbor_distance_of_random_points() -> None:
    # Clark & Evans 1954: 1 / (2 sqrt(density)); its standard error at this size is 0.3 %.
    flock = random_flock(seed=2, count=10_000, wraps=True)
    assert nearest_neighbor_distance(flock) == pytest.approx(0.5 * math.sqrt(6000.0 / 10_000.0), rel=0.015)


def test_spread_of_known_states() -> None:
    assert spread(make_flock([[0.0, 0.0], [6.0, 8.0]])) == 5.0
    assert spread(make_flock([[98.0, 30.0], [4.0, 30.0]], wraps=True)) == pytest.approx(3.0)
    assert spread(make_flock([[98.0, 30.0], [4.0, 30.0]], wraps=False)) == 47.0
    assert spread(make_flock([[12.3, 45.6]], wraps=True)) == pytest.approx(0.0, abs=1e-12)
    assert math.isnan(spread(make_flock(np.zeros((0, 2)))))


def test_spread_is_undefined_for_two_at_opposite_ends_of_a_circle() -> None:
    assert math.isnan(spread(make_flock([[10.0, 5.0], [60.0, 5.0]], wraps=True)))


@pytest.mark.parametrize("wraps", [True, False])
def test_local_density_is_the_mean_number_of_neighbors(wraps: bool) -> None:
    flock = random_flock(seed=6, wraps=wraps)
    assert local_density(flock) == np.mean([len(near) for near in neighbor_sets(flock)])


def test_local_density_of_known_states() -> None:
    assert local_density(make_flock([[0.0, 0.0]])) == 0.0
    assert local_density(make_flock(np.full((5, 2), 7.0))) == 4.0
    assert local_density(make_flock([[0.0, 0.0], [10.0, 0.0], [20.0, 0.0]])) == pytest.approx(4.0 / 3.0)
    assert math.isnan(local_density(make_flock(np.zeros((0, 2)))))


def in_freud(flock: Flock) -> Vectors:
    # freud's box is centred on the origin and three-dimensional.
    return np.column_stack([flock.positions - flock.size / 2.0, np.zeros(flock.agent_count)])


@pytest.mark.parametrize("seed", range(5))
def test_freud_agrees_on_a_torus(seed: int) -> None:
    freud = pytest.importorskip("freud")
    flock = random_flock(seed=seed, count=300, wraps=True)
    box, points = freud.box.Box(flock.width, flock.height, is2D=True), in_freud(flock)
    query = freud.locality.AABBQuery(box, points)

    nearest = query.query(points, {"num_neighbors": 1, "exclude_ii": True}).toNeighborList()
    assert nearest_neighbor_distance(flock) == pytest.approx(nearest.distances.mean(), rel=1e-5)  # S4-50

    within = query.query(points, {"r_max": flock.radius, "exclude_ii": True}).toNeighborList()
    assert local_density(flock) == pytest.approx(within.neighbor_counts.mean())

    away = box.wrap(points - box.center_of_mass(points))
    assert spread(flock) == pytest.approx(math.sqrt((away**2).sum(axis=1).mean()), rel=1e-4)
