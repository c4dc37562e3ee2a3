"""Reading while the device steps on: a snapshot shows its instant, however many steps follow."""

from __future__ import annotations

import numpy as np
import pytest

import murmura as mm


def flock(backend: str) -> mm.Simulation:
    return mm.Simulation(mm.load_scenario("starlings").with_values({"agents": 24}), seed=5, backend=backend)


@pytest.mark.parametrize("backend", ["reference", "cuda"])
def test_a_snapshot_shows_its_instant(backend: str):
    sim, twin = flock(backend), flock(backend)
    sim.step(2)
    shot = sim.snapshot()
    sim.step(2)
    twin.step(2)
    assert shot.step_count == 2
    assert shot.state.digest(2) == twin.state_hash()
    twin.step(2)
    assert sim.state_hash() == twin.state_hash()


@pytest.mark.parametrize("name", ["starlings", "mixed"])
def test_a_frame_of_the_view_is_the_same_from_a_snapshot(name: str):
    from murmura.view.wire.frames import encode

    sim = mm.Simulation(mm.load_scenario(name).with_values({"agents": 24}), seed=5, backend="cuda")
    sim.step(2)
    shot = sim.reader()
    assert shot is not sim
    assert encode(shot, 1) == encode(sim, 1)


@pytest.mark.parametrize("backend", ["reference", "cuda"])
def test_a_snapshot_outlives_a_death(backend: str):
    sim = flock(backend)
    sim.step()
    before = sim.positions
    sim.step(0)
    shot = sim.snapshot()
    sim.remove_agents([3, 7])
    sim.step()
    state = shot.state
    assert len(state) == 24 and sim.agent_count == 22
    np.testing.assert_array_equal(np.stack([state["position_x"], state["position_y"]], axis=1), before)


def test_a_second_flock_of_the_same_size_starts_afresh():
    sim, twin = flock("cuda"), flock("cuda")
    start = sim.state.copy()
    sim.step(3)
    twin.step(3)
    sim.load_state(start)
    sim._step_count = sim._loaded_at = 0
    sim.step(3)
    assert sim.state_hash() == twin.state_hash()


def test_requesting_a_snapshot_does_not_wait(device: None):
    """The copy of 36 bytes for each of four million agents is awaited only when it is read."""
    from murmura.lab.bench.workload import workload

    sim = mm.Simulation(workload(4_000_000), seed=1, backend="cuda")
    sim.step(9)
    assert len(sim.snapshot().state) == 4_000_000  # the first one allocates host memory
    sim.step(1)
    shot = sim.snapshot()
    assert not shot.ready
    sim.step(9)
    expected = mm.Simulation(workload(4_000_000), seed=1, backend="cuda")
    expected.step(10)
    assert shot.state.digest(10) == expected.state_hash()
