"""Fit a model to a run: approximate Bayesian computation by sequential Monte Carlo (Toni et al. 2009), with pyABC.

Values are drawn from the prior, simulated, summed up and compared with the animals; what is near enough is kept, moved
a little and tried again, nearer each time. With two models the share of what is kept says which explains more.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from murmura.core.errors import RunError, ScenarioError
from murmura.engine.simulation import Simulation
from murmura.lab.extras import needs
from murmura.lab.fit.folder import BEST, Fit, claimed, write_result
from murmura.lab.fit.one_fit_run import FitQuestion, simulation_of
from murmura.lab.fit.sampler import Desk, crew_sampler
from murmura.lab.fit.summaries import METRICS, check_names, distance_of
from murmura.lab.fit.target import Target, make_target, world_of
from murmura.lab.progress import reported
from murmura.lab.runs.run import Run, open_run
from murmura.lab.sweeps.axes import Axis, read_axes
from murmura.lab.sweeps.design import run_seed
from murmura.lab.sweeps.executors import Executor, check_executor, make_executor
from murmura.lab.sweeps.rows import Row, Rows
from murmura.lab.sweeps.sweep import do_runs, silent
from murmura.scenario import Scenario, load_scenario
from murmura.scenario.rule_files import load_rule_file

Announce = Callable[[str], None]
Progress = Callable[[int, int], None]
MOST_RUNS = 20_000
LONGEST = 60.0
"""[s] that a run lasts at most, unless more is asked for."""
LEAST_ACCEPTANCE = 0.01
"""Below this share of accepted candidates a generation ends the fit: nearer would take a hundred runs each."""


def fit(
    scenario: Scenario | str | Path,
    to: Run | str | Path,
    vary: list[str],
    out: str | Path,
    *,
    measures: Iterable[str],
    against: Scenario | str | Path | None = None,
    vary_against: list[str] | None = None,
    population: int = 100,
    generations: int = 5,
    seconds: float | None = None,
    discard: float | None = None,
    instants: int = 40,
    metric: str = "wasserstein",
    reach: float | None = None,
    own_world: bool = False,
    predictions: int = 40,
    seed: int = 0,
    batch: int = 16,
    most_runs: int = MOST_RUNS,
    workers: int | None = None,
    scheduler: str | None = None,
    backend: str = "auto",
    threads: int = 1,
    rules: Iterable[str | Path] = (),
    changes: dict[str, Any] | None = None,
    progress: Progress | None = None,
    announce: Announce = silent,
) -> Fit:
    """Find the values of some paths with which a scenario moves like a run. The same call again goes on.

    Args:
        scenario: The model: a scenario, or the name or path of one.
        to: The run, of animals or simulated, or its folder.
        vary: Ranges as `--vary` takes them, PATH=LOW:HIGH or PATH=LOW:HIGH:log: the prior is even between the two.
        out: The folder; new, empty, or that of this very fit.
        measures: What is compared: measures of the catalogue; speeds, nearest_neighbor_distances, turning_rates;
            neighbor_map, response_map, alignment_curve.
        against: A second model; both are fitted, and how probable each is follows.
        vary_against: Its ranges.
        population: How many runs a generation accepts.
        generations: How often what was accepted is tried again, nearer.
        seconds: Simulated time of a run [s]; by default as long as the run fitted to, at most a minute.
        discard: How much of it is not compared [s]; by default half.
        instants: At how many instants a run is compared.
        metric: How distributions are compared, wasserstein or energy.
        reach: How far maps reach [u].
        own_world: Whether the scenario keeps its own world, agents and start. By default it gets those of the run.
        predictions: How many runs are drawn anew from the posterior at the end.
        seed: From it all chance follows.
        batch: How many candidates are drawn at once; use at least as many as workers.
        most_runs: How many runs there may be in all.
        workers, scheduler, backend, threads, rules, progress, announce: As for `sweep`.
        changes: Values changed in both models, by path.
    """
    with needs("fit"):
        import pyabc  # noqa: F401  # before hours are spent on runs
    check_executor(workers, scheduler)
    run = to if isinstance(to, Run) else open_run(to)
    names = check_names(measures)
    files = tuple(str(Path(file).resolve()) for file in rules)
    hashes = tuple(load_rule_file(file) for file in files)
    given = [(scenario, vary)] + ([] if against is None else [(against, vary_against or [])])
    models = [_model(source, run, changes or {}, own_world) for source, _ in given]
    axes = [_ranges(texts, model) for (_, texts), model in zip(given, models, strict=True)]
    _check_numbers(population, generations, instants, batch, most_runs, predictions, metric, seconds, discard)
    target = make_target(run, names, [model.motion.time_step for model in models], reach)
    if not own_world:
        models = [model.with_values({"agents": target.agents}) for model in models]
    question = _question(
        target, models, seconds, discard, instants, own_world, backend, threads, files, hashes
    )
    asked = {
        "question": question.data() | {"rules": []},
        "names": [model.name for model in models] if len({m.name for m in models}) == len(models) else
                 [f"{model.name}-{k}" for k, model in enumerate(models, 1)],
        "axes": [[axis.data() for axis in model] for model in axes],
        "observed": {k: [None if np.isnan(x) else float(x) for x in v] for k, v in target.observed.items()},
        "run": {"name": run.folder.resolve().name, "hashes": run.manifest["hashes"]},
        "population": population, "generations": generations, "metric": metric, "seed": seed, "batch": batch,
        "most": most_runs, "predictions": predictions,
    }  # fmt: skip
    _rehearse(question, axes, announce)
    with claimed(Path(out), asked) as made, reported(progress, "runs") as report:
        made.question = question  # its rule files are where the user said
        _work(made, workers, scheduler, report, announce)
    return Fit(Path(out))


def resume_fit(
    folder: str | Path,
    workers: int | None = None,
    scheduler: str | None = None,
    progress: Progress | None = None,
    announce: Announce = silent,
) -> Fit:
    """Go on with the fit in a folder."""
    there = Fit(Path(folder))
    if there.question.rule_hashes:
        raise ScenarioError(
            f"the fit in {folder} was made with rules of a user's own, which are never run because a folder says so: "
            "give the command that began it again, which names them"
        )
    asked = {key: value for key, value in there.manifest.items() if key not in ("versions", "seal", "format")}
    with claimed(Path(folder), asked) as made, reported(progress, "runs") as report:
        _work(made, workers, scheduler, report, announce)
    return Fit(Path(folder))


def _model(source: Scenario | str | Path, run: Run, changes: dict[str, Any], own_world: bool) -> Scenario:
    scenario = source if isinstance(source, Scenario) else load_scenario(source)
    # Together: a change may be what makes a model fit into the world of the run.
    return scenario.with_values(({} if own_world else world_of(run)) | changes)


def _ranges(texts: list[str], scenario: Scenario) -> tuple[Axis, ...]:
    axes = read_axes(texts, scenario)
    for axis in axes:
        if axis.choices or axis.count is not None:
            raise ScenarioError(
                f"a fit takes ranges, PATH=LOW:HIGH or PATH=LOW:HIGH:log, got {axis}; compare choices with --against"
            )
    return axes


def _check_numbers(
    population: int, generations: int, instants: int, batch: int, most: int, predictions: int, metric: str,
    seconds: float | None, discard: float | None,
) -> None:  # fmt: skip
    if metric not in METRICS:
        raise ScenarioError(f"--distance takes {' or '.join(METRICS)}, got {metric!r}")
    if population < 4:
        raise ScenarioError(f"expected a population of 4 or more, got {population}")
    for name, value in (("generations", generations), ("instants", instants), ("batch", batch)):
        if value < 1:
            raise ScenarioError(f"expected 1 or more {name}, got {value}")
    if not population <= most <= 1_000_000:
        raise ScenarioError(f"expected from {population:,} (the population) to 1,000,000 runs, got {most:,}")
    if predictions < 0:
        raise ScenarioError(f"expected 0 or more predictions, got {predictions}")
    if seconds is not None and not seconds > 0.0:
        raise ScenarioError(f"--seconds takes a number > 0, got {seconds:g}")
    if discard is not None and not (discard >= 0.0 and (seconds is None or discard < seconds)):
        raise ScenarioError(f"--discard takes 0 or more seconds, fewer than a run has, got {discard:g}")


def _question(
    target: Target, models: list[Scenario], seconds: float | None, discard: float | None, instants: int,
    own_world: bool, backend: str, threads: int, files: tuple[str, ...], hashes: tuple[str, ...],
) -> FitQuestion:  # fmt: skip
    length = min(target.seconds, LONGEST) if seconds is None else seconds
    scope = target.scope
    return FitQuestion(
        tuple(model.model_dump(mode="json") for model in models), length, length / 2.0 if discard is None else discard,
        instants, scope.measures, scope.interval, scope.reach, scope.radius,
        () if own_world else tuple(target.starts), backend, threads, files, hashes,
    )  # fmt: skip


def _rehearse(question: FitQuestion, axes: list[tuple[Axis, ...]], announce: Announce) -> None:
    """Refuse values at either end of the ranges that make no sense; compile each model once, for all workers."""
    for number, model in enumerate(axes):
        for share in (0.0, 1.0):
            values = {axis.path: axis.at(share) for axis in model}
            try:
                simulation = simulation_of(question, {"model": number, "values": values, "seed": 0}, announce)
            except ScenarioError as error:
                shown = ", ".join(f"{path}={value}" for path, value in values.items())
                raise ScenarioError(f"with {shown}: {error}") from None
            simulation.step(1)


def _work(
    made: Fit, workers: int | None, scheduler: str | None, progress: Progress | None, announce: Announce
) -> None:
    with closing(made.rows(writable=True, on_damage=lambda damage: announce(f"{damage}"))) as rows:
        executor = make_executor(made.question, workers, scheduler, announce)
        try:
            desk = _desk(made, rows, executor, progress)
            told = _infer(made, desk, announce)
            lines = _posterior(desk)
            drawn = _predict(made, lines, desk.do)
        finally:
            executor.close()
    best = min(lines, key=lambda line: line["distance"])
    write_result(
        made.folder,
        {
            "generations": told,
            "posterior": lines,
            "predictions": drawn,
            "best": best["run"],
            "runs": desk.number,
        },
    )
    found = Fit(made.folder)
    found.question = made.question
    found.write_table()
    _record_best(found, best)


def _desk(made: Fit, rows: Rows, executor: Executor, progress: Progress | None) -> Desk:
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
                    f"{rows.path} holds run {task['run']} with other values than this fit draws: another version of "
                    "pyABC, NumPy or SciPy draws otherwise. Begin anew in another folder"
                )
        if progress is not None:
            done = len(rows)
            progress(done, max(done, expected))
        return [row for row in found if row is not None]

    def read(model: int, parameters: Any) -> dict[str, Any]:
        return {axis.path: axis.at(float(parameters[f"p{k}"])) for k, axis in enumerate(made.axes[model])}

    return Desk(
        do, read, made.question.measures, int(manifest["seed"]), int(manifest["batch"]), made.most
    )  # fmt: skip


def _infer(made: Fit, desk: Desk, announce: Announce) -> list[dict[str, Any]]:
    """Let pyABC do its generations; return what each was like. The desk then holds the last one."""
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
        pyabc.FunctionModel(lambda parameters, m=number: desk.model(m, parameters), name)
        for number, name in enumerate(made.names)
    ]
    priors = [
        pyabc.Distribution(**{f"p{k}": pyabc.RV("uniform", 0.0, 1.0) for k in range(len(model))})
        for model in made.axes
    ]
    inference = pyabc.ABCSMC(
        models, priors, distance, population_size=int(manifest["population"]), eps=pyabc.MedianEpsilon(),
        sampler=crew_sampler(desk),
    )  # fmt: skip
    inference.new("sqlite://", dict(made.observed))
    kept: list[Any] = []
    told: list[dict[str, Any]] = []
    inference.max_t = int(manifest["generations"]) - 1
    begun = inference.initialize_components_before_run(
        minimum_epsilon=0.0, max_nr_populations=int(manifest["generations"]), min_acceptance_rate=LEAST_ACCEPTANCE,
        max_total_nr_simulations=made.most, max_walltime=None, min_eps_diff=0.0,
    )  # fmt: skip
    for t in range(begun, begun + int(manifest["generations"])):
        before = desk.number
        outcome = inference.run_generation(t=t)
        if not outcome["successful"]:
            announce(f"generation {t + 1} found too few near enough: the result is that of the one before")
            break
        kept = list(desk.accepted)
        told.append(
            {"epsilon": float(inference.eps(t)), "runs": desk.number - before, "accepted": len(kept)}
            | {"probabilities": _shares(kept, len(made.names))}
        )
        if inference.check_terminate(t=t, acceptance_rate=outcome["acceptance_rate"]):
            break
    inference.history.done()
    if not kept:
        raise RunError(
            f"not even the first generation of {made.folder} found {manifest['population']} runs that work: see the "
            f"errors in {made.folder / 'rows.jsonl'}"
        )
    desk.accepted = kept
    return told


def _middle(samples: Any) -> float:
    """What a measure's distances are divided by, so that all count alike: their median under the prior."""
    return float(np.median(samples)) or 1.0


