"""One run of a sweep: the question common to all runs, and how one run answers it.

Input and output are plain data, so that a run gives the same result in this process, in another one or on another
machine.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Any

from murmura.core.errors import MurmuraError, ScenarioError
from murmura.engine.reading.instant import check_measure, measures_of
from murmura.engine.simulation import Simulation
from murmura.measure import measure_flock
from murmura.measure.costs import STEP, Budget
from murmura.scenario import Scenario
from murmura.scenario.rule_files import load_rule_file

POPULATION = "population"
"""Agents alive: part of every answer, because it may change in a run."""
Announce = Callable[[str], None]
SHARE = 0.2  # share of a run's time for costly measures that the user did not name
START = 50e3  # [µs] that a run takes in addition to its steps
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
            scenario.model_dump(mode="json"), steps, discard, every, unique, costly=costly, thin=thin, **more
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

    def load(self) -> Scenario:
        """The scenario, after executing the user's rule files."""
        hashes = self.rule_hashes or (None,) * len(self.rules)
        for file, expected in zip(self.rules, hashes, strict=True):
            load_rule_file(file, expected)
        return Scenario.from_data(self.scenario)


def _thinned(names: Iterable[str], agents: int, steps: int, instants: int) -> tuple[tuple[str, ...], int]:
    """The costly measures, and the interval of instants at which they are affordable."""
    budget = Budget.of(names, agents)
    run = steps * STEP(agents) + START
    affordable = max(1.0, SHARE * run / budget.costly_cost)
    return (tuple(budget.costly), math.ceil(instants / affordable)) if affordable < instants else ((), 1)


def check_measures(names: Iterable[str], scenario: Scenario) -> None:
    """Refuse measures that do not apply to this scenario."""
    for name in names:
        try:
            check_measure(name, scenario)
        except ValueError as error:
            raise ScenarioError(f"no measure is called {name!r}: {error}") from None


def answer(question: dict[str, Any], task: dict[str, Any]) -> dict[str, Any]:
    """Execute one run and return its row: time averages of the measures, or an error."""
    begun = time.perf_counter()
    try:
        spec = Question.from_data(question)
        simulation = Simulation(
            spec.load().with_values(task["values"]),
            task["seed"],
            spec.backend,
            spec.threads,
        )
        outcome: dict[str, Any] = {
            "measures": averages(simulation, spec),
            "hash": simulation.state_hash(),
        }
    except Exception as error:  # a user's rule or measure may raise anything; other runs continue
        outcome = {
            "error": str(error) if isinstance(error, MurmuraError) else f"{type(error).__name__}: {error}"
        }
    return task | outcome | {"seconds": round(time.perf_counter() - begun, 4)}


def averages(simulation: Simulation, question: Question) -> dict[str, float | None]:
    """Run to the end and average each measure over the measured instants where it is defined."""
    totals = dict.fromkeys(question.measures, 0.0)
    counts = dict.fromkeys(question.measures, 0)
    every = [name for name in question.measures if name != POPULATION]
    cheap = [name for name in every if name not in question.costly]
    instants = list(range(question.steps, question.discard, -question.every))
    for k, step in reversed(list(enumerate(instants))):
        simulation.step(step - simulation.step_count)
        flock = simulation.flock()
        names = every if k % question.thin == 0 else cheap
        for name, value in (measure_flock(flock, names) | {POPULATION: float(flock.agent_count)}).items():
            if math.isfinite(value):
                totals[name] += value
                counts[name] += 1
    return {name: totals[name] / counts[name] if counts[name] else None for name in question.measures}
