"""One run of a fit: a model with some values that starts from the animals' positions and is summarised like them."""

from __future__ import annotations

import math
import time
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from murmura.core.errors import MurmuraError
from murmura.engine.simulation import Simulation
from murmura.lab.fit.summaries import Scope, Triple, summarize
from murmura.lab.fit.target import triple_of
from murmura.measure import Flock
from murmura.scenario import Scenario
from murmura.scenario.rule_files import load_rule_file

KIND = "fit"


@dataclass(frozen=True)
class FitQuestion:
    """The settings common to all runs of a fit.

    Attributes:
        scenarios: The models as plain data, before values are varied.
        seconds: Simulated time of a run [s].
        discard: Initial time that is not compared [s].
        instants: Number of instants at which it is compared.
        measures, interval, reach, radius: As in `Scope`.
        starts: Rows x, y, vx, vy of all agents, for several starts; if empty, the scenarios' own starts.
        backend, threads, rules, rule_hashes: As in a sweep.
    """

    scenarios: tuple[dict[str, Any], ...]
    seconds: float
    discard: float
    instants: int
    measures: tuple[str, ...]
    interval: float
    reach: float
    radius: float
    starts: tuple[Any, ...] = ()
    backend: str = "auto"
    threads: int = 1
    rules: tuple[str, ...] = ()
    rule_hashes: tuple[str, ...] = ()

    def data(self) -> dict[str, Any]:
        return {key: list(v) if isinstance(v, tuple) else v for key, v in asdict(self).items()} | {
            "kind": KIND
        }

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> FitQuestion:
        found: dict[str, Any] = {key: value for key, value in data.items() if key != "kind"}
        found |= {key: tuple(value) for key, value in found.items() if isinstance(value, list)}
        return cls(**found)

    @property
    def scope(self) -> Scope:
        return Scope(self.measures, self.interval, self.reach, self.radius)

    def model(self, number: int) -> Scenario:
        """A model, after executing the user's rule files."""
        for file, expected in zip(self.rules, self.rule_hashes, strict=True):
            load_rule_file(file, expected)
        return Scenario.from_data(self.scenarios[number])


def answer(question: dict[str, Any], task: dict[str, Any]) -> dict[str, Any]:
    """Execute one run and return its row: its summaries or an error."""
    begun = time.perf_counter()
    try:
        asked = FitQuestion.from_data(question)
        simulation = simulation_of(asked, task)
        found = summarize(instants_of(simulation, asked), asked.scope)
        outcome: dict[str, Any] = {"summaries": {name: _plain(values) for name, values in found.items()}}
    except Exception as error:  # a combination of values may be invalid; the other runs continue
        outcome = {
            "error": str(error) if isinstance(error, MurmuraError) else f"{type(error).__name__}: {error}"
        }
    return task | outcome | {"seconds": round(time.perf_counter() - begun, 4)}


def simulation_of(asked: FitQuestion, task: dict[str, Any], announce: Any = None) -> Simulation:
    """The simulation of a task, at its start."""
    scenario = asked.model(task["model"]).with_values(task["values"])
    if not asked.starts:
        return Simulation(scenario, task["seed"], asked.backend, asked.threads, announce=announce)
    rows = np.array(asked.starts[task["seed"] % len(asked.starts)], np.float64).reshape(-1, 4)
    pace = scenario.motion.stride / scenario.motion.time_step
    return Simulation(
        scenario, task["seed"], asked.backend, asked.threads, positions=rows[:, :2],
        velocities=rows[:, 2:] / pace, announce=announce,
    )  # fmt: skip


def instants_of(simulation: Simulation, asked: FitQuestion) -> list[Triple]:
    """Step to the end and observe evenly spaced instants, with the times before and, if needed, after them."""
    step = simulation.scenario.motion.time_step
    apart = max(1, round(asked.interval / step))
    first, last = math.ceil(asked.discard / step) + apart, max(1, round(asked.seconds / step))
    middles = np.unique(np.linspace(first, max(last, first), asked.instants).astype(int))
    later = apart if asked.scope.looks_ahead else 0
    triples, seen = [], dict[int, Flock]()
    for middle in middles.tolist():
        flocks = []
        for when in (middle - apart, middle, middle + later):
            if when not in seen:
                simulation.step(when - simulation.step_count)
                seen[when] = simulation.flock()
            flocks.append(seen[when])
        before, now, after = flocks
        triples.append(triple_of(before, now, after, apart * step, asked.radius))
        seen = {when: flock for when, flock in seen.items() if when >= middle}
    return triples


def _plain(values: Any) -> list[float | None] | None:
    """Numbers in the form of JSON."""
    if values is None:
        return None
    return [float(f"{value:.9g}") if math.isfinite(value) else None for value in values.tolist()]
