"""Invariance of measures: under translation on a torus, permutation of agents, and rotation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from murmura.measure import Flock, measure_flock
from tests.sizes import size

from .oracle import Vectors, make_flock, random_flock

# Up to a few hundred worlds away: far enough to wrap often, near enough to keep ten digits.
shifts = st.floats(-1e4, 1e4)
seeds = st.integers(0, 2**32 - 1)
thorough = settings(max_examples=size(20, 40), deadline=None)


def assert_same(one: Flock, other: Flock, tolerance: float = 1e-6) -> None:
    expected = measure_flock(one)
    assert measure_flock(other) == pytest.approx(expected, rel=tolerance, abs=tolerance, nan_ok=True)


def moved(flock: Flock, positions: Vectors, velocities: Vectors | None = None) -> Flock:
    kept = flock.velocities if velocities is None else velocities
    return Flock(positions, kept, flock.width, flock.height, flock.wraps, flock.radius)


@thorough
@given(seed=seeds, count=st.integers(0, 30), dx=shifts, dy=shifts)
def test_a_shifted_torus_is_the_same_torus(seed: int, count: int, dx: float, dy: float) -> None:
    flock = random_flock(seed, count, wraps=True)
    assert_same(flock, moved(flock, np.mod(flock.positions + np.array([dx, dy]), flock.size)))
    assert_same(flock, moved(flock, flock.positions + np.array([dx, dy])))


# Multiples of 1/8 add without rounding, so that pairs exactly at the radius must stay linked.
eighths = st.integers(-4000, 4000).map(lambda number: number / 8.0)


@thorough
@given(st.lists(st.tuples(eighths, eighths), max_size=30), eighths, eighths, st.integers(1, 40))
def test_links_survive_a_shift_exactly(
    points: list[tuple[float, float]], dx: float, dy: float, radius: int
) -> None:
    positions = np.array(points, dtype=np.float64).reshape(-1, 2)
    flock = make_flock(positions, radius=radius, wraps=True)
    shifted = moved(flock, positions + np.array([dx, dy]))
    assert np.array_equal(shifted.degrees, flock.degrees)
    assert np.array_equal(shifted.adjacency.toarray(), flock.adjacency.toarray())


@thorough
@given(seed=seeds, count=st.integers(0, 30), wraps=st.booleans())
def test_the_order_of_agents_does_not_matter(seed: int, count: int, wraps: bool) -> None:
    flock = random_flock(seed, count, wraps=wraps)
    order = np.random.default_rng(seed).permutation(count)
    assert_same(flock, moved(flock, flock.positions[order], flock.velocities[order]))


@thorough
@given(seed=seeds, count=st.integers(0, 30), angle=st.floats(0.0, 2.0 * math.pi), dx=shifts, dy=shifts)
def test_measures_of_an_open_world_are_invariant_under_rotation_and_translation(
    seed: int, count: int, angle: float, dx: float, dy: float
) -> None:
    flock = random_flock(seed, count)
    turn = np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])
    assert_same(flock, moved(flock, flock.positions @ turn + [dx, dy], flock.velocities @ turn))


@thorough
@given(seed=seeds, count=st.integers(0, 30), wraps=st.booleans())
def test_a_mirror_changes_nothing(seed: int, count: int, wraps: bool) -> None:
    flock = random_flock(seed, count, wraps=wraps)
    assert_same(flock, moved(flock, flock.positions * [-1.0, 1.0], flock.velocities * [-1.0, 1.0]))


@thorough
@given(seed=seeds, count=st.integers(1, 30), wraps=st.booleans(), radius=st.floats(1e-3, 1e3))
def test_measures_stay_in_their_range(seed: int, count: int, wraps: bool, radius: float) -> None:
    found = measure_flock(random_flock(seed, count, wraps=wraps, radius=radius))
    for name in ("polarization", "milling", "clustering_coefficient"):
        assert math.isnan(found[name]) or 0.0 <= found[name] <= 1.0
    assert 1 <= found["groups"] <= count
    assert found["mean_group"] <= found["largest_group"] <= count
    assert found["groups"] * found["mean_group"] == pytest.approx(count)
    assert 0.0 <= found["local_density"] <= count - 1
