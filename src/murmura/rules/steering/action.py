"""Steering from outside: what a program, a person or a learned policy wants agents to do next.

The columns are written between steps (`Simulation.assign`, `Ensemble.assign`) and keep their values until they are
written again. Agents of a species that gives the rule no weight are not steered.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from murmura.core.algebra import Number
from murmura.core.model import choice, quantity
from murmura.core.rule import Rule, register_rule
from murmura.core.rule_arguments import Agent, World
from murmura.core.vec import Vec
from murmura.rules.steering.flight import wings


class Steered(Agent):
    """The columns of the action."""

    action_x: Number
    action_y: Number
    action_z: Number


@register_rule("action")
class Action(Rule):
    """Steer agents from outside, by the columns action_x, action_y and action_z: shares of `max_force`."""

    weight: float = quantity(1.0, "How much the action counts relative to the other rules.", "", (0, 5), ge=0)
    axes: Literal["own", "world"] = choice(
        "own",
        "own: action_x accelerates ahead, action_y turns left, action_z up. world: along the world's axes.",
    )

    columns = {"action_x": 0.0, "action_y": 0.0, "action_z": 0.0}
    reads: ClassVar[tuple[str, ...]] = ("action_x", "action_y")

    @staticmethod
    def steer(p: Action, me: Steered, found: Any, world: World) -> Any:
        wanted = Vec(me.action_x, me.action_y)
        if p.axes == "own":
            wanted = me.heading * me.action_x + me.heading.left * me.action_y
        return wanted * (p.weight * me.max_force)


class ActionInSpace(Action):
    reads = ("action_x", "action_y", "action_z")

    @staticmethod
    def steer(p: Action, me: Steered, found: Any, world: World) -> Any:
        wanted = Vec(me.action_x, me.action_y, me.action_z)
        if p.axes == "own":
            left, up = wings(me.heading)
            wanted = me.heading * me.action_x + left * me.action_y + up * me.action_z
        return wanted * (p.weight * me.max_force)


Action.in_space = ActionInSpace
