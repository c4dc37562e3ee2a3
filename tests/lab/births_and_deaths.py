"""A small rule with births and deaths for tests: agents have slightly different offspring and die of age.

It declares columns as evolving scenarios do, so that code that uses genes can be tested on a simple flock.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import murmura as mm
from murmura.core.algebra import maximum, minimum, where
from murmura.core.model import quantity
from murmura.core.rule import Rule, register_rule
from murmura.core.world.randomness import uniform_from


class Mood(IntEnum):
    """The meanings of stances."""

    IDLE = 0
    SEEKING_FOOD = 1
    FLEEING = 2


@register_rule("heirs")
class Heirs(Rule):
    """Gives birth at a certain age, dies at another, and passes on its genes with mutations."""

    most: int = quantity(60, "Greatest population.", "", (1, 1000), ge=1)
    bears_at: float = quantity(0.2, "Age of a mother.", "s", (0, 10), ge=0)
    dies_at: float = quantity(0.5, "Greatest age.", "s", (0, 10), ge=0)

    reads = ("species",)
    writes = ("clock",)
    columns = {
        "clock": 0.0, "generation": 0, "gene_speed": 0.5, "gene_size": 1.0, "part_eye": 0.0, "stance": 1,
    }  # fmt: skip
    codes = {"stance": Mood}
    inherits = ("clock", "generation", "gene_speed", "gene_size", "part_eye", "stance")

    def most_agents(self, agents: int) -> int:
        return max(agents, self.most)

    @staticmethod
    def feel(p: Any, me: Any, found: Any, world: Any) -> Any:
        return {"clock": me.clock + world.dt * (1.0 + 0.5 * ((me.id % 7.0) / 7.0))}

    @staticmethod
    def dies(p: Any, me: Any, found: Any, world: Any) -> Any:
        return where(me.clock > p.dies_at, where(me.id % 3.0 == 0.0, 2.0, 3.0), 0.0), -1.0

    @staticmethod
    def gives_birth(p: Any, was: Any, me: Any, found: Any, world: Any) -> Any:
        first = (was.clock <= p.bears_at) & (me.clock > p.bears_at)
        second = (was.clock <= 2.0 * p.bears_at) & (me.clock > 2.0 * p.bears_at)
        return where((first | second) & (me.id % 4.0 < 3.0), 1.0, 0.0), -1.0

    @staticmethod
    def inherit(p: Any, mother: Any, father: Any, child_id: Any, world: Any) -> Any:
        u, v = uniform_from(world.seed_low, world.seed_high, 0, child_id, 250)
        speed = minimum(1.0, maximum(0.0, mother.gene_speed + 0.4 * (u - 0.5)))
        size = minimum(3.0, maximum(0.5, mother.gene_size + 1.0 * (v - 0.5)))
        eyes = where(u > 0.8, mother.part_eye + 1.0, mother.part_eye)
        return {
            "clock": 0.0,
            "generation": mother.generation + 1.0,
            "gene_speed": speed,
            "gene_size": size,
            "part_eye": eyes,
            "stance": where(v > 0.5, 2.0, 1.0),
        }


def family(agents: int = 20, **values: Any) -> mm.Scenario:
    """Two species of such agents."""
    kinds = [{"name": "finch", "towards": {"owl": "flee"}}, {"name": "owl", "towards": {"finch": "chase"}}]
    return mm.load_scenario("classic").with_values(
        {
            "agents": agents,
            "species": kinds,
            "rules.heirs": {},
            "world.width": 200,
            "world.height": 200,
            "display.follow_window": False,
        }
        | values
    )
