"""The scenery of a 3-D world: the frame of the world, home ranges, attractors, threats and wind."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.lab.films.patches import Rgb
from murmura.lab.films.plane.food import BAIT, FOOD
from murmura.lab.films.plane.scenery import HOME, HOME_LINE, PULL, PUSH, THREAT
from murmura.lab.films.plane.wind import streaks
from murmura.lab.films.space.camera import Floats, SpaceCamera
from murmura.lab.films.space.lines import Hides, Lines, box_edges, chain, draw, ring
from murmura.scenario import Scenario

FRAME: dict[str, tuple[Rgb, float]] = {"dark": ((150, 168, 215), 0.22), "light": ((70, 80, 100), 0.30)}
X, Y, Z = np.eye(3)
MARK = 0.012  # radius of the mark of an attractor or a threat, in widths of the world


def draw_scenery(
    pixels: NDArray[np.uint8],
    scenario: Scenario,
    camera: SpaceCamera,
    theme: str,
    framed: bool,
    hides: Hides | None,
) -> None:
    """Draw the scenery on a picture, before the agents."""
    world = scenario.world
    if framed:
        rgb, opacity = FRAME[theme]
        frame = Lines(*box_edges(np.zeros(3), np.array(world.sides)), rgb, opacity)
        draw(pixels, frame, camera, hides=hides)
    for lines in (*_homes(scenario, theme), *_marks(scenario, theme)):
        draw(pixels, lines, camera, 1 if len(lines.starts) > 12 else 24, hides)


def draw_wind(
    pixels: NDArray[np.uint8],
    scenario: Scenario,
    camera: SpaceCamera,
    theme: str,
    time: float,
    hides: Hides | None,
) -> None:
    """Draw streaks of the wind in the world, if there is any."""
    found = streaks(scenario, theme, time)
    if found is None:
        return
    starts, ends, fades, rgb = found
    from murmura.compute.raster.plane import strokes

    (a, near), (b, _) = camera.project(starts), camera.project(ends)
    shown = near > camera.near
    if hides is not None:
        shown &= ~hides((a + b) / 2.0, near)
    lines = np.concatenate([a, b], axis=1)[shown].astype(np.float32)
    strokes(
        pixels, lines, fades[shown].astype(np.float32), np.array(rgb, np.float32), np.float32(camera.scale)
    )


def _centre(thing: Any, world: Any) -> Floats:
    return np.array([thing.x, thing.y, world.depth / 2.0 if thing.z is None else thing.z])


def _homes(scenario: Scenario, theme: str) -> Iterable[Lines]:
    """Home ranges are balls: three dashed great circles each, the level one stronger."""
    if not scenario.rules.territory.enabled:
        return
    for home in scenario.rules.territory.homes:
        centre = _centre(home, scenario.world)
        for one, other, share in ((X, Y, 1.0), (X, Z, 0.5), (Y, Z, 0.5)):
            points = chain(ring(centre, home.radius, one, other))
            yield Lines(*points, HOME[theme], share * HOME_LINE[theme], 1.5, True)


def _marks(scenario: Scenario, theme: str) -> Iterable[Lines]:
    """Attractors and threats: a small ring at their position, and a line down to the ground."""
    rules, world = scenario.rules, scenario.world
    found: list[tuple[Any, Rgb]] = []
    if rules.attractors.enabled:
        found += [(it, _color(it.strength)[theme]) for it in rules.attractors.points]
    if rules.fear.enabled:
        found += [(it, THREAT[theme]) for it in rules.fear.threats]
    for thing, rgb in found:
        centre = _centre(thing, world)
        yield Lines(*chain(ring(centre, MARK * world.width, X, Y)), rgb, 0.75, 1.5)
        yield Lines(centre[None], (centre * (X + Y))[None], rgb, 0.25, 1.0, True)


def _color(strength: float) -> dict[str, Rgb]:
    if strength < 0.0:
        return PUSH
    return FOOD if strength == BAIT else PULL
