"""Reynolds' steering formula (1987, 1999): the force that turns the velocity one has into the one desired."""

from __future__ import annotations

from typing import Any

from murmura.core.algebra import Number, where
from murmura.core.vector import limit, with_length


def steer_towards(x: Number, y: Number, me: Any) -> tuple[Number, Number]:
    """Force towards the direction (x, y) at full speed, at most `max_force`; none for the zero vector (S0-33)."""
    return steer_at_speed(x, y, me.max_speed, me)


def steer_at_speed(x: Number, y: Number, speed: Number, me: Any) -> tuple[Number, Number]:
    """Force towards the direction (x, y) at a given speed, at most `max_force`; none for the zero vector."""
    wanted_x, wanted_y = with_length(x, y, speed)
    fx, fy = limit(wanted_x - me.vx, wanted_y - me.vy, me.max_force)
    known = where(x * x + y * y > 0.0, 1.0, 0.0)
    return fx * known, fy * known
