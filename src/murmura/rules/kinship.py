"""What one species wants of another beyond flocking: to get away from it, or to catch it."""

from __future__ import annotations

from typing import Any

from murmura.core.algebra import where
from murmura.core.model import quantity
from murmura.core.rule import Rule, register_rule
from murmura.rules.towards import steer_towards


@register_rule("flee")
class Flee(Rule):
    """Steer away from neighbours of species that the interaction table says to flee."""

    weight: float = quantity(2.0, "How much getting away counts beside the other wishes.", "", (0, 5), ge=0)

    accumulates = ("sum", "sum")

    @staticmethod
    def pair(p: Any, me: Any, seen: Any, world: Any) -> Any:
        push = seen.flee * seen.attention * seen.inv_d * seen.inv_d
        return -seen.dx * push, -seen.dy * push

    @staticmethod
    def steer(p: Any, me: Any, acc: Any, world: Any) -> Any:
        fx, fy = steer_towards(acc[0], acc[1], me)
        return fx * p.weight, fy * p.weight


@register_rule("chase")
class Chase(Rule):
    """Steer to where the nearest neighbour of a hunted species will be (S3-8, S3-9)."""

    weight: float = quantity(1.5, "How much the chase counts beside the other wishes.", "", (0, 5), ge=0)
    lead: float = quantity(3.0, "How many steps ahead the prey's flight is foreseen.", "step", (0, 60), ge=0)

    accumulates = ("least", "payload", "payload", "payload", "payload")

    @staticmethod
    def pair(p: Any, me: Any, seen: Any, world: Any) -> Any:
        return (
            where(seen.chase > 0.0, seen.d2 / (seen.chase + 1e-30), 3.0e38),
            seen.dx,
            seen.dy,
            seen.vx,
            seen.vy,
        )

    @staticmethod
    def steer(p: Any, me: Any, acc: Any, world: Any) -> Any:
        nearest, dx, dy, vx, vy = acc
        ahead = p.lead * world.stride
        fx, fy = steer_towards(dx + vx * ahead, dy + vy * ahead, me)
        w = where(nearest < 1.0e38, p.weight, 0.0)
        return fx * w, fy * w
