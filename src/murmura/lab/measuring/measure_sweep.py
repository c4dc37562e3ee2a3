"""Measures over time of a sweep: its runs are repeated, since a sweep keeps numbers and no frames.

A run is a function of its values and seed, so it is the same run; its state hash is compared with that in the table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from murmura.core.errors import RunError, ScenarioError
from murmura.engine.simulation import Simulation
from murmura.lab.measuring.files import Line, lines_of
from murmura.lab.measuring.frames import Measured, Report, Source, check_names, measured_by, together
from murmura.lab.measuring.measure_run import dataset_of, usual_of
from murmura.lab.sweeps.folder import Sweep
from murmura.lab.sweeps.one_run import Question
from murmura.lab.sweeps.request import Announce
from murmura.lab.sweeps.rows import Row
from murmura.measure.time.catalog import Gathering
from murmura.scenario import Scenario

if TYPE_CHECKING:
    import xarray

Cell = tuple[dict[str, Any], Measured]
"""The values of a cell, and what was found in its runs."""


def measure_sweep(
    sweep: Sweep,
    names: Iterable[str] | None = None,
    *,
    discard: float | None = None,
    rules: Iterable[str | Path] = (),
    progress: Report | None = None,
    announce: Announce = lambda text: None,
) -> list[Cell]:
    """Repeat the finished runs of a sweep and measure them over time, at the instants at which the sweep measured.

    Args:
        sweep: The sweep.
        names: As for `measure_run`.
        discard: The time at the beginning that does not count [s]; by default that of the sweep.
        rules: The rule files that the sweep was started with.
        progress: Called with the number of runs done and their total.
        announce: Called with a line of text that a user should see.

    Returns:
        For each cell its values and what was found: means over its runs, with the errors of these means.
    """
    question = sweep.trusting(rules)
    scenario = question.base
    if discard is not None:
        question = replace(question, discard=_steps(discard, question, scenario))
    usual = Source(lambda first: iter(()), 0, 1.0, (), tuple(scenario.species_names()), usual_of(scenario))
    chosen = check_names(names, usual)
    with closing(sweep.rows()) as rows:
        done = [row for row in rows if "error" not in row]
    if not done:
        raise RunError(f"no run of the sweep in {sweep.folder} is finished; continue it first")
    cells, ready = [], 0
    for _, group in groupby(done, key=lambda row: row["run"] // sweep.design.repeats):
        members, found = list(group), []
        for row in members:
            found.append(_repeated(row, question, scenario.with_values(row["values"]), chosen, announce))
            ready += 1
            if progress is not None:
                progress(ready, len(done))
        cells.append((dict(members[0]["values"]), together(found)))
    return cells


def _steps(discard: float, question: Question, scenario: Scenario) -> int:
    steps = round(discard / scenario.motion.time_step)
    if not 0 <= steps < question.steps:
        end = question.steps * scenario.motion.time_step
        raise ScenarioError(f"--discard takes 0 to less than the {end:g} s of a run, got {discard:g}")
    return steps


def _repeated(
    row: Row, question: Question, scenario: Scenario, names: Iterable[str], announce: Announce
) -> Measured:
    simulation = Simulation(scenario, row["seed"], question.backend, question.threads)
    instants = range(question.steps, question.discard, -question.every)[::-1]
    gathering = Gathering(names, species=scenario.species_names())
    for when in instants:
        simulation.step(when - simulation.step_count)
        gathering.add(simulation.flock())
    if row["hash"] != simulation.state_hash():
        announce(
            f"run {row['run']} ended in another state than when the sweep was made: murmura or the machine is "
            "another. Its measures are those of the new run"
        )
    step = scenario.motion.time_step
    found = measured_by(gathering, question.every * step, len(instants))
    return replace(found, discarded=(instants[0] - question.every) * step)


def cell_lines(cells: Iterable[Cell]) -> Iterator[Line]:
    """The long table of all cells: the number of the cell and its values come first."""
    for number, (values, measured) in enumerate(cells):
        for line in lines_of(measured):
            yield {"cell": number, **values, **line}


def dataset_of_cells(cells: list[Cell], facts: dict[str, Any]) -> xarray.Dataset:
    """One dataset along the cells; curves of cells at other places are NaN there."""
    import xarray

    parts = [
        dataset_of(measured, facts).assign({path: ((), value) for path, value in values.items()})
        for values, measured in cells
    ]
    return xarray.concat(
        parts, "cell", join="outer", combine_attrs="override", data_vars="all", coords="minimal"
    )
