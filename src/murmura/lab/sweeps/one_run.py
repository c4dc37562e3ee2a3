"""One run of a sweep: the question that all runs answer, and how one run answers it.

Plain data goes in and comes out, so that a run may happen in this process, in another one or on another machine, with
the same result.
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
"""Agents alive: part of every answer, since it may change in a run."""
Announce = Callable[[str], None]
SHARE = 0.2  # of a run's time, for costly measures that the user did not name
START = 50e3  # [µs] that a run takes beside its steps
LISTS = ("measures", "rules", "costly", "rule_hashes")
SAMPLES = 20
"""Instants over which a run's measures are averaged by default."""


@dataclass(frozen=True)
class Question:
    """What every run of a sweep is asked.

    Attributes:
        scenario: The scenario as plain data, before values are varied.
        steps: How many steps a run has.
        discard: Steps at the beginning that measures leave out.
        every: Steps between two instants that are measured; the last step always is.
        measures: Names of measures.
        costly: Those of them that are taken at every `thin`-th of the instants only, counted from the last.
        backend, threads: As `Simulation` takes them.
        rules: Files that register rules and measures, which the user named.
        rule_hashes: SHA-256 of each of these files: every worker runs exactly these bytes.
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

        Unless measures are named, the costly ones are taken at fewer instants, for at most a fifth of a run's time.
        """
        if steps < 1:
            raise ScenarioError(f"expected 1 or more steps, got {steps}")
        discard = steps // 2 if discard is None else discard
        if not 0 <= discard < steps:
            raise ScenarioError(f"--discard takes 0 to {steps - 1} of {steps} steps, got {discard}")
        every = max(1, (steps - discard) // SAMPLES) if every is None else every
        if every < 1:
            raise ScenarioError(f"expected 1 or more steps between two measurements, got {every}")
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
        """Which measures are taken at fewer instants, in words; empty if none."""
        if self.thin == 1:
            return ""
        instants = len(range(self.steps, self.discard, -self.every))
        taken = len(range(0, instants, self.thin))
        return (
            f"{', '.join(self.costly)} cost more than the steps: they are taken at {taken} of {instants} instants of "
            "each run. Name measures to take them at all"
        )

    def load(self) -> Scenario:
        """The scenario, with the user's rules known to this process: runs the files of `rules`."""
        hashes = self.rule_hashes or (None,) * len(self.rules)
        for file, expected in zip(self.rules, hashes, strict=True):
            load_rule_file(file, expected)
        return Scenario.from_data(self.scenario)


def _thinned(names: Iterable[str], agents: int, steps: int, instants: int) -> tuple[tuple[str, ...], int]:
    """Which measures are costly, and at every how many instants they are affordable."""
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
    """Do one run and return its row: time averages of the measures, or what went wrong."""
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
