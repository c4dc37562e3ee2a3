"""Obstacles that users drag: the distance of a position from one, and moving one."""

from __future__ import annotations

import math
from typing import Any

from murmura.rules.environment.terrain import Box, Circle, Cylinder, Plane, contains, shape_rows


def distance_to(shape: Any, x: float, y: float, z: float | None = None) -> float:
    """The distance of a position from an obstacle [u]; 0 inside a solid one. Without a height: as seen from above."""
    if isinstance(shape, Plane):
        return math.inf if z is None else _from_plane(shape, (x, y, z))
    if isinstance(shape, Box):
        place = shape.seen_from((x, y, shape.middle[2] if z is None else z))
        return math.hypot(*(max(abs(at) - half, 0.0) for at, half in zip(place, shape.half, strict=True)))
    if isinstance(shape, Cylinder):
        low, high = shape.bottom, shape.top
        above = 0.0 if z is None or high is None else z - high
        below = 0.0 if z is None or low is None else low - z
        outside = math.hypot(x - shape.x, y - shape.y) - shape.radius
        return math.hypot(max(outside, 0.0), max(above, below, 0.0))
    if isinstance(shape, Circle) and z is not None and shape.z is not None:
        return max(math.dist((x, y, z), (shape.x, shape.y, shape.z)) - shape.radius, 0.0)
    return 0.0 if contains(shape, x, y) else _from_outline(shape, x, y)


def _from_plane(shape: Plane, place: tuple[float, float, float]) -> float:
    away = (a - b for a, b in zip(place, shape.point, strict=True))
    along = sum(a * b for a, b in zip(away, shape.normal, strict=True))
    return abs(along) / max(math.hypot(*shape.normal), 1e-12)


def _from_outline(shape: Any, x: float, y: float) -> float:
    found = []
    for x0, y0, x1, y1, radius in shape_rows([shape], math.inf):
        along = (x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)
        part = min(max(along / max(math.dist((x0, y0), (x1, y1)) ** 2, 1e-12), 0.0), 1.0)
        found.append(math.hypot(x - x0 - part * (x1 - x0), y - y0 - part * (y1 - y0)) - radius)
    return min(found)


def moved(shape: dict[str, Any], way: tuple[float, ...]) -> dict[str, Any]:
    """An obstacle, as in a scenario file, moved by two or three coordinates [u]."""
    places = ("points", "low", "high", "point")
    found = dict(shape)
    for name in places:
        if name == "points" and name in shape:
            found[name] = [[x + way[0], y + way[1]] for x, y in shape[name]]
        elif name in shape:
            found[name] = [a + b for a, b in zip(shape[name], (*way, 0.0)[:3], strict=True)]
    for name, step in zip(("x", "y", "z"), way, strict=False):
        if shape.get(name) is not None:
            found[name] = shape[name] + step
    for name in ("bottom", "top"):
        if shape.get(name) is not None and len(way) == 3:
            found[name] = shape[name] + way[2]
    return found
