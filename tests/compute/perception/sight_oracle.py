"""Who sees whom where bodies are opaque, by casting rays one at a time: written from docs/model.md alone.

A body is a plate that faces the observer: a segment across the line of sight, as long as the body is wide. Slow, in
double precision, and it knows nothing of murmura's code.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

Point = tuple[float, float]


@dataclass
class Scene:
    """A flock, its obstacles and its eyes."""

    places: list[Point]
    velocities: list[Point]
    widths: list[float]
    radius: float
    field_of_view: float
    bins: int
    torus: Point | None = None
    circles: list[tuple[float, float, float]] = field(default_factory=list)
    walls: list[tuple[Point, Point]] = field(default_factory=list)

    def way(self, start: Point, end: Point) -> Point:
        x, y = end[0] - start[0], end[1] - start[1]
        if self.torus is None:
            return x, y
        width, height = self.torus
        return x - width * round(x / width), y - height * round(y / height)


def ray_meets(ray: Point, start: Point, end: Point) -> float:
    """How far along a ray from the origin a segment lies; infinity if the ray misses it."""
    ex, ey = end[0] - start[0], end[1] - start[1]
    bottom = ray[0] * ey - ray[1] * ex
    if bottom == 0.0:
        return math.inf
    along = (start[0] * ey - start[1] * ex) / bottom
    share = (start[0] * ray[1] - start[1] * ray[0]) / bottom
    return along if along >= 0.0 and 0.0 <= share <= 1.0 else math.inf


def ray_meets_circle(ray: Point, centre: Point, radius: float) -> float:
    ahead = ray[0] * centre[0] + ray[1] * centre[1]
    rest = radius**2 - (centre[0] ** 2 + centre[1] ** 2 - ahead**2)
    if rest < 0.0 or ahead - math.sqrt(rest) < 0.0:
        return math.inf
    return ahead - math.sqrt(rest)


def in_view(scene: Scene, heading: Point, slow: bool, way: Point, size: float) -> bool:
    if slow or scene.field_of_view == 360.0:
        return True
    edge = math.cos(math.radians(scene.field_of_view / 2.0)) - 1e-6
    return heading[0] * way[0] + heading[1] * way[1] >= edge * size


def obstacle_on(scene: Scene, eye: Point, ray: Point) -> float:
    """The distance to the first obstacle on a ray."""
    found = math.inf
    for x, y, radius in scene.circles:
        found = min(found, ray_meets_circle(ray, scene.way(eye, (x, y)), radius))
    for start, end in scene.walls:
        ex, ey = end[0] - start[0], end[1] - start[1]
        mx, my = scene.way(eye, (start[0] + ex / 2.0, start[1] + ey / 2.0))
        found = min(found, ray_meets(ray, (mx - ex / 2.0, my - ey / 2.0), (mx + ex / 2.0, my + ey / 2.0)))
    return found


def look(scene: Scene, i: int) -> tuple[dict[int, int], list[bool]]:
    """In how many bins agent i sees each neighbour, and which bins are covered."""
    vx, vy = scene.velocities[i]
    speed = math.hypot(vx, vy)
    heading = (vx / speed, vy / speed) if speed > 0.0 else (1.0, 0.0)
    slow = speed**2 < 0.01
    candidates = []
    for j, place in enumerate(scene.places):
        way = scene.way(scene.places[i], place)
        size = math.hypot(*way)
        if j != i and size <= scene.radius and in_view(scene, heading, slow, way, size):
            candidates.append((size, j, way))
    shown: dict[int, int] = {}
    covered = []
    step = 2.0 * math.pi / scene.bins
    forward = math.atan2(heading[1], heading[0])
    for k in range(scene.bins):
        angle = forward - math.pi + (k + 0.5) * step
        ray = (math.cos(angle), math.sin(angle))
        wall = math.inf
        if in_view(scene, heading, slow, ray, 1.0):
            wall = obstacle_on(scene, scene.places[i], ray)
            wall = wall if wall <= scene.radius else math.inf
        met = [(size, j) for size, j, way in candidates if _takes(scene, j, way, size, ray, angle, step)]
        nearest = min([wall, *(size for size, _ in met)])
        covered.append(nearest < math.inf)
        for size, j in met:
            if size <= nearest:
                shown[j] = shown.get(j, 0) + 1
    return shown, covered


def _takes(scene: Scene, j: int, way: Point, size: float, ray: Point, angle: float, step: float) -> bool:
    """Whether the ray meets the plate, or the plate's middle lies in the ray's bin."""
    half = scene.widths[j] / 2.0
    sideways = (-way[1] / size * half, way[0] / size * half)
    left, right = (way[0] + sideways[0], way[1] + sideways[1]), (way[0] - sideways[0], way[1] - sideways[1])
    off = (math.atan2(way[1], way[0]) - angle + math.pi) % (2.0 * math.pi) - math.pi
    return ray_meets(ray, left, right) < math.inf or -step / 2.0 <= off < step / 2.0


def scene_of(sim: Any, widths: list[float], walls: list[tuple[Point, Point]], circles: list[Any]) -> Scene:
    """The scene of a simulation; reads only its numbers."""
    s = sim.scenario
    torus = (s.world.width, s.world.height) if s.world.boundary == "wrap" else None
    return Scene(
        [tuple(map(float, row)) for row in sim.positions],
        [tuple(map(float, row)) for row in sim.velocities],
        widths, s.perception.radius, s.perception.field_of_view, s.perception.bins, torus, circles, walls,
    )  # fmt: skip
