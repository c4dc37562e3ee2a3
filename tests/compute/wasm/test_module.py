"""The kernel as WebAssembly has the bits of `cpu`: stepped in Node and natively, from the same start."""

from __future__ import annotations

from pathlib import Path

import pytest

import murmura as mm
from murmura.compute.cpu.backend import BackendCpu
from murmura.compute.cpu.work import sorted_arrays
from murmura.compute.wasm import linker
from murmura.scenario import scenario_names
from tests.compute.wasm.node import stepped
from tests.sizes import IS_LONG

SEED = 3
FEW = {"classic": (300, 300), "couzin-space": (60, 60)}
"""Agents and steps, in a plane and in space. Births, deaths and food have these bits in Chromium (test_standalone)."""
ALL = {name: (min(400, mm.load_scenario(name).agents), 1000) for name in scenario_names()} if IS_LONG else FEW


def flock(name: str, agents: int) -> mm.Simulation:
    scenario = mm.load_scenario(name).with_values({"agents": agents})
    return mm.Simulation(scenario, SEED, "cpu", threads=1, portable=True, announce=None)


@pytest.mark.browser
@pytest.mark.parametrize("name", ALL)
def test_the_bits_are_those_of_the_native_kernel(name: str, tmp_path: Path):
    agents, steps = ALL[name]
    sim, twin = flock(name, agents), flock(name, agents)
    begun, backend = sim.state_hash(), sim._backend
    assert isinstance(backend, BackendCpu)
    backend._keep(sorted_arrays(backend.plan, 1, 60 * agents + 5000))  # nobody makes room in between
    backend._make_reports(1)
    while backend.completed < steps:
        before = backend.completed
        stepped(sim, steps - before, tmp_path)
        assert backend.completed > before
        backend.recover(backend.completed)  # perhaps its table of events was full
    twin.step(steps)
    backend.store(sim.state)
    assert backend.completed == steps
    assert sim.state.digest(steps) == twin.state_hash() != begun


def test_only_an_object_is_linked():
    with pytest.raises(ValueError, match="expected a WebAssembly object"):
        linker.linked(b"\x7fELF", ["run"])
