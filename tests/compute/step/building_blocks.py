"""A rule with what models of particles need: a number that a pair shares, a vector of its own, noise, exact forces."""

from __future__ import annotations

from typing import Any

import murmura as mm
from murmura.core.algebra import force_for_change, ornstein_uhlenbeck, where
from murmura.core.layout import vector
from murmura.core.merging import Sum
from murmura.core.rule import Rule
from murmura.core.world.randomness import STREAM_USER, normal_vector, shared_uniform_pair

NAME = "particles"
RATE, SPREAD = 0.5, 0.7
OTHERS = ("separation", "alignment", "cohesion", "noise", "boundary")


class Particles(Rule):
    """Kicks of random strength along the line between two, and a spin that forgets itself."""

    kicks: float = 1.0
    birth: float = -1.0

    columns = {vector("spin"): (1.0, 0.0, 0.0)}
    reads = ("spin",)
    writes = ("spin",)
    inherits = ("spin", "velocity")
    clamped = False

    def most_agents(self, agents: int) -> int:
        return agents + 1

    @staticmethod
    def pair(p: Any, me: Any, seen: Any, world: Any) -> Any:
        u, _ = shared_uniform_pair(me.id, seen.id, world, STREAM_USER)
        return {"kick": Sum(seen.offset * (seen.inverse * (u - 0.5))), "spins": Sum(seen.spin)}

    @staticmethod
    def feel(p: Any, me: Any, found: Any, world: Any) -> Any:
        normal = normal_vector(me.id, world, STREAM_USER + 1)
        return {"spin": ornstein_uhlenbeck(me.spin, normal, RATE, SPREAD, world.dt)}

    @staticmethod
    def steer(p: Any, me: Any, found: Any, world: Any) -> Any:
        return force_for_change(found.kick * p.kicks, world) + found.spins * 0.0

    @staticmethod
    def bears(p: Any, was: Any, me: Any, found: Any, world: Any) -> Any:
        return where((me.id == 3) & (world.step == p.birth), 1.0, 0.0), -1.0

    @staticmethod
    def inherit(p: Any, mother: Any, father: Any, child_id: Any, world: Any) -> Any:
        return {"spin": -mother.spin, "velocity": mother.velocity * 0.5}


def particles(agents: int, depth: float | None = None, **more: Any) -> mm.Scenario:
    """A dilute gas on a torus, with steps of two seconds."""
    side = 40.0
    return mm.Scenario.from_data(
        {
            "agents": agents,
            "world": {"width": side, "height": side, "boundary": "wrap"}
            | ({} if depth is None else {"depth": depth}),
            "perception": {"radius": 6.0, "field_of_view": 360.0},
            "motion": {"max_speed": 5.0, "panic_speed": 0.0, "time_step": 2.0},
            "start": {"speed": 0.1},
            "rules": {NAME: more} | {rule: {"enabled": False} for rule in OTHERS},
        }
    )
