"""Tests for a real device: long runs, a million agents, memory."""

from __future__ import annotations

import gc
import os
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
import pytest

import murmura as mm
from murmura.core.errors import BackendError
from murmura.lab.bench.workload import workload

from .neighbor_probe import sight

pytestmark = [pytest.mark.cuda, pytest.mark.usefixtures("device")]

STEPS, LAST, EVERY = 2_000, 1_000, 50
SEEDS = range(8)
MEASURES = (
    "polarization",
    "agreement of headings with the nearest neighbour's",
    "nearest-neighbour distance",
    "mean speed",
    "spread of speeds",
)
SAMPLE = 200  # agents whose nearest neighbour is searched


def instant(sim: mm.Simulation) -> list[float]:
    """The measures of one moment. Polarization differs much from seed to seed; the headings of neighbours do not."""
    velocities = sim.velocities.astype(np.float64)
    speeds = np.linalg.norm(velocities, axis=1)
    headings = velocities / np.maximum(speeds, 1e-12)[:, None]
    places = sim.positions.astype(np.float64)
    gap = places[None, :, :] - places[:SAMPLE, None, :]
    world = sim.scenario.world
    for axis, (side, edge) in enumerate(zip(world.sides, world.edges, strict=True)):
        if edge == "wrap":
            gap[..., axis] -= side * np.round(gap[..., axis] / side)
    distance = np.linalg.norm(gap, axis=2)
    distance[np.arange(len(distance)), np.arange(len(distance))] = np.inf
    return [
        float(np.linalg.norm(headings.mean(axis=0))),
        float((headings[:SAMPLE] * headings[distance.argmin(axis=1)]).sum(axis=1).mean()),
        float(distance.min(axis=1).mean()),
        float(speeds.mean()),
        float(speeds.std()),
    ]


def long_run(name: str, backend: str, seed: int) -> Any:
    """Every measure's mean over the last half of a run."""
    sim = mm.Simulation(name, seed=seed, backend=backend, threads=1)
    sim.step(STEPS - LAST)
    seen = []
    for _ in range(LAST // EVERY):
        sim.step(EVERY)
        seen.append(instant(sim))
    return np.mean(seen, axis=0)


def long_runs(name: str, backend: str) -> Any:
    """One row for each seed; on the CPU one thread for each of them once the first has compiled the kernel."""
    first = [long_run(name, backend, SEEDS[0])]
    with ThreadPoolExecutor(1 if backend == "cuda" else os.cpu_count()) as pool:
        return np.array(first + list(pool.map(partial(long_run, name, backend), SEEDS[1:])))


def excess(a: Any, b: Any) -> Any:
    """The criterion: means over the seeds differ by at most 4 standard errors and 1 % (positive: they differ more).

    Runs diverge within some hundred steps, as flocks do, so only their statistics can agree; every seed is one
    independent observation.
    """
    error = np.sqrt((a.var(axis=0, ddof=1) + b.var(axis=0, ddof=1)) / len(a))
    size = np.abs(b.mean(axis=0))
    size[-1] = size[
        -2
    ]  # the spread of speeds as a share of the speed: where all are equally fast it is rounding
    allowed = 4.0 * error + 0.01 * size
    return np.abs(a.mean(axis=0) - b.mean(axis=0)) - allowed


@pytest.mark.parametrize("name", mm.scenario_names())
def test_long_runs_are_statistically_those_of_the_cpu(name: str):
    device, cpu = long_runs(name, "cuda"), long_runs(name, "cpu")
    wrong = excess(device, cpu) > 0.0
    assert not wrong.any(), [
        f"{measure}: {a} on the device, {b} on the CPU"
        for measure, a, b, bad in zip(MEASURES, device.mean(axis=0), cpu.mean(axis=0), wrong, strict=True)
        if bad
    ]


def test_the_criterion_distinguishes_scenarios():
    """Two presets of the same rules that differ in a few numbers fail it in several measures."""
    assert (excess(long_runs("starlings", "cuda"), long_runs("sparrows", "cuda")) > 0.0).sum() >= 2


def test_a_million_agents():
    """They fit, they run, and a sample of them meets the neighbours that NumPy finds."""
    sim = mm.Simulation(workload(1_000_000), seed=1, backend="cuda")
    for steps in (1, 20):
        sample = np.random.default_rng(steps).choice(1_000_000, 20, replace=False)
        seen, doubtful, _ = sight(sim, sample)
        sim.step()
        met = sim.column("local_density")[sample]
        assert doubtful.sum() <= 4
        assert np.array_equal(met[~doubtful], seen.sum(axis=1)[~doubtful])
        sim.step(steps)
    assert np.isfinite(sim.positions).all()
    assert np.hypot(*sim.velocities.T).max() <= 15.0 * (1.0 + 1e-6)


def test_ten_million_agents_in_four_gigabytes():
    import cupy

    pool = cupy.get_default_memory_pool()
    gc.collect()
    pool.free_all_blocks()
    held, (free, _) = pool.total_bytes(), cupy.cuda.runtime.memGetInfo()
    sim = mm.Simulation(workload(10_000_000), seed=1, backend="cuda")
    sim.step(1)
    # Uniform places, 20 neighbours within the radius on average, three quarters of them in view.
    assert sim.column("local_density").mean() == pytest.approx(15.0, rel=0.005)
    sim.step(20)
    assert sim.step_count == 21
    assert pool.total_bytes() - held < 4e9
    assert free - cupy.cuda.runtime.memGetInfo()[0] < 4e9, (
        "including the driver's own memory for kernels and graphs"
    )


def test_too_little_memory_is_reported_and_the_flock_is_kept():
    import cupy

    sim = mm.Simulation(workload(1_000), seed=1, backend="cuda")
    sim.step(3)
    before = sim.state_hash()
    pool = cupy.get_default_memory_pool()
    gc.collect()
    pool.free_all_blocks()
    pool.set_limit(size=pool.total_bytes() + 8 * 2**20)
    try:
        with pytest.raises(
            BackendError, match=r"too little memory for 1,000,000 agents.*fewer agents.*backend='cpu'"
        ):
            mm.Simulation(workload(1_000_000), backend="cuda")
    finally:
        pool.set_limit(size=0)
    assert sim.state_hash() == before
    sim.step(3)
    assert sim.step_count == 6
