"""Fits a model to a run: checks the arguments, prepares the folder, and starts the inference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from murmura.core.errors import ScenarioError
from murmura.core.extras import needs
from murmura.core.notices import print_notice
from murmura.core.request import names_in, takes
from murmura.lab.fit.folder import NOT_ASKED, Fit, claimed
from murmura.lab.fit.inference import infer
from murmura.lab.fit.one_fit_run import FitQuestion, simulation_of
from murmura.lab.fit.request import FitRequest
from murmura.lab.fit.summaries import check_names
from murmura.lab.fit.target import Target, make_target, world_of
from murmura.lab.progress import reported
from murmura.lab.rule_code import RuleCode, rule_code
from murmura.lab.runs.run import Run, open_run
from murmura.lab.sweeps.axes import Axis, read_axes
from murmura.lab.sweeps.request import Announce, Execution, Progress, silent
from murmura.scenario import Scenario, load_scenario
from murmura.scenario.rule_files import load_rule_file, rule_source

LONGEST = 60.0
"""The default limit of a run's simulated time [s]."""


@takes(FitRequest)
def fit(request: FitRequest) -> Fit:
    """Find the values for which a scenario moves like a run. Repeating the call continues the fit.

    Args:
        scenario: The model: a scenario, or the name or path of one.
        to: The run, of animals or simulated, or its folder.
        vary: Ranges, PATH=LOW:HIGH or PATH=LOW:HIGH:log: the prior is uniform between the two.
        out: The folder: new, empty, or that of the same fit.
    """
    with needs("fit"):
        import pyabc  # noqa: F401  # fail before hours are spent on runs
    run = request.to if isinstance(request.to, Run) else open_run(request.to)
    names = check_names(names_in(request.measures))
    files = tuple(rule_source(file) for file in request.rules)
    hashes = tuple(load_rule_file(file) for file in files)
    models, axes = _models_and_axes(request, run)
    target = make_target(run, names, [model.motion.time_step for model in models], request.reach)
    if not request.own_world:
        models = [model.with_values({"agents": target.agents}) for model in models]
    question = replace(_question(request, target, models), rules=files, rule_hashes=hashes)
    asked = _description(run, question, models, axes, target) | {
        "population": request.population, "generations": request.generations, "metric": request.metric,
        "seed": request.seed, "batch": request.batch, "most": request.most_runs,
        "predictions": request.predictions, "to": str(run.folder),
    }  # fmt: skip
    _dry_run(question, axes, request.announce)
    code = rule_code(Scenario.from_data(model) for model in question.scenarios)
    return _inferred(Path(request.out), asked, code, question, request)


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
    asked = {key: value for key, value in there.manifest.data.items() if key not in NOT_ASKED}
    code = rule_code(there.scenario(number) for number in range(len(there.names)))
    execution = Execution(workers=workers, scheduler=scheduler, progress=progress, announce=announce)
    return _inferred(Path(folder), asked, code, None, execution)


def _inferred(
    folder: Path, asked: dict[str, Any], code: RuleCode, question: FitQuestion | None, execution: Execution
) -> Fit:
    """Infer in a folder that holds this fit and no other."""
    with (
        claimed(folder, asked, code, execution.announce) as made,
        reported(execution.progress, "runs") as report,
    ):
        # The rule files of a new fit are where the user said.
        made.question = replace(question or made.question, rule_code=code)
        infer(made, execution, report)
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


def _models_and_axes(request: FitRequest, run: Run) -> tuple[list[Scenario], list[tuple[Axis, ...]]]:
    given = [(request.scenario, request.vary)]
    if request.against is not None:
        given.append((request.against, request.vary_against or []))
    models = [_model(source, run, request.changes or {}, request.own_world) for source, _ in given]
    return models, [_ranges(texts, model) for (_, texts), model in zip(given, models, strict=True)]


def _model(source: Scenario | str | Path, run: Run, changes: Mapping[str, Any], own_world: bool) -> Scenario:
    scenario = source if isinstance(source, Scenario) else load_scenario(source)
    # Together: a model may need the changes to fit into the world of the run.
    scenario = scenario.with_values({**({} if own_world else world_of(run)), **changes})
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


def _question(request: FitRequest, target: Target, models: list[Scenario]) -> FitQuestion:
    length = min(target.seconds, LONGEST) if request.seconds is None else request.seconds
    scope = target.scope
    return FitQuestion(
        tuple(model.model_dump(mode="json") for model in models),
        length,
        length / 2.0 if request.discard is None else request.discard,
        request.instants, scope.measures, scope.interval, scope.reach, scope.radius,
        () if request.own_world else tuple(target.starts),
        request.backend, request.threads,
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
