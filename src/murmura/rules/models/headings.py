"""Rules that choose the next heading outright, as the classic models do: the force that makes it so, and noise."""

from __future__ import annotations

from typing import Any

from murmura.core.algebra import Integer, Number, arctan2, maximum, minimum, where
from murmura.core.randomness import uniform_pair
from murmura.core.vec import TINY, Vec


def turn_force(me: Any, angle: Number, world: Any) -> Vec:
    """The force that turns the velocity by an angle [rad] in this step and leaves its length alone."""
    force: Vec = (me.velocity.rotated(angle) - me.velocity) / world.thrust
    return force


def angle_to(me: Any, direction: Vec) -> Number:
    """The turn from the heading to a direction [rad], in [-pi, pi]; 0 for the zero vector."""
    angle = arctan2(me.heading.cross(direction), me.heading.dot(direction))
    return where(direction.square > TINY, angle, 0.0)


def within(angle: Number, most: Number) -> Number:
    """The angle, cut to at most `most` to either side."""
    return maximum(-most, minimum(most, angle))


def bell(me_id: Integer, world: Any, stream: int) -> Number:
    """A random number that is nearly normal, with mean 0 and deviation 1.

    Four uniform numbers added up (Irwin-Hall), which needs no logarithm; never beyond 3.47. It takes this stream
    and the next.
    """
    a, b = uniform_pair(me_id, world, stream)
    c, d = uniform_pair(me_id, world, stream + 1)
    return (a + b + c + d - 2.0) * 1.7320508
