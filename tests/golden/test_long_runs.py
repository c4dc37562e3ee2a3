"""Long runs: all values are finite, and all agents are in the world and move.

MURMURA_LONG=1 runs ten thousand steps.
"""

from __future__ import annotations

import numpy as np
import pytest

import murmura as mm
from murmura.core.state import FeedingState, MatingState
from murmura.scenario import Scenario
from tests.sizes import size

LONG = size(2_500, 10_000)


def few(name: str, agents: int = 120) -> Scenario:
    """A shipped scenario at its own density with few agents."""
    scenario = mm.load_scenario(name)
    scale = min(1.0, (agents / scenario.agents) ** 0.5)
    values: dict[str, float | None] = {"agents": agents, "start.margin": scenario.start.margin * scale}
    for k in range(len(scenario.rules.predators.hunters)):  # at random places, because the world is smaller
        values |= {f"rules.predators.hunters.{k}.{axis}": None for axis in ("x", "y", "z")}
    for side in ("width", "height"):
        wanted = getattr(scenario.world, side) * scale
        values[f"world.{side}"] = max(wanted, 3.0 * scenario.perception.radius)
    return scenario.with_values(values)


# S4-34, S4-42
@pytest.mark.parametrize("name", mm.scenario_names())
def test_nobody_is_lost_or_stuck(name: str):
    sim = mm.Simulation(few(name), seed=3, backend="cpu", threads=1)
    world = sim.scenario.world
    top = max(sim.scenario.of_species(k).motion.top_speed for k in range(max(1, len(sim.scenario.species))))
    resting: set[int] = set()
    while sim.step_count < LONG:
        ids, before = sim.ids, sim.positions
        sim.step(500)
        for column, values in sim.state.columns.items():
            assert np.isfinite(values).all(), column
        for along, side, edge in zip(sim.positions.T, world.sides, world.edges, strict=True):
            # An open side stops nobody; what belongs to the flock, such as its roost, does not move with the side here.
            spare = side if edge == "open" else 0.0
            assert (along >= -spare).all()
            assert (along < side).all() if edge == "wrap" else (along <= side + spare).all()
        speeds = np.linalg.norm(sim.velocities, axis=1)
        assert speeds.max() <= top * (1.0 + sim.scenario.motion.panic_speed) * 1.00001
        # Agents that eat or mate sit still.
        flying = (sim.column("feeding_state") != FeedingState.FEEDING) & (
            sim.column("mating_state") != MatingState.MATING
        )
        if "stance" in sim.state.columns:  # so do agents that court, eat at a carcass, or have just been born
            flying &= (sim.column("stance") < 4) & (sim.column("age") > 2.0)
        if (
            sim.scenario.rules.sheep.enabled
        ):  # sheep that see no dog graze, and a dog waits where sheep are close
            flying[:] = False
        # Forces may bring an agent to rest for a moment, but none stays at rest from one check to the next.
        slow = set(sim.ids[flying & (speeds < 1e-3 * top)].tolist())
        assert not slow & resting, "an agent is stuck at rest"
        resting = slow
        here, stayed = np.isin(sim.ids, ids), np.isin(ids, sim.ids)
        moved = (sim.positions[here] != before[stayed]).any(axis=1)
        assert moved.all(), "an agent has not moved in 500 steps"
