"""The scenery of a world with a depth: the frame of the world, obstacles, home ranges, attractors, threats and wind."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.lab.films.patches import Patch, Rgb, cover, inked, outline, window_of
from murmura.lab.films.scenery import FILL, HOME, HOME_LINE, PULL, PUSH, STROKE, THREAT
from murmura.lab.films.space.camera import Floats, SpaceCamera
from murmura.lab.films.space.lines import Lines, box_edges, chain, draw, hull, ring, seen_face
from murmura.lab.films.wind import streaks
from murmura.scenario import Scenario

FRAME: dict[str, tuple[Rgb, float]] = {"dark": ((150, 168, 215), 0.22), "light": ((70, 80, 100), 0.30)}
X, Y, Z = np.eye(3)
MARK = 0.012  # radius of the mark of an attractor or a threat, in widths of the world
ROUND = 40  # corners of a round obstacle


def draw_scenery(
    pixels: NDArray[np.uint8], scenario: Scenario, camera: SpaceCamera, theme: str, framed: bool
) -> None:
    """Draw the scenery on a picture, where the agents are not drawn yet."""
    world = scenario.world
    if framed:
        rgb, opacity = FRAME[theme]
        draw(pixels, Lines(*box_edges(np.zeros(3), np.array(world.sides)), rgb, opacity), camera)
    for patch in obstacles(scenario, camera, theme):
        patch.lay(pixels)
    rgb, opacity = STROKE[theme]
    for starts, ends in obstacle_lines(scenario, camera):
        draw(pixels, Lines(starts, ends, rgb, opacity, 1.2), camera, 4)
    for lines in (*_homes(scenario, theme), *_marks(scenario, theme)):
        draw(pixels, lines, camera, 1 if len(lines.starts) > 12 else 24)


def draw_wind(
    pixels: NDArray[np.uint8], scenario: Scenario, camera: SpaceCamera, theme: str, time: float
) -> None:
    """Draw streaks of the wind in the world; nothing where there is none."""
    found = streaks(scenario, theme, time)
    if found is None:
        return
    starts, ends, fades, rgb = found
    from murmura.compute.raster import strokes

    (a, near), (b, _) = camera.project(starts), camera.project(ends)
    shown = near > camera.near
    lines = np.concatenate([a, b], axis=1)[shown].astype(np.float32)
    strokes(
        pixels, lines, fades[shown].astype(np.float32), np.array(rgb, np.float32), np.float32(camera.scale)
    )


def obstacles(scenario: Scenario, camera: SpaceCamera, theme: str) -> list[Patch]:
    """What fills obstacles: a translucent shape each."""
    found = []
    for shape in scenario.obstacles:
        for face in _faces(shape, scenario.world, camera):
            patch = _filled(face, camera, theme)
            if patch is not None:
                found.append(patch)
    return found


def _filled(face: Floats | None, camera: SpaceCamera, theme: str) -> Patch | None:
    if face is None or len(face) < 3:
        return None
    window = window_of(camera, face.min(axis=0) - 1.0, face.max(axis=0) + 1.0)
    if window is None:
        return None
    return inked(window[0], window[1], [(cover(outline(face, True, window)), *FILL[theme])])


def _faces(shape: Any, world: Any, camera: SpaceCamera) -> Iterable[Floats | None]:
    """The shapes on the screen [px] that fill an obstacle."""
    if shape.kind == "circle":
        yield seen_face(_sphere_rim(shape, world, camera), camera)
    elif shape.kind == "cylinder":
        rims = [seen_face(points, camera) for points in _cylinder_ends(shape, world)]
        known = [rim for rim in rims if rim is not None]
        yield hull(np.concatenate(known)) if len(known) == 2 else None
    elif shape.kind == "box":
        at, deep = camera.project(np.array(shape.corners))
        yield hull(at) if (deep > camera.near).all() else None
    elif shape.kind == "plane":
        yield seen_face(plane_in_box(shape.point, shape.normal, world.sides), camera)
    else:
        starts, ends = chain([(*p, 0.0) for p in shape.points], shape.kind == "polygon")
        for a, b in zip(starts, ends, strict=True):
            yield seen_face([a, b, b + world.depth * Z, a + world.depth * Z], camera)


def obstacle_lines(scenario: Scenario, camera: SpaceCamera) -> Iterable[tuple[Floats, Floats]]:
    """The edges of obstacles."""
    world: Any = scenario.world
    for shape in scenario.obstacles:
        if shape.kind == "circle":
            yield chain(_sphere_rim(shape, world, camera))
            yield chain(ring(_centre(shape, world), shape.radius, X, Y, ROUND))
        elif shape.kind == "cylinder":
            for points in _cylinder_ends(shape, world):
                yield chain(points)
        elif shape.kind == "box":
            yield _box_lines(np.array(shape.corners))
        elif shape.kind == "plane":
            yield chain(plane_in_box(shape.point, shape.normal, world.sides))
        else:
            foot = np.array([(*p, 0.0) for p in shape.points])
            yield chain(foot, shape.kind == "polygon")
            yield chain(foot + world.depth * Z, shape.kind == "polygon")
            yield foot, foot + world.depth * Z


def _box_lines(corners: Floats) -> tuple[Floats, Floats]:
    """The twelve edges between the corners of a box: those whose numbers differ in one binary digit."""
    pairs = [(a, a | bit) for bit in (1, 2, 4) for a in range(8) if not a & bit]
    starts, ends = zip(*pairs, strict=True)
    return corners[list(starts)], corners[list(ends)]


def _centre(thing: Any, world: Any) -> Floats:
    return np.array([thing.x, thing.y, world.depth / 2.0 if thing.z is None else thing.z])


def _sphere_rim(shape: Any, world: Any, camera: SpaceCamera) -> Floats:
    """The circle in which the eye's rays touch a sphere."""
    centre = _centre(shape, world)
    away = centre - camera.eye
    far = float(np.linalg.norm(away))
    if far <= shape.radius:
        return np.zeros((0, 3))
    axis = away / far
    across = np.cross(axis, Z if abs(axis[2]) < 0.99 else X)
    across /= np.linalg.norm(across)
    nearer = shape.radius * shape.radius / far
    radius = float(np.sqrt(shape.radius * shape.radius - nearer * nearer))
    return ring(centre - nearer * axis, radius, across, np.cross(axis, across), ROUND)


