"""A rule that reports which neighbours each agent met in the kernel: it sums their numbers.

Up to twenty agents have a power of two each: the sum identifies the set of neighbours. In larger flocks agents have
two random numbers below 2**14; all sums stay below 2**24, where single precision is exact.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import murmura as mm
from murmura.core.merging import Sum
from murmura.core.rule import Rule
from murmura.scenario import Scenario

from .oracle import sight

NAME = "neighbor_probe"


class NeighborProbe(Rule):
    """Sums two numbers of the neighbours."""

    reads = ("feeding_timer", "mating_timer")
    writes = ("aggression_level", "energy")

    @staticmethod
    def pair(p: Any, me: Any, seen: Any, world: Any) -> Any:
        return {"first": Sum(seen.feeding_timer), "second": Sum(seen.mating_timer)}

    @staticmethod
    def feel(p: Any, me: Any, found: Any, world: Any) -> Any:
        return {"aggression_level": found.first, "energy": found.second}


def scene(boundary: str, **values: Any) -> Scenario:
    """A world in which agents fly straight with this rule only."""
    quiet = {name: {"enabled": False} for name in ("separation", "alignment", "cohesion", "boundary")}
    base = {
        "agents": 0,
        "world": {"width": 400.0, "height": 300.0, "boundary": boundary},
        "motion": {"time_step": 1.0, "max_speed": 8.0},
        "rules": quiet | {NAME: {}},
    }
    species = values.pop("species", ())
    nearest = values.pop("nearest", None)
    data = Scenario.from_data(base | {"species": list(species)}).with_values(values)
    return data.with_values({"perception.nearest": nearest}) if nearest is not None else data


def begin(scenario: Scenario, positions: Any, velocities: Any, **options: Any) -> mm.Simulation:
    sim = mm.Simulation(
        scenario, seed=3, backend="cpu", positions=positions, velocities=velocities, **options
    )
    scatter(sim, positions, velocities)
    return sim


def scatter(sim: mm.Simulation, positions: Any, velocities: Any) -> None:
    """Move the agents and give them numbers."""
    state = sim.state.copy()
    n = len(state)
    rng = np.random.default_rng(n)
    state["position_x"][:], state["position_y"][:] = np.asarray(positions, np.float32).reshape(-1, 2).T
    state["velocity_x"][:], state["velocity_y"][:] = np.asarray(velocities, np.float32).reshape(-1, 2).T
    state["feeding_timer"][:] = 2.0 ** np.arange(n) if n <= 20 else rng.integers(1, 2**14, n)
    state["mating_timer"][:] = rng.integers(1, 2**14, n)
    sim.load_state(state)


def check_neighbors(sim: mm.Simulation, exact: bool = False) -> int:
    """Take a step: every agent must meet exactly those that the oracle says it sees. Return the number of pairs.

    With `exact`, positions and directions are such that nothing is rounded, and edges count as seen.
    """
    seen, doubtful = sight(sim)
    if exact:
        doubtful[:] = False
    sure = ~doubtful
    assert sure.sum() >= 0.9 * len(sure)
    for k, agent in enumerate(sim.ids[:: max(1, len(sure) // 10)]):
        row = k * max(1, len(sure) // 10)
        if sure[row]:
            assert list(sim.neighbors(int(agent))) == list(sim.ids[seen[row]])
    one, two = sim.column("feeding_timer").astype(np.float64), sim.column("mating_timer").astype(np.float64)
    sim.step()
    assert np.array_equal(sim.column("local_density")[sure], seen.sum(axis=1)[sure])
    met = sim.column("aggression_level").astype(np.float64)
    if 0 < len(seen) <= 20:
        for row in np.flatnonzero(sure):
            assert [k for k in range(len(seen)) if int(met[row]) >> k & 1] == list(np.flatnonzero(seen[row]))
    assert np.array_equal(met[sure], (seen @ one)[sure])
    assert np.array_equal(sim.column("energy").astype(np.float64)[sure], (seen @ two)[sure])
    return int(seen.sum())


def headings(rng: np.random.Generator, n: int, speed: float = 5.0) -> Any:
    angle = rng.uniform(0.0, 2.0 * np.pi, n)
    return np.stack([np.cos(angle), np.sin(angle)], axis=1) * speed
