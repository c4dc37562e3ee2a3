"""A sweep: many runs of a scenario over ranges of values, in a folder that can always be resumed.

Only this process writes. A run is a function of its values and seed, so a lost run is simply repeated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import closing, nullcontext
from itertools import islice
from pathlib import Path
from typing import Any

from murmura.core.errors import MurmuraError, ScenarioError
from murmura.core.notices import print_notice
from murmura.core.request import takes
from murmura.lab.damage import refuse
from murmura.lab.interrupts import Interrupts
from murmura.lab.progress import reported
from murmura.lab.sweeps.axes import listed_axes, read_axes
from murmura.lab.sweeps.density import Density
from murmura.lab.sweeps.design import SEARCH, Design
from murmura.lab.sweeps.dry_run import dry_run_sweep
from murmura.lab.sweeps.executors import Executor, make_executor
from murmura.lab.sweeps.folder import SCENARIO, Sweep, claimed, is_sweep
from murmura.lab.sweeps.one_run import Question
from murmura.lab.sweeps.request import Announce, Execution, Progress, RunsRequest, SweepRequest, silent
from murmura.lab.sweeps.rows import Row, Rows
from murmura.lab.sweeps.statistics import ERRORS
from murmura.scenario import Scenario, load_scenario
from murmura.scenario.rule_files import load_rule_file, rule_source

MOST_CELLS_LOOKED_AT = 50
BATCHES = 3
"""The least number of batches for each worker, so that none is idle at the end for long."""
ANSWER_SECONDS = 0.2
"""How soon Ctrl-C is answered while runs are under way."""
FEW = 16
Start = dict[str, Any]


@takes(SweepRequest)
def sweep(request: SweepRequest) -> Sweep:
    """Run a scenario over ranges of values. Repeating the call continues an interrupted sweep.

    Returns:
        The finished sweep. Failed runs have an `error` in their rows; calling again retries them.

    Args:
        scenario: A scenario, or the name or path of one.
        vary: Strings in the syntax of `--vary`, or a dictionary from paths to lists of values.
        steps: Number of steps of each run.
        out: The folder: new, empty, or that of the same sweep.
    """
    return run_design(request, request.design, request.samples, request.constant_density)


def run_design(request: RunsRequest, kind: str, samples: int | None, constant_density: bool = False) -> Sweep:
    """Run a design of any kind whose points are known at the beginning."""
    question, design, start = prepare(request, kind, samples, request.measure_names, constant_density)
    if question.thinning_note:
        request.announce(question.thinning_note)
    # Wrong science must not go unnoticed.
    tell = print_notice if request.announce is silent else request.announce
    for line in hidden_cells(Scenario.from_data(question.scenario), design):
        tell(line)
    return in_folder(request, question, design, start, do_all)


def in_folder(
    request: RunsRequest, question: Question, design: Design, start: Start,
    work: Callable[[Sweep, Execution, Progress], None], **more: Any,
) -> Sweep:  # fmt: skip
    """Begin or continue a task in its folder."""
    if not is_sweep(request.out):
        dry_run_sweep(question, design, request)
    return continued(request.out, question, design, start, request, work, **more)


def continued(
    folder: str | Path, question: Question, design: Design, start: Start, execution: Execution,
    work: Callable[[Sweep, Execution, Progress], None], **more: Any,
) -> Sweep:  # fmt: skip
    """Do what is left of a task in its folder."""
    with (
        claimed(folder, question, design, start, announce=execution.announce, **more) as made,
        reported(execution.progress, "runs") as report,
    ):
        work(made, execution, report)
    return made


def hidden_cells(scenario: Scenario, design: Design) -> list[str]:
    """What a user should know about varied values: rules that they switch on, and values that have no effect.

    The latter with the number of cells; for many cells, from a sample.
    """
    cells = range(0, design.cell_count, max(1, design.cell_count // MOST_CELLS_LOOKED_AT))
    told: dict[str, tuple[str, int]] = {}
    switched_on: dict[str, None] = {}
    for cell in cells:
        values = design.cell(cell)
        try:
            changed = scenario.with_values(values)
        except ScenarioError:
            continue  # the run itself will report it
        switched_on |= dict.fromkeys(changed.switched_on())
        lines = changed.hidden_values()
        for path in values:
            line = next((line for line in lines if path in line), None)
            if line is not None:
                first, count = told.get(path, (line, 0))
                told[path] = (first, count + 1)
    return [*switched_on, *(f"{count} of {len(cells)} cells: {line}" for line, count in told.values())]


def resume_sweep(
    folder: str | Path,
    workers: int | None = None,
    scheduler: str | None = None,
    progress: Progress | None = None,
    announce: Announce = silent,
    rules: Iterable[str | Path] = (),
) -> Sweep:
    """Resume the sweep in a folder; failed runs are retried.

    Args:
        folder: The folder.
        workers, scheduler, progress, announce: As for `sweep`.
        rules: The rule files that the sweep was started with. They must be unchanged, and are never executed only
            because a folder names them.
    """
    there = Sweep(Path(folder), refuse)
    question = there.trusting(rules)
    execution = Execution(workers=workers, scheduler=scheduler, progress=progress, announce=announce)
    if there.kind == SEARCH:
        from murmura.lab.search import resume_search

        return resume_search(there, question, execution)
    return continued(folder, question, there.design, there.start, execution, do_all)


def prepare(
    request: RunsRequest,
    kind: str,
    samples: int | None,
    measures: list[str] | None,
    constant_density: bool = False,
) -> tuple[Question, Design, Start]:
    """Check everything that can be checked without running."""
    files = tuple(rule_source(file) for file in request.rules)
    # Changing rules would mix two sweeps, so the hashes of their files are part of the question.
    hashes = tuple(load_rule_file(file) for file in files)
    given, changes = request.scenario, dict(request.changes or {})
    source = request.source or (SCENARIO if isinstance(given, Scenario) else str(given))
    scenario = (given if isinstance(given, Scenario) else load_scenario(given)).with_values(changes)
    for line in scenario.switched_on():
        print_notice(line)
    vary = request.vary
    axes = read_axes(vary, scenario) if isinstance(vary, list) else listed_axes(vary, scenario)
    question = Question.checked(
        scenario, request.steps, request.discard, request.every, measures, backend=request.backend,
        threads=request.threads, rules=files, rule_hashes=hashes,
    )  # fmt: skip
    same = {axis.path for axis in axes} & set(question.measures)
    if same:
        raise ScenarioError(
            f"{same.pop()} is the name of both a varied path and a measure; register the measure under another name"
        )
    start = {"source": source, "changes": changes, "rules": list(files), "rule_hashes": list(hashes)}
    density = Density.of(scenario, axes) if constant_density else None
    return question, Design(axes, kind, samples, request.repeats, request.seed, density), start


def do_all(made: Sweep, execution: Execution, progress: Progress) -> None:
    """Do the runs of a design that are not yet done."""
    with closing(made.rows(writable=True, on_damage=lambda damage: execution.announce(f"{damage}"))) as rows:
        count = sum(1 for run in range(made.design.run_count) if run not in rows)
        if count:
            todo = (run for run in range(made.design.run_count) if run not in rows)
            executor = make_executor(made.question, execution)
            try:
                do_runs(map(made.design.task, todo), count, executor, rows, progress)
            finally:
                executor.close()
    made.write_tables()
    for line in too_short(made):
        execution.announce(line)


def too_short(made: Sweep) -> list[str]:
    """A line about averages without an error in time; empty if all have one."""
    if not made.question.errors:
        return []
    missing: dict[str, int] = {}
    with closing(made.rows()) as rows:
        for row in rows:
            for name, error in row.get(ERRORS, {}).items():
                if error is None and row["measures"][name] is not None:
                    missing[name] = missing.get(name, 0) + 1
    if not missing:
        return []
    names = ", ".join(f"{name} ({count:,} runs)" for name, count in missing.items())
    return [
        f"too few independent instants for an error in time of {names}: its column is empty there. Measure more often "
        "(--every) or longer (--steps), or rely on the errors over repeats in cells.csv"
    ]


def do_runs(
    tasks: Iterator[Row], count: int, executor: Executor, rows: Rows, progress: Progress | None = None
) -> None:
    """Submit tasks and write their rows, with at most as many in flight as the executor can use.

    Ctrl-C inside `submit` or `wait` could leave one of their locks held, for which closing the executor would then wait
    for ever. So it is answered between them, unless the runs take place in this very thread.
    """
    with Interrupts() if executor.is_elsewhere else nullcontext() as interrupts:
        _do_runs(tasks, count, executor, rows, progress, interrupts)


def _do_runs(
    tasks: Iterator[Row],
    count: int,
    executor: Executor,
    rows: Rows,
    progress: Progress | None,
    interrupts: Interrupts | None,
) -> None:
    size = min(executor.batch, _share(count, executor.workers))
    waiting: dict[Future[list[Row]], list[Row]] = {}
    done = 0
    while True:
        while len(waiting) < executor.capacity and (batch := list(islice(tasks, size))):
            waiting[executor.submit(batch)] = batch
        if not waiting:
            return
        ended: set[Future[list[Row]]] = set()
        while not ended:
            ended = wait(waiting, timeout=ANSWER_SECONDS, return_when=FIRST_COMPLETED).done
            if interrupts is not None and interrupts.requested:
                raise KeyboardInterrupt
        rows_done = [row for future in ended for row in _rows(future, waiting.pop(future))]
        rows.append(rows_done)
        done += len(rows_done)
        if progress is not None:
            progress(done, count)


def _share(count: int, workers: int) -> int:
    """How many runs to put together at most: few are divided evenly, of many each worker gets several batches."""
    return max(-(-min(count, FEW) // workers), count // (BATCHES * workers))


def _rows(future: Future[list[Row]], tasks: list[Row]) -> list[Row]:
    try:
        return future.result()
    except MurmuraError:
        raise
    except Exception as error:  # a cluster lost the runs, or could not load them
        return [task | {"error": f"{type(error).__name__}: {error}"} for task in tasks]
