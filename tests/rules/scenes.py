"""Small scenes with only the rules of a test. All numbers are exact in single precision."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura import Scenario, Simulation

ALL_RULES = tuple(name for name, _ in Scenario().rules)
WIDTH, HEIGHT = 240.0, 160.0
MAX_SPEED, MAX_FORCE = 8.0, 0.5
RADIUS = 32.0


def make_scenario(rules: dict[str, Any], **parts: Any) -> Scenario:
    """A wrapping world of 240 x 160 with only these rules enabled; `parts` replaces single values of other sections."""
    data: dict[str, Any] = {
        "world": {"width": WIDTH, "height": HEIGHT, "boundary": "wrap"},
        "motion": {"max_speed": MAX_SPEED, "max_force": MAX_FORCE, "time_step": 0.015625},
        "perception": {"radius": RADIUS, "field_of_view": 270.0},
        "rules": {name: {"enabled": name in rules} | rules.get(name, {}) for name in (*ALL_RULES, *rules)},
    }
    for room, values in parts.items():
        data[room] = data[room] | values if isinstance(values, dict) else values
    return Scenario.from_data(data)


def make_flock(scenario: Scenario, seed: int = 1, count: int = 60, **options: Any) -> Simulation:
    """Agents at random places with velocities from slow to fast, on the reference backend."""
    rng = np.random.default_rng(seed)
    positions = rng.uniform(0.0, (WIDTH, HEIGHT), (count, 2))
    velocities = rng.normal(0.0, 4.0, (count, 2))
    return place(scenario, positions, velocities, seed=seed, **options)


def place(
    scenario: Scenario, positions: Any, velocities: Any = None, seed: int = 0, **columns: Any
) -> Simulation:
    """Agents at given places, by default at rest, with given columns."""
    if velocities is None:
        velocities = np.zeros((len(positions), 2))
    species = columns.pop("species", None)
    if species is not None:
        return Simulation(
            scenario,
            seed,
            "reference",
            positions=positions,
            velocities=velocities,
            species=np.asarray(species),
        )
    sim = Simulation(scenario, seed, "reference", positions=np.zeros((0, 2)))
    sim.add_agents(positions, velocities, columns)
    return sim


def rule_forces(sim: Simulation, name: str) -> NDArray[np.float64]:
    """The force of a rule on each agent, in ascending id, in double precision."""
    return shares(sim)[name]


def shares(sim: Simulation) -> dict[str, NDArray[np.float64]]:
    """The force of every rule on each agent, and the agent's panic."""
    found = [sim.explain(int(k)) for k in sim.ids]
    forces = {name: np.array([e["rules"][name]["force"] for e in found]) for name in found[0]["rules"]}
    return forces | {"panic": np.array([e["state"]["panic"] for e in found])}


def close(found: Any, expected: Any, tolerance: float = 1e-6) -> None:
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)
