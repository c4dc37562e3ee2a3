"""Metabolism: energy that decays with speed, starvation, and the cooldown between matings."""

from __future__ import annotations

from typing import Any

from murmura.core.algebra import Number, maximum, where
from murmura.core.events import Cause
from murmura.core.model import quantity
from murmura.core.rule import Rule, register_rule
from murmura.core.rule_arguments import Agent, World

STARVATION = float(Cause.STARVATION)


@register_rule("energy")
class Energy(Rule):
    """Energy falls with time and speed; a tired agent is slow (S0-24, S0-30)."""

    decay: float = quantity(0.02, "Energy lost each second at rest.", "1/s", (0, 0.2), ge=0)
    speed_cost: float = quantity(
        0.5, "Extra loss at top speed, as a share of the loss at rest.", "", (0, 5), ge=0
    )
    min_speed: float = quantity(0.3, "Share of the top speed left without energy.", "", (0, 1), ge=0, le=1)

    reads = ("energy",)
    writes = ("energy",)

    @staticmethod
    def age(p: Energy, me: Agent, world: World) -> Any:
        cost = p.decay * world.dt * (1.0 + p.speed_cost * me.speed / me.max_speed)
        return {"energy": maximum(0.0, me.energy - cost)}


class Starving(Agent):
    """The agent that decides."""

    starving: Number
    """[s] How long it has had no energy."""


@register_rule("starvation")
class Starvation(Rule):
    """An agent that has been without energy for some time dies."""

    after: float = quantity(10.0, "How long an agent lives without energy.", "s", (0, 120), ge=0)

    reads = ("energy",)
    writes = ("starving",)
    columns = {"starving": 0.0}
    needs = {"energy": "starvation needs energy that falls"}

    @staticmethod
    def age(p: Starvation, me: Starving, world: World) -> Any:
        return {"starving": where(me.energy > 0.0, 0.0, me.starving + world.dt)}

    @staticmethod
    def dies(p: Starvation, me: Starving, found: Any, world: World) -> Any:
        return where(me.starving > p.after, STARVATION, 0.0), -1.0


@register_rule("mating_cooldown")
class MatingCooldown(Rule):
    """The time until an agent may mate again counts down to 0 (S0-31)."""

    reads = ("mating_cooldown",)
    writes = ("mating_cooldown",)

    @staticmethod
    def age(p: MatingCooldown, me: Agent, world: World) -> Any:
        return {"mating_cooldown": maximum(0.0, me.mating_cooldown - world.dt)}
