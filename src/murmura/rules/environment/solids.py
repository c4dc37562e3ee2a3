"""Obstacles in space: spheres, upright cylinders and walls, boxes and planes. For the plane, see `terrain`.

An obstacle in space is a row of one of five forms. Circles are spheres; walls and polygons stand upright from floor to
ceiling. Collisions are enforced, as in the plane: the move ends within a skin of the surface, and the velocity is
reflected.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from murmura.core.algebra import Condition, Number, absolute, maximum, minimum, sqrt, where
from murmura.core.layout import Layout, vector
from murmura.core.merging import Sum
from murmura.core.rule import register_in_space
from murmura.core.rule_arguments import Agent, World
from murmura.core.vec import TINY, Vec
from murmura.core.world.space import WALLS, offset, shortest
from murmura.rules.environment import terrain
from murmura.rules.environment.terrain import (
    NEVER,
    SHAPE_FIELDS,
    AvoidObstacles,
    Box,
    Circle,
    Cylinder,
    Plane,
    Polygon,
)

SOLID_FIELDS = (vector("start"), vector("end"), "radius", "form", "cosine", "sine")
"""One obstacle in space. Start is the centre of a sphere, cylinder or box, a wall's first corner, a point of a plane.
End is half the height of a cylinder, half the size of a box, a wall's other corner, a plane's unit normal. Cosine and
sine are those of a box's turn about the vertical."""
STRAIGHT = (1.0, 0.0)
SPHERE, CYLINDER, WALL, BOX, PLANE = 0.0, 1.0, 2.0, 3.0, 4.0
ENDLESS = 1e8  # half the height of a cylinder from floor to ceiling


def shape_layout(dimension: int) -> Layout:
    """The fields of an obstacle."""
    return Layout(SHAPE_FIELDS if dimension == 2 else SOLID_FIELDS, dimension)


def obstacle_rows(scenario: Any) -> list[tuple[float, ...]]:
    """A scenario's obstacles as rows."""
    world = scenario.world
    # Segments must be short only on a torus; elsewhere a wall pushes as a whole.
    longest = min(world.width, world.height) / 4.0 if "wrap" in world.edges[:2] else math.inf
    if world.depth is None:
        return terrain.shape_rows(scenario.obstacles, longest)
    return [row for shape in scenario.obstacles for row in _solid_rows(shape, longest, world.depth)]


def _solid_rows(shape: Any, longest: float, depth: float) -> list[tuple[float, ...]]:
    if isinstance(shape, Circle):
        centre = (shape.x, shape.y, 0.5 * depth if shape.z is None else shape.z)
        return [(*centre, *centre, shape.radius, SPHERE, *STRAIGHT)]
    if isinstance(shape, Cylinder):
        low, high = shape.bottom, shape.top
        if low is None and high is None:
            return [(shape.x, shape.y, 0.5 * depth, 0.0, 0.0, ENDLESS, shape.radius, CYLINDER, *STRAIGHT)]
        low, high = -depth if low is None else low, 2.0 * depth if high is None else high
        middle, half = 0.5 * (low + high), 0.5 * (high - low)
        return [(shape.x, shape.y, middle, 0.0, 0.0, half, shape.radius, CYLINDER, *STRAIGHT)]
    if isinstance(shape, Box):
        return [(*shape.middle, *shape.half, 0.0, BOX, *shape.facing)]
    if isinstance(shape, Plane):
        size = math.sqrt(sum(x * x for x in shape.normal))
        return [(*shape.point, *(x / size for x in shape.normal), 0.0, PLANE, *STRAIGHT)]
    flat = terrain.shape_rows((shape,), longest)
    return [(ax, ay, 0.0, bx, by, 0.0, 0.0, WALL, *STRAIGHT) for ax, ay, bx, by, _ in flat]


def edges_as_rows(world: Any) -> list[tuple[float, ...]]:
    """The walls of a world as obstacles. Where there are others, a mirrored move could end behind one."""
    if world.depth is None:
        walled = [edge in WALLS for edge in world.edges]
        return terrain.edge_rows(world.width, world.height, *walled)
    rows: list[tuple[float, ...]] = []
    for axis, (size, edge) in enumerate(zip(world.sides, world.edges, strict=True)):
        normal = tuple(float(k == axis) for k in range(3))
        if edge in WALLS:
            flat = (*normal, 0.0, PLANE, *STRAIGHT)
            rows += [(0.0, 0.0, 0.0, *flat), (*(size * n for n in normal), *flat)]
    return rows