def _function(name: str, metric: str) -> Any:
    import pyabc

    compare = distance_of(name, metric)
    return pyabc.FunctionDistance(lambda one, other: compare(one[name], other[name]))


def _shares(kept: list[Any], models: int) -> list[float]:
    weights = np.array([particle.weight for _, particle in kept])
    owners = np.array([particle.m for _, particle in kept])
    return [float(weights[owners == k].sum() / weights.sum()) for k in range(models)]


def _posterior(desk: Desk) -> list[Row]:
    total = sum(particle.weight for _, particle in desk.accepted)
    return [
        {
            "run": row["run"], "model": row["model"], "seed": row["seed"], "weight": float(particle.weight / total),
            "distance": float(particle.distance), "values": row["values"],
        }
        for row, particle in desk.accepted
    ]  # fmt: skip


def _predict(made: Fit, lines: list[Row], do: Callable[[list[Row]], list[Row]]) -> list[int]:
    """Runs with values drawn from the posterior and seeds of their own."""
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
    """The nearest simulation as a run, to be watched beside the animals."""
    from murmura.lab.atomic_write import discard
    from murmura.lab.runs.recording import record

    folder = made.folder / BEST
    discard(folder)  # of this very fit, stopped while it was written
    simulation: Simulation = simulation_of(made.question, best)
    step = simulation.scenario.motion.time_step
    every = max(1, round(made.question.interval / step))
    record(simulation, max(1, round(made.question.seconds / step)), folder, every, measures=["polarization"])
