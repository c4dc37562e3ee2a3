"""Runs recorded on the device: frames are copied while it steps, and the files are the same as without overlap."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import murmura as mm
from murmura.compute.cuda import BackendCuda
from murmura.lab.bench.workload import workload
from murmura.lab.runs.recording import record
from tests.cuda.flocks import cut_down
from tests.cuda.machine import ON_HOST

ROOM = {"rules.reproduction.most": 40}
FILES = ("run.gsd", "metrics.jsonl", "events.jsonl", "checkpoint-A.npz", "checkpoint-B.npz")
SCENES: dict[str, Any] = {
    "alike": lambda: (workload(32), {}),
    "several species, columns": lambda: (cut_down("mixed", 24), {"columns": ["heading", "local_density"]}),
    "food": lambda: (
        mm.load_scenario("feeding-grounds").with_values({"agents": 20}),
        {"columns": ["feeding_state"]},
    ),
    "births and deaths": lambda: (cut_down("ecosystem", 24).with_values(ROOM), {"columns": ["energy"]}),
}


def recorded(scene: str, folder: Path, **more: Any) -> mm.Run:
    scenario, settings = SCENES[scene]()
    simulation = mm.Simulation(scenario, seed=3, backend="cuda")
    return record(simulation, 5, folder, every=2, checkpoint_every="1000", **settings | more)


@pytest.mark.parametrize(("scene", "metrics_every"), [("alike", None), *((scene, 1000) for scene in SCENES)])
def test_files_are_the_same_as_when_waiting_for_every_frame(
    scene: str, metrics_every: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    ours = recorded(scene, tmp_path / "ours", metrics_every=metrics_every)
    assert ours.frames.steps.tolist() == [0, 2, 4, 5]
    monkeypatch.setattr(mm.Simulation, "reader", lambda simulation, measured=False: simulation)
    waited = recorded(scene, tmp_path / "waited", metrics_every=metrics_every)
    for name in FILES:
        assert (ours.folder / name).read_bytes() == (waited.folder / name).read_bytes(), name


@pytest.mark.parametrize("scene", ["alike", "births and deaths"])
def test_only_checkpoints_bring_the_whole_state(scene: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    stored: list[int] = []
    store = BackendCuda.store

    def count(backend: BackendCuda, state: Any) -> None:
        stored.append(backend.completed)
        store(backend, state)

    monkeypatch.setattr(BackendCuda, "store", count)
    recorded(scene, tmp_path / "run")
    assert stored == [5]  # at the start it is already in host memory


@pytest.mark.cuda
@pytest.mark.skipif(ON_HOST, reason="the host captures no graphs")
@pytest.mark.parametrize("steps", [1, 9])
def test_steps_never_write_into_memory_of_a_snapshot(steps: int):
    """A graph owns the memory it was captured with: snapshots in transfer to the host use other memory."""
    import cupy

    sim = mm.Simulation(cut_down("ecosystem", 24).with_values(ROOM), seed=3, backend="cuda")
    sim.step(steps)
    with sim._backend._device._stream as stream:
        blocks = [cupy.full(512 * size, 7, np.uint8) for size in range(1, 65) for _ in range(6)]
        stream.synchronize()
    sim.step(steps)
    assert all((cupy.asnumpy(block) == 7).all() for block in blocks)


def test_a_snapshot_survives_births_and_deaths_stored_by_the_simulation():
    """A snapshot keeps the constant columns of agents that have died since."""
    scenario = cut_down("ecosystem", 24).with_values(ROOM)
    sim, twin = (mm.Simulation(scenario, seed=3, backend="cuda") for _ in "ab")
    sim.step(2)
    twin.step(2)
    shot = sim.snapshot()
    state = sim.state.copy()
    sim.step()
    sim._state.settle(state.ids[::2], state.next_id)  # half of them die, as after a step
    assert shot.state.digest(2) == twin.state_hash()