def contains(shape: Any, place: Sequence[float], depth: float) -> bool:
    """Whether a place in space lies inside a solid obstacle."""
    x, y, z = place
    if isinstance(shape, Circle):
        centre = (shape.x, shape.y, 0.5 * depth if shape.z is None else shape.z)
        return math.dist(place, centre) < shape.radius
    if isinstance(shape, Cylinder):
        above = shape.bottom is None or z > shape.bottom
        below = shape.top is None or z < shape.top
        return above and below and math.hypot(x - shape.x, y - shape.y) < shape.radius
    if isinstance(shape, Box):
        return all(abs(a) < h for a, h in zip(shape.seen_from((x, y, z)), shape.half, strict=True))
    return isinstance(shape, Polygon) and terrain.contains(shape, x, y)


def lies_in(world: Any, shape: Any, place: Sequence[float]) -> bool:
    """Whether a place lies inside an obstacle, which may reach across the seam of a wrapping world."""
    depth = world.depth
    centre = _centre(shape, depth or 0.0)
    if centre is not None:
        place = [
            float(c + shortest(x - c, size)) if edge == "wrap" else x
            for x, c, size, edge in zip(place, centre, world.sides, world.edges, strict=False)
        ]
    return terrain.contains(shape, *place) if depth is None else contains(shape, place, depth)


def _centre(shape: Any, depth: float) -> list[float] | None:
    """The middle of an obstacle that may reach across a seam."""
    if isinstance(shape, Box):
        return list(shape.middle)
    if isinstance(shape, Circle):
        return [shape.x, shape.y, 0.5 * depth if shape.z is None else shape.z]
    if isinstance(shape, Cylinder):
        low, high = 0.0 if shape.bottom is None else shape.bottom, depth if shape.top is None else shape.top
        return [shape.x, shape.y, 0.5 * (low + high)]
    return None


# Collisions


def hit(world: World, shape: Any, position: Vec, move: Vec) -> tuple[Number, Vec]:
    """When a move comes within a skin of an obstacle, and the obstacle's normal there (see `terrain.hit`)."""
    if len(move) == 2:
        return terrain.hit(world, shape, position, move)
    way = offset(world, shape.start, position)
    skin = world.skin
    t_sphere = terrain.circle_hit(way, move, shape.radius + skin)
    found = (t_sphere, way + move * minimum(t_sphere, 1.0))
    for form, (t, normal) in (
        (CYLINDER, _cylinder_hit(way, move, shape.radius, shape.end.z, skin)),
        (WALL, _wall_hit(way, move, shape.end - shape.start, skin)),
        (BOX, _box_hit(shape, way, move, skin)),
        (PLANE, _plane_hit(way, move, shape.end, skin)),
    ):
        here = shape.form == form
        found = where(here, t, found[0]), where(here, normal, found[1])
    return found


def _plane_hit(way: Vec, move: Vec, normal: Vec, skin: Number) -> tuple[Number, Vec]:
    height = way.dot(normal)
    side = where(height >= 0.0, 1.0, -1.0)
    sink = -(move.dot(normal) * side)
    t = maximum(0.0, (height * side - skin) / where(sink > 0.0, sink, 1.0))
    return where(sink > 0.0, t, NEVER), normal


def _wall_hit(way: Vec, move: Vec, edge: Vec, skin: Number) -> tuple[Number, Vec]:
    way, move, flat = (Vec(x, y) for x, y, _ in (way, move, edge))
    return terrain.segment_hit(way, move, flat, skin), edge.left


def _slab(place: Number, move: Number, half: Number, skin: Number) -> tuple[Number, Number, Number]:
    """When a coordinate enters and leaves (-half, half), and how deep inside it began; it may do neither."""
    still = absolute(move) < 1e-20
    safe = where(still, 1.0, move)
    reach = half + skin
    ahead = where(safe > 0.0, 1.0, -1.0)
    enter, leave = (-ahead * reach - place) / safe, (ahead * reach - place) / safe
    outside = absolute(place) > reach
    return (
        where(still, where(outside, NEVER, -NEVER), enter),
        where(still, where(outside, -NEVER, NEVER), leave),
        -enter * absolute(move),
    )


