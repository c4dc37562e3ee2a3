"""Cruising: every bird returns to its preferred speed."""

from __future__ import annotations

from typing import Any

from murmura.core.model import quantity
from murmura.core.rule import Rule, register_rule
from murmura.core.rule_arguments import Agent, World


@register_rule("cruise")
class Cruise(Rule):
    """Return to the cruise speed along the heading: (speed - v) / relaxation (Hildenbrandt et al. 2010)."""

    weight: float = quantity(1.0, "How much the cruise speed counts.", "", (0, 5), ge=0)
    speed: float = quantity(10.0, "The cruise speed.", "u/s or u/tick", (0.1, 40), gt=0)
    relaxation: float = quantity(1.0, "Time in which a difference decays to 1/e.", "s", (0.1, 10), gt=0)

    clamped = False

    @staticmethod
    def steer(p: Cruise, me: Agent, found: Any, world: World) -> Any:
        missing = (p.speed - me.speed) * world.dt / (p.relaxation * world.thrust)
        return me.heading * (missing * p.weight)
