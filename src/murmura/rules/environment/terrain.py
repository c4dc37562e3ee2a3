"""Edges, obstacles and points of attraction.

Avoidance is a force and may fail; `collide` is a constraint: an agent whose move would enter an obstacle or cross a
wall stops in front of it and bounces, however fast it is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce
from itertools import pairwise
from typing import Any, ClassVar, Literal

from pydantic import Field

from murmura.core.algebra import Number, absolute, maximum, minimum, sqrt, where
from murmura.core.layout import POSITION, vector
from murmura.core.merging import Sum
from murmura.core.model import PLACES, Model, choice, height, quantity
from murmura.core.rule import Rule, register_rule
from murmura.core.rule_arguments import Agent, World
from murmura.core.vec import TINY, Vec
from murmura.core.world.space import offset
from murmura.rules.steering.towards import abeam, steer_towards

Point = tuple[float, float]
Place = tuple[float, float, float]
Obstacle = Any  # Circle | Polygon | Wall | Cylinder | Box | Plane
NEVER = 1e9
SEAM = 1e-5  # a wall blocks sight this share of its length beyond its ends, so that no corner has a gap


class Circle(Model):
    """A round obstacle; in space a sphere."""

    kind: Literal["circle"] = choice("circle", "Its shape.")
    x: float = quantity(..., "Its centre.", "u")
    y: float = quantity(..., "Its centre.", "u")
    z: float | None = quantity(None, "Height of its centre, in a 3-D world; none: halfway up.", "u")
    radius: float = quantity(..., "Its radius.", "u", gt=0)


class Cylinder(Model):
    """An upright column, in a 3-D world."""

    kind: Literal["cylinder"] = choice("cylinder", "Its shape.")
    x: float = quantity(..., "Its axis.", "u")
    y: float = quantity(..., "Its axis.", "u")
    radius: float = quantity(..., "Its radius.", "u", gt=0)
    bottom: float | None = quantity(None, "Where it begins; none: at the floor.", "u")
    top: float | None = quantity(None, "Where it ends; none: at the ceiling.", "u")


class Box(Model):
    """A box in a 3-D world: between two corners along the axes, then turned about its upright middle line."""

    kind: Literal["box"] = choice("box", "Its shape.")
    low: Place = Field(description="One corner before it is turned, (x, y, z) [u].")
    high: Place = Field(description="The opposite corner before it is turned, (x, y, z) [u].")
    turn: float = quantity(
        0.0, "How far it is turned, counter-clockwise seen from above.", "deg", (-180, 180)
    )

    @property
    def middle(self) -> Place:
        x, y, z = (0.5 * (a + b) for a, b in zip(self.low, self.high, strict=True))
        return x, y, z

    @property
    def half(self) -> Place:
        """Half of its length along each of its own axes."""
        x, y, z = (0.5 * abs(b - a) for a, b in zip(self.low, self.high, strict=True))
        return x, y, z

    @property
    def facing(self) -> Point:
        """Cosine and sine of its turn."""
        angle = math.radians(self.turn)
        return math.cos(angle), math.sin(angle)

    def seen_from(self, place: Place) -> Place:
        """A position in the box's own coordinates: from its middle, along its axes."""
        (x, y, z), (c, s) = (a - b for a, b in zip(place, self.middle, strict=True)), self.facing
        return x * c + y * s, y * c - x * s, z

    @property
    def corners(self) -> list[Place]:
        """The eight corners in the world: along x first, then y, then z."""
        (mx, my, mz), (hx, hy, hz), (c, s) = self.middle, self.half, self.facing
        return [
            (mx + x * c - y * s, my + x * s + y * c, mz + z)
            for z in (-hz, hz) for y in (-hy, hy) for x in (-hx, hx)
        ]  # fmt: skip


class Plane(Model):
    """An endless flat wall, in a 3-D world."""

    kind: Literal["plane"] = choice("plane", "Its shape.")
    point: Place = Field(description="A point on it, (x, y, z) [u].")
    normal: Place = Field((0.0, 0.0, 1.0), description="The direction at right angles to it.")


class Polygon(Model):
    """A solid obstacle with corners; in space it stands upright from floor to ceiling."""

    kind: Literal["polygon"] = choice("polygon", "Its shape.")
    points: tuple[Point, ...] = Field(min_length=3, description="Its corners in order [u].")


class Wall(Model):
    """A line of walls. Three corners or more without `kind` are a polygon."""

    kind: Literal["wall"] = choice("wall", "Its shape.")
    points: tuple[Point, ...] = Field(min_length=2, description="Its corners in order [u].")


