"""Support for models that set the next heading directly: the force that produces it, and noise."""

from __future__ import annotations

from typing import Any

from murmura.core.algebra import Integer, Number, maximum, minimum, where
from murmura.core.rule_arguments import Agent, World
from murmura.core.vec import TINY, Vec
from murmura.core.world.randomness import IN_SPACE, uniform_pair


def turn_force(me: Agent, turn: Any, world: World) -> Vec:
    """The force that turns the velocity in this step and keeps its length. A turn is an angle [rad], or in space a
    vector along the axis whose length is the angle."""
    force: Vec = (me.velocity.rotated(turn) - me.velocity) / world.thrust
    return force


def turn_to(me: Agent, direction: Vec) -> Any:
    """The turn from the heading to a direction [rad]; none for the zero vector."""
    return where(direction.square > TINY, me.heading.turn_to(direction), 0.0)


def within(turn: Any, most: Number) -> Any:
    """The turn, limited to an angle of `most`."""
    if isinstance(turn, Vec):
        return turn.limited(most)
    return maximum(-most, minimum(most, turn))


def approximate_normal_vector(me_id: Integer, world: World, stream: int) -> Vec:
    """Three random numbers with the distribution of `approximate_normal`, for a 3-D world."""
    return Vec(*(approximate_normal(me_id, world, stream + IN_SPACE + k) for k in (0, 2, 4)))


def approximate_normal(me_id: Integer, world: World, stream: int) -> Number:
    """A random number with nearly a standard normal distribution.

    The sum of four uniform numbers (Irwin-Hall), which needs no logarithm and never exceeds 3.47. Uses this stream
    and the next.
    """
    a, b = uniform_pair(me_id, world, stream)
    c, d = uniform_pair(me_id, world, stream + 1)
    return (a + b + c + d - 2.0) * 1.7320508
