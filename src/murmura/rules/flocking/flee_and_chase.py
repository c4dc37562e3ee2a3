"""Reactions between species other than flocking: fleeing and chasing."""

from __future__ import annotations

from typing import Any, ClassVar

from murmura.core.algebra import where
from murmura.core.merging import FAR, Least, Sum
from murmura.core.model import quantity
from murmura.core.rule import Rule, register_rule
from murmura.core.rule_arguments import Agent, Neighbor, World
from murmura.rules.steering.towards import steer_towards


@register_rule("flee")
class Flee(Rule):
    """Steer away from neighbours of species that the interaction table says to flee."""

    on_by_default: ClassVar[bool] = True

    weight: float = quantity(
        2.0, "How much getting away counts relative to the other rules.", "", (0, 5), ge=0
    )

    acts_where = "where species flee from others"

    def takes_part(self, scenario: Any) -> bool:
        return _in_table(scenario, "flee")

    @staticmethod
    def pair(p: Flee, me: Agent, seen: Neighbor, world: World) -> Any:
        push = seen.flee * seen.attention * seen.inverse * seen.inverse
        return Sum(seen.offset * -push)

    @staticmethod
    def steer(p: Flee, me: Agent, found: Any, world: World) -> Any:
        return steer_towards(found, me) * p.weight


@register_rule("chase")
class Chase(Rule):
    """Steer to where the nearest neighbour of a hunted species will be (S3-8, S3-9)."""

    on_by_default: ClassVar[bool] = True

    weight: float = quantity(1.5, "How much the chase counts relative to the other rules.", "", (0, 5), ge=0)
    lead: float = quantity(3.0, "How many steps ahead the prey's flight is predicted.", "step", (0, 60), ge=0)

    acts_where = "where species chase others"

    def takes_part(self, scenario: Any) -> bool:
        return _in_table(scenario, "chase")

    @staticmethod
    def pair(p: Chase, me: Agent, seen: Neighbor, world: World) -> Any:
        score = where(seen.chase > 0.0, seen.square / (seen.chase + 1e-30), FAR)
        return Least(score, offset=seen.offset, velocity=seen.velocity)

    @staticmethod
    def steer(p: Chase, me: Agent, found: Any, world: World) -> Any:
        ahead = p.lead * world.stride
        return steer_towards(found.offset + found.velocity * ahead, me) * where(found.exists, p.weight, 0.0)


def _in_table(scenario: Any, wish: str) -> bool:
    """Whether any species has a positive factor of this name for another."""
    kinds = scenario.species
    return any(getattr(a.interaction(b.name), wish) > 0.0 for a in kinds for b in kinds)
