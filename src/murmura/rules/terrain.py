"""Edges, obstacles and points of attraction: what the place itself asks of an agent.

Avoidance is a wish and may fail; `collide` is a law: after the move, whoever would have entered an obstacle
or crossed a wall stops in front of it and bounces, however fast it was.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Literal

from pydantic import Field

from murmura.core.algebra import Number, maximum, minimum, sqrt, where
from murmura.core.model import Model, choice, quantity
from murmura.core.rule import Rule, register_rule
from murmura.core.space import offset
from murmura.core.vector import TINY
from murmura.rules.towards import steer_towards

Point = tuple[float, float]
NEVER = 1e9


class Circle(Model):
    """A round obstacle."""

    kind: Literal["circle"] = choice("circle", "Its shape.")
    x: float = quantity(..., "Its centre.", "u")
    y: float = quantity(..., "Its centre.", "u")
    radius: float = quantity(..., "Its radius.", "u", gt=0)


class Polygon(Model):
    """A solid obstacle with corners."""

    kind: Literal["polygon"] = choice("polygon", "Its shape.")
    points: tuple[Point, ...] = Field(min_length=3, description="Its corners in order [u].")


class Wall(Model):
    """A line of walls. Three corners or more without `kind` are a polygon."""

    kind: Literal["wall"] = choice("wall", "Its shape.")
    points: tuple[Point, ...] = Field(min_length=2, description="Its corners in order [u].")


SHAPE_FIELDS = ("x0", "y0", "x1", "y1", "radius")
"""One obstacle row: a circle is a segment of no length with a radius; a wall is a segment without one."""


def shape_rows(obstacles: Sequence[Circle | Polygon | Wall], longest: float) -> list[tuple[float, ...]]:
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


def nearest_on_shape(world: Any, it: Any, x: Number, y: Number) -> tuple[Number, Number, Number]:
    """Vector from an obstacle's nearest point of its core to a place, and the distance to its surface."""
    dx, dy = offset(world, it.x0, it.y0, x, y)
    ex = it.x1 - it.x0
    ey = it.y1 - it.y0
    along = minimum(1.0, maximum(0.0, (dx * ex + dy * ey) / (ex * ex + ey * ey + TINY)))
    dx = dx - ex * along
    dy = dy - ey * along
    return dx, dy, sqrt(dx * dx + dy * dy) - it.radius


@register_rule("avoid_obstacles")
class AvoidObstacles(Rule):
    """Steer away from obstacles that are near: unit(away)/d summed over them (S3-11)."""

    weight: float = quantity(2.0, "How much keeping clear counts beside the other wishes.", "", (0, 5), ge=0)
    reach: float = quantity(40.0, "How near an obstacle's surface must be to matter.", "u", (5, 200), gt=0)

    item_fields = SHAPE_FIELDS
    item_accumulates = ("sum", "sum")

    @staticmethod
    def item(p: Any, me: Any, it: Any, world: Any) -> Any:
        dx, dy, gap = nearest_on_shape(world, it, me.x, me.y)
        d2 = dx * dx + dy * dy + TINY
        push = where(gap <= p.reach, 1.0 / d2, 0.0)
        return dx * push, dy * push

    @staticmethod
    def steer(p: Any, me: Any, acc: Any, world: Any) -> Any:
        fx, fy = steer_towards(acc[0], acc[1], me)
        return fx * p.weight, fy * p.weight


def edge_rows(width: float, height: float) -> list[tuple[float, ...]]:
    """The edges of a walled world as wall segments, the inside on their left.

    Where there are obstacles, edges must stop a move as they do: a mirrored move could land behind a wall.
    """
    corners = [(0.0, 0.0), (width, 0.0), (width, height), (0.0, height), (0.0, 0.0)]
    return [(*a, *b, 0.0) for a, b in pairwise(corners)]


def hit(world: Any, it: Any, x: Number, y: Number, mx: Number, my: Number) -> tuple[Number, Number, Number]:
    """When the move (mx, my) from (x, y) comes within a skin of an obstacle, and the obstacle's normal there.

    In shares of the move; more than 1 if it does not. The skin is wider than the rounding of a place, so that
    nobody, however flat its path, is put down on the wrong side.
    """
    dx, dy = offset(world, it.x0, it.y0, x, y)
    # A circle: back from the point nearest to its centre. The textbook discriminant would lose all digits
    # where the path is much longer than the radius.
    mm = mx * mx + my * my + TINY
    b = dx * mx + dy * my
    radius = it.radius + world.skin
    px = dx - mx * (b / mm)
    py = dy - my * (b / mm)
    inside = radius * radius - (px * px + py * py)
    t_circle = maximum(0.0, -b / mm - sqrt(maximum(inside, 0.0) / mm))
    t_circle = where((b < 0.0) & (inside > 0.0), t_circle, NEVER)
    # A segment: on the way to its line, if the crossing (or the end of the move) lies between its ends.
    ex = it.x1 - it.x0
    ey = it.y1 - it.y0
    size = sqrt(ex * ex + ey * ey + TINY)
    side = where(dy * ex - dx * ey >= 0.0, 1.0, -1.0)
    away = (dy * ex - dx * ey) / size * side
    sink = (mx * ey - my * ex) / size * side
    safe = where(sink > 0.0, sink, 1.0)
    reach = minimum(1.0, away / safe)
    along = ((dx + mx * reach) * ex + (dy + my * reach) * ey) / size
    between = (along >= -world.skin) & (along <= size + world.skin)
    t_line = where((sink > 0.0) & between, maximum(0.0, (away - world.skin) / safe), NEVER)
    round_one = it.radius > 0.0
    nx = where(round_one, dx + mx * minimum(t_circle, 1.0), -ey)
    ny = where(round_one, dy + my * minimum(t_circle, 1.0), ex)
    return where(round_one, t_circle, t_line), nx, ny


