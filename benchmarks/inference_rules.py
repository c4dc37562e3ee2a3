"""Rules for the contest of `inference.py`, as a user would write them."""

from __future__ import annotations

from typing import Any

import murmura
from murmura.core.algebra import exp, force_for_acceleration, force_for_velocity
from murmura.core.merging import Sum
from murmura.core.model import quantity
from murmura.rules import Agent, Neighbor, World
from murmura.rules.models.headings import turn_force


@murmura.register_rule("springs")
class Springs(murmura.Rule):
    """A spring to every other animal, and damping of the difference in velocity."""

    cohesion: float = quantity(0.1, "Of the spring.", "1/s^2", (0, 1))
    damping: float = quantity(0.1, "Of the difference.", "1/s", (0, 1))
    clamped = False
    silent_when_zero = ""

    @staticmethod
    def pair(p: Springs, me: Agent, seen: Neighbor, world: World) -> Any:
        return Sum(seen.offset * p.cohesion + (seen.velocity - me.velocity) * p.damping)

    @staticmethod
    def steer(p: Springs, me: Agent, found: Any, world: World) -> Any:
        return force_for_acceleration(found, world)


@murmura.register_rule("swimming")
class Swimming(murmura.Rule):
    """Without inertia: along the heading, and away from others."""

    pace: float = quantity(0.5, "Along the heading.", "u/s", (0, 4))
    repulsion: float = quantity(0.5, "At no distance.", "u/s", (0, 4))
    clamped = False
    silent_when_zero = ""

    @staticmethod
    def pair(p: Swimming, me: Agent, seen: Neighbor, world: World) -> Any:
        return Sum(seen.offset * (seen.inverse * exp(-seen.distance)))

    @staticmethod
    def steer(p: Swimming, me: Agent, found: Any, world: World) -> Any:
        return force_for_velocity(me.heading * p.pace - found * p.repulsion, me, world)


@murmura.register_rule("torque")
class Torque(murmura.Rule):
    """A torque towards the headings of others."""

    strength: float = quantity(0.2, "At no distance.", "rad/s", (0, 2))
    clamped = False
    silent_when_zero = "strength"

    @staticmethod
    def pair(p: Torque, me: Agent, seen: Neighbor, world: World) -> Any:
        return Sum(me.heading.cross(seen.velocity) * exp(seen.distance * -0.5))

    @staticmethod
    def steer(p: Torque, me: Agent, found: Any, world: World) -> Any:
        return turn_force(me, found * (p.strength * world.dt), world)


@murmura.register_rule("kick")
class Kick(murmura.Rule):
    """The turn of a fish when it kicks, by the wall of a round tank and by the other fish (Calovi et al. 2018)."""

    wall: float = quantity(0.1, "How much the wall turns it.", "rad", (0, 1))
    wall_range: float = quantity(8.0, "How far the wall acts.", "u", (2, 20))
    attraction: float = quantity(0.1, "How much it turns to the other.", "rad", (0, 1))
    balance: float = quantity(4.0, "Distance at which the other neither attracts nor repels.", "u", (1, 10))
    attraction_range: float = quantity(15.0, "How far attraction acts.", "u", (5, 60))
    alignment: float = quantity(0.1, "How much it turns to the other's heading.", "rad", (0, 1))
    alignment_range: float = quantity(15.0, "How far alignment acts.", "u", (5, 60))
    clamped = False
    silent_when_zero = ""

    @staticmethod
    def pair(p: Kick, me: Agent, seen: Neighbor, world: World) -> Any:
        d, way = seen.distance, seen.offset * seen.inverse
        ahead, aside = me.heading.dot(way), me.heading.cross(way)
        turn = me.heading.cross(seen.velocity)
        towards = (d - p.balance) * (1.0 / 3.0) / (1.0 + (d / p.attraction_range) * (d / p.attraction_range))
        near = exp((d / p.alignment_range) * (d / p.alignment_range) * -1.0)
        place = 1.0 + 0.6 * ahead - 0.32 * (2.0 * ahead * ahead - 1.0)
        along = near * turn * (1.3 - 0.6 * turn * turn) * place
        return Sum(p.attraction * towards * aside * (1.0 - 0.33 * ahead) + p.alignment * along)

    @staticmethod
    def steer(p: Kick, me: Agent, found: Any, world: World) -> Any:
        outwards = me.position - world.size * 0.5
        distance = outwards.length
        aside = (outwards / distance).cross(me.heading)
        far = (0.5 * world.width - distance) / p.wall_range
        away = exp(far * far * -1.0) * aside * (1.7 - 1.4 * aside * aside)
        return turn_force(me, found + p.wall * away, world)
