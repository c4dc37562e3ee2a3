"""The same bits on one adapter: in repeated runs, in one call or many, with reads between, and after a checkpoint."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import murmura as mm
from murmura.lab.bench.workload import workload
from tests.cuda.flocks import scene_of
from tests.engine.simulation.sliders import HAWK, LIFE, check_a_slider_loads_nothing
from tests.parity.side_by_side import Comparison, compare_step

from .flocks import AGENTS, lively


@pytest.mark.parametrize("scene", ["walled", "life"])
def test_repeated_runs_agree_for_any_number_of_calls(scene: str):
    scenario = scene_of(scene, AGENTS)
    first, second = lively(scenario), lively(scenario)
    first.step(9)
    for _ in range(9):
        second.step()
    assert first.state_hash() == second.state_hash()
    assert first.events() == second.events()
    assert np.array_equal(first.forces, second.forces)


def test_a_crowd_gives_the_same_bits_every_time():
    """Large enough that invocations race for slots in the bins; reading in between changes nothing."""
    first, second = (mm.Simulation(workload(3000), seed=1, backend="webgpu", announce=None) for _ in range(2))
    first.step(70)  # more than one submission
    second.step(3)
    shot = second.snapshot()
    second.step(67)
    assert first.state_hash() == second.state_hash()
    assert shot.step_count == 3
    assert not np.array_equal(shot.state["position_x"], second.state["position_x"])


def test_a_checkpoint_continues_with_the_same_bits(tmp_path: Path):
    sim = lively(scene_of("walled", AGENTS))
    sim.step(4)
    file = tmp_path / "here.npz"
    sim.save(file)
    sim.step(5)
    again = mm.Simulation.restore(file, backend="webgpu")
    again.step(5)
    assert again.state_hash() == sim.state_hash()


def test_numbers_change_without_another_kernel_and_the_flock_stays():
    sim = mm.Simulation(workload(AGENTS), seed=4, backend="webgpu", announce=None)
    sim.step(2)
    before, program = sim.state_hash(), sim._backend._program
    sim.retune({"rules.alignment.weight": 3.0, "motion.max_speed": 9.0})
    assert sim.state_hash() == before
    assert sim._backend._program is program
    compare_step(sim, Comparison())
    assert np.hypot(*sim.velocities.T).max() <= 9.0 * (1.0 + 1e-6)


@pytest.mark.parametrize(("name", "values"), [("murmuration-hawk", HAWK), ("ecosystem", LIFE)])
def test_a_slider_with_hunters_or_births_reloads_nothing(
    name: str, values: dict[str, Any], monkeypatch: pytest.MonkeyPatch
):
    check_a_slider_loads_nothing("webgpu", name, values, 40, monkeypatch)


def test_a_new_kind_of_hunter_gets_its_behaviour():
    """Kernels are traced for the kinds that are present: a new kind needs another kernel."""
    sim = mm.Simulation("murmuration-hawk", seed=4, backend="webgpu", announce=None)
    program = sim._backend._program
    sim.retune({"rules.predators.hunters.0.kind": "owl"})
    assert sim._backend._program is not program


def test_the_time_is_that_of_the_reference():
    """A gust depends on the time alone: after a late start the wind must still be the same."""
    scenario = workload(40).with_values({"rules.wind.enabled": True, "rules.wind.speed": 20.0})
    places, still = np.random.default_rng(3).uniform(0.0, 90.0, (40, 2)), np.zeros((40, 2))
    forces = []
    for backend in ("webgpu", "reference"):
        sim = mm.Simulation(
            scenario, 2, backend, positions=places, velocities=still, first_step=7_000_000, announce=None
        )
        sim.step(2)
        forces.append(sim.forces)
    np.testing.assert_allclose(*forces, rtol=1e-5, atol=1e-4)
