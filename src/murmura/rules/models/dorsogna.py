"""D'Orsogna, Chuang, Bertozzi, Chayes 2006: self-propelled particles that attract and repel each other, and mill."""

from __future__ import annotations

from typing import Any

from murmura.core.algebra import exp, force_for_acceleration
from murmura.core.merging import Sum
from murmura.core.model import quantity
from murmura.core.rule import Rule, register_rule
from murmura.core.rule_arguments import Agent, Neighbor, World


@register_rule("dorsogna")
class DOrsogna(Rule):
    """dv/dt = (propulsion - drag v^2) v - coupling x sum of the gradients of U, U(r) = repulsion exp(-r /
    repulsion_length) - attraction exp(-r / attraction_length)."""

    propulsion: float = quantity(1.6, "Rate at which slow agents gain speed (alpha).", "1/s", (0, 5), ge=0)
    drag: float = quantity(
        0.5, "Friction that grows with the square of the speed (beta).", "s/u^2", (0, 5), ge=0
    )
    repulsion: float = quantity(1.0, "Strength of the repulsion (C_r).", "u^2/s^2", (0, 5), ge=0)
    repulsion_length: float = quantity(0.5, "Its range (l_r).", "u", (0.1, 5), gt=0)
    attraction: float = quantity(0.5, "Strength of the attraction (C_a).", "u^2/s^2", (0, 5), ge=0)
    attraction_length: float = quantity(2.0, "Its range (l_a).", "u", (0.1, 10), gt=0)
    coupling: float = quantity(
        0.1, "Factor on the force of one neighbour; the paper's mass, or mass / N.", "", (0, 5), ge=0
    )

    clamped = False
    silent_when_zero = ""

    @staticmethod
    def pair(p: DOrsogna, me: Agent, seen: Neighbor, world: World) -> Any:
        pull = p.attraction / p.attraction_length * exp(-(seen.distance / p.attraction_length))
        push = p.repulsion / p.repulsion_length * exp(-(seen.distance / p.repulsion_length))
        return Sum(seen.offset * (seen.inverse * (pull - push)))

    @staticmethod
    def steer(p: DOrsogna, me: Agent, found: Any, world: World) -> Any:
        velocity = me.velocity * world.pace
        own = velocity * (p.propulsion - p.drag * velocity.square)
        return force_for_acceleration(own + found * p.coupling, world)
