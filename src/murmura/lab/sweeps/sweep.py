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
from murmura.lab.damage import refuse
from murmura.lab.interrupts import Interrupts
from murmura.lab.progress import reported
from murmura.lab.sweeps.axes import listed_axes, read_axes
from murmura.lab.sweeps.density import Density
from murmura.lab.sweeps.design import SEARCH, Design
from murmura.lab.sweeps.dry_run import dry_run_sweep
from murmura.lab.sweeps.executors import Executor, check_executor, make_executor
from murmura.lab.sweeps.folder import SCENARIO, Sweep, claimed, is_sweep
from murmura.lab.sweeps.one_run import Announce, Question
from murmura.lab.sweeps.rows import Row, Rows
from murmura.lab.sweeps.statistics import ERRORS
from murmura.scenario import Scenario, load_scenario
from murmura.scenario.rule_files import load_rule_file, rule_source

Progress = Callable[[int, int], None]
MOST_CELLS_LOOKED_AT = 50
BATCHES = 3
"""The least number of batches for each worker, so that none is idle at the end for long."""
ANSWER_SECONDS = 0.2
"""How soon Ctrl-C is answered while runs are under way."""
FEW = 16


def silent(text: str) -> None:
    pass


def sweep(
    scenario: Scenario | str | Path,
    vary: list[str] | dict[str, Any],
    steps: int,
    out: str | Path,
    *,
    design: str = "grid",
    samples: int | None = None,
    repeats: int = 1,
    seed: int = 0,
    measures: list[str] | None = None,
    discard: int | None = None,
    every: int | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
    backend: str = "auto",
    threads: int = 1,
    rules: Iterable[str | Path] = (),
    source: str | None = None,
    changes: dict[str, Any] | None = None,
    constant_density: bool = False,
    sure: bool = False,
    progress: Progress | None = None,
    announce: Announce = silent,
) -> Sweep:
    """Run a scenario over ranges of values. Repeating the call continues an interrupted sweep.

    Args:
        scenario: A scenario, or the name or path of one.
        vary: Strings in the syntax of `--vary`, or a dictionary from paths to lists of values.
        steps: Number of steps of each run.
        out: The folder: new, empty, or that of the same sweep.
        design: "grid", "lhs", "sobol", "saltelli" or "morris".
        samples: Number of points, for designs other than a grid.
        repeats: Number of runs per cell, with independent seeds.
        seed: Determines the seeds of all runs, and the points of random designs.
        measures: Names of measures; by default all, the costly ones at fewer instants.
        discard: Initial steps that are not measured; by default half.
        every: Steps between two measured instants; by default chosen for twenty instants.
        workers: Number of processes; by default one per core. 0: run in this process.
        scheduler: Address of a Dask scheduler that distributes the runs instead.
        backend: Backend of each run, as for `Simulation`.
        threads: Threads per run, as for `Simulation`.
        rules: Your files that register rules and measures.
        source: The scenario on a command line, for replay commands.
        changes: Values that a command line changes in it.
        constant_density: Whether the sides of the world follow `agents`, which must be varied.
        sure: Confirms a very large number of runs.
        progress: Called with the number of finished runs and their total; by default shown on standard error.
        announce: Called with a line of text that a user should see.

    Returns:
        The finished sweep. Failed runs have an `error` in their rows; calling again retries them.
    """
    check_executor(workers, scheduler)
    prepared = prepare(
        scenario, vary, steps, design=design, samples=samples, repeats=repeats, seed=seed, measures=measures,
        discard=discard, every=every, backend=backend, threads=threads, rules=rules, source=source, changes=changes,
        constant_density=constant_density,
    )  # fmt: skip
    if prepared[0].thinning_note:
        announce(prepared[0].thinning_note)
    tell = print_notice if announce is silent else announce  # wrong science must not go unnoticed
    for line in hidden_cells(Scenario.from_data(prepared[0].scenario), prepared[1]):
        tell(line)
    if not is_sweep(out):
        dry_run_sweep(prepared[0], prepared[1], workers, scheduler is not None, sure, announce)
    with claimed(out, *prepared, announce=announce) as made, reported(progress, "runs") as report:
        _work(made, workers, scheduler, report, announce)
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
    if there.kind == SEARCH:
        from murmura.lab.search import resume_search

        return resume_search(there, question, workers, scheduler, progress, announce)
    with (
        claimed(folder, question, there.design, there.start, announce=announce) as made,
        reported(progress, "runs") as report,
    ):
        _work(made, workers, scheduler, report, announce)
    return made


def prepare(
    scenario: Scenario | str | Path,
    vary: list[str] | dict[str, Any],
    steps: int,
    *,
    design: str,
    samples: int | None,
    repeats: int,
    seed: int,
    measures: list[str] | None,
    discard: int | None,
    every: int | None,
    backend: str,
    threads: int,
    rules: Iterable[str | Path],
    source: str | None,
    changes: dict[str, Any] | None,
    constant_density: bool = False,
) -> tuple[Question, Design, dict[str, Any]]:
    """Check everything that can be checked without running."""
    files = tuple(rule_source(file) for file in rules)
    # Changing rules would mix two sweeps, so the hashes of their files are part of the question.
    texts = tuple(load_rule_file(file) for file in files)
    if not isinstance(scenario, Scenario):
        source = source or str(scenario)
        scenario = load_scenario(scenario)
    changes = changes or {}
    scenario = scenario.with_values(changes)
    for line in scenario.switched_on():
        print_notice(line)
    axes = listed_axes(vary, scenario) if isinstance(vary, dict) else read_axes(vary, scenario)
    question = Question.checked(
        scenario,
        steps,
        discard,
        every,
        measures,
        backend=backend,
        threads=threads,
        rules=files,
        rule_hashes=texts,
    )
    same = {axis.path for axis in axes} & set(question.measures)
    if same:
        raise ScenarioError(
            f"{same.pop()} is the name of both a varied path and a measure; register the measure under another name"
        )
    hashes = list(texts)
    start = {"source": source or SCENARIO, "changes": changes, "rules": list(files), "rule_hashes": hashes}
    density = Density.of(scenario, axes) if constant_density else None
    return question, Design(axes, design, samples, repeats, seed, density), start


def _work(
    made: Sweep, workers: int | None, scheduler: str | None, progress: Progress | None, announce: Announce
) -> None:
    with closing(made.rows(writable=True, on_damage=lambda damage: announce(f"{damage}"))) as rows:
        count = sum(1 for run in range(made.design.run_count) if run not in rows)
        if count:
            todo = (run for run in range(made.design.run_count) if run not in rows)
            executor = make_executor(made.question, workers, scheduler, announce)
            try:
                do_runs(map(made.design.task, todo), count, executor, rows, progress)
            finally:
                executor.close()
    made.write_tables()
    for line in too_short(made):
        announce(line)


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
