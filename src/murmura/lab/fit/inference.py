"""Approximate Bayesian computation by sequential Monte Carlo (Toni et al. 2009), with pyABC.

Values are drawn from the prior, simulated, summarised and compared with the animals. Each generation perturbs the
accepted values and accepts only closer results. With two models, their shares of the accepted runs are their
probabilities.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import closing
from typing import Any

import numpy as np

from murmura.core.errors import RunError
from murmura.engine.simulation import Simulation
from murmura.lab.fit.folder import BEST, Fit, write_result
from murmura.lab.fit.one_fit_run import simulation_of
from murmura.lab.fit.sampler import Candidates, executor_sampler
from murmura.lab.fit.summaries import distance_of
from murmura.lab.sweeps.design import run_seed
from murmura.lab.sweeps.executors import Executor, make_executor
from murmura.lab.sweeps.rows import Row, Rows
from murmura.lab.sweeps.sweep import do_runs

Announce = Callable[[str], None]
Progress = Callable[[int, int], None]
LEAST_ACCEPTANCE = 0.01
"""Least share of accepted candidates; below it the fit ends, because the next generation would take too many runs."""


def infer(
    made: Fit, workers: int | None, scheduler: str | None, progress: Progress | None, announce: Announce
) -> None:
    """Run the inference of a fit in its folder, or continue it, and write the result."""
    with closing(made.rows(writable=True, on_damage=lambda damage: announce(f"{damage}"))) as rows:
        executor = make_executor(made.question, workers, scheduler, announce)
        try:
            candidates = _candidates(made, rows, executor, progress)
            generations = _generations(made, candidates, announce)
            lines = _posterior(candidates)
            drawn = _predict(made, lines, candidates.do)
        finally:
            executor.close()
    best = min(lines, key=lambda line: line["distance"])
    write_result(
        made.folder,
        {
            "generations": generations,
            "posterior": lines,
            "predictions": drawn,
            "best": best["run"],
            "runs": candidates.number,
        },
    )
    found = Fit(made.folder)
    found.question = made.question
    found.write_table()
    _record_best(found, best)


def _candidates(made: Fit, rows: Rows, executor: Executor, progress: Progress | None) -> Candidates:
    manifest = made.manifest
    expected = int(manifest["population"]) * (int(manifest["generations"]) + 1) + int(manifest["predictions"])

    def do(tasks: list[Row]) -> list[Row]:
        todo = [task for task in tasks if task["run"] not in rows]
        if todo:
            do_runs(iter(todo), len(todo), executor, rows)
        found = [rows.get(task["run"]) for task in tasks]
        for task, row in zip(tasks, found, strict=True):
            if row is None or any(row[key] != task[key] for key in ("model", "values", "seed")):
                raise RunError(
                    f"{rows.path} contains run {task['run']} with other values than this fit draws: another version of "
                    "pyABC, NumPy or SciPy draws differently. Start again in another folder"
                )
        if progress is not None:
            done = len(rows)
            progress(done, max(done, expected))
        return [row for row in found if row is not None]

    def read(model: int, parameters: Any) -> dict[str, Any]:
        return {axis.path: axis.at(float(parameters[f"p{k}"])) for k, axis in enumerate(made.axes[model])}

    return Candidates(
        do, read, made.question.measures, int(manifest["seed"]), int(manifest["batch"]), made.most
    )  # fmt: skip


def _generations(made: Fit, candidates: Candidates, announce: Announce) -> list[dict[str, Any]]:
    """Run all generations; describe each. The accepted runs of the last one are then in `candidates`."""
    manifest = made.manifest
    inference = _inference(made, candidates)
    kept: list[Any] = []
    found: list[dict[str, Any]] = []
    begun = inference.initialize_components_before_run(
        minimum_epsilon=0.0, max_nr_populations=int(manifest["generations"]), min_acceptance_rate=LEAST_ACCEPTANCE,
        max_total_nr_simulations=made.most, max_walltime=None, min_eps_diff=0.0,
    )  # fmt: skip
    for t in range(begun, begun + int(manifest["generations"])):
        before = candidates.number
        outcome = inference.run_generation(t=t)
        if not outcome["successful"]:
            announce(f"generation {t + 1} found too few close runs: the result is that of the previous one")
            break
        kept = list(candidates.accepted)
        found.append(
            {"epsilon": float(inference.eps(t)), "runs": candidates.number - before, "accepted": len(kept)}
            | {"probabilities": _shares(kept, len(made.names))}
        )
        if inference.check_terminate(t=t, acceptance_rate=outcome["acceptance_rate"]):
            break
    inference.history.done()
    if not kept:
        raise RunError(
            f"not even the first generation of {made.folder} found {manifest['population']} valid runs: see the "
            f"errors in {made.folder / 'rows.jsonl'}"
        )
    candidates.accepted = kept
    return found


def _inference(made: Fit, candidates: Candidates) -> Any:
    """pyABC's inference, ready for its first generation."""
    import pyabc

    for name in ("ABC", "ABC.Distance", "ABC.Sampler", "ABC.History", "ABC.Adaptation", "ABC.Transition"):
        logging.getLogger(name).setLevel(logging.ERROR)
    manifest = made.manifest
    distance = pyabc.AdaptiveAggregatedDistance(
        [_function(name, str(manifest["metric"])) for name in made.question.measures],
        adaptive=False,
        scale_function=_middle,
    )
    models = [
        pyabc.FunctionModel(lambda parameters, m=number: candidates.model(m, parameters), name)
        for number, name in enumerate(made.names)
    ]
    priors = [
        pyabc.Distribution(**{f"p{k}": pyabc.RV("uniform", 0.0, 1.0) for k in range(len(model))})
        for model in made.axes
    ]
    inference = pyabc.ABCSMC(
        models, priors, distance, population_size=int(manifest["population"]), eps=pyabc.MedianEpsilon(),
        sampler=executor_sampler(candidates),
    )  # fmt: skip
    inference.new("sqlite://", dict(made.observed))
    inference.max_t = int(manifest["generations"]) - 1
    return inference


