"""Times a step, on a workload that every flocking program can run.

A torus with 20 neighbours on average within radius 50, separation at 25, a field of view of 270 degrees, and
Reynolds' trio. The result is checked against the reference before anything is timed, and baselines run in the
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
from murmura.engine.ensemble import Ensemble
from murmura.engine.simulation import Simulation
from murmura.scenario import Scenario

SIZES = (2_000, 10_000, 100_000, 1_000_000)
ROUNDS = 7
SMALL = 100
"""Agents of each world of an ensemble."""
RIVALS = ("NumPy + cKDTree",)
SECONDS_PER_ROUND = 0.25
CAPS = ("rules.breeding.most", "rules.reproduction.most", "rules.reproduction.most_of_kind")
TRIO = ("separation", "alignment", "cohesion")
MOST_STEPS = 41  # five CUDA graphs of eight steps, and one more


def workload(agents: int, space: bool = False) -> Scenario:
    """The common workload for this many agents, in the plane or in space."""
    if space:
        side = (agents * 4.0 / 3.0 * math.pi * 50.0**3 / 20.0) ** (1.0 / 3.0)
    else:
        side = math.sqrt(agents * math.pi * 50.0**2 / 20.0)
    world = {"width": side, "height": side, "boundary": "wrap"}
    return Scenario.from_data(
        {
            "name": "bench",
            "agents": agents,
            "world": world | ({"depth": side} if space else {}),
            "rules": {"alignment": {"weighting": "linear"}, "cohesion": {"weighting": "linear"}},
            "start": {"speed": 5.0, "speed_spread": 10.0},
        }
    )


def with_all_forces(scenario: Scenario) -> Scenario:
    """The same flock with all forces of `starlings`: noise, gusty wind, soft boundary, panic."""
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


def bare(scenario: Scenario) -> Scenario:
    """The same flock with only Reynolds' three rules."""
    others = {name: rule for name, rule in scenario.rules if name not in TRIO and rule.enabled}
    return scenario.with_values({f"rules.{name}.enabled": False for name in others})


def resized(scenario: Scenario, agents: int) -> Scenario:
    """The same scenario with more or fewer agents at the same density; the world stays larger than the view."""
    world = scenario.world
    sides = [name for name in ("width", "height", "depth") if getattr(world, name) is not None]
    scale = (agents / scenario.agents) ** (1.0 / len(sides))
    if world.boundary == "wrap":
        scale = max(scale, 2.2 * scenario.perception.radius / min(getattr(world, name) for name in sides))
    data = _moved(scenario.model_dump(mode="json"), scale)
    data["agents"] = agents
    for key in sides:
        data["world"][key] *= scale
    data["start"]["margin"] *= scale
    _raise_caps(data, max(1.0, agents / scenario.agents))
    return Scenario.from_data(data)


def _raise_caps(data: dict[str, Any], times: float) -> None:
    for path in CAPS:
        _, rule, field = path.split(".")
        tables = [(data["rules"][rule], field), *((kind["values"], path) for kind in data["species"])]
        for table, key in tables:
            if key in table:
                table[key] = math.ceil(table[key] * times)


def _moved(data: Any, scale: float) -> Any:
    """Scale all positions with the sides of the world."""
    if isinstance(data, list):
        return [_moved(entry, scale) for entry in data]
    if not isinstance(data, dict):
        return data
    moved = {key: _moved(value, scale) for key, value in data.items()}
    moved |= {key: data[key] * scale for key in ("x", "y", "z") if isinstance(data.get(key), int | float)}
    corners = data.get("points", [])
    if corners and isinstance(corners[0], list):
        moved["points"] = [[x * scale, y * scale] for x, y in corners]
    return moved


def check(backend: str, threads: int | None, space: bool = False) -> None:
    """Check that one step agrees with the reference; otherwise the timing means nothing."""
    scenario = workload(600, space)
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
    """A flock that can be stepped and reset: flocks get denser over time, and a dense flock costs more."""

    step: Callable[[int], None]
    restart: Callable[[], None]


def ours(scenario: Scenario, backend: str, threads: int | None) -> tuple[Simulation, Contestant]:
    simulation = Simulation(scenario, 1, backend, threads)
    start = simulation.state.copy()
    return simulation, Contestant(simulation.step, lambda: simulation.load_state(start.copy()))


def many(scenario: Scenario, worlds: int, backend: str, threads: int | None) -> Contestant:
    """Worlds of an ensemble, with different seeds."""
    ensembles: list[Ensemble] = []

    def restart() -> None:
        ensembles[:] = [Ensemble(scenario, range(worlds), backend, threads)]

    restart()
    return Contestant(lambda count: ensembles[0].step(count), restart)


def time_steps(contestants: dict[str, Contestant]) -> dict[str, list[float]]:
    """Milliseconds per step of each contestant, in interleaved rounds that all begin at the start."""
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
    baselines: bool = True,
    space: bool = False,
    ensemble: bool = False,
) -> Iterator[dict[str, Any]]:
    """Time the workload at each size; yield one row for each contestant."""
    check(backend, threads, space)
    for agents in sizes:
        base = resized(scenario, agents) if scenario else workload(agents, space)
        simulation, first = ours(base, backend, threads)
        contestants = {"murmura": first}
        if ensemble:
            small = resized(scenario, SMALL) if scenario else workload(SMALL, space)
            worlds = max(1, agents // SMALL)
            contestants[f"murmura, flocks of {SMALL}"] = many(small, worlds, simulation.backend, threads)
        if scenario is not None:
            if baselines:
                contestants["its trio alone"] = ours(bare(base), backend, threads)[1]
        elif space:
            contestants["murmura, in the plane"] = ours(workload(agents), backend, threads)[1]
        else:
            contestants["murmura, all forces"] = ours(with_all_forces(base), backend, threads)[1]
            if baselines and agents <= 100_000:
                from murmura.lab.bench.baseline import NumpyFlock

                flock = NumpyFlock(Simulation(base, 1, "reference"))
                contestants[RIVALS[0]] = Contestant(flock.step, flock.restart)
        own = 0.0
        for name, times in time_steps(contestants).items():
            best, typical = min(times), statistics.median(times)
            own = own or best
            yield {
                "agents": agents,
                "program": name,
                "backend": "" if name in RIVALS else simulation.backend,
                "threads": 1 if name in RIVALS else simulation.threads,
                "best_ms": best,
                "median_ms": typical,
                "agent_steps_per_second": agents / best * 1e3,
                "ns_per_agent": best / agents * 1e6,
                "times_murmura": best / own,
            }
