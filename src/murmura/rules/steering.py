"""Steering of single minds (Reynolds 1999): seek with arrival, flee, pursue, evade, wander, follow a leader."""

from __future__ import annotations

from typing import Any

from murmura.core.algebra import minimum, sin_cos, sqrt, to_number, where
from murmura.core.model import quantity
from murmura.core.noise import noise
from murmura.core.randomness import STREAM_WANDER, uniform_from
from murmura.core.rule import Rule, register_rule
from murmura.core.space import offset
from murmura.core.vector import TINY, normalize
from murmura.rules.towards import steer_at_speed, steer_towards


@register_rule("seek")
class Seek(Rule):
    """Fly to a place and slow down on arrival (S0-57)."""

    weight: float = quantity(1.0, "How much the goal counts beside the other wishes.", "", (0, 5), ge=0)
    x: float = quantity(0.0, "Where the goal is.", "u")
    y: float = quantity(0.0, "Where the goal is.", "u")
    arrival_radius: float = quantity(
        100.0, "Nearer than this the flight slows with d/radius; 0: never.", "u", ge=0
    )

    @staticmethod
    def steer(p: Any, me: Any, acc: Any, world: Any) -> Any:
        dx, dy = offset(world, me.x, me.y, p.x, p.y)
        d = sqrt(dx * dx + dy * dy)
        speed = me.max_speed * minimum(1.0, d / (p.arrival_radius + TINY))
        fx, fy = steer_at_speed(dx, dy, speed, me)
        return fx * p.weight, fy * p.weight


@register_rule("flee_point")
class FleePoint(Rule):
    """Fly away from a place (S0-58)."""

    weight: float = quantity(1.0, "How much getting away counts beside the other wishes.", "", (0, 5), ge=0)
    x: float = quantity(0.0, "The place to avoid.", "u")
    y: float = quantity(0.0, "The place to avoid.", "u")
    reach: float = quantity(0.0, "Farther than this the place is ignored; 0: never.", "u", ge=0)

    @staticmethod
    def steer(p: Any, me: Any, acc: Any, world: Any) -> Any:
        dx, dy = offset(world, p.x, p.y, me.x, me.y)
        fx, fy = steer_towards(dx, dy, me)
        w = where((dx * dx + dy * dy <= p.reach * p.reach) | (p.reach == 0.0), p.weight, 0.0)
        return fx * w, fy * w


class TrackingRule(Rule):
    """A rule about one named agent."""

    weight: float = quantity(1.0, "How much this agent matters beside the other wishes.", "", (0, 5), ge=0)
    agent: int = quantity(0, "The id of the agent that is meant.", "id", ge=0)

    item_accumulates = ("sum", "sum")
    tracks = "agent"

    @staticmethod
    def steer(p: Any, me: Any, acc: Any, world: Any) -> Any:
        return acc[0] * p.weight, acc[1] * p.weight


@register_rule("pursue")
class Pursue(TrackingRule):
    """Fly to where a quarry will be: its place after the time it takes to get there, at most `lead`."""

    lead: float = quantity(1.0, "How far ahead the quarry's flight is foreseen at most.", "s", (0, 5), ge=0)

    @staticmethod
    def item(p: Any, me: Any, it: Any, world: Any) -> Any:
        dx, dy = offset(world, me.x, me.y, it.x, it.y)
        ahead = minimum(p.lead, sqrt(dx * dx + dy * dy) / (me.max_speed * world.pace)) * world.pace
        fx, fy = steer_towards(dx + it.vx * ahead, dy + it.vy * ahead, me)
        w = where(to_number(me.id) == it.id, 0.0, it.present)
        return fx * w, fy * w


@register_rule("evade")
class Evade(TrackingRule):
    """Fly away from where a hunter will be, while it is within reach."""

    lead: float = quantity(1.0, "How far ahead the hunter's flight is foreseen at most.", "s", (0, 5), ge=0)
    reach: float = quantity(150.0, "Farther than this the hunter is ignored.", "u", (10, 400), gt=0)

    @staticmethod
    def item(p: Any, me: Any, it: Any, world: Any) -> Any:
        dx, dy = offset(world, it.x, it.y, me.x, me.y)
        d2 = dx * dx + dy * dy
        # Half the time of `Pursue`: a hunter that comes straight on would else be foreseen where I am.
        ahead = minimum(p.lead, 0.5 * sqrt(d2) / (me.max_speed * world.pace)) * world.pace
        fx, fy = steer_towards(dx - it.vx * ahead, dy - it.vy * ahead, me)
        w = where((to_number(me.id) == it.id) | (d2 > p.reach * p.reach), 0.0, it.present)
        return fx * w, fy * w


@register_rule("follow_leader")
class FollowLeader(TrackingRule):
    """Keep behind a leader, arriving gently, and step out of its way (Reynolds 1999)."""

    distance: float = quantity(20.0, "How far behind the leader to fly.", "u", (1, 100), gt=0)
    arrival_radius: float = quantity(
        50.0, "Nearer to that place than this the flight slows.", "u", (1, 200), gt=0
    )

    @staticmethod
    def item(p: Any, me: Any, it: Any, world: Any) -> Any:
        hx, hy = normalize(it.vx, it.vy)
        dx, dy = offset(world, me.x, me.y, it.x, it.y)
        # In the leader's way: less than `distance` ahead of it and less than half that to the side.
        along = -(dx * hx + dy * hy)
        aside = dx * hy - dy * hx
        blocking = (along > 0.0) & (along < p.distance) & (aside * aside < 0.25 * p.distance * p.distance)
        side = where(aside >= 0.0, 1.0, -1.0)
        bx = dx - hx * p.distance
        by = dy - hy * p.distance
        d = sqrt(bx * bx + by * by)
        follow_x, follow_y = steer_at_speed(bx, by, me.max_speed * minimum(1.0, d / p.arrival_radius), me)
        clear_x, clear_y = steer_towards(hy * side * -1.0, hx * side, me)
        w = where(to_number(me.id) == it.id, 0.0, it.present)
        return where(blocking, clear_x, follow_x) * w, where(blocking, clear_y, follow_y) * w


@register_rule("wander")
class Wander(Rule):
    """Stroll: steer to a point on a circle ahead that drifts along smoothly (Reynolds 1999).

    The drift is noise over time along a line of the agent's own, so it needs no memory.
    """

    weight: float = quantity(1.0, "How much strolling counts beside the other wishes.", "", (0, 5), ge=0)
    circle_distance: float = quantity(
        1.0, "How far ahead the circle lies, in circle radii.", "", (0, 5), ge=0
    )
    rate: float = quantity(0.5, "How fast the point drifts, in noise cells a second.", "1/s", (0, 5), ge=0)

    @staticmethod
    def steer(p: Any, me: Any, acc: Any, world: Any) -> Any:
        row, _ = uniform_from(world.seed_low, world.seed_high, 0, me.id, STREAM_WANDER)
        drift = noise(world.noise_time * p.rate + world.noise_x, row * 256.0)
        s, c = sin_cos(drift * 9.424778)
        ahead = p.circle_distance
        x = me.hx * (ahead + c) - me.hy * s
        y = me.hy * (ahead + c) + me.hx * s
        fx, fy = steer_towards(x, y, me)
        return fx * p.weight, fy * p.weight
