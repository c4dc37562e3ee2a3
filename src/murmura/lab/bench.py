"""How fast a step is, on a workload that every flocking program can run.

A torus with 20 neighbours on average within radius 50, separation at 25, a field of view of 270 degrees, and
Reynolds' trio. The result is checked against the reference before anything is timed, and yardsticks run in the
same process, interleaved, because a shared machine changes its speed from minute to minute.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from murmura.core.errors import RunError
from murmura.engine.simulation import Simulation
from murmura.scenario import Scenario

SIZES = (2_000, 10_000, 100_000, 1_000_000)
ROUNDS = 7
SECONDS_PER_ROUND = 0.25
MOST_STEPS = 41  # five CUDA graphs of eight steps, and one more


def workload(agents: int) -> Scenario:
    """The common workload for this many agents."""
    side = math.sqrt(agents * math.pi * 50.0**2 / 20.0)
    return Scenario.from_data(
        {
            "name": "bench",
            "agents": agents,
            "world": {"width": side, "height": side, "boundary": "wrap"},
            "rules": {"alignment": {"weighting": "linear"}, "cohesion": {"weighting": "linear"}},
            "start": {"speed": 5.0, "speed_spread": 10.0},
        }
    )


def with_all_forces(scenario: Scenario) -> Scenario:
    """The same flock with every force of `starlings` at work: noise, gusty wind, soft boundary, panic."""
    world = scenario.world
    return scenario.with_values(
        {
            "world.boundary": "soft",
            "rules.cohesion.density_adaptation": True,
            "rules.noise.enabled": True,
            "rules.wind.enabled": True,
            "rules.wind.speed": 5.0,
            "rules.fear.enabled": True,
            "rules.fear.threats": [{"x": world.width / 2.0, "y": world.height / 2.0, "radius": 150.0}],
        }
    )


def check(backend: str, threads: int | None) -> None:
    """One step of the workload must agree with the reference, or the timing means nothing."""
    scenario = workload(600)
    fast = Simulation(scenario, 1, backend, threads)
    truth = Simulation(scenario, 1, "reference")
    fast.step()
    truth.step()
    error = np.abs(fast.velocities - truth.velocities).max(axis=1)
    if np.quantile(error, 0.99) > 1e-4:
        raise RunError(
            f"the {backend} backend disagrees with the reference by {error.max():.2g} [u/s]; not timed"
        )


@dataclass(frozen=True)
class Contestant:
    """Somebody who steps, and can go back to the start: flocks gather, and a dense flock costs more."""

    step: Callable[[int], None]
    restart: Callable[[], None]


def ours(scenario: Scenario, backend: str, threads: int | None) -> tuple[Simulation, Contestant]:
    simulation = Simulation(scenario, 1, backend, threads)
    start = simulation.state.copy()
    return simulation, Contestant(simulation.step, lambda: simulation.load_state(start.copy()))


def time_steps(contestants: dict[str, Contestant]) -> dict[str, list[float]]:
    """Milliseconds a step of each contestant, in interleaved rounds that all begin at the start."""
    counts = {}
    for name, one in contestants.items():
        one.step(2)
        begun = time.perf_counter()
        one.step(1)
        counts[name] = max(
            1, min(MOST_STEPS, int(SECONDS_PER_ROUND / max(time.perf_counter() - begun, 1e-6)))
        )
        one.step(counts[name])  # a GPU captures its graphs now, not in the first round
    found: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(ROUNDS):
        for name, one in contestants.items():
            one.restart()
            one.step(2)
            begun = time.perf_counter()
            one.step(counts[name])
            found[name].append((time.perf_counter() - begun) / counts[name] * 1e3)
    return found


def bench(
    sizes: tuple[int, ...] = SIZES,
    backend: str = "auto",
    threads: int | None = None,
    scenario: Scenario | None = None,
    yardsticks: bool = True,
) -> Iterator[dict[str, Any]]:
    """Time the workload at each size; yields one row for each contestant."""
    check(backend, threads)
    for agents in sizes:
        base = scenario.with_values({"agents": agents}) if scenario else workload(agents)
        simulation, first = ours(base, backend, threads)
        contestants = {"murmura": first}
        if scenario is None:
            contestants["murmura, all forces"] = ours(with_all_forces(base), backend, threads)[1]
            if yardsticks and agents <= 100_000:
                from murmura.lab.yardstick import NumpyFlock

                flock = NumpyFlock(Simulation(base, 1, "reference"))
                contestants["NumPy + cKDTree"] = Contestant(flock.step, flock.restart)
        own = 0.0
        for name, times in time_steps(contestants).items():
            best, typical = min(times), statistics.median(times)
            own = own or best
            yield {
                "agents": agents,
                "program": name,
                "backend": simulation.backend if name.startswith("murmura") else "",
                "threads": simulation.threads if name.startswith("murmura") else 1,
                "best_ms": best,
                "median_ms": typical,
                "agent_steps_per_second": agents / best * 1e3,
                "ns_per_agent": best / agents * 1e6,
                "times_murmura": best / own,
            }
