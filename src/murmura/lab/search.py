"""Searches for the values that maximize or minimize a measure (optuna's tree-structured Parzen estimator).

A search is a sweep whose cells are chosen as results arrive, a batch at a time. A trial is a function of the seed and
of the trials in earlier batches, which are the rows of the sweep, so a killed search continues to the result that it
would have had. `optuna.jsonl` is written as well, for optuna's own programs.
"""

from __future__ import annotations

from contextlib import closing
from typing import Any

from murmura.core.errors import RunError
from murmura.core.extras import needs
from murmura.core.request import takes
from murmura.lab.files.atomic_write import atomic_write
from murmura.lab.sweeps.axes import Axis
from murmura.lab.sweeps.design import SEARCH, run_seed
from murmura.lab.sweeps.executors import make_executor
from murmura.lab.sweeps.folder import Sweep
from murmura.lab.sweeps.one_run import Question
from murmura.lab.sweeps.request import Execution, OptimizeRequest, Progress
from murmura.lab.sweeps.rows import Row, Rows
from murmura.lab.sweeps.sweep import continued, do_runs, in_folder, prepare
from murmura.lab.sweeps.tables import SAFE, mean_and_error

JOURNAL = "optuna.jsonl"


@takes(OptimizeRequest)
def optimize(request: OptimizeRequest) -> Sweep:
    """Search for the values that maximize or minimize a measure.

    Repeating the call continues the search, also with more trials.

    Args:
        scenario, steps, out: As for `sweep`.
        vary: Ranges or choices, as for `sweep`.
    """
    with needs("search"):
        import optuna  # noqa: F401  # fail before hours are spent on runs
    names = list(dict.fromkeys([request.measure, *(request.measure_names or [])]))
    goal = {"measure": request.measure, "maximize": request.maximize is not None, "batch": request.batch}
    return in_folder(request, *prepare(request, SEARCH, request.trials, names), _search, goal=goal)


def resume_search(there: Sweep, question: Question, execution: Execution) -> Sweep:
    """Continue a search that `resume_sweep` has opened; its rule files are trusted."""
    goal = there.goal.model_dump()
    return continued(there.folder, question, there.design, there.start, execution, _search, goal=goal)


def best_cell(made: Sweep) -> Row:
    """The line of the best trial: its values, measures and replay command."""
    name, maximize = made.goal.measure, made.goal.maximize
    lines = [line for line in made.cells() if line[name] is not None]
    if not lines:
        raise RunError(
            f"no trial in {made.folder} reached a value of {name}; see the column error in its table"
        )
    return (max if maximize else min)(lines, key=lambda line: line[name])


def _search(made: Sweep, execution: Execution, progress: Progress) -> None:
    trials, batch = made.design.cell_count, made.goal.batch
    with closing(made.rows(writable=True, on_damage=lambda damage: execution.announce(f"{damage}"))) as rows:
        todo = sum(1 for run in range(made.design.run_count) if run not in rows)
        executor = make_executor(made.question, execution) if todo else None
        study = _study(made)
        done = 0
        try:
            for first in range(0, trials, batch):
                numbers = range(first, min(first + batch, trials))
                asked = {number: _ask(made, study, number, rows) for number in numbers}
                tasks = [task for number in numbers for task in _tasks(made, number, asked[number][1], rows)]
                if executor is not None and tasks:
                    do_runs(iter(tasks), len(tasks), executor, rows, _further(progress, done, todo))
                    done += len(tasks)
                for number in numbers:
                    _tell(made, study, asked[number][0], number, rows)
        finally:
            if executor is not None:
                executor.close()
    _write_journal(made, study)
    made.write_tables()


def _further(progress: Progress, before: int, todo: int) -> Progress:
    """Converts the progress of a batch into that of the whole search."""
    return lambda now, _: progress(before + now, todo)


def _study(made: Sweep, storage: Any = None) -> Any:
    with needs("search"):
        import optuna
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    direction = "maximize" if made.goal.maximize else "minimize"
    return optuna.create_study(direction=direction, storage=storage, study_name=f"murmura {made.folder.name}")


def _ask(made: Sweep, study: Any, number: int, rows: Rows) -> tuple[Any, dict[str, Any]]:
    """A trial and its values by path, from its row if there is one."""
    from optuna.samplers import TPESampler

    repeats = made.design.repeats
    seed = run_seed(made.design.seed, number, 2**31) % 2**32
    study.sampler = TPESampler(seed=seed)
    trial = study.ask()
    values = {axis.path: _suggest(trial, axis) for axis in made.design.axes}
    known = next((row for k in range(repeats) if (row := rows.get(number * repeats + k)) is not None), None)
    return trial, values if known is None else known["values"]


def _suggest(trial: Any, axis: Axis) -> Any:
    if axis.choices:
        return axis.choices[trial.suggest_categorical(axis.path, list(range(len(axis.choices))))]
    if axis.whole:
        return trial.suggest_int(axis.path, int(axis.low), int(axis.high), log=axis.log)
    return float(f"{trial.suggest_float(axis.path, axis.low, axis.high, log=axis.log):.10g}")


def _tasks(made: Sweep, number: int, values: dict[str, Any], rows: Rows) -> list[Row]:
    repeats = made.design.repeats
    return [
        {
            "run": number * repeats + repeat,
            "values": values,
            "seed": run_seed(made.design.seed, number, repeat),
        }
        for repeat in range(repeats)
        if number * repeats + repeat not in rows
    ]


def _tell(made: Sweep, study: Any, trial: Any, number: int, rows: Rows) -> None:
    from optuna.trial import TrialState

    repeats, name = made.design.repeats, made.goal.measure
    found = [row for k in range(repeats) if (row := rows.get(number * repeats + k)) is not None]
    value, _ = mean_and_error(row.get("measures", {}).get(name) for row in found)
    if value is None:
        study.tell(trial, state=TrialState.FAIL)
    else:
        study.tell(trial, value)


def _write_journal(made: Sweep, study: Any) -> None:
    """Write the whole study for optuna's own programs."""
    from optuna.storages import journal

    with atomic_write(made.folder / JOURNAL, comfort=SAFE) as (temporary,):
        _study(made, journal.JournalStorage(journal.JournalFileBackend(str(temporary)))).add_trials(
            [trial for trial in study.get_trials(deepcopy=False) if trial.state.is_finished()]
        )
