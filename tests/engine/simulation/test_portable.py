"""Portable arithmetic: products and sums round one by one, as in WebAssembly. It is never mixed with the other kind."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import murmura as mm
from murmura.compute.cpu.kernel import Kernel
from murmura.compute.plan import Plan
from murmura.compute.shapes import shapes_of
from murmura.core.errors import BackendError, RunError
from murmura.engine.checkpoint import load
from murmura.lab.runs.recording import record
from murmura.lab.runs.resuming import resume


def flock(portable: bool = True, agents: int = 60, threads: int = 1) -> mm.Simulation:
    scenario = mm.load_scenario("starlings").with_values({"agents": agents})
    return mm.Simulation(scenario, 5, "cpu", threads, portable=portable, announce=None)


def hash_after(steps: int, sim: mm.Simulation) -> str:
    sim.step(steps)
    return sim.state_hash()


def test_a_portable_kernel_fuses_nothing():
    plan = Plan(mm.load_scenario("starlings"))
    for portable in (False, True):
        modules = Kernel(plan, shapes_of(plan), wide=False, portable=portable).modules()
        assert any("llvm.fma" in str(module) for _, module in modules) != portable


def test_portable_bits_are_their_own_and_the_same_on_more_threads():
    found = hash_after(50, flock())
    assert found == hash_after(50, flock(threads=3))
    assert found != hash_after(50, flock(portable=False))


def test_a_checkpoint_stays_portable(tmp_path: Path):
    sim = flock()
    sim.step(20)
    sim.save(tmp_path / "a.npz")
    restored = mm.Simulation.restore(tmp_path / "a.npz", "cpu", announce=None)
    assert restored.portable
    assert hash_after(30, restored) == hash_after(50, flock())
    with pytest.raises(BackendError, match="portable arithmetic is that of the cpu backend"):
        mm.Simulation.restore(tmp_path / "a.npz", "reference", announce=None)
    flock(portable=False).save(tmp_path / "b.npz")
    assert not mm.Simulation.restore(tmp_path / "b.npz", "cpu", announce=None).portable
    assert not load(tmp_path / "b.npz").portable


def test_a_copy_is_as_portable_as_its_backend_allows():
    sim = flock()
    assert sim.on("cpu", announce=None).portable
    assert not sim.on("reference", announce=None).portable


@pytest.mark.parametrize("backend", ["reference", "cuda", "webgpu"])
def test_other_backends_refuse(backend: str):
    with pytest.raises(BackendError, match="got '" + backend):
        mm.Simulation("starlings", backend=backend, portable=True)


def test_a_recorded_run_continues_portable(tmp_path: Path):
    record(flock(), 10, tmp_path / "run", every=5)
    assert json.loads((tmp_path / "run" / "manifest.json").read_text())["portable"] is True
    assert resume(tmp_path / "run", steps=30).final_hash == hash_after(30, flock())
    record(flock(portable=False), 10, tmp_path / "other", every=5)
    assert json.loads((tmp_path / "other" / "manifest.json").read_text())["portable"] is False


def test_checkpoints_of_other_arithmetic_belong_to_another_run(tmp_path: Path):
    """A run never continues from a state that was computed otherwise."""
    run = tmp_path / "run"
    record(flock(), 10, run, every=5)
    sim = flock(portable=False)
    for slot in run.glob("*.npz"):
        sim.save(slot)
    with pytest.raises(RunError, match="belongs to another run"):
        resume(run, steps=30)
