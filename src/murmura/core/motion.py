"""From force to place: semi-implicit Euler with the speed policy (S0-21, S1-8, S4-7).

v += force x thrust; the speed is limited or set; x += v x stride. Thrust and stride say how many units of
velocity one unit of force buys in a step, and how far one unit of velocity carries: (60 dt, dt) where
velocities are per second, (1, 1) where they are per tick.
"""

from __future__ import annotations

from typing import Any

from murmura.core.algebra import Number, arctan2, minimum, sqrt, where
from murmura.core.perception import SLOW_SQUARED
from murmura.core.vector import TINY


def top_speed(p: Any, panic: Number, energy: Number) -> Number:
    """The speed that fear and hunger leave (S0-24, S0-25): tired agents are slower, frightened ones faster."""
    tired = p.tired_speed + (1.0 - p.tired_speed) * energy
    return p.top_speed * tired * (1.0 + p.panic_speed * panic)


def accelerate(p: Any, me: Any, fx: Number, fy: Number, world: Any) -> tuple[Number, Number]:
    """The velocity after this step's force, under the speed policy."""
    vx = me.vx + fx * world.thrust
    vy = me.vy + fy * world.thrust
    square = vx * vx + vy * vy
    top = top_speed(p, me.panic, me.energy)
    if p.policy_constant:
        stuck = square < TINY
        # Forces may cancel the velocity exactly; the agent then keeps its heading (S4-34).
        vx = where(stuck, me.hx, vx)
        vy = where(stuck, me.hy, vy)
        factor = top / sqrt(where(stuck, 1.0, square))
        return vx * factor, vy * factor
    inverse = 1.0 / sqrt(square + TINY)
    factor = where(square > top * top, top * inverse, 1.0)
    if p.has_min_speed:
        # Hunger may leave less than the least speed; the cap wins (S0-26). A species may have none at all.
        least = minimum(p.min_speed, top)
        slow = square < least * least
        stuck = slow & (square < TINY)
        vx = where(stuck, me.hx, vx)
        vy = where(stuck, me.hy, vy)
        factor = where(slow, least * where(stuck, 1.0, inverse), factor)
    return vx * factor, vy * factor


def new_heading(vx: Number, vy: Number, old: Number) -> Number:
    """The heading in radians, kept while the agent is too slow to have one (S0-27)."""
    return where(vx * vx + vy * vy > SLOW_SQUARED, arctan2(vy, vx), old)
