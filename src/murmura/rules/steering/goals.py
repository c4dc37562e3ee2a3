"""Steering of single agents (Reynolds 1999): seek with arrival, flee, pursue, evade, wander, follow a leader."""

from __future__ import annotations

from typing import Any, ClassVar

from murmura.core.algebra import minimum, to_number, where
from murmura.core.merging import Sum
from murmura.core.model import PLACES, height, quantity
from murmura.core.noise import noise
from murmura.core.noise.space import noise_vector
from murmura.core.rule import Rule, register_rule
from murmura.core.rule_arguments import Agent, World
from murmura.core.vec import TINY, Vec, from_angle
from murmura.core.world.randomness import STREAM_WANDER, uniform_from
from murmura.core.world.space import offset, point
from murmura.rules.steering.towards import abeam, steer_at_speed, steer_towards


@register_rule("seek")
class Seek(Rule):
    """Fly to a place and slow down on arrival (S0-57)."""

    weight: float = quantity(1.0, "How much the goal counts relative to the other rules.", "", (0, 5), ge=0)
    x: float = quantity(0.0, "Where the goal is.", "u", PLACES)
    y: float = quantity(0.0, "Where the goal is.", "u", PLACES)
    z: float | None = height()
    arrival_radius: float = quantity(
        100.0, "Distance within which the flight slows as d/radius; 0: never.", "u", (0, 500), ge=0
    )

    has_z: ClassVar[bool]

    def options(self) -> dict[str, bool]:
        return super().options() | {"has_z": self.z is not None}

    @staticmethod
    def steer(p: Seek, me: Agent, found: Any, world: World) -> Any:
        way = offset(world, me.position, _goal(p, world))
        speed = me.max_speed * minimum(1.0, way.length / (p.arrival_radius + TINY))
        return steer_at_speed(abeam(way, me), speed, me) * p.weight


@register_rule("flee_point")
class FleePoint(Rule):
    """Fly away from a place (S0-58)."""

    weight: float = quantity(
        1.0, "How much getting away counts relative to the other rules.", "", (0, 5), ge=0
    )
    x: float = quantity(0.0, "The place to avoid.", "u", PLACES)
    y: float = quantity(0.0, "The place to avoid.", "u", PLACES)
    z: float | None = height()
    reach: float = quantity(
        0.0, "Distance beyond which the place is ignored; 0: never.", "u", (0, 1000), ge=0
    )

    has_z: ClassVar[bool]

    def options(self) -> dict[str, bool]:
        return super().options() | {"has_z": self.z is not None}

    @staticmethod
    def steer(p: FleePoint, me: Agent, found: Any, world: World) -> Any:
        away = offset(world, _goal(p, world), me.position)
        weight = where((away.square <= p.reach * p.reach) | (p.reach == 0.0), p.weight, 0.0)
        return steer_towards(abeam(away, me), me) * weight


def _goal(p: Seek | FleePoint, world: World) -> Vec:
    """The place that a rule names."""
    return point(world, p.x, p.y, p.z if p.has_z else None)


class TrackingRule(Rule):
    """A rule about one named agent."""

    weight: float = quantity(
        1.0, "How much this agent matters relative to the other rules.", "", (0, 5), ge=0
    )
    agent: int = quantity(0, "The id of the agent to track.", "id", (0, 1000), ge=0)

    tracks = "agent"

    @staticmethod
    def steer(p: TrackingRule, me: Agent, found: Any, world: World) -> Any:
        return found * p.weight


@register_rule("pursue")
class Pursue(TrackingRule):
    """Fly to where a quarry will be: its place after the time it takes to get there, at most `lead`."""

    lead: float = quantity(1.0, "How far ahead the quarry's flight is predicted at most.", "s", (0, 5), ge=0)

    @staticmethod
    def item(p: Pursue, me: Agent, it: Any, world: World) -> Any:
        way = offset(world, me.position, it.position)
        ahead = minimum(p.lead, way.length / (me.max_speed * world.pace)) * world.pace
        present = where(to_number(me.id) == it.id, 0.0, it.present)
        return Sum(steer_towards(abeam(way + it.velocity * ahead, me), me) * present)


