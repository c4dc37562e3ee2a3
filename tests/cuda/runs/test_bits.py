"""The same bits: in repeated runs, in one call or many, after a checkpoint, and for any order of agents."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import murmura as mm
from murmura.core.state import State
from murmura.lab.bench.workload import workload
from tests.cuda.flocks import BY_ID, lively, make_lively, scene_of, silenced
from tests.parity.scenes import SCENES


def hash_after(sim: mm.Simulation, *counts: int) -> str:
    for count in counts:
        sim.step(count)
    return sim.state_hash()


@pytest.mark.parametrize("scene", ["wrapped", "roadmap"])
def test_repeated_runs_agree_for_any_number_of_calls(scene: str, handful: tuple[int, int]):
    scenario = scene_of(scene, handful[0])
    whole = hash_after(lively(scenario), 5)
    assert hash_after(lively(scenario), 5) == whole
    assert hash_after(lively(scenario), 1, 1, 1, 1, 1) == whole


def test_a_crowd_gives_the_same_bits_every_time(crowd: tuple[int, int]):
    """Large enough that threads race for slots in the bins; reading in between changes nothing."""
    agents, steps = crowd
    first = mm.Simulation(workload(agents), seed=1, backend="cuda")
    second = mm.Simulation(workload(agents), seed=1, backend="cuda")
    assert hash_after(first, steps) == hash_after(second, *[1] * (steps // 2), steps - steps // 2)
    assert np.array_equal(first.forces, second.forces)
    assert np.array_equal(first.column("local_density"), second.column("local_density"))


IN_PART = {
    "active_brownian": ("thermal", "turning"),
    "inertial_spin": ("temperature",),
    "informed": ("noise",),
    "sheep": ("error", "grazing", "fear_radius"),  # the dog is an agent with a given id
}
"""Numbers that scale what depends on ids, in rules that do more."""


def without_ids(scenario: mm.Scenario) -> mm.Scenario:
    return scenario.with_values(
        {
            f"rules.{rule}.{number}": 0.0
            for rule, numbers in IN_PART.items()
            if getattr(scenario.rules, rule).enabled
            for number in numbers
        }
    )


# Mates refer to each other by id, and a hunter's random choice of prey depends on the prey's id, whatever numbers are
# set to zero.
@pytest.mark.parametrize(
    "scene", [scene for scene in SCENES if scene not in ("life", "wild", "scored", "hunted")]
)
def test_agents_in_another_order_give_the_same_bits_in_that_order(scene: str, handful: tuple[int, int]):
    """With what reads an agent's id at zero, only position and velocity may matter."""
    agents, steps = handful
    scenario = without_ids(silenced(scene_of(scene, agents), BY_ID))
    order = np.random.default_rng(4).permutation(agents)
    sims = []
    for rows in (np.arange(agents), order):
        sim = mm.Simulation(scenario, seed=11, backend="cuda")
        state = sim.state.copy()
        make_lively(scenario, state, np.random.default_rng(11))
        sim.load_state(taken(state, rows))
        sim.step(steps)
        sims.append(sim)
    expected = taken(sims[0].state, order)
    for name, column in sims[1].state.columns.items():
        assert column.tobytes() == expected[name].tobytes(), name
    assert sims[0].forces.any()


def taken(state: State, rows: np.ndarray) -> State:
    """The same agents in another order; ids stay ascending."""
    other = state.copy()
    for name, column in state.columns.items():
        if name != "id":
            other.columns[name] = column[rows].copy()
    return other


@pytest.mark.parametrize("scene", ["soft", "walled"])
def test_a_run_from_a_checkpoint_continues_with_the_same_bits(
    scene: str, handful: tuple[int, int], tmp_path: Path
):
    agents, steps = handful
    sim = lively(scene_of(scene, agents))
    sim.step(steps)
    sim.save(tmp_path / "half.npz")
    again = mm.Simulation.restore(tmp_path / "half.npz", backend="cuda")
    assert (again.backend, again.step_count, again.state_hash()) == ("cuda", steps, sim.state_hash())
    assert hash_after(again, 2) == hash_after(sim, 2)
