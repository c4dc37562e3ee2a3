"""Reynolds' steering formula (1987, 1999): the force from the current velocity to the desired one."""

from __future__ import annotations

from typing import Any

from murmura.core.algebra import Number, where
from murmura.core.vec import Vec


def steer_towards(direction: Vec, me: Any) -> Vec:
    """Force towards a direction at full speed, at most `max_force`; none for the zero vector (S0-33)."""
    return steer_at_speed(direction, me.max_speed, me)


def steer_at_speed(direction: Vec, speed: Number, me: Any) -> Vec:
    """Force towards a direction at a given speed, at most `max_force`; none for the zero vector."""
    wanted = direction.with_length(speed)
    force: Vec = (wanted - me.velocity).limited(me.max_force) * where(direction.square > 0.0, 1.0, 0.0)
    return force