def _first_hit(faces: list[tuple[Number, Number, Number, Vec]], skin: Number) -> tuple[Number, Vec]:
    """The first contact with a body that is the intersection of several: (enter, leave, depth, normal) of each.

    An agent within the skin is stopped if it moves inwards, but not if it leaves.
    """
    (enter, leave, depth, normal), *rest = faces
    for other_enter, other_leave, other_depth, other_normal in rest:
        later = other_enter > enter
        enter, depth = where(later, other_enter, enter), where(later, other_depth, depth)
        normal = where(later, other_normal, normal)
        leave = minimum(leave, other_leave)
    meets: Condition = (enter < leave) & (leave > 0.0) & ((enter > 0.0) | (depth <= 2.0 * skin))
    return where(meets, maximum(enter, 0.0), NEVER), normal


def _along(box: Any, way: Vec) -> Vec:
    """Convert a vector of the world to the axes of a box that may be turned."""
    x, y, z = way
    return Vec(x * box.cosine + y * box.sine, y * box.cosine - x * box.sine, z)


def _back(box: Any, way: Vec) -> Vec:
    """Convert a vector along the axes of a box to those of the world."""
    x, y, z = way
    return Vec(x * box.cosine - y * box.sine, y * box.cosine + x * box.sine, z)


def _box_hit(box: Any, way: Vec, move: Vec, skin: Number) -> tuple[Number, Vec]:
    faces = []
    for axis, (x, v, h) in enumerate(zip(_along(box, way), _along(box, move), box.end, strict=True)):
        normal = Vec(*(1.0 + 0.0 * x if k == axis else 0.0 * x for k in range(3)))
        faces.append((*_slab(x, v, h, skin), normal))
    t, normal = _first_hit(faces, skin)
    return t, _back(box, normal)


def _cylinder_hit(way: Vec, move: Vec, radius: Number, half: Number, skin: Number) -> tuple[Number, Vec]:
    (x, y, z), (vx, vy, vz) = way, move
    flat, step = Vec(x, y), Vec(vx, vy)
    reach = radius + skin
    square = step.square + TINY
    outwards = flat.dot(step)
    # Both ways from the point of the path that is nearest to the axis (see `terrain.circle_hit`).
    nearest = flat - step * (outwards / square)
    inside = reach * reach - nearest.square
    half_chord = sqrt(maximum(inside, 0.0) / square)
    enter, leave = -outwards / square - half_chord, -outwards / square + half_chord
    still = square < 1e-20
    within = flat.square < reach * reach
    enter = where(still, where(within, -NEVER, NEVER), where(inside > 0.0, enter, NEVER))
    leave = where(still, where(within, NEVER, -NEVER), where(inside > 0.0, leave, -NEVER))
    at = flat + step * minimum(maximum(enter, -1.0), 1.0)
    side = (enter, leave, reach - flat.length, Vec(*at, 0.0 * z))
    lids = (*_slab(z, vz, half, skin), Vec(0.0 * z, 0.0 * z, 1.0 + 0.0 * z))
    return _first_hit([side, lids], skin)


# Avoidance


def nearest_on_solid(world: World, it: Any, place: Vec) -> tuple[Vec, Number]:
    """Vector from an obstacle to a place, and the distance to its surface."""
    way = offset(world, it.start, place)
    x, y, z = way
    sphere = way
    above = where(z > it.end.z, z - it.end.z, where(z < -it.end.z, z + it.end.z, 0.0))
    cylinder = Vec(x, y, above)
    beside = maximum(0.0, Vec(x, y).length - it.radius)
    edge = it.end - it.start
    ex, ey, _ = edge
    along = minimum(1.0, maximum(0.0, (x * ex + y * ey) / (ex * ex + ey * ey + TINY)))
    wall = Vec(x - ex * along, y - ey * along, 0.0 * z)
    inside = _along(it, way)
    box = _back(it, inside - inside.map(lambda c, h: maximum(-h, minimum(h, c)), it.end))
    plane = it.end * way.dot(it.end)
    away, gap = sphere, sphere.length - it.radius
    for form, vector_away, distance in (
        (CYLINDER, cylinder, sqrt(beside * beside + above * above)),
        (WALL, wall, wall.length),
        (BOX, box, box.length),
        (PLANE, plane, plane.length),
    ):
        here = it.form == form
        away, gap = where(here, vector_away, away), where(here, distance, gap)
    return away, gap


@register_in_space(AvoidObstacles)
class AvoidSolids(AvoidObstacles):
    """The same rule in space."""

    item_fields = SOLID_FIELDS

    @staticmethod
    def item(p: AvoidObstacles, me: Agent, it: Any, world: World) -> Any:
        away, gap = nearest_on_solid(world, it, me.position)
        return Sum(away * where(gap <= p.reach, 1.0 / (away.square + TINY), 0.0))
