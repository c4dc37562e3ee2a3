"""Vicsek, Czirók, Ben-Jacob, Cohen, Shochet 1995: self-propelled particles that take over the mean heading around."""

from __future__ import annotations

from typing import Any

from murmura.core.merging import Sum
from murmura.core.model import quantity
from murmura.core.randomness import STREAM_VICSEK, uniform_pair
from murmura.core.rule import Rule, register_rule
from murmura.rules.headings import angle_to, turn_force

RADIANS = 0.017453292519943295


@register_rule("vicsek")
class Vicsek(Rule):
    """Take over the mean heading of all within the perception radius, oneself included, give or take noise."""

    weight: float = quantity(
        1.0, "Share of the turn that is made in a step; 1: all of it, as in the paper.", "", (0, 1), ge=0
    )
    noise: float = quantity(
        115.0,
        "Width of the interval that the random turn is drawn from evenly (the paper's eta).",
        "deg",
        (0, 360),
        ge=0,
        le=360,
    )

    clamped = False

    @staticmethod
    def pair(p: Any, me: Any, seen: Any, world: Any) -> Any:
        return Sum(seen.velocity)

    @staticmethod
    def steer(p: Any, me: Any, found: Any, world: Any) -> Any:
        # All are equally fast, so the sum of velocities has the direction that the paper averages.
        mean = angle_to(me, found + me.velocity)
        u, _ = uniform_pair(me.id, world, STREAM_VICSEK)
        return turn_force(me, p.weight * (mean + (u - 0.5) * p.noise * RADIANS), world)
