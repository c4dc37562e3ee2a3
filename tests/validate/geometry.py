"""Plain geometry in double precision: did a straight move cross a wall or enter a circle?"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]


def sides(shape: dict[str, Any]) -> list[tuple[Array, Array]]:
    """The walls of a polygon or of a line of walls, as (start, end)."""
    points = [np.array(point, float) for point in shape["points"]]
    ends = points[1:] if shape.get("kind") == "wall" or len(points) < 3 else [*points[1:], points[0]]
    return list(zip(points, ends, strict=False))


def crosses(old: Array, move: Array, start: Array, end: Array) -> Flags:
    """Whether moves cross a wall, its ends included."""
    along = end - start
    if not along.any():
        return np.zeros(len(old), bool)  # a wall of length 0 stops nothing

    def side(places: Array) -> Array:
        return along[0] * (places[:, 1] - start[1]) - along[1] * (places[:, 0] - start[0])

    before, after = side(old), side(old + move)
    change = np.where(before == after, 1.0, before - after)
    meeting = old + move * (before / change)[:, None]
    share = (meeting - start) @ along / (along @ along)
    return (before * after <= 0) & (before != after) & (share >= 0) & (share <= 1)


def enters(old: Array, move: Array, middle: Array, radius: float) -> Flags:
    """Whether moves come nearer to the middle than the radius, anywhere on their path."""
    to = middle - old
    share = np.clip((to * move).sum(axis=1) / np.maximum((move * move).sum(axis=1), 1e-300), 0.0, 1.0)
    return np.hypot(*(move * share[:, None] - to).T) < radius


def trespassers(old: Array, new: Array, obstacles: list[dict[str, Any]], side: float | None) -> Flags:
    """Agents that went through or into an obstacle during a move; `side` is the size of a square torus."""
    move = new - old
    images = [(0.0, 0.0)]
    if side is not None:
        move = move - side * np.round(move / side)
        images = [(i * side, j * side) for i in (-1, 0, 1) for j in (-1, 0, 1)]
    found = np.zeros(len(old), bool)
    for image in images:
        for shape in obstacles:
            if "radius" in shape:
                found |= enters(old, move, np.array([shape["x"], shape["y"]]) + image, shape["radius"])
            else:
                for start, end in sides(shape):
                    found |= crosses(old, move, start + image, end + image)
    return found
