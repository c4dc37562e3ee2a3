"""The scenery of a picture: home ranges, obstacles, attractors, threats; and text in its corners.

A patch is painted once and reused for every picture while the camera does not move.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import numpy as np

from murmura.lab.films.camera import Camera
from murmura.lab.films.font import text_mask
from murmura.lab.films.looks import themed
from murmura.lab.films.patches import (
    Patch,
    Rgb,
    centred,
    cover,
    dashed,
    inked,
    outline,
    stroke,
    text_patch,
    window_around,
    window_of,
)
from murmura.lab.films.plane.food import BAIT, FACTS, FOOD, apple
from murmura.scenario import Scenario

Corner = Literal["top left", "top right", "bottom left", "bottom right"]

FILL: dict[str, Rgb] = themed("obstacle", "fill")
STROKE: dict[str, Rgb] = themed("obstacle", "line")
FILL_OPACITY: dict[str, float] = themed("obstacle", "fill_alpha")
STROKE_OPACITY: dict[str, float] = themed("obstacle", "line_alpha")
HOME: dict[str, Rgb] = themed("home", "rgb")
HOME_LINE, HOME_FILL = themed("home", "line_alpha"), themed("home", "fill_alpha")
PULL: dict[str, Rgb] = themed("roost", "rgb")
PUSH: dict[str, Rgb] = themed("pointer", "repel")
THREAT: dict[str, Rgb] = themed("pointer", "scare")
INK: dict[str, Rgb] = {"dark": (226, 232, 245), "light": (38, 46, 64)}


def scenery(scenario: Scenario, camera: Camera, theme: str) -> list[Patch]:
    """The scenery of a scenario, except home ranges."""
    return [patch for patch in _all_scenery(scenario, camera, theme) if patch is not None]


def _all_scenery(scenario: Scenario, camera: Camera, theme: str) -> Iterable[Patch | None]:
    unit = camera.scale
    for shape in scenario.obstacles:
        if shape.kind == "circle" or shape.kind == "cylinder":
            (x, y), radius = camera.on_screen([[shape.x, shape.y]])[0], shape.radius * camera.zoom
            yield _round(camera, x, y, radius, theme, unit)
        elif shape.kind == "box":
            (ax, ay, _), (bx, by, _) = shape.low, shape.high
            yield _angular(camera, ((ax, ay), (bx, ay), (bx, by), (ax, by)), True, theme, unit)
        elif shape.kind != "plane":
            yield _angular(camera, shape.points, shape.kind == "polygon", theme, unit)
    rules = scenario.rules
    if rules.attractors.enabled:
        for point in rules.attractors.points:
            if point.strength < 0:
                yield _ring(camera, point, PUSH[theme], False, unit)
            else:
                yield from _attractor(camera, point, theme, unit)
    if rules.fear.enabled:
        for threat in rules.fear.threats:
            yield _ring(camera, threat, THREAT[theme], True, unit)


def home_ranges(scenario: Scenario, camera: Camera, theme: str) -> list[Patch]:
    """Home ranges, which may be half as wide as the world: they are below everything, painted with the sky."""
    if not scenario.rules.territory.enabled:
        return []
    found = []
    for home in scenario.rules.territory.homes:
        (x, y), radius = camera.on_screen([[home.x, home.y]])[0], home.radius * camera.zoom
        window = window_around(camera, x, y, radius + 2.0 * camera.scale)
        if window is None:
            continue
        dx, dy = centred(window, x, y)
        away = np.hypot(dx, dy) - radius
        line = stroke(away, 1.5 * camera.scale)
        line = line * dashed(dx, dy, radius, 10.0 * camera.scale, 8.0 * camera.scale)
        rgb = HOME[theme]
        inks = [(cover(away), rgb, HOME_FILL[theme]), (line, rgb, HOME_LINE[theme])]
        found.append(inked(window[0], window[1], inks))
    return found


def halo(x: float, y: float, radius: float, camera: Camera, theme: str) -> list[Patch]:
    """A thin ring around a position on the screen [px]: the agent that the camera follows."""
    window = window_around(camera, x, y, radius + 2.0 * camera.scale)
    if window is None:
        return []
    dx, dy = centred(window, x, y)
    line = stroke(np.hypot(dx, dy) - radius, 1.5 * camera.scale)
    return [inked(window[0], window[1], [(line, INK[theme], 0.7)])]


def words(
    text: str, corner: Corner, camera: Camera, theme: str, size: float = 15.0, weight: float = 0.85
) -> Patch:
    """A line of text in a corner, cut off if the picture is too narrow."""
    margin, size = round(14 * camera.scale), max(7.0, size * camera.scale)
    height, width = text_mask(text, size).shape
    left = margin if "left" in corner else camera.width - width - margin
    top = margin if "top" in corner else camera.height - height - margin
    return text_patch(text, left, top, size, INK[theme], weight, camera)


def _round(camera: Camera, x: float, y: float, radius: float, theme: str, unit: float) -> Patch | None:
    window = window_around(camera, x, y, radius + 2.0 * unit)
    if window is None:
        return None
    dx, dy = centred(window, x, y)
    distance = np.hypot(dx, dy) - radius
    line = stroke(distance, 1.5 * unit)
    return inked(
        window[0],
        window[1],
        [(cover(distance), FILL[theme], FILL_OPACITY[theme]), (line, STROKE[theme], STROKE_OPACITY[theme])],
    )


def _angular(camera: Camera, points: Any, solid: bool, theme: str, unit: float) -> Patch | None:
    at = camera.on_screen(points)
    width = (1.5 if solid else 4.0) * unit
    window = window_of(camera, at.min(axis=0) - width / 2.0 - 1.0, at.max(axis=0) + width / 2.0 + 1.0)
    if window is None:
        return None
    distance = outline(at, solid, window)
    line = (stroke(distance, width), STROKE[theme], STROKE_OPACITY[theme])
    return inked(
        window[0], window[1], [(cover(distance), FILL[theme], FILL_OPACITY[theme]), line] if solid else [line]
    )


def _attractor(camera: Camera, point: Any, theme: str, unit: float) -> Iterable[Patch | None]:
    """A roost, or food where nobody eats."""
    x, y = camera.on_screen([[point.x, point.y]])[0].tolist()
    size = max(14.0 * unit, point.radius * camera.zoom)
    window = window_around(camera, x, y, size)
    if window is None:
        return
    away = np.hypot(*centred(window, x, y))
    is_bait = point.strength == BAIT
    rgb = (FOOD if is_bait else PULL)[theme]
    inks = [(_glow(away / size, 0.16), rgb, 1.0)]
    if not is_bait:
        inks.append((np.maximum(stroke(away - 8.0 * unit, 1.3 * unit), cover(away - 2.5 * unit)), rgb, 0.6))
    yield inked(window[0], window[1], inks)
    if is_bait:
        half = 1.3 * FACTS["size"]["least"] * unit
        yield apple(camera, (x, y), half, 0.0, 1.0, theme)


def _glow(share: Any, opacity: float) -> Any:
    return np.interp(share, [0.0, 0.6, 1.0], [opacity, opacity / 4.0, 0.0])


def _ring(camera: Camera, point: Any, rgb: Rgb, crossed: bool, unit: float) -> Patch | None:
    """What repels or frightens: a soft glow over its range, and a dashed ring at its centre."""
    x, y = camera.on_screen([[point.x, point.y]])[0]
    size = max(14.0 * unit, point.radius * camera.zoom)
    window = window_around(camera, x, y, size)
    if window is None:
        return None
    dx, dy = centred(window, x, y)
    away = np.hypot(dx, dy)
    mark = stroke(away - 9.0 * unit, 1.5 * unit) * dashed(dx, dy, 9.0, 5.0, 5.0)
    if crossed:
        arms = np.minimum(np.abs(dx - dy), np.abs(dx + dy)) * np.sqrt(0.5) - 0.75 * unit
        mark = np.maximum(mark, cover(arms) * (away < 7.0 * unit))
    return inked(window[0], window[1], [(_glow(away / size, 0.2), rgb, 1.0), (mark, rgb, 0.75)])
