"""Reynolds' steering formula (1987, 1999): the force from the current velocity to the desired one."""

from __future__ import annotations

from murmura.core.algebra import Number, where
from murmura.core.rule_arguments import Agent
from murmura.core.vec import Vec
from murmura.core.world.motion import SIDELESS, side_of, sideways


def steer_towards(direction: Vec, me: Agent) -> Vec:
    """Force towards a direction at full speed, at most `max_force`; none for the zero vector (S0-33)."""
    return steer_at_speed(direction, me.max_speed, me)


def steer_at_speed(direction: Vec, speed: Number, me: Agent) -> Vec:
    """Force towards a direction at a given speed, at most `max_force`; none for the zero vector.

    Where speed is constant there is no other one to ask for (S4-54): braking would only weaken the turn.
    """
    wanted = direction.with_length(me.max_speed if me.keeps_speed else speed)
    force: Vec = (wanted - me.velocity).limited(me.max_force) * where(direction.square > 0.0, 1.0, 0.0)
    return force


def abeam(direction: Vec, me: Agent) -> Vec:
    """A direction to steer to: what is behind an agent of constant speed is taken to be beside it.

    Otherwise most of the force would go into braking, which does nothing there, and such an agent would pass its goal
    and fly on. What is straight behind is on the side that the agent's id chooses (decision 33).
    """
    if not me.keeps_speed:
        return direction
    along = direction.dot(me.heading)
    across = direction - me.heading * along
    size = direction.length
    aside = sideways(me.heading) * (size * side_of(me.id))
    across = where(across.square <= SIDELESS * SIDELESS * (size * size), aside, across)
    return where(along < 0.0, across, direction)
