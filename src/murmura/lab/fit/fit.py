"""Fits a model to a run: checks the arguments, prepares the folder, and starts the inference."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from murmura.core.errors import ScenarioError
from murmura.core.extras import needs
from murmura.core.notices import print_notice
from murmura.lab.fit.folder import NOT_ASKED, Fit, claimed
from murmura.lab.fit.inference import infer
from murmura.lab.fit.one_fit_run import FitQuestion, simulation_of
from murmura.lab.fit.summaries import METRICS, check_names
from murmura.lab.fit.target import Target, make_target, world_of
from murmura.lab.progress import reported
from murmura.lab.rule_code import RuleCode, rule_code
from murmura.lab.runs.run import Run, open_run
from murmura.lab.sweeps.axes import Axis, read_axes
from murmura.lab.sweeps.executors import check_executor
from murmura.lab.sweeps.sweep import silent
from murmura.scenario import Scenario, load_scenario
from murmura.scenario.rule_files import load_rule_file, rule_source

Announce = Callable[[str], None]
Progress = Callable[[int, int], None]
MOST_RUNS = 20_000
LONGEST = 60.0
"""The default limit of a run's simulated time [s]."""


def fit(
    scenario: Scenario | str | Path, to: Run | str | Path, vary: list[str], out: str | Path, *,
    measures: Iterable[str],
    against: Scenario | str | Path | None = None, vary_against: list[str] | None = None,
    population: int = 100, generations: int = 5,
    seconds: float | None = None, discard: float | None = None, instants: int = 40,
    metric: str = "wasserstein", reach: float | None = None,
    own_world: bool = False, predictions: int = 40, seed: int = 0, batch: int = 16, most_runs: int = MOST_RUNS,
    workers: int | None = None, scheduler: str | None = None, backend: str = "auto", threads: int = 1,
    rules: Iterable[str | Path] = (), changes: dict[str, Any] | None = None,
    progress: Progress | None = None, announce: Announce = silent,
) -> Fit:  # fmt: skip
    """Find the values for which a scenario moves like a run. Repeating the call continues the fit.

    Args:
        scenario: The model: a scenario, or the name or path of one.
        to: The run, of animals or simulated, or its folder.
        vary: Ranges as in `--vary`, PATH=LOW:HIGH or PATH=LOW:HIGH:log: the prior is uniform between the two.
        out: The folder: new, empty, or that of the same fit.
        measures: What to compare: measures of the catalogue; speeds, nearest_neighbor_distances, turning_rates;
            neighbor_map, response_map, alignment_curve.
        against: A second model; both are fitted, and the result includes their probabilities.
        vary_against: Its ranges.
        population: Number of runs that a generation accepts.
        generations: Number of generations; each accepts only closer runs than the previous one.
        seconds: Simulated time of a run [s]; by default that of the run in `to`, at most a minute.
        discard: Initial time that is not compared [s]; by default half.
        instants: Number of instants at which runs are compared.
        metric: Distance between distributions, wasserstein or energy.
        reach: Range of maps [u].
        own_world: Whether the scenario keeps its own world, agents and start. By default it gets those of the run.
        predictions: The number of new runs drawn from the posterior at the end.
        seed: Seed of all random numbers.
        batch: Number of candidates drawn at once; use at least as many as workers.
        most_runs: Greatest total number of runs.
        workers, scheduler, backend, threads, rules, progress, announce: As for `sweep`.
        changes: Values changed in both models, by path.
    """
    with needs("fit"):
        import pyabc  # noqa: F401  # fail before hours are spent on runs
    check_executor(workers, scheduler)
    _check_numbers(population, generations, instants, batch, most_runs, predictions, metric, seconds, discard)
    run = to if isinstance(to, Run) else open_run(to)
    names = check_names(measures)
    files = tuple(rule_source(file) for file in rules)
    hashes = tuple(load_rule_file(file) for file in files)
    given = [(scenario, vary)] + ([] if against is None else [(against, vary_against or [])])
    models, axes = _models_and_axes(given, run, changes or {}, own_world)
    target = make_target(run, names, [model.motion.time_step for model in models], reach)
    if not own_world:
        models = [model.with_values({"agents": target.agents}) for model in models]
    question = _question(
        target, models, seconds, discard, instants, own_world, backend, threads, files, hashes
    )
    asked = _description(run, question, models, axes, target) | {
        "population": population, "generations": generations, "metric": metric, "seed": seed, "batch": batch,
        "most": most_runs, "predictions": predictions, "to": str(run.folder),
    }  # fmt: skip
    _dry_run(question, axes, announce)
    code = rule_code(Scenario.from_data(model) for model in question.scenarios)
    return _inferred(Path(out), asked, code, question, workers, scheduler, progress, announce)


