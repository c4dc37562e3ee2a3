"""One run of a fit: a model with some values that starts from the animals' positions and is summarised like them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from murmura.core.state import State
from murmura.engine.ensemble import Ensemble
from murmura.engine.initial import given_start
from murmura.engine.simulation import Simulation
from murmura.lab.fit.summaries import Scope, summarize
from murmura.lab.observations import Triple, triples_of_worlds
from murmura.lab.rule_code import RuleCode, refuse_other_rules
from murmura.lab.sweeps.batches import OneOf, Row, batch_size, rows_of
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
        backend, threads, rules, rule_hashes, rule_code: As in a sweep.
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
    rule_code: RuleCode = field(default_factory=dict)

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
    def batch(self) -> int:
        """How many runs are worth a batch."""
        return min(
            batch_size(int(model["agents"]), self.seconds / float(model["motion"]["time_step"]), self.backend)
            for model in self.scenarios
        )

    @property
    def scope(self) -> Scope:
        return Scope(self.measures, self.interval, self.reach, self.radius)

    @cached_property
    def models(self) -> list[Scenario]:
        """The models, after executing the user's rule files."""
        for file, expected in zip(self.rules, self.rule_hashes, strict=True):
            load_rule_file(file, expected)
        models = [Scenario.from_data(data) for data in self.scenarios]
        refuse_other_rules(self.rule_code, models)
        return models

    def answers(self, tasks: list[Row]) -> list[Row]:
        """Execute some runs and return their rows: what was measured, or an error."""

        def alone(task: Row, scenario: Scenario) -> Row:
            simulation = _begun(self, task, scenario)
            triples = _triples(simulation.step, lambda: [simulation.flock()], scenario.motion.time_step, self)
            return _outcome(triples[0], self)

        def together(runs: list[OneOf]) -> list[Row]:
            plans, seeds = [run.plan for run in runs], [run.task["seed"] for run in runs]
            states = [_start(self, run) for run in runs] if self.starts else None
            ensemble = Ensemble.of_plans(plans, seeds, states, self.threads)
            step = plans[0].scenario.motion.time_step
            return [_outcome(each, self) for each in _triples(ensemble.step, ensemble.flocks, step, self)]

        def scenario_of(task: Row) -> Scenario:
            return _sized(self, task, models[task["model"]].with_values(task["values"]))

        models = self.models
        return rows_of(tasks, self.backend, scenario_of, alone, together)


def _outcome(triples: list[Triple], asked: FitQuestion) -> dict[str, Any]:
    found = summarize(triples, asked.scope)
    return {"summaries": {name: _plain(values) for name, values in found.items()}}


def simulation_of(asked: FitQuestion, task: Row, announce: Any = None) -> Simulation:
    """The simulation of a task, at its start."""
    return _begun(asked, task, asked.models[task["model"]].with_values(task["values"]), announce)


def _begun(asked: FitQuestion, task: Row, scenario: Scenario, announce: Any = None) -> Simulation:
    if not asked.starts:
        return Simulation(scenario, task["seed"], asked.backend, asked.threads, announce=announce)
    places, velocities = _vectors(asked, task, scenario)
    return Simulation(
        scenario, task["seed"], asked.backend, asked.threads, positions=places, velocities=velocities,
        announce=announce,
    )  # fmt: skip


def _vectors(asked: FitQuestion, task: Row, scenario: Scenario) -> tuple[Any, Any]:
    """Where the animals are at the start of a task, and their velocities."""
    rows = np.array(asked.starts[task["seed"] % len(asked.starts)], np.float64).reshape(-1, 4)
    return rows[:, :2], rows[:, 2:] / (scenario.motion.stride / scenario.motion.time_step)


def _start(asked: FitQuestion, run: OneOf) -> State:
    return given_start(
        run.plan.scenario, run.task["seed"], *_vectors(asked, run.task, run.plan.scenario), None, None
    )


def _sized(asked: FitQuestion, task: Row, scenario: Scenario) -> Scenario:
    """The scenario with as many agents as its task starts with."""
    if not asked.starts:
        return scenario
    agents = len(asked.starts[task["seed"] % len(asked.starts)])
    return scenario if scenario.agents == agents else scenario.with_values({"agents": agents})


def _triples(
    step: Callable[[int], None], flocks: Callable[[], list[Flock]], time_step: float, asked: FitQuestion
) -> list[list[Triple]]:
    """Step worlds to the end and observe evenly spaced instants, with the times before and, if needed, after them."""
    apart = max(1, round(asked.interval / time_step))
    first, last = math.ceil(asked.discard / time_step) + apart, max(1, round(asked.seconds / time_step))
    middles = np.unique(np.linspace(first, max(last, first), asked.instants).astype(int))
    later = apart if asked.scope.looks_ahead else 0
    return triples_of_worlds(step, flocks, middles.tolist(), apart, later, apart * time_step, asked.radius)


def _plain(values: Any) -> list[float | None] | None:
    """Numbers in the form of JSON."""
    if values is None:
        return None
    return [float(f"{value:.9g}") if math.isfinite(value) else None for value in values.tolist()]
