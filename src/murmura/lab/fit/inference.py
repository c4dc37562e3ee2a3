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
from murmura.lab.fit.adjustment import LEAST_RUNS, adjusted
from murmura.lab.fit.diagnosis import constants, effective_size, share_of, warnings_of
from murmura.lab.fit.folder import BEST, Fit, write_result
from murmura.lab.fit.forecast import LEAST_ACCEPTANCE, Forecast
from murmura.lab.fit.one_fit_run import simulation_of
from murmura.lab.fit.sampler import Candidates, as_array, executor_sampler
from murmura.lab.fit.summaries import distance_of, summary_size
from murmura.lab.sweeps.axes import Axis
from murmura.lab.sweeps.design import run_seed
from murmura.lab.sweeps.executors import Executor, make_executor
from murmura.lab.sweeps.request import Announce, Execution, Progress
from murmura.lab.sweeps.rows import Row, Rows
from murmura.lab.sweeps.sweep import do_runs


def infer(made: Fit, execution: Execution, progress: Progress) -> None:
    """Run the inference of a fit in its folder, or continue it, and write the result."""
    with closing(made.rows(writable=True, on_damage=lambda damage: execution.announce(f"{damage}"))) as rows:
        executor = make_executor(made.question, execution)
        try:
            forecast = _forecast(made)
            candidates = _candidates(made, rows, executor, progress, forecast)
            generations, scales = _generations(made, candidates, execution.announce, forecast)
            lines = _posterior(made, candidates)
            drawn = _predict(made, lines, candidates.do)
        finally:
            executor.close()
    best = min(lines, key=lambda line: line["distance"])
    best = best | {"values": best["drawn"]}
    write_result(
        made.folder,
        {
            "generations": generations,
            "posterior": lines,
            "predictions": drawn,
            "best": best["run"],
            "runs": candidates.number,
            "scales": scales,
            "warnings": warnings_of(generations, made.manifest.generations) + constants(made.observed),
        },
    )
    found = Fit(made.folder)
    found.question = made.question
    found.write_table()
    _record_best(found, best)


def _forecast(made: Fit) -> Forecast:
    asked = made.manifest
    return Forecast(asked.population, asked.generations, asked.predictions, asked.most)


def _candidates(
    made: Fit, rows: Rows, executor: Executor, progress: Progress | None, forecast: Forecast
) -> Candidates:
    manifest = made.manifest

    def do(tasks: list[Row]) -> list[Row]:
        todo = [task for task in tasks if task["run"] not in rows]
        if todo:
            do_runs(iter(todo), len(todo), executor, rows)
        answers = [rows.get(task["run"]) for task in tasks]
        for task, row in zip(tasks, answers, strict=True):
            if row is None or any(row[key] != task[key] for key in ("model", "values", "seed")):
                raise RunError(
                    f"{rows.path} contains run {task['run']} with other values than this fit draws: another version of "
                    "pyABC, NumPy or SciPy draws differently. Start again in another folder"
                )
        if progress is not None:
            done = len(rows)
            left = forecast.left(found.number, len(found.accepted), found.evaluated, len(tasks))
            progress(done, done + left)
        return [row for row in answers if row is not None]

    def read(model: int, parameters: Any) -> dict[str, Any]:
        return {axis.path: axis.at(float(parameters[f"p{k}"])) for k, axis in enumerate(made.axes[model])}

    found = Candidates(
        do, read, made.question.measures, manifest.seed, manifest.batch, made.manifest.most
    )  # fmt: skip
    return found