SHAPE_FIELDS = (vector("start"), vector("end"), "radius")
"""One obstacle row: a circle is a segment of no length with a radius; a wall is a segment without one."""


def shape_rows(obstacles: Sequence[Obstacle], longest: float) -> list[tuple[float, ...]]:
    """Circles and single wall segments as rows of SHAPE_FIELDS.

    Segments are cut to at most `longest`, so that on a torus the nearest image of a segment's start is the
    image of the segment that matters.
    """
    rows: list[tuple[float, ...]] = []
    for shape in obstacles:
        if isinstance(shape, Circle):
            rows.append((shape.x, shape.y, shape.x, shape.y, shape.radius))
            continue
        ends = (*shape.points[1:], shape.points[0]) if isinstance(shape, Polygon) else shape.points[1:]
        for start, end in zip(shape.points, ends, strict=False):
            rows += _segments(start, end, longest)
    return rows


def _segments(start: Point, end: Point, longest: float) -> list[tuple[float, ...]]:
    count = max(1, math.ceil(math.dist(start, end) / longest))
    ex, ey = (end[0] - start[0]) / count, (end[1] - start[1]) / count
    cuts = [(start[0] + ex * k, start[1] + ey * k) for k in range(count)] + [end]
    return [(*a, *b, 0.0) for a, b in pairwise(cuts)]


def contains(shape: Circle | Polygon | Wall, x: float, y: float) -> bool:
    """Whether a place lies inside a solid obstacle."""
    if isinstance(shape, Circle):
        return math.hypot(x - shape.x, y - shape.y) < shape.radius
    if isinstance(shape, Wall):
        return False
    inside = False
    for (ax, ay), (bx, by) in zip(shape.points, (*shape.points[1:], shape.points[0]), strict=True):
        if (ay > y) != (by > y) and x < (bx - ax) * (y - ay) / (by - ay) + ax:
            inside = not inside
    return inside


def nearest_on_shape(world: World, it: Any, place: Vec) -> tuple[Vec, Number]:
    """Vector from the nearest point of an obstacle's core to a place, and the distance to its surface."""
    from_start = offset(world, it.start, place)
    edge = it.end - it.start
    per_square = 1.0 / (edge.square + TINY)
    share = from_start.dot(edge) * per_square
    away = from_start - edge * minimum(1.0, maximum(0.0, share))
    # Beside a long wall this is a small difference of large numbers, with a rounding error along the wall. Removing
    # that component once more leaves the wall's normal, however near the place is.
    slip = where((share > 0.0) & (share < 1.0), away.dot(edge) * per_square, 0.0)
    away = away - edge * slip
    return away, away.length - it.radius


@register_rule("avoid_obstacles")
class AvoidObstacles(Rule):
    """Steer away from nearby obstacles: unit(away)/d summed over them (S3-11)."""

    on_by_default: ClassVar[bool] = True

    weight: float = quantity(
        2.0, "How much keeping clear counts relative to the other rules.", "", (0, 5), ge=0
    )
    reach: float = quantity(40.0, "How near an obstacle's surface must be to matter.", "u", (5, 200), gt=0)

    item_fields: ClassVar[tuple[str, ...]] = SHAPE_FIELDS
    obstacles_are_items: ClassVar[bool] = True

    acts_where = "where there are obstacles"

    def takes_part(self, scenario: Any) -> bool:
        return bool(scenario.obstacles)

    @staticmethod
    def item(p: AvoidObstacles, me: Agent, it: Any, world: World) -> Any:
        away, gap = nearest_on_shape(world, it, me.position)
        return Sum(away * where(gap <= p.reach, 1.0 / (away.square + TINY), 0.0))

    @staticmethod
    def steer(p: AvoidObstacles, me: Agent, found: Any, world: World) -> Any:
        return steer_towards(abeam(found, me), me) * p.weight

    @staticmethod
    def suppress(p: AvoidObstacles, me: Agent, found: Any, world: World) -> Any:
        # A factor of 1 suppresses nothing, and keeps other rules from suppressing this one: agents always avoid walls.
        return 1.0


