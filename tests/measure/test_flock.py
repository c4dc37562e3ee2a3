"""`Flock`: what it accepts, what it refuses, and that it does not change."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from murmura.measure import Flock, groups, local_density, measure_flock
from murmura.measure.flock import by_columns, chosen_rows, column_means

from .oracle import make_flock, neighbor_sets, random_flock


def test_copies_its_arrays_and_keeps_them_read_only() -> None:
    positions = np.array([[1.0, 2.0], [3.0, 4.0]])
    flock = make_flock(positions)
    positions[:] = 99.0
    assert flock.positions.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    with pytest.raises(ValueError, match="read-only"):
        flock.positions[0, 0] = 5.0


def test_keeps_read_only_arrays_and_copies_views_of_writable_ones() -> None:
    mine = np.array([[1.0, 2.0], [3.0, 4.0]])
    mine.setflags(write=False)
    assert make_flock(mine).positions is mine
    yours = np.array([[1.0, 2.0], [3.0, 4.0]])
    view = yours[:]
    view.setflags(write=False)
    flock = make_flock(view)
    yours[:] = 99.0
    assert flock.positions.tolist() == mine.tolist()


@pytest.mark.parametrize("count", [1, 2, 7, 129, 8_193, 100_000])
def test_shortcuts_of_numpy_give_its_bits(count: int) -> None:
    vectors = np.random.default_rng(count).normal(size=(count, 2)) * 1e5
    pair = np.array([3.7, -0.3])
    assert np.array_equal(column_means(vectors), vectors.mean(axis=0))
    for operation in (np.add, np.subtract, np.multiply, np.divide):
        assert np.array_equal(by_columns(operation, vectors, pair), operation(vectors, pair))
    chosen = vectors[:, 0] > 0.0
    assert np.array_equal(chosen_rows(vectors, chosen), vectors[chosen])
    assert chosen_rows(vectors, np.ones(count, bool)) is vectors


def test_accepts_lists_float32_and_strided_arrays() -> None:
    rows = np.arange(24, dtype=np.float32).reshape(6, 4)[::2, 1:3]
    flock = make_flock(rows, rows.tolist(), radius=np.float32(3.0))
    assert flock.positions.dtype == flock.velocities.dtype == np.float64
    assert np.array_equal(flock.positions, rows)
    assert flock.radius == 3.0


@pytest.mark.parametrize("name", ["positions", "velocities"])
@pytest.mark.parametrize(
    ("value", "found"),
    [
        (np.zeros(4), r"shape \(n, 2\), got \(4,\)"),
        (np.zeros((2, 3)), r"shape \(n, 2\), got \(2, 3\)"),
        ([[0.0, 1.0], [2.0]], "got list"),
        ("flock", "got str"),
        ([[0.0, 0.0], [math.nan, 1.0]], "finite, got .*nan.* for agent 1"),
        ([[0.0, math.inf], [0.0, 1.0]], "finite, got .*inf.* for agent 0"),
    ],
)
def test_refuses_bad_arrays(name: str, value: Any, found: str) -> None:
    arrays = {"positions": np.zeros((2, 2)), "velocities": np.zeros((2, 2))} | {name: value}
    with pytest.raises(ValueError, match=f"{name} must .*{found}"):
        make_flock(**arrays)


def test_refuses_arrays_of_different_flocks() -> None:
    with pytest.raises(ValueError, match="got 3 and 2 rows; take both from the same step"):
        make_flock(np.zeros((3, 2)), np.zeros((2, 2)))


@pytest.mark.parametrize("name", ["width", "height", "radius"])
@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, math.inf, None, "wide"])
def test_refuses_invalid_lengths(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=rf"{name} must be a finite number > 0 \[u\], got .*; give"):
        make_flock(np.zeros((2, 2)), **{name: value})


def test_brings_positions_into_a_world_that_wraps() -> None:
    outside = [[-1e-20, 60.0], [100.0, -1.0], [250.0, 59.0]]
    flock = make_flock(outside, wraps=True)
    assert flock.positions.tolist() == [[0.0, 0.0], [0.0, 59.0], [50.0, 59.0]]
    assert make_flock(outside).positions.tolist() == outside
    assert groups(flock) == 2


def test_the_radius_is_inclusive() -> None:
    at, beyond = [[0.0, 0.0], [3.0, 4.0]], [[0.0, 0.0], [3.0, np.nextafter(4.0, 5.0)]]
    assert local_density(make_flock(at, radius=5.0)) == 1.0
    assert local_density(make_flock(beyond, radius=5.0)) == 0.0
    across = [[1.0, 0.0], [96.0, 0.0]]
    assert local_density(make_flock(across, radius=5.0, wraps=True)) == 1.0
    assert local_density(make_flock(across, radius=np.nextafter(5.0, 4.0), wraps=True)) == 0.0


@pytest.mark.parametrize("wraps", [True, False])
def test_a_lattice_loses_no_link_at_its_edge(wraps: bool) -> None:
    # Every nearest distance is exactly the radius: a search that rounds its bounds would drop some.
    x, y = np.meshgrid(np.arange(0.0, 100.0, 2.5), np.arange(0.0, 60.0, 2.5))
    flock = make_flock(np.column_stack([x.ravel(), y.ravel()]), radius=2.5, wraps=wraps)
    columns, rows = 40, 24
    expected = 2 * columns * rows if wraps else 2 * columns * rows - columns - rows
    assert len(flock.links) == expected


@pytest.mark.parametrize("radius", [5.0, 29.0, 31.0, 50.0, 57.0, 500.0])
@pytest.mark.parametrize("wraps", [True, False])
def test_links_are_those_of_brute_force_at_any_radius(radius: float, wraps: bool) -> None:
    flock = random_flock(seed=3, radius=radius, wraps=wraps)
    expected = {(i, j) for i, near in enumerate(neighbor_sets(flock)) for j in near if i < j}
    assert {(min(pair), max(pair)) for pair in flock.links.tolist()} == expected
    assert len(flock.links) == len(expected)


def test_the_graph_is_computed_once() -> None:
    flock = random_flock(seed=1)
    measure_flock(flock)
    assert flock.adjacency is flock.adjacency
    assert flock.tree is flock.tree


def test_flocks_compare_by_identity() -> None:
    one, other = random_flock(seed=1), random_flock(seed=1)
    assert one == one
    assert one != other
    assert len({one, other}) == 2


def test_is_frozen() -> None:
    flock: Any = Flock(np.zeros((1, 2)), np.zeros((1, 2)), 1.0, 1.0, True, 1.0)
    with pytest.raises(AttributeError):
        flock.radius = 2.0
