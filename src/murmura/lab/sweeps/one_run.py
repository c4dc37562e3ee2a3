"""One run of a sweep: the question common to all runs, and how one run answers it.

Input and output are plain data, so that a run gives the same result in this process, in another one or on another
machine.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.core.errors import ScenarioError
from murmura.engine.ensemble import Ensemble
from murmura.engine.reading.instant import check_measure, measures_of
from murmura.engine.simulation import Simulation
from murmura.lab.rule_code import RuleCode, refuse_other_rules
from murmura.lab.sweeps.batches import OneOf, Row, batch_size, rows_of
from murmura.lab.sweeps.statistics import statistics
from murmura.measure import measure_flock
from murmura.measure.costs import START, STEP, Budget, instants_apart
from murmura.scenario import Scenario
from murmura.scenario.rule_files import load_rule_file

POPULATION = "population"
"""Agents alive: part of every answer, because it may change in a run."""
SHARE = 0.2  # share of a run's time for costly measures that the user did not name
LISTS = ("measures", "rules", "costly", "rule_hashes")
SAMPLES = 20
"""Default number of instants over which measures are averaged."""


@dataclass(frozen=True)
class Question:
    """The settings common to all runs of a sweep.

    Attributes:
        scenario: The scenario as plain data, before values are varied.
        steps: Number of steps of a run.
        discard: Initial steps that are not measured.
        every: Steps between two measured instants; the last step is always measured.
        measures: Names of measures.
        costly: Those of them that are computed only at every `thin`-th instant, counted from the last.
        backend, threads: As for `Simulation`.
        rules: Files named by the user that register rules and measures.
        rule_hashes: SHA-256 of each of these files: every worker executes exactly these bytes.
        rule_code: The record of what the rules are traced to (`lab.rule_code`), which every worker compares.
        errors: Whether rows and tables have errors in time; sweeps from before these were written have none.
    """

    scenario: dict[str, Any]
    steps: int
    discard: int
    every: int
    measures: tuple[str, ...]
    backend: str = "auto"
    threads: int = 1
    rules: tuple[str, ...] = ()
    costly: tuple[str, ...] = ()
    thin: int = 1
    rule_hashes: tuple[str, ...] = ()
    rule_code: RuleCode = field(default_factory=dict)
    errors: bool = False

    @classmethod
    def checked(
        cls,
        scenario: Scenario,
        steps: int,
        discard: int | None,
        every: int | None,
        measures: list[str] | None,
        **more: Any,
    ) -> Question:
        """A question with its defaults filled in: the second half of a run, at twenty instants, all measures.

        Unless measures are named, the costly ones are computed at fewer instants, for at most a fifth of a run's time.
        """
        if steps < 1:
            raise ScenarioError(f"expected at least 1 step, got {steps}")
        discard = steps // 2 if discard is None else discard
        if not 0 <= discard < steps:
            raise ScenarioError(f"--discard takes 0 to {steps - 1} of {steps} steps, got {discard}")
        every = max(1, (steps - discard) // SAMPLES) if every is None else every
        if every < 1:
            raise ScenarioError(f"expected at least 1 step between two measurements, got {every}")
        names = measures_of(scenario) if measures is None else measures
        check_measures([name for name in names if name != POPULATION], scenario)
        unique = tuple(dict.fromkeys([*names, POPULATION]))
        costly, thin = (
            ((), 1) if measures else _thinned(names, scenario.agents, steps, (steps - discard) // every)
        )
        return cls(
            scenario.model_dump(mode="json"),
            steps,
            discard,
            every,
            unique,
            costly=costly,
            thin=thin,
            errors=True,
            **more,
        )

    def data(self) -> dict[str, Any]:
        return asdict(self) | {name: list(getattr(self, name)) for name in LISTS}

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> Question:
        return cls(**(data | {name: tuple(data.get(name, ())) for name in LISTS}))

    @property
    def thinning_note(self) -> str:
        """A message about measures that are computed at fewer instants; empty if there are none."""
        if self.thin == 1:
            return ""
        instants = len(range(self.steps, self.discard, -self.every))
        taken = len(range(0, instants, self.thin))
        return (
            f"{', '.join(self.costly)} cost more than the steps, so they are computed at {taken} of {instants} "
            "instants of each run. To compute them at all instants, name the measures"
        )

    @property
    def batch(self) -> int:
        """How many runs are worth a batch."""
        return batch_size(int(self.scenario["agents"]), self.steps, self.backend)

    @cached_property
    def base(self) -> Scenario:
        """The scenario before values are varied, after executing the user's rule files."""
        hashes = self.rule_hashes or (None,) * len(self.rules)
        for file, expected in zip(self.rules, hashes, strict=True):
            load_rule_file(file, expected)
        scenario = Scenario.from_data(self.scenario)
        refuse_other_rules(self.rule_code, [scenario])
        return scenario

    def answers(self, tasks: list[Row]) -> list[Row]:
        """Execute some runs and return their rows: what was measured, or an error."""

        def alone(task: Row, scenario: Scenario) -> Row:
            simulation = Simulation(scenario, task["seed"], self.backend, self.threads)
            return averages(simulation, self) | {"hash": simulation.state_hash()}

        def together(runs: list[OneOf]) -> list[Row]:
            plans, seeds = [run.plan for run in runs], [run.task["seed"] for run in runs]
            ensemble = Ensemble.of_plans(plans, seeds, threads=self.threads)
            found = averages_of_worlds(ensemble, self)
            return [
                row | {"hash": hashed} for row, hashed in zip(found, ensemble.state_hashes(), strict=True)
            ]

        base = self.base
        return rows_of(tasks, self.backend, lambda task: base.with_values(task["values"]), alone, together)


