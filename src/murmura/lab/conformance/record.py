"""Writes the conformance set: parameters, start, trajectory, first forces, neighbours and tolerances of each model."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from murmura import __version__
from murmura.core.layout import AXES
from murmura.core.request import check_free
from murmura.lab.conformance.models import MODELS, find_model
from murmura.lab.conformance.trajectory import Reference, Stepped, Vectors
from murmura.lab.units import velocity_unit
from murmura.scenario import value_paths
from murmura.scenario.plain_files import write_atomically

STEPS = 100
PUSH = 1e-7
"""[u] How far the start of a second trajectory is pushed aside: about what single precision makes of parameters."""
TIMES, LEAST = 20.0, 1e-6
"""Tolerances are this many times the distance of the two trajectories, and at least this much [u]."""
LICENCE = "CC0-1.0"
README, COPYING = "README.md", "LICENSE"


def write_set(
    folder: str | Path, names: Iterable[str] | None = None, force: bool = False,
    progress: Callable[[int, int], None] = lambda done, end: None, steps: int = STEPS,
) -> list[Path]:  # fmt: skip
    """Write the files of all models, or of some.

    Args:
        folder: Created if it is missing.
        names: Names of models; by default all.
        force: Whether to overwrite existing files.
        progress: Called with the number of models done and their total.
        steps: Of each trajectory.

    Returns:
        The files.
    """
    folder = Path(folder)
    chosen = list(MODELS if names is None else names)
    models = [find_model(name) for name in chosen]
    targets = [folder / f"{name}{suffix}" for name in chosen for suffix in (".json", ".csv")]
    check_free(*targets, folder / README, folder / COPYING, force=force)
    folder.mkdir(parents=True, exist_ok=True)
    for number, (name, model) in enumerate(zip(chosen, models, strict=True)):
        data = record_of(Reference(name, model), steps)
        write_atomically(folder / f"{name}.json", (json.dumps(data, indent=1) + "\n").encode())
        write_atomically(folder / f"{name}.csv", _table(data).encode())
        progress(number + 1, len(chosen))
    write_atomically(folder / README, _page(chosen, steps).encode())
    write_atomically(folder / COPYING, CC0.encode())
    return [*targets, folder / README, folder / COPYING]


def record_of(reference: Reference, steps: int = STEPS) -> dict[str, Any]:
    """Everything about a model as plain data."""
    scenario = reference.scenario
    states, pushed = reference.run(steps), reference.run(steps, PUSH)
    units = {"position": "u", "velocity": velocity_unit(scenario), "time_step": "s"}
    return {
        "model": reference.name, "paper": reference.model.paper, "licence": LICENCE, "murmura": __version__,
        "units": units, "parameters": parameters(reference), "time_step": scenario.motion.time_step,
        "thrust": scenario.motion.thrust, "stride": scenario.motion.stride, "steps": steps,
        "species": reference.species.tolist(), "tolerances": tolerances(reference, states, pushed),
        "neighbors": reference.neighbors(states[0].columns),
        "forces": {name: force.tolist() for name, force in states[1].forces.items()},
        "positions": _of_all(reference, states, "position"), "velocities": _of_all(reference, states, "velocity"),
    }  # fmt: skip


def parameters(reference: Reference) -> dict[str, Any]:
    """The values that matter: the world, motion, perception, and rules that take part."""
    rules = {f"rules.{name}." for name in reference.run(1)[1].forces}
    parts = ("world.", "motion.", "perception.", "obstacles", *rules)
    return {path: value for path, value in value_paths(reference.scenario) if path.startswith(parts)}


def tolerances(reference: Reference, states: list[Stepped], pushed: list[Stepped]) -> list[float]:
    """How far a position may be off after each step [u]: it grows as neighbouring trajectories part."""
    apart = [
        float(np.abs(reference.shortest(_positions(reference, one) - _positions(reference, other))).max())
        for one, other in zip(states, pushed, strict=True)
    ]
    grown = np.maximum(LEAST, TIMES * np.maximum.accumulate(apart))
    return [float(f"{value:.3g}") for value in grown]


def _positions(reference: Reference, state: Stepped) -> Vectors:
    return reference.vectors(state.columns, "position")


def _of_all(reference: Reference, states: list[Stepped], name: str) -> list[Any]:
    return [reference.vectors(state.columns, name).tolist() for state in states]


def _table(data: dict[str, Any]) -> str:
    """The trajectory as CSV: step, id, position and velocity."""
    axes = AXES[: len(data["positions"][0][0])]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["step", "id", *axes, *(f"v{axis}" for axis in axes)])
    for step, (places, velocities) in enumerate(zip(data["positions"], data["velocities"], strict=True)):
        for agent, (x, v) in enumerate(zip(places, velocities, strict=True)):
            writer.writerow([step, agent, *map(repr, x), *map(repr, v)])
    return text.getvalue()


def _page(names: list[str], steps: int) -> str:
    lines = [f"- `{name}`: {MODELS[name].paper}" for name in names]
    return PAGE.format(version=__version__, steps=steps, models="\n".join(lines))


PAGE = """# Reference trajectories of flocking models

Written by `murmura conformance --out DIR`, version {version}, for anybody who writes or checks such a program.
Public domain (CC0 1.0). Each model is as Murmura ships it, without chance; its formulas are in Murmura's
docs/model.md. `NAME.json` has

- `parameters` by path, `time_step` [s], `thrust` (the velocity that one unit of force adds in a step) and `stride`
  (the distance that one unit of velocity covers in a step),
- `positions` and `velocities` after steps 0 (the start) to {steps}, in double precision, shape (steps + 1, agents,
  axes), and `species`,
- `neighbors`: whom each agent perceives at the start, by number,
- `forces`: the force of each rule on each agent in the first step,
- `tolerances` [u]: how far a position may be off after each step. They grow as two trajectories of the model part
  that begin 1e-7 u from each other. Parameters count in single precision.

`NAME.csv` has the trajectory alone: step, id, x, y, (z,) vx, vy, (vz).

Is your program right? Write the same JSON (`model` and `positions`; `velocities`, `neighbors` and `forces` if you have
them), or the same CSV with the model's name, and run `murmura conformance --check FILE`. It says at which step, and
by which rule, yours departs.

{models}
"""
CC0 = """Creative Commons CC0 1.0 Universal

To the extent possible under law, the authors of Murmura have waived all copyright and related or neighboring rights to
the files in this folder. https://creativecommons.org/publicdomain/zero/1.0/
"""