@register_rule("evade")
class Evade(TrackingRule):
    """Fly away from where a hunter will be, while it is within reach."""

    lead: float = quantity(1.0, "How far ahead the hunter's flight is predicted at most.", "s", (0, 5), ge=0)
    reach: float = quantity(150.0, "Distance beyond which the hunter is ignored.", "u", (10, 400), gt=0)

    @staticmethod
    def item(p: Evade, me: Agent, it: Any, world: World) -> Any:
        away = offset(world, it.position, me.position)
        # Half the time of `Pursue`: otherwise a hunter that comes straight on would be predicted at my own position.
        ahead = minimum(p.lead, 0.5 * away.length / (me.max_speed * world.pace)) * world.pace
        ignored = (to_number(me.id) == it.id) | (away.square > p.reach * p.reach)
        return Sum(steer_towards(abeam(away - it.velocity * ahead, me), me) * where(ignored, 0.0, it.present))


@register_rule("follow_leader")
class FollowLeader(TrackingRule):
    """Keep behind a leader, arriving gently, and step out of its way (Reynolds 1999)."""

    distance: float = quantity(20.0, "How far behind the leader to fly.", "u", (1, 100), gt=0)
    arrival_radius: float = quantity(
        50.0, "Distance from that place within which the flight slows.", "u", (1, 200), gt=0
    )

    @staticmethod
    def item(p: FollowLeader, me: Agent, it: Any, world: World) -> Any:
        heading = it.velocity.normalized()
        way = offset(world, me.position, it.position)
        # In the leader's way: less than `distance` ahead of it and less than half that to the side.
        along = -way.dot(heading)
        beside, out = _out_of_the_way(way, heading, along)
        blocking = (along > 0.0) & (along < p.distance) & (beside < 0.25 * p.distance * p.distance)
        behind = way - heading * p.distance
        speed = me.max_speed * minimum(1.0, behind.length / p.arrival_radius)
        follow = steer_at_speed(abeam(behind, me), speed, me)
        clear = steer_towards(abeam(out, me), me)
        present = where(to_number(me.id) == it.id, 0.0, it.present)
        return Sum(where(blocking, clear, follow) * present)


def _out_of_the_way(way: Vec, heading: Vec, along: Any) -> tuple[Any, Vec]:
    """The squared distance from the leader's path, and the direction away from it."""
    if len(way) == 2:
        sideways = way.cross(heading)
        return sideways * sideways, heading.left * where(sideways >= 0.0, 1.0, -1.0)
    off = -(way + heading * along)
    return off.square, where(off.square > TINY, off, heading.perpendicular)


@register_rule("wander")
class Wander(Rule):
    """Steer to a point that drifts smoothly along a circle ahead, in space a sphere (Reynolds 1999).

    The drift is noise over time along a line specific to the agent, so it needs no memory.
    """

    weight: float = quantity(1.0, "How much wandering counts relative to the other rules.", "", (0, 5), ge=0)
    circle_distance: float = quantity(
        1.0, "How far ahead the circle lies, in circle radii.", "", (0, 5), ge=0
    )
    rate: float = quantity(0.5, "How fast the point drifts, in noise cells per second.", "1/s", (0, 5), ge=0)

    @staticmethod
    def steer(p: Wander, me: Agent, found: Any, world: World) -> Any:
        row, line = uniform_from(world.seed_low, world.seed_high, 0, me.id, STREAM_WANDER)
        if len(me.heading) == 3:
            drift = noise_vector(world.noise_time * p.rate + world.noise_x, row * 256.0, line * 256.0)
            return steer_towards(me.heading * p.circle_distance + drift.normalized(), me) * p.weight
        drift = noise(world.noise_time * p.rate + world.noise_x, row * 256.0)
        along, sideways = from_angle(drift * 9.424778)
        goal = me.heading * (p.circle_distance + along) + me.heading.left * sideways
        return steer_towards(goal, me) * p.weight
