"""From force to position: semi-implicit Euler steps with the speed policy (S0-21, S1-8, S4-7).

v += force x thrust; the speed is limited or set; x += v x stride. Thrust is the velocity that one unit of
force adds in a step, stride the distance that one unit of velocity covers: (60 dt, dt) where velocities
are per second, (1, 1) where they are per tick. Overdamped agents have no inertia: the force is the velocity.
"""

from __future__ import annotations

from typing import Any

from murmura.core.algebra import Integer, Number, minimum, sqrt, where
from murmura.core.vec import TINY, Vec
from murmura.core.world.perception import SLOW_SQUARED

SIDELESS = 1e-4
"""Sine of the angle below which a force counts as straight back: far above rounding, far below any turn."""
FAINT = 1e-4
"""Share of the velocity below which a force straight back is rounding, not a wish."""


def top_speed(p: Any, panic: Number, energy: Number) -> Number:
    """The maximum speed (S0-24, S0-25): tired agents are slower, frightened ones faster."""
    tired = p.tired_speed + (1.0 - p.tired_speed) * energy
    return p.top_speed * tired * (1.0 + p.panic_speed * panic)


def accelerate(p: Any, me: Any, force: Vec, world: Any) -> Vec:
    """The velocity after this step's force, under the speed policy."""
    velocity = force if p.policy_overdamped else me.velocity + force * world.thrust
    square = velocity.square
    top = top_speed(p, me.panic, me.energy)
    if p.policy_constant:
        stuck = square < TINY
        # Forces may cancel the velocity exactly; the agent then keeps its heading (S4-34).
        velocity = where(stuck, me.heading, velocity)
        return velocity * (top / sqrt(where(stuck, 1.0, square)))
    inverse = 1.0 / sqrt(square + TINY)
    factor = where(square > top * top, top * inverse, 1.0)
    if p.has_min_speed:
        # Hunger may push the top speed below the least speed; the top speed wins (S0-26).
        least = minimum(p.min_speed, top)
        slow = square < least * least
        stuck = slow & (square < TINY)
        velocity = where(stuck, me.heading, velocity)
        factor = where(slow, least * where(stuck, 1.0, inverse), factor)
    return velocity * factor


def with_a_side(force: Vec, me: Any, world: Any) -> Vec:
    """A force that turns an agent of constant speed (decision 33).

    Such an agent cannot slow down, and nothing turns it whose force is straight back: a neighbour exactly ahead, a
    goal exactly behind. The whole of such a force goes to the side that the agent's id chooses. A force that is
    strong enough to stop or reverse the agent is left alone.
    """
    along, across = force.dot(me.heading), force.cross(me.heading)
    aside = across * across if len(force) == 2 else across.square
    square, change = force.square, force.square * (world.thrust * world.thrust)
    weak = (change < me.velocity.square) & (change > FAINT * FAINT * me.velocity.square)
    straight_back = (along < 0.0) & (aside <= SIDELESS * SIDELESS * square) & weak
    return where(straight_back, sideways(me.heading) * (sqrt(square) * side_of(me.id)), force)


def sideways(heading: Vec) -> Vec:
    """A vector across another, of its length; that of the opposite vector is the opposite one."""
    return heading.left if len(heading) == 2 else heading.perpendicular.with_length(heading.length)


def side_of(identity: Integer) -> Number:
    """The side that an id, or the sum of two, chooses where nothing else does: 1 (left) or -1.

    The step has no say: a side that changed would undo a slow turn.
    """
    return where((identity & 1) == 0, 1.0, -1.0)


def heading_of(velocity: Vec) -> tuple[Vec, Number]:
    """The unit vector of a velocity (the first axis if it is zero), and the speed."""
    square = velocity.square
    inverse = 1.0 / sqrt(square + TINY)
    first, *rest = velocity * inverse
    return Vec(where(square > 0.0, first, 1.0), *rest), square * inverse


def new_angle(velocity: Vec, old: Number) -> Number:
    """The heading in radians, kept while the agent is too slow to have one (S0-27)."""
    return where(velocity.square > SLOW_SQUARED, Vec(velocity.x, velocity.y).angle, old)
