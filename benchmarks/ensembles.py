"""Many small flocks, stepped together, beside one that is stepped alone.

    python benchmarks/ensembles.py [cpu | cuda | webgpu]...

On `cpu`, for each size: a step of one flock in bulk on one thread, one call `step(1)` from Python, and a step of a
world of an ensemble, on one thread and on all. Rounds are interleaved and the best of each counts, in CPU time: on a
busy machine the wall clock would measure other processes. Then what making, stepping and measuring a thousand worlds
takes. On a GPU, by the clock: a thousand flocks beside one flock with as many agents.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from itertools import pairwise

import murmura as mm
from murmura.lab.bench.workload import resized

ROUNDS = 5
SECONDS = 0.15


def cost(
    step: Callable[[int], object], worlds: int, now: Callable[[], float] = time.process_time
) -> Callable[[], float]:
    """A round: microseconds for a step of one world, of CPU time or by another clock."""
    step(20)
    begun = now()
    step(5)
    count = max(5, int(SECONDS / max((now() - begun) / 5, 1e-6)))

    def measured() -> float:
        begun = now()
        step(count)
        return (now() - begun) / count / worlds * 1e6

    return measured


def one_by_one(sim: mm.Simulation) -> Callable[[int], None]:
    def step(count: int) -> None:
        for _ in range(count):
            sim.step(1)

    return step


def best(rounds: list[Callable[[], float]]) -> list[float]:
    return [min(times) for times in zip(*([each() for each in rounds] for _ in range(ROUNDS)), strict=True)]


def small_flocks() -> None:
    """A step of a flock alone, and of a world of an ensemble."""
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
            print(
                f"{name:12} {agents:>6} {alone:>8.2f} {call:>8.2f} {world:>8.2f} {shared:>13.2f}", flush=True
            )


def a_thousand_worlds() -> None:
    """What making, stepping and measuring them takes."""
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


def on_a_gpu(backend: str, worlds: int, agents: int) -> None:
    """Steps of an ensemble beside those of one flock with as many agents, at the same density."""
    small = resized(mm.load_scenario("starlings"), agents)
    many, one = (
        mm.Ensemble(small, range(worlds), backend),
        mm.Simulation(resized(small, worlds * agents), 1, backend),
    )
    rounds = [cost(each.step, 1, time.perf_counter) for each in (many, one)]
    together, alone = best(rounds)
    print(
        f"{backend}: {worlds:,} flocks of {agents} {together:.0f} us a step, one of {worlds * agents:,} "
        f"{alone:.0f} us, {together / alone:.2f} times",
        flush=True,
    )


backends = sys.argv[1:] or ["cpu"]
for backend in backends:
    if backend == "cpu":
        small_flocks()
        a_thousand_worlds()
    else:
        on_a_gpu(backend, 1000, 100)
        on_a_gpu(backend, 1000, 20)