def collide(
    world: Any,
    x: Number,
    y: Number,
    mx: Number,
    my: Number,
    vx: Number,
    vy: Number,
    t: Number,
    nx: Number,
    ny: Number,
) -> Any:
    """The place after a move that may have been stopped at share `t`, and the velocity after the bounce."""
    stopped = t <= 1.0
    share = where(stopped, t, 1.0)
    nn = nx * nx + ny * ny + TINY
    into = 2.0 * (vx * nx + vy * ny) / nn
    return (
        x + mx * share,
        y + my * share,
        where(stopped, vx - into * nx, vx),
        where(stopped, vy - into * ny, vy),
    )


@register_rule("boundary")
class Boundary(Rule):
    """A soft field along the edges: force times penetration over margin, on each axis (S0-52)."""

    margin: float = quantity(100.0, "Width of the field.", "u", (10, 400), gt=0)
    force: float = quantity(0.8, "Force at the very edge.", "", (0, 5), ge=0)

    clamped = False
    silent_when_zero = "force"

    @staticmethod
    def steer(p: Any, me: Any, acc: Any, world: Any) -> Any:
        fx = maximum(0.0, p.margin - me.x) - maximum(0.0, me.x - (world.width - p.margin))
        fy = maximum(0.0, p.margin - me.y) - maximum(0.0, me.y - (world.height - p.margin))
        k = p.force / p.margin
        return fx * k, fy * k


@register_rule("containment")
class Containment(Rule):
    """Turn back in time: steer inwards as soon as the place foreseen lies within the margin (Reynolds 1999)."""

    weight: float = quantity(2.0, "How much staying inside counts beside the other wishes.", "", (0, 5), ge=0)
    margin: float = quantity(50.0, "How near the edge may come.", "u", (1, 400), gt=0)
    foresight: float = quantity(1.0, "How far ahead the flight is foreseen.", "s", (0, 5), ge=0)

    @staticmethod
    def steer(p: Any, me: Any, acc: Any, world: Any) -> Any:
        x = me.x + me.vx * p.foresight * world.pace
        y = me.y + me.vy * p.foresight * world.pace
        inwards_x = maximum(0.0, p.margin - x) - maximum(0.0, x - (world.width - p.margin))
        inwards_y = maximum(0.0, p.margin - y) - maximum(0.0, y - (world.height - p.margin))
        fx, fy = steer_towards(inwards_x, inwards_y, me)
        return fx * p.weight, fy * p.weight


class Attractor(Model):
    """A point that draws agents near, or, with a negative strength, drives them away."""

    x: float = quantity(..., "Where it is.", "u")
    y: float = quantity(..., "Where it is.", "u")
    strength: float = quantity(1.0, "Pull at the centre in units of max_force; negative: push.", "", (-5, 5))
    radius: float = quantity(150.0, "How far it reaches.", "u", (10, 500), gt=0)


@register_rule("attractors")
class Attractors(Rule):
    """Points that pull or push, less with distance: strength x (1 - d/radius) x max_force (S0-53, S0-54)."""

    weight: float = quantity(1.0, "Factor on all of them.", "", (0, 5), ge=0)
    points: tuple[Attractor, ...] = Field((), strict=False, description="The attractors and repulsors.")

    item_fields = ("x", "y", "strength", "radius")
    item_accumulates = ("sum", "sum")
    clamped = False

    def items(self) -> Sequence[Sequence[float]]:
        return [(a.x, a.y, a.strength, a.radius) for a in self.points]

    @staticmethod
    def item(p: Any, me: Any, it: Any, world: Any) -> Any:
        dx, dy = offset(world, me.x, me.y, it.x, it.y)
        d2 = dx * dx + dy * dy
        d = sqrt(d2 + TINY)
        pull = where(
            (d2 > 0.0) & (d <= it.radius), it.strength * (1.0 - d / it.radius) * me.max_force / d, 0.0
        )
        return dx * pull, dy * pull

    @staticmethod
    def steer(p: Any, me: Any, acc: Any, world: Any) -> Any:
        return acc[0] * p.weight, acc[1] * p.weight
