"""Couzin, Krause, Franks, Levin 2005: groups in which a few know where to go."""

from __future__ import annotations

from typing import Any, ClassVar

from murmura.core.algebra import sin_cos_of_degrees, where
from murmura.core.merging import Greatest, Sum
from murmura.core.model import quantity
from murmura.core.rule import Rule, register_rule
from murmura.core.rule_arguments import Agent, Neighbor, World
from murmura.core.vec import TINY, Vec
from murmura.core.world.randomness import STREAM_INFORMED, normal_pair, normal_vector
from murmura.rules.models.headings import turn_force, turn_to, within

RADIANS = 0.017453292519943295


@register_rule("informed")
class Informed(Rule):
    """Turn away from those too close; else join and follow those near, and go in a preferred direction."""

    repulsion: float = quantity(1.0, "Radius within which others repel (alpha).", "u", (0.1, 5), gt=0)
    range: float = quantity(
        6.0, "Radius within which others attract and headings are matched (rho).", "u", (0, 20), ge=0
    )
    preference: float = quantity(
        0.0,
        "Weight of the preferred direction beside the social one (omega); 0: not informed.",
        "",
        (0, 2),
        ge=0,
    )
    direction: float = quantity(
        0.0, "The preferred direction, counter-clockwise from the x-axis.", "deg", (0, 360)
    )
    turning_rate: float = quantity(114.6, "Fastest turn (theta, 2 rad/s).", "deg/s", (0, 400), ge=0)
    noise: float = quantity(
        0.01, "Standard deviation of the error in the wanted direction.", "rad", (0, 1), ge=0
    )

    clamped = False
    silent_when_zero = "turning_rate"

    goal_x: ClassVar[float]
    goal_y: ClassVar[float]

    def numbers(self, perception_radius: float) -> dict[str, float]:
        sine, cosine = sin_cos_of_degrees(self.direction)
        return super().numbers(perception_radius) | {"goal_x": cosine, "goal_y": sine}

    @staticmethod
    def pair(p: Informed, me: Agent, seen: Neighbor, world: World) -> Any:
        towards = seen.offset * seen.inverse
        near = seen.distance < p.repulsion
        social = towards + seen.velocity.normalized()
        return {
            "crowded": Greatest(where(near, 1.0, 0.0)),
            "away": Sum(towards * where(near, -1.0, 0.0)),
            "social": Sum(social * where(seen.distance < p.range, 1.0, 0.0)),
        }

    @staticmethod
    def steer(p: Informed, me: Agent, found: Any, world: World) -> Any:
        goal = Vec(p.goal_x, p.goal_y, *(0.0 for _ in range(len(me.position) - 2)))
        wish = where(found.social.square > TINY, found.social, me.heading).normalized() + goal * p.preference
        wish = where(found.crowded > 0.0, found.away, wish)
        if len(me.position) == 2:
            turn = turn_to(me, wish) + normal_pair(me.id, world, STREAM_INFORMED)[0] * p.noise
        else:
            turn = turn_to(
                me, wish.normalized().rotated(normal_vector(me.id, world, STREAM_INFORMED) * p.noise)
            )
        return turn_force(me, within(turn, p.turning_rate * RADIANS * world.dt), world)
