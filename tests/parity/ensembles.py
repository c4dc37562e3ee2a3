"""Checks of ensembles on a GPU: every world is its own simulation there, bit by bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import murmura as mm
from murmura.core.errors import RunError
from tests.compute.test_own_rules import poisoned
from tests.parity.random_scenario import RandomScenario
from tests.sizes import size

SEEDS = [3, 0, 2**40 + 3]
STEPS = (1, 11)
# Births, deaths, arrivals and food; hunters in space; the open. Then opaque bodies and many species
NAMES = ["ecosystem", "sky-and-sea", "midges", *size([], ["starlings", "vision", "mixed", "colony"])]


def scene(name: str, agents: int = 30, **values: Any) -> mm.Scenario:
    return mm.load_scenario(name).with_values({"agents": agents, **values})


def alone(scenario: mm.Scenario, seed: int, backend: str, steps: int) -> mm.Simulation:
    sim = mm.Simulation(scenario, seed, backend, announce=None)
    sim.step(steps)
    return sim


def check_worlds(scenarios: list[mm.Scenario], seeds: list[int], backend: str) -> mm.Ensemble:
    """Step an ensemble, and compare everything that can be asked of all worlds with each simulation."""
    ensemble = mm.Ensemble(scenarios, seeds, backend, announce=None)
    for count in STEPS:
        ensemble.step(count)
    sims = [
        alone(scenario, seed, backend, sum(STEPS)) for scenario, seed in zip(scenarios, seeds, strict=True)
    ]
    assert ensemble.state_hashes() == [sim.state_hash() for sim in sims]
    assert ensemble.agent_counts.tolist() == [sim.agent_count for sim in sims]
    for name in ("position_x", "species", "heading"):
        mine = ensemble.column(name)
        for k, sim in enumerate(sims):
            assert np.array_equal(mine[k, : sim.agent_count], sim.column(name))
    for k, sim in enumerate(sims):
        assert np.array_equal(ensemble.forces[k, : sim.agent_count], sim.forces)
    return ensemble


def check_scenario(name: str, backend: str) -> None:
    """Two flocks with other seeds, and a world in which nobody lives at first, though some may come."""
    check_worlds([scene(name), scene(name), scene(name, 0)], SEEDS, backend)


def check_differing_worlds(backend: str) -> None:
    """Numbers, sizes of the world, numbers of agents and time steps may differ; one world has no agents."""
    base = scene("falcon-stoop")
    several = [
        base,
        base.with_values({"agents": 300, "rules.cohesion.weight": 0.1}),
        base.with_values({"world.width": 700.0, "world.height": 500.0, "perception.radius": 80.0}),
        base.with_values({"motion.time_step": 0.5 * base.motion.time_step, "agents": 0}),
    ]
    check_worlds(several, [7, 7, 1, 2], backend)


def check_changes(backend: str) -> None:
    """Numbers change in some worlds, one starts again, and one goes on by itself."""
    scenario = scene("falcon-stoop")
    ensemble = mm.Ensemble(scenario, SEEDS, backend, announce=None)
    sims = [alone(scenario, seed, backend, 4) for seed in SEEDS]
    ensemble.step(4)
    ensemble.retune({"rules.cohesion.weight": 0.3, "motion.time_step": 0.02}, [0, 2])
    for k in (0, 2):
        sims[k].retune({"rules.cohesion.weight": 0.3, "motion.time_step": 0.02})
    ensemble.restart(1, 77)
    sims[1] = alone(scenario, 77, backend, 0)
    ensemble.retune({"perception.radius": 90.0}, [2])
    sims[2].retune({"perception.radius": 90.0})
    ensemble.step(5)
    for sim in sims:
        sim.step(5)
    assert ensemble.step_counts.tolist() == [9, 5, 9]
    assert ensemble.state_hashes() == [sim.state_hash() for sim in sims]
    world = ensemble.world(1)
    assert world.backend == backend
    for each in (world, sims[1]):
        each.step(3)
    assert world.state_hash() == sims[1].state_hash()


def check_columns(backend: str) -> None:
    """Columns are written in all worlds as in each alone."""
    scenario = scene("starlings", **{"rules.action.weight": 1.0})
    ensemble, rng = mm.Ensemble(scenario, SEEDS, backend, announce=None), np.random.default_rng(0)
    sims = [alone(scenario, seed, backend, 0) for seed in SEEDS]
    for _ in range(2):
        turns = rng.uniform(-1.0, 1.0, (3, 30))
        ensemble.assign({"action_y": turns})
        ensemble.step(3)
        for sim, mine in zip(sims, turns, strict=True):
            sim.assign({"action_y": mine})
            sim.step(3)
    assert ensemble.state_hashes() == [sim.state_hash() for sim in sims]


def check_a_broken_world(backend: str) -> None:
    """A world whose agents get to no finite place is named; the others are not lost."""
    fine, bad = poisoned(agent=-1.0), poisoned(agent=7.0, from_step=4.0)
    ensemble = mm.Ensemble([fine, bad, fine], SEEDS, backend, announce=None)
    ensemble.step(3)
    with pytest.raises(
        RunError, match=r"^world 1: step 5: 1 agents have no finite place or velocity \(ids 7\)"
    ):
        ensemble.step(6)
    assert ensemble.state_hashes()[::2] == [alone(fine, seed, backend, 9).state_hash() for seed in SEEDS[::2]]
    with pytest.raises(RunError, match="world 1: step 5"):
        ensemble.step(1)
    ensemble.retune({"rules.poison.agent": -1.0}, [1])
    ensemble.restart(1, 5)
    ensemble.step(2)
    hashes = [alone(fine, seed, backend, 11).state_hash() for seed in SEEDS[::2]]
    assert ensemble.state_hashes() == [hashes[0], alone(fine, 5, backend, 2).state_hash(), hashes[1]]


def check_a_random_scenario(backend: str, seed: int) -> None:
    """Three worlds of a random scenario, with other seeds and numbers of agents."""
    scenario = RandomScenario(seed).drawn()
    most = min(scenario.agents, 60)
    several = [scenario.with_values({"agents": agents}) for agents in (most, most // 2, most)]
    check_worlds(several, SEEDS, backend)
