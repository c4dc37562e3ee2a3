"""The arena of tracked animals: a box, a circle or a polygon, given or found.

The world of a run is a box. Circles and polygons become walls inside it, which films and replays show, and which also
exist for models that are fitted to the animals.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from murmura.core.errors import ScenarioError

Points = NDArray[np.float64]
CORNERS = 48
"""A circle becomes a circumscribed polygon with this many corners."""
ROOM = 1e-3
"""Margin around the arena, as a share of its size, so that no position is exactly on the world's edge."""
FORMS = "box, box:X0,Y0,X1,Y1, circle, circle:X,Y,R, polygon:X,Y,X,Y,... or file"


@dataclass(frozen=True, eq=False)
class Arena:
    """An arena in the file's unit.

    Attributes:
        kind: box, circle or polygon.
        corners: Its corners in order, shape (n, 2); for a circle, those of a circumscribed polygon.
        center, radius: Of a circle.
        found: Whether it was derived from the animals' positions instead of given.
    """

    kind: Literal["box", "circle", "polygon"]
    corners: Points
    found: bool
    center: tuple[float, float] | None = None
    radius: float | None = None

    def contains(self, places: Points) -> NDArray[np.bool_]:
        """Which positions, shape (n, 2), are inside or on the edge."""
        if self.kind == "circle" and self.center is not None and self.radius is not None:
            away = places - np.array(self.center)
            return np.asarray(np.hypot(away[:, 0], away[:, 1]) <= self.radius * (1.0 + 1e-9))
        if self.kind == "box":
            low, high = self.corners.min(axis=0), self.corners.max(axis=0)
            return np.asarray(((places >= low) & (places <= high)).all(axis=1))
        return _in_polygon(places, self.corners)

    def data(self) -> dict[str, Any]:
        """As plain data, in the file's unit."""
        circle = {} if self.center is None else {"center": list(self.center), "radius": self.radius}
        return {"kind": self.kind, "found": self.found, "corners": self.corners.tolist(), **circle}


def make_arena(text: str | None, places: Points, border: Points | None) -> Arena:
    """The arena given by the user or by the file, or the box around all positions.

    Args:
        text: In the syntax of `--arena`; None: the border in the file, or the box around all positions.
        places: All known positions, shape (n, 2), in the file's unit.
        border: The border in the file, shape (n, 2).
    """
    kind, _, numbers = (text or ("box" if border is None else "file")).partition(":")
    if kind == "file":
        if border is None:
            raise ScenarioError(
                "--arena file: the file contains no border; give a box, a circle or a polygon"
            )
        return Arena("polygon", border, False)
    values = _numbers(numbers)
    if kind == "box" and len(values) in (0, 4):
        low, high = (places.min(axis=0), places.max(axis=0)) if not values else (values[:2], values[2:])
        return _box(np.array(low, float), np.array(high, float), not values)
    if kind == "circle" and len(values) in (0, 3):
        center, radius = smallest_circle(places) if not values else (np.array(values[:2]), values[2])
        return _circle(center, radius, not values)
    if kind == "polygon" and len(values) >= 6 and len(values) % 2 == 0:
        return Arena("polygon", np.array(values).reshape(-1, 2), False)
    raise ScenarioError(f"--arena takes {FORMS} in the file's unit, got {text!r}")


def _numbers(text: str) -> list[float]:
    try:
        values = [float(part) for part in text.split(",")] if text else []
    except ValueError:
        values = [math.nan]
    if not all(map(math.isfinite, values)):
        raise ScenarioError(f"--arena takes numbers separated by commas, got {text!r}")
    return values


def _box(low: Points, high: Points, found: bool) -> Arena:
    if found:
        # Animals on a line still need a box.
        flat = high <= low
        high, low = np.where(flat, high + 0.5, high), np.where(flat, low - 0.5, low)
    if not (high > low).all():
        raise ScenarioError(
            f"a box must go from its lower to its higher corner, got {low.tolist()} to {high.tolist()}"
        )
    corners = np.array([low, (high[0], low[1]), high, (low[0], high[1])])
    return Arena("box", corners, found)


def _circle(center: Points, radius: float, found: bool) -> Arena:
    if not radius > 0.0:
        raise ScenarioError(f"a circle needs a radius > 0, got {radius:g}")
    turns = 2.0 * np.pi * np.arange(CORNERS) / CORNERS
    outside = radius / math.cos(math.pi / CORNERS)  # the polygon's sides touch the circle
    corners = center + outside * np.stack([np.cos(turns), np.sin(turns)], axis=1)
    return Arena("circle", corners, found, (float(center[0]), float(center[1])), float(radius))


def smallest_circle(places: Points) -> tuple[Points, float]:
    """The smallest circle around positions, shape (n, 2): centre and radius (Welzl 1991, on the convex hull)."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        hull = places[ConvexHull(places).vertices]
    except (QhullError, ValueError):  # all on a line, or fewer than three
        hull = np.unique(places, axis=0)
    center, radius = hull[0], 0.0
    for i, a in enumerate(hull):
        if _within(center, radius, a):
            continue
        center, radius = a, 0.0
        for j, b in enumerate(hull[:i]):
            if _within(center, radius, b):
                continue
            center, radius = (a + b) / 2.0, float(np.hypot(*(a - b))) / 2.0
            for c in hull[:j]:
                if not _within(center, radius, c):
                    center, radius = _through(a, b, c)
    return center, radius


def _within(center: Points, radius: float, place: Points) -> bool:
    return bool(np.hypot(*(place - center)) <= radius * (1.0 + 1e-12))


def _through(a: Points, b: Points, c: Points) -> tuple[Points, float]:
    """The circle through three points."""
    matrix = 2.0 * np.array([b - a, c - a])
    offset = np.linalg.solve(matrix, np.array([(b - a) @ (b - a), (c - a) @ (c - a)]))
    return a + offset, float(np.hypot(*offset))


def _in_polygon(places: Points, corners: Points) -> NDArray[np.bool_]:
    """Which positions are in a polygon: a ray to the right crosses its sides an odd number of times."""
    inside = np.zeros(len(places), bool)
    x, y = places.T
    for (x0, y0), (x1, y1) in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        if y0 == y1:
            continue
        crosses = (y0 > y) != (y1 > y)
        inside ^= crosses & (x < x0 + (y - y0) * (x1 - x0) / (y1 - y0))
    return inside
