"""Inertial spin model (Cavagna et al. 2014): turns have inertia, so that they travel as waves."""

from __future__ import annotations

from typing import Any

from murmura.core.algebra import Number, ornstein_uhlenbeck, sqrt
from murmura.core.layout import vector
from murmura.core.merging import Sum
from murmura.core.model import quantity
from murmura.core.rule import Rule, register_in_space, register_rule
from murmura.core.rule_arguments import Agent, Neighbor, World
from murmura.core.vec import Vec
from murmura.core.world.randomness import STREAM_SPIN, normal_pair, normal_vector
from murmura.rules.models.headings import turn_force


class Spinner(Agent):
    """An agent with a spin: a number in the plane, in space a vector across its velocity."""

    inertial_spin: Number
    inertial_spins: Vec


@register_rule("inertial_spin")
class InertialSpin(Rule):
    """Headings n turn by dn/dt = s x n / inertia, and spins by ds/dt = n x (stiffness x sum of neighbours' n)
    - friction x s / inertia + noise of strength 2 x friction x temperature. Meant for constant speed."""

    inertia: float = quantity(1.25, "Resistance of the heading to turns (chi).", "s", (0.1, 10), gt=0)
    stiffness: float = quantity(0.8, "Strength of alignment with one neighbour (J).", "1/s", (0, 10), ge=0)
    friction: float = quantity(0.3, "Friction of the spin (eta).", "", (0, 5), ge=0)
    temperature: float = quantity(
        8e-5, "Noise: a spin has a variance of inertia x temperature.", "1/s", (0, 1), ge=0
    )

    columns = {"inertial_spin": 0.0}
    reads = ("inertial_spin",)
    writes = ("inertial_spin",)
    clamped = False
    silent_when_zero = ""

    @staticmethod
    def pair(p: InertialSpin, me: Agent, seen: Neighbor, world: World) -> Any:
        return Sum(seen.velocity.normalized())

    @staticmethod
    def feel(p: InertialSpin, me: Spinner, found: Any, world: World) -> Any:
        spin = me.inertial_spin + me.heading.cross(found) * (p.stiffness * world.dt)
        return {"inertial_spin": _thermal(p, spin, normal_pair(me.id, world, STREAM_SPIN)[0], world)}

    @staticmethod
    def steer(p: InertialSpin, me: Spinner, found: Any, world: World) -> Any:
        return turn_force(me, me.inertial_spin * (world.dt / p.inertia), world)


@register_in_space(InertialSpin)
class InertialSpinInSpace(InertialSpin):
    """The same in space."""

    columns = {vector("inertial_spins"): 0.0}
    reads = ("inertial_spins",)
    writes = ("inertial_spins",)

    @staticmethod
    def feel(p: InertialSpin, me: Spinner, found: Any, world: World) -> Any:
        spin = me.inertial_spins + me.heading.cross(found) * (p.stiffness * world.dt)
        spin = _thermal(p, spin, normal_vector(me.id, world, STREAM_SPIN), world)
        return {"inertial_spins": spin - me.heading * spin.dot(me.heading)}

    @staticmethod
    def steer(p: InertialSpin, me: Spinner, found: Any, world: World) -> Any:
        return turn_force(me, me.inertial_spins * (world.dt / p.inertia), world)


def _thermal(p: InertialSpin, spin: Any, normal: Any, world: World) -> Any:
    """The spin after friction and noise; exact for any time step."""
    return ornstein_uhlenbeck(spin, normal, p.friction / p.inertia, sqrt(p.inertia * p.temperature), world.dt)