def _cylinder_ends(shape: Any, world: Any) -> list[Floats]:
    bottom = 0.0 if shape.bottom is None else shape.bottom
    top = world.depth if shape.top is None else shape.top
    return [ring((shape.x, shape.y, z), shape.radius, X, Y, ROUND) for z in (bottom, top)]


def plane_in_box(point: Any, normal: Any, sides: Any) -> Floats:
    """The corners of a plane's part inside of a box from the origin, in order."""
    n = np.asarray(normal, np.float64) / np.linalg.norm(normal)
    starts, ends = box_edges(np.zeros(3), np.asarray(sides, np.float64))
    a, b = (starts - point) @ n, (ends - point) @ n
    cut = (a * b <= 0.0) & (np.abs(a - b) > 1e-12)
    if not cut.any():
        return np.zeros((0, 3))
    at = starts[cut] + (ends - starts)[cut] * (a[cut] / (a[cut] - b[cut]))[:, None]
    across = np.cross(n, X if abs(n[0]) < 0.9 else Y)
    across /= np.linalg.norm(across)
    middle = at - at.mean(axis=0)
    found: Floats = at[np.argsort(np.arctan2(middle @ np.cross(n, across), middle @ across))]
    return found


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
    """Attractors and threats: a small ring where they are, and a line down to the ground."""
    rules, world = scenario.rules, scenario.world
    found: list[tuple[Any, Rgb]] = []
    if rules.attractors.enabled:
        found += [(it, (PULL if it.strength >= 0 else PUSH)[theme]) for it in rules.attractors.points]
    if rules.fear.enabled:
        found += [(it, THREAT[theme]) for it in rules.fear.threats]
    for thing, rgb in found:
        centre = _centre(thing, world)
        yield Lines(*chain(ring(centre, MARK * world.width, X, Y)), rgb, 0.75, 1.5)
        yield Lines(centre[None], (centre * (X + Y))[None], rgb, 0.25, 1.0, True)