def _generations(
    made: Fit, candidates: Candidates, announce: Announce, forecast: Forecast
) -> tuple[list[dict[str, Any]], dict[str, float]]:
    """Run all generations; describe each, and the scale of each measure's distance.

    The accepted runs of the last one are then in `candidates`.
    """
    manifest = made.manifest
    inference = _inference(made, candidates)
    kept: list[Any] = []
    found: list[dict[str, Any]] = []
    begun = inference.initialize_components_before_run(
        minimum_epsilon=0.0, max_nr_populations=manifest.generations, min_acceptance_rate=LEAST_ACCEPTANCE,
        max_total_nr_simulations=made.manifest.most, max_walltime=None, min_eps_diff=0.0,
    )  # fmt: skip
    for t in range(begun, begun + manifest.generations):
        before = candidates.number
        outcome = inference.run_generation(t=t)
        if not outcome["successful"]:
            announce(f"generation {t + 1} found too few close runs: the result is that of the previous one")
            break
        kept = list(candidates.accepted)
        found.append(
            {"epsilon": float(inference.eps(t)), "runs": candidates.number - before, "accepted": len(kept),
             "acceptance": float(outcome["acceptance_rate"]), "probabilities": _shares(kept, len(made.names)),
             "effective_size": effective_size(np.array([particle.weight for _, particle in kept]))}
        )  # fmt: skip
        forecast.end_generation(float(outcome["acceptance_rate"]))
        candidates.accepted, candidates.evaluated = [], 0
        if inference.check_terminate(t=t, acceptance_rate=outcome["acceptance_rate"]):
            break
    forecast.end()
    inference.history.done()
    if not kept:
        raise RunError(
            f"not even the first generation of {made.folder} found {manifest.population} valid runs: see the "
            f"errors in {made.folder / 'rows.jsonl'}"
        )
    candidates.accepted = kept
    return found, _scales(made, inference)


def _scales(made: Fit, inference: Any) -> dict[str, float]:
    """What the distance of each measure is divided by."""
    weights = inference.distance_function.weights[0]
    return {name: 1.0 / float(w) for name, w in zip(made.question.measures, weights, strict=True)}


def _inference(made: Fit, candidates: Candidates) -> Any:
    """pyABC's inference, ready for its first generation."""
    import pyabc

    for name in ("ABC", "ABC.Distance", "ABC.Sampler", "ABC.History", "ABC.Adaptation", "ABC.Transition"):
        logging.getLogger(name).setLevel(logging.ERROR)
    manifest = made.manifest
    distance = pyabc.AdaptiveAggregatedDistance(
        [_function(name, manifest.metric) for name in made.question.measures],
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
        models, priors, distance, population_size=manifest.population, eps=pyabc.MedianEpsilon(),
        sampler=executor_sampler(candidates),
    )  # fmt: skip
    inference.new("sqlite://", dict(made.observed))
    inference.max_t = manifest.generations - 1
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


def _posterior(made: Fit, candidates: Candidates) -> list[Row]:
    """A line for each accepted run: its values adjusted for the distance that is left, and those it was run with."""
    total = sum(particle.weight for _, particle in candidates.accepted)
    lines = [
        {
            "run": row["run"], "model": row["model"], "seed": row["seed"], "weight": float(particle.weight / total),
            "distance": float(particle.distance), "values": row["values"], "drawn": row["values"],
        }
        for row, particle in candidates.accepted
    ]  # fmt: skip
    rows = [row for row, _ in candidates.accepted]
    for model, axes in enumerate(made.axes):
        mine = [k for k, line in enumerate(lines) if line["model"] == model]
        for k, values in zip(
            mine, _adjusted(made, axes, [lines[k] for k in mine], [rows[k] for k in mine]), strict=True
        ):
            lines[k]["values"] = values
    return lines


def _adjusted(made: Fit, axes: list[Axis], lines: list[Row], rows: list[Row]) -> list[dict[str, Any]]:
    """The values of a model's accepted runs, moved to where their summaries would be those of the animals."""
    if not all("summaries" in row for row in rows) or len(lines) < LEAST_RUNS:
        return [line["values"] for line in lines]
    weights, distances = (np.array([line[key] for line in lines]) for key in ("weight", "distance"))
    shares = np.array([[share_of(axis, float(line["drawn"][axis.path])) for axis in axes] for line in lines])
    summaries = [
        {name: as_array(row["summaries"].get(name), summary_size(name)) for name in made.observed}
        for row in rows
    ]
    found = adjusted(shares, weights, distances, summaries, made.observed)
    return [{axis.path: axis.at(float(u)) for axis, u in zip(axes, line, strict=True)} for line in found]


def _predict(made: Fit, lines: list[Row], do: Callable[[list[Row]], list[Row]]) -> list[int]:
    """Do runs with values drawn from the posterior and new seeds; return their numbers."""
    count, seed = made.manifest.predictions, made.manifest.seed
    if not count:
        return []
    chance = np.random.default_rng(run_seed(seed, made.manifest.most, 2))
    weights = np.array([line["weight"] for line in lines])
    drawn = chance.choice(len(lines), count, p=weights / weights.sum())
    tasks = [
        {"run": made.manifest.most + k, "model": lines[row]["model"], "values": lines[row]["values"],
         "seed": run_seed(seed, made.manifest.most + k, 0)}
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
