"""From force to position: semi-implicit Euler steps with the speed policy (S0-21, S1-8, S4-7).

v += force x thrust; the speed is limited or set; x += v x stride. Thrust is the velocity that one unit of
force adds in a step, stride the distance that one unit of velocity covers: (60 dt, dt) where velocities
are per second, (1, 1) where they are per tick.
"""

from __future__ import annotations

from typing import Any

from murmura.core.algebra import Number, minimum, sqrt, where
from murmura.core.vec import TINY, Vec
from murmura.core.world.perception import SLOW_SQUARED


def top_speed(p: Any, panic: Number, energy: Number) -> Number:
    """The maximum speed (S0-24, S0-25): tired agents are slower, frightened ones faster."""
    tired = p.tired_speed + (1.0 - p.tired_speed) * energy
    return p.top_speed * tired * (1.0 + p.panic_speed * panic)


def accelerate(p: Any, me: Any, force: Vec, world: Any) -> Vec:
    """The velocity after this step's force, under the speed policy."""
    velocity = me.velocity + force * world.thrust
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


def heading_of(velocity: Vec) -> tuple[Vec, Number]:
    """The unit vector of a velocity (the first axis if it is zero), and the speed."""
    square = velocity.square
    inverse = 1.0 / sqrt(square + TINY)
    first, *rest = velocity * inverse
    return Vec(where(square > 0.0, first, 1.0), *rest), square * inverse


def new_angle(velocity: Vec, old: Number) -> Number:
    """The heading in radians, kept while the agent is too slow to have one (S0-27)."""
    return where(velocity.square > SLOW_SQUARED, Vec(velocity.x, velocity.y).angle, old)
