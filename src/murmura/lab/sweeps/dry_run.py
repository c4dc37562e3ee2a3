"""Checks a sweep before its first run: whether its cells are valid, and roughly how long it will take."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from murmura.core.errors import ScenarioError
from murmura.engine.simulation import Simulation
from murmura.lab.sweeps.design import MOST_RUNS, SEARCH, Design
from murmura.lab.sweeps.one_run import POPULATION, Question, averages
from murmura.lab.sweeps.request import Announce, RunsRequest
from murmura.measure import measure_flock
from murmura.scenario import Scenario

MANY_RUNS = 100_000
"""From this number of runs on, a design must be confirmed."""
CHECKED_CELLS = 500
DRY_RUN_AGENTS = 200
LOOK_AGENTS = 2000
LONGEST_LOOK = 0.5  # [s] spent on the estimate


def dry_run_sweep(question: Question, design: Design, request: RunsRequest) -> None:
    """Raise for a sweep that cannot work, before anything is written: values out of range, a missing backend, a rule
    that does not compile, or a design so large that it is probably a mistake."""
    if design.run_count > MOST_RUNS:
        raise ScenarioError(
            f"this design has {design.run_count:,} runs, expected at most {MOST_RUNS:,}: lower the counts"
        )
    if design.run_count >= MANY_RUNS and not request.sure:
        estimate = _estimate(question, design, request.workers)
        raise ScenarioError(
            f"this design has {design.run_count:,} runs, which would take {estimate}; "
            "add --yes if that is intended, or lower the counts"
        )
    _check_cells(question, design)
    if request.scheduler is None:
        _first_cell(question, design, request.announce)


def _check_cells(question: Question, design: Design) -> None:
    scenario = question.base
    if design.kind == SEARCH:
        shares = ([0.0] * len(design.axes), [1.0] * len(design.axes))
        cells = [{a.path: a.at(u) for a, u in zip(design.axes, share, strict=True)} for share in shares]
    else:
        few = np.linspace(0, design.cell_count - 1, min(design.cell_count, CHECKED_CELLS)).astype(int)
        cells = [design.cell(int(k)) for k in few]
    for values in cells:
        try:
            scenario.with_values(values)
        except ScenarioError as error:
            shown = ", ".join(f"{path}={value}" for path, value in values.items())
            raise ScenarioError(f"with {shown}: {error}") from None


def _first_cell(question: Question, design: Design, announce: Announce) -> None:
    """Run a small flock with the first cell's rules: compile the kernel once for all workers, and test the measures."""
    values = design.cell(0) if design.kind != SEARCH else {a.path: a.at(0.0) for a in design.axes}
    scenario = question.base.with_values(values)
    small = scenario.with_values({"agents": min(scenario.agents, DRY_RUN_AGENTS)})
    simulation = Simulation(small, 0, question.backend, question.threads, announce=announce)
    try:
        averages(simulation, replace(question, steps=1, discard=0, every=1))
    except ValueError as error:  # a user's measure that does not return a number
        raise ScenarioError(str(error)) from None


def _estimate(question: Question, design: Design, workers: int | None) -> str:
    """The estimated duration of a design, from part of a run in the middle of it."""
    from murmura.compute.machine import available_cores

    middle = question.base.with_values({axis.path: axis.at(0.5) for axis in design.axes})
    # A large flock might not fit into memory; a smaller one is enough.
    scenario = middle.with_values({"agents": min(middle.agents, LOOK_AGENTS)})
    larger = max(1.0, middle.agents / LOOK_AGENTS)
    averages(
        _simulation(question, scenario), replace(question, steps=1, discard=0, every=1)
    )  # compiles, imports
    begun = time.perf_counter()
    simulation = _simulation(question, scenario)
    built = time.perf_counter()
    while simulation.step_count < question.steps and time.perf_counter() - built < LONGEST_LOOK:
        simulation.step(1)
    each_step = (time.perf_counter() - built) / max(simulation.step_count, 1)
    look = time.perf_counter()
    measure_flock(simulation.flock(), [name for name in question.measures if name != POPULATION])
    looks = (question.steps - question.discard) / question.every * (time.perf_counter() - look)
    each = built - begun + (question.steps * each_step + looks) * larger
    most = max(1, available_cores() // question.threads)
    return readable_time(design.run_count * each / min(workers or most, most)) + " here"


def _simulation(question: Question, scenario: Scenario) -> Simulation:
    return Simulation(scenario, 0, question.backend, question.threads)


def readable_time(seconds: float) -> str:
    """A readable duration."""
    for unit, length in (("years", 31_557_600.0), ("days", 86_400.0), ("hours", 3_600.0), ("minutes", 60.0)):
        if seconds >= 2.0 * length:
            return f"about {seconds / length:,.0f} {unit}"
    return f"about {seconds:.0f} seconds"
