"""Vicsek, Czirók, Ben-Jacob, Cohen, Shochet 1995: particles that adopt the mean heading of their neighbours."""

from __future__ import annotations

from typing import Any

from murmura.core.algebra import arctan2, where
from murmura.core.merging import Sum
from murmura.core.model import choice, quantity
from murmura.core.rule import Rule, register_in_space, register_rule
from murmura.core.rule_arguments import Agent, Neighbor, World
from murmura.core.vec import random_direction
from murmura.core.world.randomness import STREAM_VICSEK, uniform_pair
from murmura.rules.models.headings import turn_force

RADIANS = 0.017453292519943295
TURN = 6.283185307179586


CANCELLED = 1e-10
"""Squared length of a sum of headings below which its direction is rounding noise."""


@register_rule("vicsek")
class Vicsek(Rule):
    """Adopt the mean heading of all within the perception radius, including itself, plus noise."""

    weight: float = quantity(
        1.0, "Share of the turn that is made in a step; 1: all of it, as in the paper.", "", (0, 1), ge=0
    )
    noise: float = quantity(
        115.0,
        "Width of the interval from which the random turn is drawn uniformly (the paper's eta).",
        "deg",
        (0, 360),
        ge=0,
        le=360,
    )
    vectorial: bool = choice(
        False,
        "In the plane: add a random vector to the sum of headings, as long as their number times noise/360, instead of "
        "a random turn; agents then move along their new heading (Grégoire and Chaté 2004).",
    )

    moves_first = True  # as in the paper: an agent moves along its old heading, then turns
    clamped = False

    def variant(self) -> type[Rule]:
        return VectorialVicsek if self.vectorial else type(self)

    @staticmethod
    def pair(p: Vicsek, me: Agent, seen: Neighbor, world: World) -> Any:
        return Sum(seen.velocity)

    @staticmethod
    def steer(p: Vicsek, me: Agent, found: Any, world: World) -> Any:
        mine = me.velocity
        # All are equally fast, so the sum of velocities has the direction that the paper averages.
        total = found + mine
        # No turn for an agent without a heading, or where the others' headings cancel.
        turns = (mine.square > 0.0) & (total.square > CANCELLED * mine.square)
        mean = where(turns, arctan2(mine.cross(total), mine.dot(total)), 0.0)
        u, _ = uniform_pair(me.id, world, STREAM_VICSEK)
        turn = p.weight * (mean + (u - 0.5) * p.noise * RADIANS)
        # Without noise the sign of a zero would still depend on the random number.
        return turn_force(me, where(turn == 0.0, 0.0, turn), world)


class VectorialVicsek(Vicsek):
    """Vectorial noise in the plane."""

    moves_first = False

    @staticmethod
    def steer(p: Vicsek, me: Agent, found: Any, world: World) -> Any:
        return _towards(p, me, found, world)


def _towards(p: Vicsek, me: Agent, found: Any, world: World) -> Any:
    """The turn to the sum of all headings and a random vector."""
    mine = me.velocity
    u, v = uniform_pair(me.id, world, STREAM_VICSEK)
    size = me.speed * (me.neighbors + 1.0) * p.noise * (1.0 / 360.0)
    goal = found + mine + random_direction(u * TURN, v, size, len(mine))
    turns = (mine.square > 0.0) & (goal.square > CANCELLED * mine.square)
    turn = where(turns, mine.turn_to(goal) * p.weight, 0.0)
    return (mine.rotated(turn) - mine) / world.thrust


@register_in_space(Vicsek)
class VicsekInSpace(Vicsek):
    """In space with vectorial noise (Grégoire and Chaté 2004): a random vector is added to the sum of headings, as long
    as their number times noise / 360."""

    @staticmethod
    def steer(p: Vicsek, me: Agent, found: Any, world: World) -> Any:
        return _towards(p, me, found, world)