def _middle(samples: Any) -> float:
    """The median of a measure's distances under the prior, which scales them so that all measures have equal weight."""
    return float(np.median(samples)) or 1.0


def _function(name: str, metric: str) -> Any:
    import pyabc

    compare = distance_of(name, metric)
    return pyabc.FunctionDistance(lambda one, other: compare(one[name], other[name]))


def _shares(kept: list[Any], models: int) -> list[float]:
    weights = np.array([particle.weight for _, particle in kept])
    owners = np.array([particle.m for _, particle in kept])
    return [float(weights[owners == k].sum() / weights.sum()) for k in range(models)]


def _posterior(candidates: Candidates) -> list[Row]:
    total = sum(particle.weight for _, particle in candidates.accepted)
    return [
        {
            "run": row["run"], "model": row["model"], "seed": row["seed"], "weight": float(particle.weight / total),
            "distance": float(particle.distance), "values": row["values"],
        }
        for row, particle in candidates.accepted
    ]  # fmt: skip


def _predict(made: Fit, lines: list[Row], do: Callable[[list[Row]], list[Row]]) -> list[int]:
    """Do runs with values drawn from the posterior and new seeds; return their numbers."""
    count, seed = int(made.manifest["predictions"]), int(made.manifest["seed"])
    if not count:
        return []
    chance = np.random.default_rng(run_seed(seed, made.most, 2))
    weights = np.array([line["weight"] for line in lines])
    drawn = chance.choice(len(lines), count, p=weights / weights.sum())
    tasks = [
        {"run": made.most + k, "model": lines[row]["model"], "values": lines[row]["values"],
         "seed": run_seed(seed, made.most + k, 0)}
        for k, row in enumerate(drawn.tolist())
    ]  # fmt: skip
    return [row["run"] for row in do(tasks) if "error" not in row]


def _record_best(made: Fit, best: Row) -> None:
    """Record the closest simulation as a run, for comparison with the animals."""
    from murmura.lab.files.atomic_write import discard
    from murmura.lab.runs.recording import record

    folder = made.folder / BEST
    discard(folder)  # left by the same fit, stopped while it was being written
    simulation: Simulation = simulation_of(made.question, best)
    step = simulation.scenario.motion.time_step
    every = max(1, round(made.question.interval / step))
    record(simulation, max(1, round(made.question.seconds / step)), folder, every, measures=["polarization"])
