"""Strömbom et al. 2014: sheep that crowd together when a dog comes near, and a dog that collects and drives them."""

from __future__ import annotations

from typing import Any

from murmura.core.algebra import force_for_velocity, maximum, minimum, power, sqrt, to_number, where
from murmura.core.layout import vector
from murmura.core.merging import Least, Sum
from murmura.core.model import quantity
from murmura.core.rule import Rule, register_rule
from murmura.core.rule_arguments import Agent, Neighbor, World
from murmura.core.vec import Vec, random_direction
from murmura.core.world.randomness import STREAM_SHEEP, uniform_pair
from murmura.core.world.space import offset, point

TURN = 6.283185307179586


class Flocking(Agent):
    """A sheep remembers where it was going while it stands."""

    facing: Vec


class Herding(Agent):
    """A dog remembers where the middle of the flock was."""

    middle: Vec


@register_rule("sheep")
class Sheep(Rule):
    """Graze while the dog is far; else go on, towards the middle of the nearest, and away from the dog and from those
    too close. The dog is an agent; sheep flock with each other (the species' `towards`)."""

    step: float = quantity(
        1.0, "Speed of a sheep that moves (delta per step); 0: no sheep.", "u/s", (0, 5), ge=0
    )
    dog: int = quantity(0, "The id of the dog.", "id", (0, 1000), ge=0)
    fear_radius: float = quantity(65.0, "Distance at which a dog is noticed (r_s).", "u", (0, 200), ge=0)
    personal_space: float = quantity(2.0, "Distance below which sheep repel (r_a).", "u", (0, 10), ge=0)
    inertia: float = quantity(0.5, "Weight of the old direction (h).", "", (0, 3), ge=0)
    cohesion: float = quantity(1.05, "Weight of the middle of the nearest (c).", "", (0, 5), ge=0)
    repulsion: float = quantity(2.0, "Weight of those too close (rho_a).", "", (0, 5), ge=0)
    fear: float = quantity(1.0, "Weight of the dog (rho_s).", "", (0, 5), ge=0)
    error: float = quantity(0.3, "Weight of a random direction (e).", "", (0, 2), ge=0)
    grazing: float = quantity(
        0.05,
        "Chance that an undisturbed sheep takes a step in a random direction (p).",
        "",
        (0, 1),
        ge=0,
        le=1,
    )

    columns = {vector("facing"): 0.0}
    reads = ("facing",)
    writes = ("facing",)
    tracks = "dog"
    clamped = False
    silent_when_zero = "step"

    @staticmethod
    def pair(p: Sheep, me: Agent, seen: Neighbor, world: World) -> Any:
        close = where(seen.distance < p.personal_space, seen.cohesion, 0.0)
        return {
            "middle": Sum(seen.offset * seen.cohesion),
            "away": Sum(seen.offset * (-close * seen.inverse)),
        }

    @staticmethod
    def item(p: Sheep, me: Agent, it: Any, world: World) -> Any:
        away = offset(world, it.position, me.position)
        near = (away.square <= p.fear_radius * p.fear_radius) & (to_number(me.id) != it.id)
        return {"dog": Sum(away.normalized() * where(near, it.present, 0.0))}

    @staticmethod
    def feel(p: Sheep, me: Flocking, found: Any, world: World) -> Any:
        return {"facing": _way(p, me, found, world)}

    @staticmethod
    def steer(p: Sheep, me: Flocking, found: Any, world: World) -> Any:
        chance, angle = uniform_pair(me.id, world, STREAM_SHEEP + 1)
        height = minimum(1.0, chance / maximum(p.grazing, 1e-6))
        idle = random_direction(angle * TURN, height, where(chance < p.grazing, 1.0, 0.0), len(me.position))
        way = where(found.dog.square > 0.0, me.facing, idle)
        return force_for_velocity(way * (p.step / world.pace), me, world) * where(p.step > 0.0, 1.0, 0.0)


def _way(p: Sheep, me: Flocking, found: Any, world: World) -> Any:
    """The direction in which a sheep that sees the dog goes, of length 1; the old one for others."""
    old = where(me.facing.square > 0.0, me.facing, me.heading)
    u, v = uniform_pair(me.id, world, STREAM_SHEEP)
    wish = (
        old * p.inertia
        + found.middle.normalized() * p.cohesion
        + found.away.normalized() * p.repulsion
        + found.dog * p.fear
        + random_direction(u * TURN, v, p.error, len(me.position))
    )
    return where((found.dog.square > 0.0) & (wish.square > 0.0), wish.normalized(), old)


@register_rule("sheepdog")
class Sheepdog(Rule):
    """Go behind the sheep that strays farthest, or behind the flock if none does; stop where sheep are close. It sees
    all within `sight` if that is more than perception.radius, else those that it perceives (its nearest)."""

    pace: float = quantity(0.0, "Speed of the dog (delta_s per step); 0: not a dog.", "u/s", (0, 5), ge=0)
    sight: float = quantity(1000.0, "How far it sees all sheep.", "u", (10, 2000), gt=0)
    goal_x: float = quantity(0.0, "Where to drive the sheep.", "u", (0, 2000))
    goal_y: float = quantity(0.0, "Where to drive the sheep.", "u", (0, 2000))
    spacing: float = quantity(2.0, "Distance at which sheep repel each other (r_a).", "u", (0.1, 10), gt=0)
    stop: float = quantity(
        3.0, "It stops where a sheep is nearer than this many times the spacing.", "", (0, 10), ge=0
    )

    columns = {vector("middle"): 0.0}
    reads = ("middle",)
    writes = ("middle",)
    pair_range = ("sight",)
    clamped = False
    silent_when_zero = "pace"

    @staticmethod
    def pair(p: Sheepdog, me: Herding, seen: Neighbor, world: World) -> Any:
        # The middle as it was in the last step: a second look at all sheep would be needed to know it now.
        strays = (seen.offset - offset(world, me.position, me.middle)).length
        herd = where(seen.chase > 0.0, 1.0, 0.0)
        return {
            "many": Sum(herd),
            "middle": Sum(seen.offset * herd),
            "nearest": Least(where(herd > 0.0, seen.distance, FAR_AWAY), way=seen.offset),
            "farthest": Least(where(herd > 0.0, -strays, FAR_AWAY), way=seen.offset),
        }

    @staticmethod
    def feel(p: Sheepdog, me: Herding, found: Any, world: World) -> Any:
        return {"middle": me.position + found.middle / maximum(1.0, found.many)}

    @staticmethod
    def steer(p: Sheepdog, me: Herding, found: Any, world: World) -> Any:
        goal = offset(world, me.position, point(world, p.goal_x, p.goal_y))
        middle = offset(world, me.position, me.middle)
        stray = found.farthest.way - middle
        collects = stray.length > p.spacing * power(maximum(found.many, 1.0), 2.0 / 3.0)
        behind_stray = found.farthest.way + stray.with_length(p.spacing)
        behind_all = middle + (middle - goal).with_length(p.spacing * sqrt(found.many))
        way = where(collects, behind_stray, behind_all)
        halts = (found.nearest.way.length < p.stop * p.spacing) | (found.many == 0.0)
        step = way.limited(p.pace * world.dt) * (1.0 / world.dt)
        velocity = where(halts, step * 0.0, step)
        return force_for_velocity(velocity / world.pace, me, world) * where(p.pace > 0.0, 1.0, 0.0)


FAR_AWAY = 1e12
