"""The nearest neighbours of points in many worlds, against a search through all pairs."""

from __future__ import annotations

import numpy as np
import pytest

from murmura.compute.cpu.nearest import nearest


def brute(points, worlds, asking, count, radius, sides, wraps):
    found = np.full((len(asking), count), -1)
    for row, me in enumerate(asking):
        away = (points - points[me]).astype(np.float64)
        for axis, (side, turns) in enumerate(zip(sides, wraps, strict=True)):
            if turns:
                away[:, axis] -= side * np.rint(away[:, axis] / side)
        distance = np.sqrt((away**2).sum(axis=1))
        distance[(worlds != worlds[me]) | ~(distance <= radius)] = np.inf
        distance[me] = np.inf
        order = np.argsort(distance)[:count]
        order = order[np.isfinite(distance[order])]
        found[row, : len(order)] = order
    return found


@pytest.mark.parametrize("radius", [4.0, 24.0, 49.0])
@pytest.mark.parametrize(
    ("sides", "wraps"),
    [
        ((100.0, 60.0), (True, True)),
        ((100.0, 60.0), (False, False)),
        ((100.0, 120.0, 60.0), (True, True, False)),
    ],
)
def test_the_nearest_are_those_of_all_pairs(radius, sides, wraps):
    rng, n = np.random.default_rng(3), 450
    worlds = np.repeat(np.arange(3, dtype=np.int32), n // 3)
    points = (rng.random((n, len(sides))) * sides).astype(np.float32)
    if not wraps[0]:
        points[:60, 0] -= 70.0  # outside
    points[::13] = np.nan
    asking = np.flatnonzero(~np.isnan(points[:, 0]))[::2].astype(np.int32)
    found, squares = nearest(points, worlds, asking, 5, radius, sides, wraps)
    assert np.array_equal(found, brute(points, worlds, asking, 5, radius, sides, wraps))
    assert (np.isinf(squares) == (found < 0)).all()
    assert (np.diff(np.where(found < 0, 1e9, squares), axis=1) >= 0.0).all()


def test_who_is_nowhere_has_no_neighbours():
    points = np.array([[1.0, 1.0], [np.nan, np.nan], [2.0, 1.0]], np.float32)
    found, _ = nearest(
        points, np.zeros(3, np.int32), np.arange(3, dtype=np.int32), 2, 5.0, (9.0, 9.0), (False, False)
    )
    assert found.tolist() == [[2, -1], [-1, -1], [0, -1]]
