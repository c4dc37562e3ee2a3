"""Couzin, Krause, James, Ruxton, Franks 2002: zones of repulsion, orientation and attraction."""

from __future__ import annotations

from typing import Any, ClassVar

from murmura.core.algebra import sin_cos_of_degrees, where
from murmura.core.merging import Greatest, Sum
from murmura.core.model import quantity
from murmura.core.rule import Rule, register_rule
from murmura.core.rule_arguments import Agent, Neighbor, World
from murmura.core.vec import TINY, Vec
from murmura.core.world.perception import EDGE, SEES_ALL, in_view
from murmura.core.world.randomness import STREAM_ZONES
from murmura.rules.models.headings import (
    approximate_normal,
    approximate_normal_vector,
    turn_force,
    turn_to,
    within,
)

RADIANS = 0.017453292519943295


@register_rule("zones")
class Zones(Rule):
    """Turn away from neighbours that are too close; if there are none, align with near and turn towards far ones."""

    repulsion: float = quantity(1.0, "Radius of the zone in which others repel.", "u", (0.1, 5), gt=0)
    orientation: float = quantity(
        3.0, "Width of the zone around it in which headings are matched.", "u", (0, 20), ge=0
    )
    attraction: float = quantity(
        14.0, "Width of the zone around that one in which others attract.", "u", (0, 20), ge=0
    )
    blind_angle: float = quantity(
        90.0,
        "Blind angle behind for orientation and attraction; repulsion acts all around.",
        "deg",
        (0, 350),
        ge=0,
        lt=360,
    )
    turning_rate: float = quantity(40.0, "Fastest turn.", "deg/s", (0, 200), ge=0)
    noise: float = quantity(
        0.05, "Standard deviation of the error in the wanted direction.", "rad", (0, 1), ge=0
    )

    clamped = False
    silent_when_zero = "turning_rate"

    match_radius: ClassVar[float]
    join_radius: ClassVar[float]
    view_cosine: ClassVar[float]

    def numbers(self, perception_radius: float) -> dict[str, float]:
        _, cosine = sin_cos_of_degrees(180.0 - self.blind_angle / 2.0)
        return super().numbers(perception_radius) | {
            "match_radius": self.repulsion + self.orientation,
            "join_radius": self.repulsion + self.orientation + self.attraction,
            "view_cosine": where(self.blind_angle > 0.0, cosine - EDGE, SEES_ALL),
        }

    @staticmethod
    def pair(p: Zones, me: Agent, seen: Neighbor, world: World) -> Any:
        direction = seen.offset * seen.inverse
        near = seen.distance < p.repulsion
        visible = in_view(p.view_cosine, me.heading, seen.offset, seen.distance) & ~near
        match = visible & (seen.distance < p.match_radius)
        join = visible & (seen.distance >= p.match_radius) & (seen.distance < p.join_radius)
        return {
            "crowded": Greatest(where(near, 1.0, 0.0)),
            "away": Sum(direction * where(near, -1.0, 0.0)),
            "along": Sum(seen.velocity.normalized() * where(match, 1.0, 0.0)),
            "towards": Sum(direction * where(join, 1.0, 0.0)),
        }

    @staticmethod
    def steer(p: Zones, me: Agent, found: Any, world: World) -> Any:
        # The paper halves the sum if both zones have neighbours: only the direction matters.
        direction = where(found.crowded > 0.0, found.away, found.along + found.towards)
        return turn_force(
            me, within(_wanted(p, me, direction, world), p.turning_rate * RADIANS * world.dt), world
        )


def _wanted(p: Zones, me: Agent, direction: Vec, world: World) -> Any:
    """The turn to a direction, with a random error."""
    if len(direction) == 2:
        return turn_to(me, direction) + p.noise * approximate_normal(me.id, world, STREAM_ZONES)
    # A direction turned by normal errors about all three axes is spread as a normal distribution on the sphere.
    goal = where(direction.square > TINY, direction, me.heading)
    return turn_to(
        me, goal.normalized().rotated(approximate_normal_vector(me.id, world, STREAM_ZONES) * p.noise)
    )
