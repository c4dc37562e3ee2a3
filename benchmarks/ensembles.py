"""Many small flocks, stepped together, beside one that is stepped alone.

    python benchmarks/ensembles.py

For each size: a step of one flock in bulk on one thread, one call `step(1)` from Python, and a step of a world of an
ensemble, on one thread and on all. Rounds are interleaved and the best of each counts, in CPU time: on a busy machine
the wall clock would measure other processes. Then what making, stepping and measuring a thousand worlds takes.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import pairwise

import murmura as mm

ROUNDS = 5
SECONDS = 0.15


def cost(step: Callable[[int], object], worlds: int) -> Callable[[], float]:
    """A round: microseconds of CPU time for a step of one world."""
    step(20)
    begun = time.process_time()
    step(5)
    count = max(5, int(SECONDS / max((time.process_time() - begun) / 5, 1e-6)))

    def measured() -> float:
        begun = time.process_time()
        step(count)
        return (time.process_time() - begun) / count / worlds * 1e6

    return measured


def one_by_one(sim: mm.Simulation) -> Callable[[int], None]:
    def step(count: int) -> None:
        for _ in range(count):
            sim.step(1)

    return step


def best(rounds: list[Callable[[], float]]) -> list[float]:
    return [min(times) for times in zip(*([each() for each in rounds] for _ in range(ROUNDS)), strict=True)]


print(
    f"{'scenario':12} {'agents':>6} {'alone':>8} {'step(1)':>8} {'world':>8} {'on all cores':>13}   us a step"
)
for name in ("starlings", "vicsek", "classic"):
    for agents in (1, 20, 100, 500):
        scenario = mm.load_scenario(name).with_values({"agents": agents})
        worlds = 20_000 // (agents + 20)
        rounds = [
            cost(mm.Simulation(scenario, 1, "cpu", threads=1).step, 1),
            cost(one_by_one(mm.Simulation(scenario, 1, "cpu", threads=1)), 1),
            cost(mm.Ensemble(scenario, range(worlds), threads=1).step, worlds),
            cost(mm.Ensemble(scenario, range(worlds)).step, worlds),
        ]
        alone, call, world, shared = best(rounds)
        print(f"{name:12} {agents:>6} {alone:>8.2f} {call:>8.2f} {world:>8.2f} {shared:>13.2f}", flush=True)

scenario = mm.load_scenario("starlings").with_values({"agents": 20})
names = ["polarization", "milling", "spread"]
for _ in range(3):
    clocks = [(time.perf_counter(), time.process_time())]
    flocks = mm.Ensemble(scenario, range(1000))
    clocks.append((time.perf_counter(), time.process_time()))
    flocks.step(100)
    clocks.append((time.perf_counter(), time.process_time()))
    flocks.measure(names)
    clocks.append((time.perf_counter(), time.process_time()))
    parts = [[after[k] - before[k] for before, after in pairwise(clocks)] for k in range(2)]
    for kind, (made, stepped, measured) in zip(("by the clock", "CPU time"), parts, strict=True):
        print(
            f"1,000 worlds of 20, {kind:12}: made {made:.2f} s, 100 steps {stepped:.2f} s, "
            f"three measures {measured:.3f} s"
        )
