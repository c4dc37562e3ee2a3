"""Neighbours, groups and visited places over time, against brute force and cases counted by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from murmura.measure import Flock
from murmura.measure.time.groups import Exploration, GroupChanges, NeighborPersistence
from tests.measure.oracle import distance


def frames(count: int, agents: int, wraps: bool, seed: int = 1) -> list[Flock]:
    rng = np.random.default_rng(seed)
    places, moves = rng.random((agents, 2)) * [100.0, 60.0], rng.normal(size=(agents, 2))
    return [
        Flock(places + k * moves, moves, 100.0, 60.0, wraps, 10.0, ids=np.arange(agents) * 3)
        for k in range(count)
    ]


def nearest(flock: Flock, i: int, count: int) -> set[int]:
    others = [j for j in range(flock.agent_count) if j != i]
    return set(sorted(others, key=lambda j: distance(flock, i, j))[:count])


@pytest.mark.parametrize("wraps", [False, True])
def test_persistence_is_that_of_all_pairs(wraps: bool):
    run = frames(6, 20, wraps)
    found = NeighborPersistence(nearest=4)
    for flock in run:
        found.add(flock)
    near = [[nearest(flock, i, 4) for i in range(20)] for flock in run]
    for lag, value in enumerate(found.curve(0.5).values):
        shares = [len(near[k][i] & near[k + lag][i]) / 4.0 for k in range(6 - lag) for i in range(20)]
        assert value == pytest.approx(np.mean(shares))
    assert found.curve(0.5).values[0] == 1.0 > found.curve(0.5).values[5]


def test_persistence_of_few_and_of_those_in_one_place():
    few = NeighborPersistence()
    for flock in frames(3, 3, False):
        few.add(flock)
    assert few.curve(1.0).values.tolist() == [1.0, 1.0, 1.0]
    heap = NeighborPersistence(nearest=2)
    for _ in range(2):
        heap.add(Flock(np.zeros((9, 2)), np.ones((9, 2)), 10.0, 10.0, False, 1.0))
    assert heap.curve(1.0).values[0] == 1.0
    alone = NeighborPersistence()
    alone.add(frames(1, 1, False)[0])
    assert np.isnan(alone.curve(1.0).values).all()


def test_splits_and_joins_counted_by_hand():
    """Two groups of two join and one leaves; then the three fall apart; then one dies, which is no split."""
    states = [[0.0, 1.0, 5.0, 6.0], [0.0, 1.0, 2.0, 9.0], [0.0, 3.0, 6.0, 9.0], [0.0, 3.0, 6.0]]
    found = GroupChanges()
    for places in states:
        positions = np.column_stack([places, np.zeros(len(places))])
        found.add(Flock(positions, positions, 100.0, 60.0, False, 1.5, ids=np.arange(len(places))))
    fissions, fusions = found.rates(0.5)
    # (0 1)(2 3) -> (0 1 2)(3): one split, one join; -> (0)(1)(2)(3): two splits; -> none.
    assert (fissions.mean, fusions.mean) == (pytest.approx(3 / 3 / 0.5), pytest.approx(1 / 3 / 0.5))
    assert math.isnan(fissions.error)


@pytest.mark.parametrize("wraps", [False, True])
def test_exploration_is_the_union_of_visited_cells(wraps: bool):
    run = frames(11, 8, wraps)
    found = Exploration()
    visited = []
    for flock in run:
        found.add(flock)
        cells = {tuple(np.floor(place / 10.0).astype(int)) for place in flock.positions}
        visited.append({cell for cell in cells if 0 <= cell[0] < 10 and 0 <= cell[1] < 6})
    curve = found.curve(2.0)
    assert curve.x.tolist() == [0.0, 2.0, 6.0, 14.0]
    for value, length in zip(curve.values, (1, 2, 4, 8), strict=True):
        windows = [visited[k : k + length] for k in range(0, 11 - length + 1, length)]
        assert value == pytest.approx(np.mean([len(set().union(*window)) / 60.0 for window in windows]))
