"""Compares the speed of Murmura with other Python programs, in one process, interleaved.

    pip install mesa agentpy
    python benchmarks/rivals.py --agents 10000

Every program has the same density: 20 neighbours on average within its vision radius, on a torus. Mesa runs its
own boid example. AgentPy has none, so the three rules are written with its spatial queries.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import murmura as mm
from murmura.lab.bench.baseline import NumpyFlock
from murmura.lab.bench.workload import workload

VISION = 10.0


def side(agents: int) -> float:
    return math.sqrt(agents * math.pi * VISION**2 / 20.0)


def mesa_step(agents: int) -> Callable[[], Any]:
    from mesa.examples.basic.boid_flockers.model import BoidFlockers

    size = side(agents)
    return BoidFlockers(
        population_size=agents, width=size, height=size, vision=VISION, separation=5, seed=1
    ).step


def agentpy_step(agents: int) -> Callable[[], Any]:
    import agentpy as ap

    class Bird(ap.Agent):
        def setup(self) -> None:
            self.velocity = self.model.nprandom.normal(size=2)

        def setup_space(self, space: Any) -> None:
            self.space = space
            self.neighbors = space.neighbors
            self.position = space.positions[self]

        def steer(self) -> None:
            near = list(self.neighbors(self, distance=VISION))
            if not near:
                return
            places = np.array([other.position for other in near])
            away = self.position - places
            close = np.linalg.norm(away, axis=1) < VISION / 2
            self.wish = (
                0.03 * (places.mean(axis=0) - self.position)
                + 0.05 * (np.array([other.velocity for other in near]).mean(axis=0) - self.velocity)
                + 0.015 * away[close].sum(axis=0)
            )

        def fly(self) -> None:
            self.velocity = self.velocity + getattr(self, "wish", 0.0)
            self.velocity /= max(np.linalg.norm(self.velocity), 1e-9)
            self.space.move_by(self, self.velocity)

    class Flock(ap.Model):
        def setup(self) -> None:
            size = side(agents)
            self.space = ap.Space(self, shape=(size, size), torus=True)
            self.birds = ap.AgentList(self, agents, Bird)
            self.space.add_agents(self.birds, random=True)
            self.birds.setup_space(self.space)

        def step(self) -> None:
            self.birds.steer()
            self.birds.fly()

    model = Flock({"seed": 1})
    model.sim_setup(steps=1, seed=1)
    return model.step


def once(step: Callable[[], Any], least_seconds: float) -> float:
    """Seconds per step, over at least this much time."""
    count, begun = 0, time.perf_counter()
    while time.perf_counter() - begun < least_seconds or count == 0:
        step()
        count += 1
    return (time.perf_counter() - begun) / count


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--agents", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    scenario = workload(options.agents)
    ours = mm.Simulation(scenario, seed=1)
    baseline = NumpyFlock(mm.Simulation(scenario, seed=1, backend="reference"))
    contestants: dict[str, Callable[[], Any]] = {
        "murmura": lambda: ours.step(50),
        "NumPy + cKDTree": lambda: baseline.step(1),
        "Mesa": mesa_step(options.agents),
        "AgentPy": agentpy_step(options.agents),
    }
    ours.step(50)
    best = dict.fromkeys(contestants, math.inf)
    for _ in range(options.rounds):
        for name, step in contestants.items():
            scale = 50 if name == "murmura" else 1
            best[name] = min(best[name], once(step, 0.3) / scale)
    for name, seconds in best.items():
        ratio = seconds / best["murmura"]
        if options.json:
            print(
                json.dumps({"program": name, "agents": options.agents, "ms": seconds * 1e3, "times": ratio})
            )
        else:
            print(f"{name:<18} {seconds * 1e3:>12.3f} ms a step {ratio:>10.1f} times murmura")


if __name__ == "__main__":
    main()