def edge_rows(
    width: float, height: float, along_x: bool = True, along_y: bool = True
) -> list[tuple[float, ...]]:
    """The edges of a world with walls as wall segments, the inside on their left.

    With obstacles, edges must stop a move like walls: a mirrored move could end behind one. Walls of a channel, which
    has none along the other axis, are cut into short segments.
    """
    corners = [(0.0, 0.0), (width, 0.0), (width, height), (0.0, height), (0.0, 0.0)]
    longest = math.inf if along_x and along_y else min(width, height) / 4.0
    walled = (along_y, along_x, along_y, along_x)
    sides = zip(pairwise(corners), walled, strict=True)
    return [row for (a, b), is_wall in sides if is_wall for row in _segments(a, b, longest)]


def hit(world: World, shape: Any, position: Vec, move: Vec) -> tuple[Number, Vec]:
    """When a move comes within a skin of an obstacle, and the obstacle's normal there.

    The time is a share of the move, more than 1 if there is no contact. The skin is wider than the rounding
    error of a position, so that no path, however shallow its angle, ends on the wrong side.
    """
    from_start = offset(world, shape.start, position)
    edge = shape.end - shape.start
    t_circle = circle_hit(from_start, move, shape.radius + world.skin)
    t_line = segment_hit(from_start, move, edge, world.skin)
    round_one = shape.radius > 0.0
    normal = where(round_one, from_start + move * minimum(t_circle, 1.0), edge.left)
    return where(round_one, t_circle, t_line), normal


def sighted(world: World, shape: Any, eye: Vec, ray: Vec) -> Number:
    """How far along a ray of length 1 an eye sees an obstacle; NEVER where the ray misses it.

    On a torus, the image whose middle is nearest to the eye counts. From inside, a circle is not seen.
    """
    edge = shape.end - shape.start
    middle = offset(world, eye, shape.start + edge * 0.5)
    start = middle - edge * 0.5
    across = ray.cross(edge)
    safe = where(absolute(across) > TINY, across, 1.0)
    along, share = start.cross(edge) / safe, start.cross(ray) / safe
    meets = (along >= 0.0) & (share >= -SEAM) & (share <= 1.0 + SEAM) & (absolute(across) > TINY)
    beside = ray.cross(middle)
    inside = shape.radius * shape.radius - beside * beside
    entry = ray.dot(middle) - sqrt(maximum(inside, 0.0))
    enters = (inside >= 0.0) & (entry >= 0.0)
    return where(shape.radius > 0.0, where(enters, entry, NEVER), where(meets, along, NEVER))


def circle_hit(from_centre: Vec, move: Vec, radius: Number) -> Number:
    """When a move comes within this distance of a place, as a share of the move."""
    # Computed back from the point nearest to the centre. The textbook discriminant would lose all digits where the path
    # is much longer than the radius.
    square = move.square + TINY
    outwards = from_centre.dot(move)
    nearest = from_centre - move * (outwards / square)
    inside = radius * radius - nearest.square
    t = maximum(0.0, -outwards / square - sqrt(maximum(inside, 0.0) / square))
    return where((outwards < 0.0) & (inside > 0.0), t, NEVER)


def segment_hit(from_start: Vec, move: Vec, edge: Vec, skin: Number) -> Number:
    """When a move comes within a skin of a segment's line, if it is then (or at its end) between the ends."""
    size = sqrt(edge.square + TINY)
    side = where(edge.cross(from_start) >= 0.0, 1.0, -1.0)
    away = edge.cross(from_start) / size * side
    sink = move.cross(edge) / size * side
    safe = where(sink > 0.0, sink, 1.0)
    along = (from_start + move * minimum(1.0, away / safe)).dot(edge) / size
    between = (along >= -skin) & (along <= size + skin)
    return where((sink > 0.0) & between, maximum(0.0, (away - skin) / safe), NEVER)


def collide(world: World, position: Vec, move: Vec, velocity: Vec, t: Number, normal: Vec) -> tuple[Vec, Vec]:
    """The place after a move that may have been stopped at share `t`, and the velocity after the bounce."""
    stopped = t <= 1.0
    into = 2.0 * velocity.dot(normal) / (normal.square + TINY)
    return position + move * where(stopped, t, 1.0), where(stopped, velocity - normal * into, velocity)


def inwards(x: Number, size: Number, margin: Number) -> Number:
    """How far a coordinate lies within the margin of either edge, positive at the lower one."""
    return maximum(0.0, margin - x) - maximum(0.0, x - (size - margin))


