"""A sweep: many runs of a scenario over ranges of values, in a folder that can always be resumed.

Only this process writes. A run is a function of its values and seed, so a lost run is simply repeated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import closing
from pathlib import Path
from typing import Any

from murmura.core.errors import MurmuraError, ScenarioError
from murmura.core.notices import print_notice
from murmura.lab.damage import refuse
from murmura.lab.progress import reported
from murmura.lab.sweeps.axes import listed_axes, read_axes
from murmura.lab.sweeps.design import SEARCH, Design
from murmura.lab.sweeps.dry_run import dry_run_sweep
from murmura.lab.sweeps.executors import Executor, check_executor, make_executor
from murmura.lab.sweeps.folder import SCENARIO, Sweep, claimed, is_sweep
from murmura.lab.sweeps.one_run import Announce, Question
from murmura.lab.sweeps.rows import Row, Rows
from murmura.scenario import Scenario, load_scenario
from murmura.scenario.rule_files import load_rule_file

Progress = Callable[[int, int], None]
MOST_CELLS_LOOKED_AT = 50


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
    """Warnings about varied values that have no effect, with the number of cells; for many cells, from a sample."""
    cells = range(0, design.cell_count, max(1, design.cell_count // MOST_CELLS_LOOKED_AT))
    told: dict[str, tuple[str, int]] = {}
    for cell in cells:
        values = design.cell(cell)
        try:
            lines = scenario.with_values(values).hidden_values()
        except ScenarioError:
            continue  # the run itself will report it
        for path in values:
            line = next((line for line in lines if path in line), None)
            if line is not None:
                first, count = told.get(path, (line, 0))
                told[path] = (first, count + 1)
    return [f"{count} of {len(cells)} cells: {line}" for line, count in told.values()]


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
) -> tuple[Question, Design, dict[str, Any]]:
    """Check everything that can be checked without running."""
    files = tuple(str(Path(file).resolve()) for file in rules)
    # Changing rules would mix two sweeps, so the hashes of their files are part of the question.
    texts = tuple(load_rule_file(file) for file in files)
    if not isinstance(scenario, Scenario):
        source = source or str(scenario)
        scenario = load_scenario(scenario)
    changes = changes or {}
    scenario = scenario.with_values(changes)
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
    return question, Design(axes, design, samples, repeats, seed), start


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


def do_runs(
    tasks: Iterator[Row], count: int, executor: Executor, rows: Rows, progress: Progress | None = None
) -> None:
    """Submit tasks and write their rows, with at most as many in flight as the executor can use."""
    waiting: dict[Future[Row], Row] = {}
    done = 0
    while True:
        while len(waiting) < executor.capacity and (task := next(tasks, None)) is not None:
            waiting[executor.submit(task)] = task
        if not waiting:
            return
        ended, _ = wait(waiting, return_when=FIRST_COMPLETED)
        rows.append([_row(future, waiting.pop(future)) for future in ended])
        done += len(ended)
        if progress is not None:
            progress(done, count)


def _row(future: Future[Row], task: Row) -> Row:
    try:
        return future.result()
    except MurmuraError:
        raise
    except Exception as error:  # a cluster lost the run, or could not load it
        return task | {"error": f"{type(error).__name__}: {error}"}
