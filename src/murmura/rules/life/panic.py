"""Panic: raised by threats, spread by frightened neighbours, faded by time; it drives flight."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import Field

from murmura.core.algebra import given, maximum, sqrt, where
from murmura.core.layout import POSITION
from murmura.core.merging import Greatest, Sum
from murmura.core.model import PLACES, Model, height, quantity
from murmura.core.rule import Rule, register_rule
from murmura.core.rule_arguments import Agent, Neighbor, World
from murmura.core.vec import TINY
from murmura.core.world.space import offset


class Threat(Model):
    """Something frightening at a place."""

    x: float = quantity(..., "Where it is.", "u", PLACES)
    y: float = quantity(..., "Where it is.", "u", PLACES)
    z: float | None = height()
    radius: float = quantity(150.0, "How far it frightens.", "u", (50, 400), gt=0)


@register_rule("fear")
class Fear(Rule):
    """Flee from every threat in reach, and catch the fear of those who see it (S0-55, S0-56, S2-36, S2-37)."""

    weight: float = quantity(1.0, "How much flight counts.", "", (0, 5), ge=0)
    threats: tuple[Threat, ...] = Field((), strict=False, description="What frightens.")
    flight_boost: float = quantity(
        2.0, "How much panic adds to the flight force: max_force x (1 + this x panic).", "", (0, 5), ge=0
    )
    spread_from: float = quantity(0.3, "Panic above this infects those in view.", "", (0, 1), ge=0, le=1)
    spread: float = quantity(0.475, "What they catch of it (0.5 x panic decay 0.95).", "", (0, 1), ge=0, le=1)
    fade: float = quantity(0.98, "What is left of panic after a step.", "", (0.8, 1), ge=0, le=1)
    calm_below: float = quantity(0.01, "Panic below this is none.", "", (0, 0.2), ge=0, le=1)

    item_fields = (POSITION, "radius")
    reads = ("panic",)
    writes = ("panic",)
    clamped = False
    meets_everyone = True

    def items(self) -> Sequence[Sequence[Any]]:
        return [((t.x, t.y, t.z), t.radius) for t in self.threats]

    @staticmethod
    def pair(p: Fear, me: Agent, seen: Neighbor, world: World) -> Any:
        # Decision 26: the panicked infect those whom they see, whether or not they are seen themselves.
        # Whether calm neighbours see me is not computed: most are calm, most of the time.
        is_panicked = Fear.contributes(p, seen, world)
        infected = given(is_panicked, lambda: where(seen.sees_me, seen.panic, 0.0), 0.0)
        return {"worst": Greatest(infected)}

    @staticmethod
    def contributes(p: Fear, seen: Neighbor, world: World) -> Any:
        return seen.panic > p.spread_from

    @staticmethod
    def item(p: Fear, me: Agent, it: Any, world: World) -> Any:
        away = offset(world, it.position, me.position)
        distance = sqrt(away.square + TINY)
        fright = maximum(0.0, 1.0 - distance / it.radius)
        push = me.max_force * (1.0 + p.flight_boost * fright) / distance
        near = away.square <= it.radius * it.radius
        return {"flight": Sum(away * where(near, push, 0.0)), "fright": Greatest(fright)}

    @staticmethod
    def feel(p: Fear, me: Agent, found: Any, world: World) -> Any:
        # More panic infects more, so the most frightened neighbour alone decides.
        caught = where(found.worst > p.spread_from, found.worst * p.spread, 0.0)
        return {"panic": maximum(me.panic, maximum(caught, found.fright))}

    @staticmethod
    def steer(p: Fear, me: Agent, found: Any, world: World) -> Any:
        return found.flight * p.weight

    @staticmethod
    def age(p: Fear, me: Agent, world: World) -> Any:
        panic = me.panic * p.fade
        return {"panic": where(panic < p.calm_below, 0.0, panic)}
