"""What measures cost compared with steps, so that by default measuring never takes longer than stepping.

Costs are constants, measured once on a core of 2024: which measures are taken may depend only on the scenario and the
step, since equal runs must produce equal files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from murmura.measure.catalog import GRAPH_SIZE, MEASURES
from murmura.measure.structure.correlation import SAMPLE

COSTLY = 10.0
"""A measure that takes longer than this many steps is costly."""
Cost = Callable[[float], float]


def _line(fixed: float, each: float) -> Cost:
    return lambda agents: fixed + each * agents


# [µs] by number of agents
START = 50e3
"""What a run costs in addition to its steps."""
STEP, FRAME, LOOK = _line(10.0, 0.07), _line(200.0, 0.03), _line(60.0, 0.02)
TRAIT, OWN = _line(30.0, 0.02), _line(500.0, 3.0)
COSTS: dict[str, Cost] = {
    "polarization": _line(40.0, 0.02),
    "milling": _line(130.0, 0.13),
    "mean_speed": _line(20.0, 0.01),
    "speed_deviation": _line(20.0, 0.01),
    "turning_rate": _line(30.0, 0.02),
    "spread": _line(60.0, 0.08),
    "nearest_neighbor_distance": _line(150.0, 1.0),
    "local_density": _line(200.0, 2.0),
    "clustering_coefficient": _line(300.0, 9.0),
    "groups": _line(200.0, 2.0),  # the three share a graph
    "largest_group": _line(50.0, 0.5),
    "mean_group": _line(50.0, 0.5),
    "thickness": _line(60.0, 0.1),
    "thickness_to_width": _line(60.0, 0.1),
    "thickness_to_length": _line(60.0, 0.1),
    "anisotropy": _line(200.0, 1.5),
    "correlation_length": lambda agents: 100.0 + 0.02 * min(agents, SAMPLE) ** 2,
}


def microseconds(names: Iterable[str], agents: int) -> float:
    """What taking these measures of a flock costs [µs]."""
    return LOOK(agents) + sum(_cost(name)(agents) for name in names)


def instants_apart(cost: float, between: float, share: float) -> float:
    """How many instants apart something may be measured, so that it takes at most this share of the time.

    Args:
        cost: What measuring it once costs [µs].
        between: What the steps from one instant to the next cost [µs].
        share: The greatest share of the time.
    """
    return max(1.0, cost / (share * between))


def _cost(name: str) -> Cost:
    if name in COSTS:
        return COSTS[name]
    is_own = name in MEASURES and MEASURES[name].live_up_to <= GRAPH_SIZE
    return OWN if is_own else TRAIT


@dataclass(frozen=True)
class Budget:
    """Measures of a flock of one size, divided by cost.

    Attributes:
        cheap: Those that take less than ten steps each, in the given order.
        costly: The others.
    """

    cheap: list[str]
    costly: list[str]
    agents: int

    @classmethod
    def of(cls, names: Iterable[str], agents: int) -> Budget:
        limit = COSTLY * STEP(agents)
        known = {name: _cost(name)(agents) > limit for name in names}
        return cls(
            [n for n, dear in known.items() if not dear], [n for n, dear in known.items() if dear], agents
        )

    @property
    def cheap_cost(self) -> float:
        """[µs]"""
        return microseconds(self.cheap, self.agents)

    @property
    def costly_cost(self) -> float:
        """[µs]"""
        return microseconds(self.costly, self.agents)