def resume_fit(
    folder: str | Path,
    workers: int | None = None,
    scheduler: str | None = None,
    progress: Progress | None = None,
    announce: Announce = silent,
) -> Fit:
    """Continue the fit in a folder."""
    there = Fit(Path(folder))
    if there.question.rule_hashes:
        raise ScenarioError(
            f"the fit in {folder} was made with user-defined rules, which are never executed only because a folder "
            "names them: repeat the command that started it, which names them"
        )
    asked = {key: value for key, value in there.manifest.items() if key not in NOT_ASKED}
    code = rule_code(there.scenario(number) for number in range(len(there.names)))
    return _inferred(Path(folder), asked, code, None, workers, scheduler, progress, announce)


def _inferred(
    folder: Path, asked: dict[str, Any], code: RuleCode, question: FitQuestion | None, workers: int | None,
    scheduler: str | None, progress: Progress | None, announce: Announce,
) -> Fit:  # fmt: skip
    """Infer in a folder that holds this fit and no other."""
    with claimed(folder, asked, code, announce) as made, reported(progress, "runs") as report:
        if question is not None:
            made.question = question  # its rule files are where the user said
        made.question = replace(made.question, rule_code=code)
        infer(made, workers, scheduler, report, announce)
    return Fit(folder)


def _description(
    run: Run, question: FitQuestion, models: list[Scenario], axes: list[tuple[Axis, ...]], target: Target
) -> dict[str, Any]:
    """The models, priors and observations of a fit as plain data, for its manifest."""
    names = [model.name for model in models]
    if len(set(names)) < len(names):
        names = [f"{name}-{k}" for k, name in enumerate(names, 1)]
    data = question.data() | {"rules": []}
    del data["rule_code"]  # stored beside it
    return {
        "question": data,
        "names": names,
        "axes": [[axis.data() for axis in model] for model in axes],
        "observed": {k: [None if np.isnan(x) else float(x) for x in v] for k, v in target.observed.items()},
        "run": {"name": run.folder.resolve().name, "hashes": run.manifest["hashes"]},
    }


def _models_and_axes(
    given: list[tuple[Scenario | str | Path, list[str]]], run: Run, changes: dict[str, Any], own_world: bool
) -> tuple[list[Scenario], list[tuple[Axis, ...]]]:
    models = [_model(source, run, changes, own_world) for source, _ in given]
    return models, [_ranges(texts, model) for (_, texts), model in zip(given, models, strict=True)]


def _model(source: Scenario | str | Path, run: Run, changes: dict[str, Any], own_world: bool) -> Scenario:
    scenario = source if isinstance(source, Scenario) else load_scenario(source)
    # Together: a model may need the changes to fit into the world of the run.
    scenario = scenario.with_values(({} if own_world else world_of(run)) | changes)
    for line in scenario.switched_on():
        print_notice(line)
    return scenario


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
        raise ScenarioError(f"expected a population of at least 4, got {population}")
    for name, value in (("generations", generations), ("instants", instants), ("batch", batch)):
        if value < 1:
            raise ScenarioError(f"expected at least 1 for {name}, got {value}")
    if not population <= most <= 1_000_000:
        raise ScenarioError(f"expected from {population:,} (the population) to 1,000,000 runs, got {most:,}")
    if predictions < 0:
        raise ScenarioError(f"expected at least 0 predictions, got {predictions}")
    if seconds is not None and not seconds > 0.0:
        raise ScenarioError(f"--seconds takes a number > 0, got {seconds:g}")
    if discard is not None and not (discard >= 0.0 and (seconds is None or discard < seconds)):
        raise ScenarioError(
            f"--discard takes at least 0 and less than the length of a run [s], got {discard:g}"
        )


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


def _dry_run(question: FitQuestion, axes: list[tuple[Axis, ...]], announce: Announce) -> None:
    """Refuse ranges with invalid ends; compile each model once, for all workers."""
    for number, model in enumerate(axes):
        for share in (0.0, 1.0):
            values = {axis.path: axis.at(share) for axis in model}
            try:
                simulation = simulation_of(question, {"model": number, "values": values, "seed": 0}, announce)
            except ScenarioError as error:
                shown = ", ".join(f"{path}={value}" for path, value in values.items())
                raise ScenarioError(f"with {shown}: {error}") from None
            simulation.step(1)
