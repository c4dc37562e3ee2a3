"""The cost of a step, without timing: the number of candidates examined, and allocations."""

from __future__ import annotations

import sys
import time
import tracemalloc
from typing import Any

import numpy as np
import pytest

import murmura as mm
from murmura.compute.cpu.work import most_bins


def dense(agents: int) -> mm.Simulation:
    """A flock in which each agent sees about 14 others, whatever the size of the flock."""
    side = (agents * np.pi * 50.0**2 / 14.0) ** 0.5
    scenario = mm.load_scenario("classic").with_values(
        {"agents": agents, "world.width": side, "world.height": side}
    )
    return mm.Simulation(scenario, seed=1, backend="cpu", threads=1)


def candidates(sim: mm.Simulation) -> float:
    """How many entries of the sorted table an agent is compared with, on average, by the index of the last step.

    Rows are as high as the radius and bins a quarter as wide (S4-46, S4-72); an agent looks at nine bins in each of
    three rows, each of which begins where `start` says.
    """
    arrays, side, radius = sim._backend._arrays, sim.scenario.world.width, sim.scenario.perception.radius
    rows, columns = int(side / (radius * 1.00001)), int(4.0 * side / (radius * 1.00001))
    pitch = columns + 8
    start = arrays["start"][: (rows + 2) * pitch].reshape(rows + 2, pitch).astype(np.int64)
    here = np.diff(start[1:-1, 4 : columns + 5], axis=1)
    assert here.sum() == len(sim.state), "the index of the last step is not where this test looks for it"
    looked = sum(
        start[1 + k : rows + 1 + k, 9 : columns + 8] - start[1 + k : rows + 1 + k, : columns - 1]
        for k in (-1, 0, 1)
    )
    return float((here[:, :-1] * looked).sum() / here[:, :-1].sum())


# S4-48, S3-41
def test_candidates_for_each_agent_do_not_grow_with_the_flock():
    found = []
    for agents in (500, 2000, 8000):
        sim = dense(agents)
        sim.step()
        found.append(candidates(sim))
        assert sim.column("local_density").mean() == pytest.approx(14.0, rel=0.1)
    # Three rows of 9/4 radii hold 27/4 / pi times the agents in sight: 30. Brute force would compare 8000.
    assert found == pytest.approx([30.0] * 3, rel=0.15)


def seconds(agents: int, steps: int) -> float:
    """Processor time of one step, the least of several tries: other programs only ever add time."""
    sim = dense(agents)
    sim.step(3)
    tries = []
    for _ in range(5):
        begun = time.process_time()
        sim.step(steps)
        tries.append((time.process_time() - begun) / steps)
    return min(tries)


# S4-48: time of a step against n, about linear
def test_the_time_of_a_step_grows_linearly_with_the_flock():
    few, many = seconds(2000, 40), seconds(32_000, 3)
    # Sixteen times as many agents: 16 if linear, 256 if quadratic. Larger flocks do not fit into the caches, even less
    # so if other programs use them.
    assert 4.0 < many / few < 80.0


def test_bins_grow_with_the_flock():
    """Small flocks must not pay for empty bins, and large ones keep theirs."""
    found = {agents: most_bins(agents) for agents in (1, 90, 200, 512, 5000, 6000, 1_000_000)}
    assert found == {1: 256, 90: 256, 200: 1250, 512: 8192, 5000: 8192, 6000: 9000, 1_000_000: 1_500_000}
    small = mm.Simulation(mm.load_scenario("starlings").with_values({"agents": 20}), backend="cpu")
    small.step()
    assert len(small._backend._arrays["start"]) == 257


def test_one_step_calls_few_functions():
    """`step(1)` of a small flock takes as long as its steps in bulk and a few function calls, not a hundred."""
    sim = dense(100)
    sim.step(1)
    calls: list[str] = []

    def note(frame: Any, event: str, argument: Any) -> None:
        if event in ("call", "c_call"):
            calls.append(frame.f_code.co_name if event == "call" else argument.__name__)

    sys.setprofile(note)
    try:
        sim.step(1)
    finally:
        sys.setprofile(None)
    assert len(calls) <= 25, calls


# S0-20
def test_steps_leave_no_memory_allocated():
    sim = dense(2000)
    sim.step(50)  # fills Python's list of free floats too, which counts as allocated
    made_each_call = {"times", "world"}  # the kernel's data for the next steps
    arrays = {name: array for name, array in sim._backend._arrays.items() if name not in made_each_call}
    assert len(arrays) > 10
    tracemalloc.start()
    sim.step(50)
    grown, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # A column of the flock has 8,000 bytes: no step allocates that much.
    assert peak < 8_000
    assert grown < 4_000
    for name, array in arrays.items():
        assert sim._backend._arrays[name] is array, name


# S2-22
def test_the_flock_is_a_structure_of_arrays():
    sim = dense(2000)
    sim.step()
    for name, column in sim.state.columns.items():
        assert column.shape == (2000,), name
        assert column.itemsize == 4, name
        assert column.flags.c_contiguous, name
    rows = sim._backend._arrays["state"]
    assert rows.dtype == np.float32
    assert rows.flags.c_contiguous
    assert np.array_equal(np.sort(rows[0, :2000]), np.sort(sim.state["position_x"]))
