"""Cucker and Smale 2007: velocities approach each other, at a rate that decreases with distance."""

from __future__ import annotations

from typing import Any, ClassVar

from murmura.core.algebra import power
from murmura.core.merging import Sum
from murmura.core.model import quantity
from murmura.core.rule import Rule, register_rule
from murmura.core.rule_arguments import Agent, Neighbor, World


@register_rule("cucker_smale")
class CuckerSmale(Rule):
    """dv_i/dt = strength x mean of (v_j - v_i) / (1 + d^2 / length^2)^decay over all perceived agents, itself
    included."""

    strength: float = quantity(1.0, "Maximum rate of agreement (the paper's K).", "1/s", (0, 10), ge=0)
    decay: float = quantity(
        0.4, "How fast influence falls with distance (the paper's beta).", "", (0, 2), ge=0, le=16
    )
    length: float = quantity(1.0, "Distance at which influence begins to fall.", "u", (0.1, 100), gt=0)

    clamped = False
    silent_when_zero = "strength"

    per_length: ClassVar[float]  # 1 / length

    def numbers(self, perception_radius: float) -> dict[str, float]:
        return super().numbers(perception_radius) | {"per_length": 1.0 / self.length}

    @staticmethod
    def pair(p: CuckerSmale, me: Agent, seen: Neighbor, world: World) -> Any:
        z = seen.distance * p.per_length
        return Sum((seen.velocity - me.velocity) * (1.0 / power(1.0 + z * z, p.decay)))

    @staticmethod
    def steer(p: CuckerSmale, me: Agent, found: Any, world: World) -> Any:
        # The paper divides by the number of all agents, which is one more than the neighbours.
        gain = p.strength / (me.neighbors + 1.0) * world.dt / world.thrust
        return found * gain
