"""Olfati-Saber 2006: flocks that form a lattice, with a common goal (algorithm 2) or without one (algorithm 1)."""

from __future__ import annotations

from typing import Any, ClassVar

from murmura.core.algebra import Number, cos, force_for_acceleration, maximum, minimum, sqrt, where
from murmura.core.merging import Sum
from murmura.core.model import quantity
from murmura.core.rule import Rule, register_rule
from murmura.core.rule_arguments import Agent, Neighbor, World
from murmura.core.world.space import offset, point

PI = 3.141592653589793


@register_rule("olfati_saber")
class OlfatiSaber(Rule):
    """The acceleration is a force that vanishes at the distance d of the lattice, agreement of velocities with those
    nearer than `interaction` d, and, in algorithm 2, a spring and friction towards a goal."""

    spacing: float = quantity(7.0, "Distance in the lattice (d).", "u", (1, 50), gt=0)
    interaction: float = quantity(1.2, "Range of interactions over that (r / d).", "", (1.1, 2), gt=1)
    stiffness: float = quantity(5.0, "Strength of the force between two (a = b).", "u/s^2", (0, 20), ge=0)
    agreement: float = quantity(1.0, "Rate at which velocities agree.", "1/s", (0, 5), ge=0)
    epsilon: float = quantity(0.1, "Shape of the sigma-norm.", "1/u^2", (0.01, 1), gt=0)
    bump: float = quantity(
        0.2, "Share of the range up to which neighbours count fully (h).", "", (0, 0.9), ge=0, lt=1
    )
    goal_pull: float = quantity(
        0.0, "Spring towards the goal (c1); 0 with no friction: algorithm 1.", "1/s^2", (0, 2), ge=0
    )
    goal_friction: float = quantity(0.0, "Friction against the goal, which rests (c2).", "1/s", (0, 2), ge=0)
    goal_x: float = quantity(0.0, "The goal.", "u", (0, 2000))
    goal_y: float = quantity(0.0, "The goal.", "u", (0, 2000))

    clamped = False
    silent_when_zero = ""

    rest: ClassVar[float]
    reach: ClassVar[float]

    def numbers(self, perception_radius: float) -> dict[str, float]:
        far = self.spacing * self.interaction
        return super().numbers(perception_radius) | {
            "rest": sigma_norm(self.epsilon, self.spacing * self.spacing),
            "reach": sigma_norm(self.epsilon, far * far),
        }

    @staticmethod
    def pair(p: OlfatiSaber, me: Agent, seen: Neighbor, world: World) -> Any:
        z = sigma_norm(p.epsilon, seen.square)
        weight = bump(z / p.reach, p.bump)
        stretch = z - p.rest
        pull = weight * p.stiffness * stretch / sqrt(1.0 + stretch * stretch)
        along = seen.offset * (1.0 / sqrt(1.0 + p.epsilon * seen.square))
        return Sum(along * pull + (seen.velocity - me.velocity) * (weight * p.agreement * world.pace))

    @staticmethod
    def steer(p: OlfatiSaber, me: Agent, found: Any, world: World) -> Any:
        way = offset(world, me.position, point(world, p.goal_x, p.goal_y))
        goal = way * p.goal_pull - me.velocity * (p.goal_friction * world.pace)
        return force_for_acceleration(found + goal, world)


def sigma_norm(epsilon: Number, square: Number) -> Number:
    """(sqrt(1 + epsilon z^2) - 1) / epsilon of a vector with this squared length: differentiable everywhere."""
    return (sqrt(1.0 + epsilon * square) - 1.0) / epsilon


def bump(z: Number, h: Number) -> Number:
    """1 up to h, then falling smoothly to 0 at 1."""
    share = minimum(1.0, maximum(0.0, (z - h) / (1.0 - h)))
    return where(z < 1.0, 0.5 * (1.0 + cos(share * PI)), 0.0)
