"""What a picture shows beside the flock: obstacles, attractors, threats and words, as patches laid over it.

A patch is made once and laid on every picture as long as the camera does not move.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from murmura.lab.camera import Camera
from murmura.lab.letters import text_mask
from murmura.scenario import Scenario

Plane = NDArray[np.float32]
Rgb = tuple[float, float, float]
Corner = Literal["top left", "top right", "bottom left", "bottom right"]

# As the page draws them (overlay.ts): fill and stroke of obstacles, and rings for a pull, a push and a threat.
FILL = {"dark": ((140, 158, 200), 0.17), "light": ((70, 80, 100), 0.30)}
STROKE = {"dark": ((190, 205, 240), 0.65), "light": ((50, 60, 80), 0.75)}
PULL = {"dark": (255, 209, 128), "light": (168, 84, 12)}
PUSH = {"dark": (120, 180, 255), "light": (28, 84, 170)}
THREAT = {"dark": (255, 120, 100), "light": (170, 40, 24)}
INK = {"dark": (226, 232, 245), "light": (38, 46, 64)}


@dataclass
class Patch:
    """A rectangle of colour, premultiplied, and how much of what lies below it stays."""

    left: int
    top: int
    color: Plane
    keep: Plane

    def lay(self, picture: Plane) -> None:
        height, width = self.keep.shape
        below = picture[:, self.top : self.top + height, self.left : self.left + width]
        below *= self.keep
        below += self.color


def things(scenario: Scenario, camera: Camera, theme: str) -> list[Patch]:
    """Everything of a scenario that stands in the world."""
    return [patch for patch in _all_things(scenario, camera, theme) if patch is not None]


def _all_things(scenario: Scenario, camera: Camera, theme: str) -> Iterable[Patch | None]:
    unit = camera.scale
    for shape in scenario.obstacles:
        if shape.kind == "circle":
            (x, y), radius = camera.on_screen([[shape.x, shape.y]])[0], shape.radius * camera.zoom
            yield _round(camera, x, y, radius, theme, unit)
        else:
            yield _angular(camera, shape.points, shape.kind == "polygon", theme, unit)
    rules = scenario.rules
    if rules.attractors.enabled:
        for point in rules.attractors.points:
            color, dashed = (PULL, False) if point.strength >= 0 else (PUSH, True)
            yield _ring(camera, point, color[theme], dashed, False, unit)
    if rules.fear.enabled:
        for threat in rules.fear.threats:
            yield _ring(camera, threat, THREAT[theme], True, True, unit)


def halo(x: float, y: float, radius: float, camera: Camera, theme: str) -> list[Patch]:
    """A thin ring around one place on the screen [px]: whom the camera follows."""
    reach = radius + 2.0 * camera.scale
    window = _window(camera, (x - reach, y - reach), (x + reach, y + reach))
    if window is None:
        return []
    dx, dy = _centred(window, x, y)
    line = _cover(np.abs(np.hypot(dx, dy) - radius) - 0.75 * camera.scale)
    return [_inked(window[0], window[1], [(line, INK[theme], 0.7)])]


def words(
    text: str, corner: Corner, camera: Camera, theme: str, size: float = 15.0, weight: float = 0.85
) -> Patch:
    """A line of text in a corner; cut off where the picture is too narrow."""
    margin = round(14 * camera.scale)
    mask = text_mask(text, max(7.0, size * camera.scale))
    height, width = min(mask.shape[0], camera.height), min(mask.shape[1], camera.width)
    left = margin if "left" in corner else camera.width - width - margin
    top = margin if "top" in corner else camera.height - height - margin
    left, top = max(0, min(left, camera.width - width)), max(0, min(top, camera.height - height))
    return _inked(left, top, [(mask[:height, :width], INK[theme], weight)])


def _inked(left: int, top: int, inks: list[tuple[Any, Any, float]]) -> Patch:
    """Layers of (mask, colour in bytes, opacity), the first lowest, as one patch."""
    shape = inks[0][0].shape
    color, keep = np.zeros((3, *shape), np.float32), np.ones(shape, np.float32)
    for mask, rgb, opacity in inks:
        alpha = np.asarray(mask, np.float32) * np.float32(opacity)
        color = color * (1.0 - alpha) + alpha * (np.array(rgb, np.float32) / 255.0)[:, None, None]
        keep = keep * (1.0 - alpha)
    return Patch(left, top, color, keep)


def _window(camera: Camera, low: Any, high: Any) -> tuple[int, int, int, int] | None:
    """The part of the picture in a box of pixels: left, top, right, bottom; none where they do not meet."""
    left, top = max(0, int(np.floor(low[0]))), max(0, int(np.floor(low[1])))
    right, bottom = min(camera.width, int(np.ceil(high[0]))), min(camera.height, int(np.ceil(high[1])))
    return (left, top, right, bottom) if left < right and top < bottom else None


def _cover(distance: Any) -> Any:
    return np.clip(0.5 - distance, 0.0, 1.0)


def _centred(window: tuple[int, int, int, int], x: float, y: float) -> tuple[Any, Any]:
    left, top, right, bottom = window
    return np.arange(left, right)[None, :] + 0.5 - x, np.arange(top, bottom)[:, None] + 0.5 - y


def _round(camera: Camera, x: float, y: float, radius: float, theme: str, unit: float) -> Patch | None:
    reach = radius + 2.0 * unit
    window = _window(camera, (x - reach, y - reach), (x + reach, y + reach))
    if window is None:
        return None
    dx, dy = _centred(window, x, y)
    distance = np.hypot(dx, dy) - radius
    line = _cover(np.abs(distance) - 0.75 * unit)
    return _inked(window[0], window[1], [(_cover(distance), *FILL[theme]), (line, *STROKE[theme])])


def _angular(camera: Camera, points: Any, solid: bool, theme: str, unit: float) -> Patch | None:
    from murmura.backends.raster import distances

    at = camera.on_screen(points).astype(np.float32)
    half = (0.75 if solid else 2.0) * unit
    window = _window(camera, at.min(axis=0) - half - 1.0, at.max(axis=0) + half + 1.0)
    if window is None:
        return None
    left, top, right, bottom = window
    distance = np.empty((bottom - top, right - left), np.float32)
    distances(np.ascontiguousarray(at), solid, np.float32(left), np.float32(top), distance)
    line = (_cover(np.abs(distance) - half), *STROKE[theme])
    return _inked(left, top, [(_cover(distance), *FILL[theme]), line] if solid else [line])


def _ring(camera: Camera, point: Any, rgb: Rgb, dashed: bool, crossed: bool, unit: float) -> Patch | None:
    """A soft glow as far as it reaches, and a small mark in the middle."""
    x, y = camera.on_screen([[point.x, point.y]])[0]
    size = max(14.0 * unit, point.radius * camera.zoom)
    window = _window(camera, (x - size, y - size), (x + size, y + size))
    if window is None:
        return None
    dx, dy = _centred(window, x, y)
    away = np.hypot(dx, dy)
    glow = np.interp(away / size, [0.0, 0.6, 1.0], [0.20, 0.05, 0.0])
    mark = _cover(np.abs(away - 9.0 * unit) - 0.75 * unit)
    if dashed:
        mark = mark * (np.sin(6.0 * np.arctan2(dy, dx)) > 0.0)
    if crossed:
        arms = np.minimum(np.abs(dx - dy), np.abs(dx + dy)) * np.sqrt(0.5) - 0.75 * unit
        mark = np.maximum(mark, _cover(arms) * (away < 7.0 * unit))
    return _inked(window[0], window[1], [(glow, rgb, 1.0), (mark, rgb, 0.75)])
