"""Obstacles of a 3-D world: their coverage and depth in each pixel.

Each consists of surfaces: flat ones, balls and vertical tubes. The outline of a surface on the screen determines its
coverage of a pixel; the ray through the pixel determines its depth. A plane is opaque from the centre of the world
and transparent from behind, as in the live view: a camera outside a tank looks into it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.lab.films.patches import Patch, Window, cover, outline, window_of
from murmura.lab.films.space.camera import Floats, SpaceCamera
from murmura.lab.films.space.lines import box_edges, chain, hull, ring, seen_face
from murmura.scenario import Scenario

Plane = NDArray[np.float32]
X, Y, Z = np.eye(3)
ROUND = 40  # corners of the outline of a round obstacle
GLASS = 0.12  # opacity of a plane seen from behind
WEST = np.array([-0.72, -0.36, 0.6])  # direction of the side light, so that faces differ even without a sun


@dataclass(frozen=True)
class Rays:
    """Rays from the camera through the pixels of a window: forward + u right + v up."""

    camera: SpaceCamera
    window: Window

    def along(self, way: Any) -> Any:
        """The component of all rays along a direction."""
        left, top, right, bottom = self.window
        camera = self.camera
        u = (np.arange(left, right) + 0.5 - camera.width / 2.0) / camera.focal
        v = (camera.height / 2.0 - np.arange(top, bottom) - 0.5) / camera.focal
        found = (way @ camera.forward) + u * (way @ camera.right) + v[:, None] * (way @ camera.up)
        return found.astype(np.float32)


Met = tuple[Any, tuple[Any, Any, Any]]
"""The depth at which rays meet a surface [u], and its normal there."""


@dataclass(frozen=True)
class Surface:
    outline: Floats | None
    """The outline on the screen [px]; None if it is not visible."""
    meet: Callable[[Rays], Met]
    glass: bool = False


@dataclass(frozen=True)
class Solids:
    """Obstacles as seen by each pixel.

    Attributes:
        near: The depth of the nearest obstacle [u]; infinite if there is none.
        part: The coverage of the pixel by obstacles.
        light: Their brightness.
    """

    near: Plane
    part: Plane
    light: Plane

    def hides(self, at: Any, deep: Any) -> Any:
        """Whether an obstacle is in front of points on the screen [px] at these depths [u]."""
        height, width = self.near.shape
        x, y = (
            np.clip(np.asarray(at)[..., k], 0, side - 1).astype(np.intp)
            for k, side in ((0, width), (1, height))
        )
        return self.near[y, x] < deep

    def cut(self, patch: Patch, deep: float) -> Patch:
        """A patch at some depth, without the parts that obstacles hide."""
        height, width = patch.keep.shape
        behind = self.near[patch.top : patch.top + height, patch.left : patch.left + width] < deep
        return Patch(
            patch.left, patch.top, np.where(behind, 0.0, patch.color), np.where(behind, 1.0, patch.keep)
        )

    def lay(self, pixels: Plane, solid: Any, haze: Any, clear: Any) -> None:
        """Draw obstacles on a picture in bytes; `clear` is the visibility through haze at each depth."""
        at = self.part > 0.0
        part, left = self.part[at], clear(self.near[at]).astype(np.float32)
        for plane, color, lost in zip(pixels, solid, haze, strict=True):
            shown = 255.0 * (lost + (color * self.light[at] - lost) * left)
            plane[at] += (shown - plane[at]) * part


def seen_solids(scenario: Scenario, camera: SpaceCamera) -> Solids | None:
    """The obstacles of a scenario as seen by a camera; None if there are none."""
    if not scenario.obstacles:
        return None
    shape = camera.height, camera.width
    solids = Solids(
        np.full(shape, np.inf, np.float32), np.zeros(shape, np.float32), np.zeros(shape, np.float32)
    )
    for obstacle in scenario.obstacles:
        for surface in surfaces(obstacle, scenario.world, camera):
            _add(solids, surface, camera)
    return solids


def _add(solids: Solids, surface: Surface, camera: SpaceCamera) -> None:
    face = surface.outline
    window = (
        None
        if face is None or len(face) < 3
        else window_of(camera, face.min(axis=0) - 1.0, face.max(axis=0) + 1.0)
    )
    if window is None:
        return
    left, top, right, bottom = window
    near, part, light = (plane[top:bottom, left:right] for plane in (solids.near, solids.part, solids.light))
    rays = Rays(camera, window)
    deep, normal = surface.meet(rays)
    covered = np.where(np.isfinite(deep) & (deep > camera.near), cover(outline(face, True, window)), 0.0)
    front = (covered > 0.0) & (deep < near)
    if surface.glass:
        front &= part == 0.0
        part[front] = GLASS * covered[front]
    else:
        np.minimum(part + covered, 1.0, out=part)  # adjacent faces share the pixels of their edge
        near[...] = np.where(front & (covered >= 0.5), deep, near)
    light[...] = np.where(front, _lit(normal, rays), light)


def _lit(normal: tuple[Any, Any, Any], rays: Rays) -> Any:
    """Brightness as in the live view: light from the sky, the side and, a little, the camera, and a pale rim."""
    ways = [rays.along(axis) for axis in (X, Y, Z)]
    size = np.sqrt(sum(way * way for way in ways))
    towards = np.clip(-sum(n * way for n, way in zip(normal, ways, strict=True)) / size, 0.0, 1.0)
    from_the_side = np.maximum(sum(n * west for n, west in zip(normal, WEST, strict=True)), 0.0)
    return (
        0.36 + 0.12 * (1.0 + normal[2]) + 0.42 * from_the_side + 0.24 * towards + 0.30 * (1.0 - towards) ** 4
    )


def surfaces(shape: Any, world: Any, camera: SpaceCamera) -> Iterable[Surface]:
    """The surfaces of an obstacle that may be visible."""
    if shape.kind == "circle":
        centre = np.array([shape.x, shape.y, world.depth / 2.0 if shape.z is None else shape.z])
        yield _ball(centre, shape.radius, camera)
    elif shape.kind == "cylinder":
        yield from _cylinder(shape, world, camera)
    elif shape.kind == "box":
        corners = np.array(shape.corners)
        middle = corners.mean(axis=0)
        for bit in (1, 2, 4):
            for side in (0, bit):
                face = [k for k in range(8) if k & bit == side]
                around = corners[[face[0], face[1], face[3], face[2]]]
                normal = np.cross(around[1] - around[0], around[2] - around[0])
                yield _flat(around, normal, camera, away_from=middle)
    elif shape.kind == "plane":
        middle = np.array(world.sides) / 2.0
        piece = plane_in_box(shape.point, shape.normal, world.sides)
        if len(piece):
            normal = np.array(shape.normal, np.float64)
            outside = float((middle - piece[0]) @ normal) * float((camera.eye - piece[0]) @ normal) < 0.0
            yield _flat(piece, normal, camera, glass=outside)
    else:
        yield from _upright(shape, world, camera)


def _upright(shape: Any, world: Any, camera: SpaceCamera) -> Iterable[Surface]:
    """Walls and polygons, from the floor to the ceiling; polygons have a top and a bottom."""
    rise = world.depth * Z
    foot = np.array([(*point, 0.0) for point in shape.points])
    for a, b in zip(*chain(foot, shape.kind == "polygon"), strict=True):
        yield _flat(np.array([a, b, b + rise, a + rise]), np.cross(b - a, Z), camera)
    if shape.kind == "polygon":
        yield _flat(foot, Z, camera)
        yield _flat(foot + rise, Z, camera)


def _flat(
    corners: Floats, across: Floats, camera: SpaceCamera, away_from: Floats | None = None, glass: bool = False
) -> Surface:
    """A flat face, visible from both sides, or only from the side away from a position."""
    normal = across / np.linalg.norm(across)
    high = float((camera.eye - corners[0]) @ normal)  # height of the camera above the face
    if high < 0.0:
        normal, high = -normal, -high

    def meet(rays: Rays) -> Met:
        with np.errstate(divide="ignore"):
            return high / -rays.along(normal), tuple(normal.tolist())

    inside = away_from is not None and float((away_from - corners[0]) @ normal) > 0.0
    return Surface(None if inside else seen_face(corners, camera), meet, glass)


def _ball(centre: Floats, radius: float, camera: SpaceCamera) -> Surface:
    away = centre - camera.eye

    def meet(rays: Rays) -> Met:
        ways = [rays.along(axis) for axis in (X, Y, Z)]
        deep = _nearer(ways, away, radius)
        x, y, z = ((deep * way - off) / radius for way, off in zip(ways, away, strict=True))
        return deep, (x, y, z)

    return Surface(seen_face(_ball_rim(centre, radius, camera), camera), meet)


def _nearer(ways: list[Any], away: Any, radius: float) -> Any:
    """Where rays first meet a sphere, or a circle if there are two components; rays that miss it: the nearest point."""
    a = sum(way * way for way in ways)
    b = sum(way * off for way, off in zip(ways, away, strict=True))
    rest = b * b - a * (sum(off * off for off in away) - radius * radius)
    return (b - np.sqrt(np.maximum(rest, 0.0))) / np.maximum(a, 1e-12)


def _cylinder(shape: Any, world: Any, camera: SpaceCamera) -> Iterable[Surface]:
    bottom = 0.0 if shape.bottom is None else shape.bottom
    top = world.depth if shape.top is None else shape.top
    away = np.array([shape.x, shape.y]) - camera.eye[:2]
    ends = [ring((shape.x, shape.y, z), shape.radius, X, Y, ROUND) for z in (bottom, top)]

    def meet(rays: Rays) -> Met:
        x, y, rise = (rays.along(axis) for axis in (X, Y, Z))
        deep = _nearer([x, y], away, shape.radius)
        height = camera.eye[2] + deep * rise
        within = (height >= bottom) & (height <= top)
        normal = (deep * x - away[0]) / shape.radius, (deep * y - away[1]) / shape.radius, 0.0
        return np.where(within, deep, np.inf), normal

    if float(away @ away) > shape.radius * shape.radius:
        seen = [seen_face(end, camera) for end in ends]
        known = [end for end in seen if end is not None]
        yield Surface(hull(np.concatenate(known)) if len(known) == 2 else None, meet)
    middle = np.array([shape.x, shape.y, (bottom + top) / 2.0])
    for end in ends:
        yield _flat(end, Z, camera, away_from=middle)


def _ball_rim(centre: Floats, radius: float, camera: SpaceCamera) -> Floats:
    """The circle along which rays from the camera touch a sphere."""
    away = centre - camera.eye
    far = float(np.linalg.norm(away))
    if far <= radius:
        return np.zeros((0, 3))
    axis = away / far
    across = np.cross(axis, Z if abs(axis[2]) < 0.99 else X)
    across /= np.linalg.norm(across)
    nearer = radius * radius / far
    rim = float(np.sqrt(radius * radius - nearer * nearer))
    return ring(centre - nearer * axis, rim, across, np.cross(axis, across), ROUND)


def plane_in_box(point: Any, normal: Any, sides: Any) -> Floats:
    """The corners, in order, of the part of a plane inside a box from the origin."""
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
