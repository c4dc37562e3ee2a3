"""What is asked of an inference: models in the world of the run, and the numbers to infer."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from murmura.core.errors import MurmuraError, ScenarioError
from murmura.lab.infer.models import slider_axis
from murmura.lab.infer.transitions import world_values
from murmura.lab.runs.run import Run
from murmura.lab.sweeps.axes import Axis, read_axes
from murmura.scenario import Scenario, load_scenario
from murmura.scenario.paths import value_paths


def model_of(
    source: Scenario | str | Path, run: Run, changes: dict[str, Any], own_world: bool, every: int
) -> Scenario:
    scenario = source if isinstance(source, Scenario) else load_scenario(source)
    first = scenario.with_values({k: v for k, v in changes.items() if k.startswith("motion.")})
    values = world_values(run, first, every)
    if own_world:
        values = {"motion.time_step": values["motion.time_step"]}
    if run.scenario.world.dimension != scenario.world.dimension and own_world:
        raise ScenarioError(
            f"{run.folder} is a run in {run.scenario.world.dimension} dimensions, and {scenario.name} has "
            f"{scenario.world.dimension}: leave out --own-world, or choose another model"
        )
    # Together: a model may need the changes to fit into the world of the run.
    return scenario.with_values(values | changes)


def axes_of(texts: list[str], model: Scenario) -> tuple[Axis, ...]:
    """The numbers to infer; a path alone has the range of its slider."""
    ranged = [text for text in texts if "=" in text]
    found = {axis.path: axis for axis in (read_axes(ranged, model) if ranged else ())}
    for text in texts:
        if "=" not in text:
            axis = _accepted(model, slider_axis(model, text.strip()))
            found[axis.path] = axis
    for axis in found.values():
        if axis.choices or axis.count is not None:
            raise ScenarioError(
                f"an inference takes PATH or PATH=LOW:HIGH, got {axis}; compare choices with --against"
            )
        _check_same_kernel(model, axis)
    if not found:
        raise ScenarioError("nothing to infer: add --vary PATH or --vary PATH=LOW:HIGH")
    return tuple(found.values())


def _accepted(model: Scenario, axis: Axis) -> Axis:
    """The part of a slider's range, around its value, that the model accepts."""
    now = float(dict(value_paths(model))[axis.path] or axis.low)

    def reached(end: float) -> float:
        for share in np.linspace(1.0, 0.0, 21):
            value = now + share * (end - now)
            try:
                model.with_values({axis.path: round(value) if axis.whole else float(value)})
            except MurmuraError:
                continue
            return float(round(value) if axis.whole else value)
        return now

    return replace(axis, low=reached(min(axis.low, now)), high=reached(max(axis.high, now)))


def _check_same_kernel(model: Scenario, axis: Axis) -> None:
    from murmura.compute.plan import Plan

    rule = axis.path.split(".")[1] if axis.path.startswith("rules.") else ""
    if rule and not dict(model.rules)[rule].enabled:
        raise ScenarioError(
            f"{axis.path} has no effect, since {model.name} does without this rule: switch it on with --set "
            f"rules.{rule}.enabled=true"
        )
    signatures = {Plan(model.with_values({axis.path: axis.at(u)})).signature for u in (0.05, 0.95)}
    if (
        axis.path in ("agents",)
        or axis.path.startswith(("start.", "display.", "world."))
        or signatures != {Plan(model).signature}
    ):
        raise ScenarioError(
            f"{axis.path} cannot be inferred one step ahead: expected a number of the motion, the perception or a rule "
            "that changes no option of the model; compare two models with --against"
        )


def description(
    run: Run, models: list[Scenario], axes: list[tuple[Axis, ...]], every: int, frames: int,
    compared: str, reach: float | None, forward: list[str], shares: bool, seed: int,
) -> dict[str, Any]:  # fmt: skip
    data = {
        "run": {"name": run.folder.resolve().name, "hashes": run.manifest["hashes"]},
        "scenarios": [model.model_dump(mode="json") for model in models],
        "axes": [[axis.data() for axis in model] for model in axes],
        "every": every, "frames": frames, "compared": compared,
        "reach": reach, "forward": forward, "shares": shares, "seed": seed,
    }  # fmt: skip
    plain: dict[str, Any] = json.loads(json.dumps(data))
    return plain
