"""Finite sizes: sides of the world that follow the number of agents, so that the density stays the same."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from murmura.core.errors import ScenarioError
from murmura.lab.sweeps.axes import Axis
from murmura.scenario import Scenario

AGENTS = "agents"
SIDES = ("world.width", "world.height", "world.depth")


@dataclass(frozen=True)
class Density:
    """The number of agents of the scenario, and the sides [u] of its world by path."""

    agents: int
    sides: dict[str, float]

    @classmethod
    def of(cls, scenario: Scenario, axes: Iterable[Axis]) -> Density:
        """The density of a scenario whose agents are varied.

        Raises:
            ScenarioError: If they are not, or if a side is varied, too.
        """
        paths = [axis.path for axis in axes]
        if AGENTS not in paths:
            raise ScenarioError("a constant density needs a varied number of agents: add --vary agents=A,B,C")
        both = [path for path in paths if path in SIDES]
        if both:
            raise ScenarioError(
                f"{both[0]} follows agents at a constant density, so it cannot be varied itself"
            )
        world = scenario.world
        sides = dict(zip(SIDES, (world.width, world.height, world.depth), strict=True))
        return cls(scenario.agents, {path: side for path, side in sides.items() if side is not None})

    @property
    def paths(self) -> list[str]:
        return list(self.sides)

    def follow(self, values: dict[str, Any]) -> dict[str, Any]:
        """The sides of the world for the values of a cell."""
        factor = (values[AGENTS] / self.agents) ** (1.0 / len(self.sides))
        # Ten digits are precise enough, and numbers stay readable and easy to type.
        return {path: float(f"{side * factor:.10g}") for path, side in self.sides.items()}

    def data(self) -> dict[str, Any]:
        return asdict(self)