def _thinned(names: Iterable[str], agents: int, steps: int, instants: int) -> tuple[tuple[str, ...], int]:
    """The costly measures, and the interval of instants at which they are affordable."""
    budget = Budget.of(names, agents)
    between = (steps * STEP(agents) + START) / max(1, instants)
    thin = min(instants, math.ceil(instants_apart(budget.costly_cost, between, SHARE)))
    return (tuple(budget.costly), thin) if thin > 1 else ((), 1)


def check_measures(names: Iterable[str], scenario: Scenario) -> None:
    """Refuse measures that do not apply to this scenario."""
    for name in names:
        try:
            check_measure(name, scenario)
        except ValueError as error:
            raise ScenarioError(f"no measure is called {name!r}: {error}") from None


def averages(simulation: Simulation, question: Question) -> dict[str, Any]:
    """Run to the end and average each measure over the measured instants where it is defined; see `statistics`."""

    def measured(names: list[str]) -> dict[str, Any]:
        flock = simulation.flock()
        found = measure_flock(flock, names) | {POPULATION: float(flock.agent_count)}
        return {name: np.array([value]) for name, value in found.items()}

    return _averaged(simulation.step, measured, simulation.step_count, question)[0]


def averages_of_worlds(ensemble: Ensemble, question: Question) -> list[dict[str, Any]]:
    """The averages of each world."""

    def measured(names: list[str]) -> dict[str, Any]:
        return ensemble.measure(names) | {POPULATION: ensemble.agent_counts.astype(float)}

    return _averaged(ensemble.step, measured, ensemble.step_count, question)


def _averaged(
    step: Callable[[int], None], measured: Callable[[list[str]], dict[str, Any]], now: int, question: Question
) -> list[dict[str, Any]]:
    """Averages of worlds that are stepped together and measured together."""
    found: dict[str, list[Any]] = {name: [] for name in question.measures}
    every = [name for name in question.measures if name != POPULATION]
    cheap = [name for name in every if name not in question.costly]
    instants = list(range(question.steps, question.discard, -question.every))
    for k, when in reversed(list(enumerate(instants))):
        step(when - now)
        now = when
        for name, values in measured(every if k % question.thin == 0 else cheap).items():
            found[name].append(values)
    series = {name: np.array(values, np.float64) for name, values in found.items()}
    worlds = series[POPULATION].shape[1]
    return [_row({name: values[:, k] for name, values in series.items()}, question) for k in range(worlds)]


def _row(series: dict[str, NDArray[np.float64]], question: Question) -> dict[str, Any]:
    """Averages of one world, and what else its row says."""
    defined = {name: values[np.isfinite(values)] for name, values in series.items()}
    # Added one after the other, as they were measured.
    means = {
        name: float(np.add.accumulate(values)[-1]) / len(values) if len(values) else None
        for name, values in defined.items()
    }
    more = statistics(defined, means[POPULATION] or 0.0) if question.errors else {}
    return {"measures": means, **more}