@register_rule("boundary")
class Boundary(Rule):
    """A soft field along the edges: force times penetration over margin (S0-52).

    The rectangle of the documents pushes along the axes and presses flocks into boxes; an ellipse keeps them round.
    """

    on_by_default: ClassVar[bool] = True

    margin: float = quantity(100.0, "Width of the field.", "u", (10, 400), gt=0)
    force: float = quantity(0.8, "Force at the very edge.", "", (0, 5), ge=0)
    shape: Literal["rectangle", "ellipse"] = choice(
        "rectangle",
        "Rectangle: each edge pushes by itself, along an axis. Ellipse: the largest ellipse in the world pushes, at "
        "right angles to its outline, so that flocks turn smoothly.",
    )

    clamped = False
    silent_when_zero = "force"

    acts_where = "where world.boundary is soft"

    def takes_part(self, scenario: Any) -> bool:
        return "soft" in scenario.world.edges

    @staticmethod
    def steer(p: Boundary, me: Agent, found: Any, world: World) -> Any:
        is_soft = [edge == "soft" for edge in world.edges]
        if p.shape == "ellipse":
            return into_ellipse(me.position, world.size, is_soft, p.margin) * p.force
        depths = me.position.map(inwards, world.size, p.margin)
        pushed = Vec(*(x if soft else 0.0 for x, soft in zip(depths, is_soft, strict=True)))
        return pushed * (p.force / p.margin)


def into_ellipse(position: Vec, size: Vec, is_soft: Sequence[bool], margin: Number) -> Vec:
    """A vector into the largest ellipse in the world, at right angles to its outline.

    Its length is 1 on the outline, 0 as far inside as the margin (along the shortest axis), and linear in between and
    beyond. Axes without soft edges do not count.
    """
    half = [0.5 * length for length in size]
    shortest_half = reduce(minimum, (h for h, soft in zip(half, is_soft, strict=True) if soft))
    # From the centre of the world, in half sizes.
    place = Vec(*((x - h) / h if soft else 0.0 for x, h, soft in zip(position, half, is_soft, strict=True)))
    normal = Vec(*(x / h for x, h in zip(place, half, strict=True)))
    inner = maximum(0.0, 1.0 - margin / shortest_half)
    depth = maximum(0.0, place.length - inner) / (1.0 - inner)
    return normal.with_length(-depth)


@register_rule("containment")
class Containment(Rule):
    """Turn back in time: steer inwards as soon as the predicted position is within the margin (Reynolds 1999)."""

    weight: float = quantity(
        2.0, "How much staying inside counts relative to the other rules.", "", (0, 5), ge=0
    )
    margin: float = quantity(50.0, "How near to the edge an agent may come.", "u", (1, 400), gt=0)
    foresight: float = quantity(1.0, "How far ahead the flight is predicted.", "s", (0, 5), ge=0)

    @staticmethod
    def steer(p: Containment, me: Agent, found: Any, world: World) -> Any:
        foreseen = me.position + me.velocity * p.foresight * world.pace
        return steer_towards(abeam(foreseen.map(inwards, world.size, p.margin), me), me) * p.weight


class Attractor(Model):
    """A point that attracts agents or, with a negative strength, repels them."""

    x: float = quantity(..., "Where it is.", "u", PLACES)
    y: float = quantity(..., "Where it is.", "u", PLACES)
    z: float | None = height()
    strength: float = quantity(1.0, "Pull at the centre in units of max_force; negative: push.", "", (-5, 5))
    radius: float = quantity(150.0, "How far it reaches.", "u", (10, 500), gt=0)


@register_rule("attractors")
class Attractors(Rule):
    """Points that pull or push, less with distance: strength x (1 - d/radius) x max_force (S0-53, S0-54)."""

    on_by_default: ClassVar[bool] = True

    weight: float = quantity(1.0, "Factor on all of them.", "", (0, 5), ge=0)
    points: tuple[Attractor, ...] = Field((), strict=False, description="The attractors and repulsors.")

    item_fields = (POSITION, "strength", "radius")
    clamped = False

    acts_where = "where it has points"

    def takes_part(self, scenario: Any) -> bool:
        return bool(self.points)

    def items(self) -> Sequence[Sequence[Any]]:
        return [((a.x, a.y, a.z), a.strength, a.radius) for a in self.points]

    @staticmethod
    def item(p: Attractors, me: Agent, it: Any, world: World) -> Any:
        way = offset(world, me.position, it.position)
        distance = sqrt(way.square + TINY)
        pull = it.strength * (1.0 - distance / it.radius) * me.max_force / distance
        return Sum(way * where((way.square > 0.0) & (distance <= it.radius), pull, 0.0))

    @staticmethod
    def steer(p: Attractors, me: Agent, found: Any, world: World) -> Any:
        return found * p.weight
