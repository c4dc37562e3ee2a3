"""Judges somebody else's trajectory: at which step it departs from the model, and by which rule.

Each step is judged by itself: the reference takes it from their own state, so errors do not add up and chaos plays no
part. Columns that only the reference knows (a roll, a spin) are those of the reference's trajectory.
"""

from __future__ import annotations

import csv
import json
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from murmura.core.errors import ScenarioError
from murmura.core.layout import AXES
from murmura.lab.conformance.models import find_model
from murmura.lab.conformance.record import PUSH, tolerances
from murmura.lab.conformance.trajectory import Reference, Stepped, Vectors
from murmura.scenario.plain_files import read_plain_file

LARGEST_FILE = 64 * 2**20
START = 1e-6
"""[u] How far a start may be off."""
STEP = 1e-5
"""How far a velocity may be off after one step, as a share of the greatest one: single precision passes."""
CLEAR = 0.9
"""The share of a difference that a rule must explain to be named."""


@dataclass(frozen=True)
class Theirs:
    """A trajectory, shape (steps + 1, agents, axes), and what else is known of it."""

    model: str
    positions: Vectors
    velocities: Vectors | None = None
    neighbors: list[list[int]] | None = None
    forces: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Verdict:
    """What was found.

    Attributes:
        model: The name of the model.
        steps: How many steps were compared.
        departs: The first step that is not the model's; None if all are.
        reasons: What is wrong there, in sentences.
        farthest: The greatest distance from the reference's trajectory [u].
        beyond: The step where that first exceeds the tolerance; None if it never does.
    """

    model: str
    steps: int
    departs: int | None
    reasons: list[str]
    farthest: float
    beyond: int | None

    @property
    def conforms(self) -> bool:
        return self.departs is None and not self.reasons


def read_theirs(path: str | Path, model: str | None = None) -> Theirs:
    """Read a trajectory: JSON or CSV, as `write_set` writes them.

    Args:
        path: The file.
        model: The name of the model, for a CSV file that is not called so.
    """
    path = Path(path)
    try:
        text = read_plain_file(path, LARGEST_FILE).decode("utf-8")
        if path.suffix == ".csv":
            return _from_csv(text, model or path.stem)
        data = json.loads(text)
        velocities = data.get("velocities")
        return Theirs(
            model or data["model"], np.array(data["positions"], np.float64),
            None if velocities is None else np.array(velocities, np.float64), data.get("neighbors"),
            data.get("forces", {}),
        )  # fmt: skip
    except OSError as error:
        raise ScenarioError(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise ScenarioError(
            f"{path} is no trajectory: expected JSON with model and positions, or CSV with step, id, x, y ({error})"
        ) from None


def _from_csv(text: str, model: str) -> Theirs:
    rows = list(csv.DictReader(text.splitlines()))
    axes = [axis for axis in AXES if axis in rows[0]]
    rows.sort(key=lambda row: (int(row["step"]), int(row["id"])))
    steps = len({row["step"] for row in rows})

    def of(names: list[str]) -> Vectors:
        return np.array([[float(row[name]) for name in names] for row in rows]).reshape(steps, -1, len(names))

    speeds = [f"v{axis}" for axis in axes]
    return Theirs(model, of(axes), of(speeds) if all(name in rows[0] for name in speeds) else None)


def check(theirs: Theirs) -> Verdict:
    """Compare a trajectory with the model of its name."""
    reference = Reference(theirs.model, find_model(theirs.model))
    _check_shape(theirs, reference)
    steps = len(theirs.positions) - 1
    states = reference.run(steps)
    allowed = tolerances(reference, states, reference.run(steps, PUSH))
    away = [
        _greatest(reference, theirs.positions[k] - reference.vectors(state.columns, "position"))
        for k, state in enumerate(states)
    ]
    beyond = next((k for k, (d, most) in enumerate(zip(away, allowed, strict=True)) if not d <= most), None)
    reasons = _start(theirs, reference, states, away[0])
    departs = 0 if reasons else None
    for number in range(0 if departs is not None else steps):
        reasons = _step(theirs, reference, states, number)
        if reasons:
            departs = number + 1
            break
    return Verdict(theirs.model, steps, departs, reasons, max(away), beyond)


def _check_shape(theirs: Theirs, reference: Reference) -> None:
    if theirs.velocities is None and reference.moves_first:
        raise ScenarioError(
            f"{theirs.model} moves with the velocity before the step, so velocities do not follow from positions: give "
            "velocities, too"
        )
    expected = reference.positions.shape
    for name, found in (("positions", theirs.positions), ("velocities", theirs.velocities)):
        if found is not None and (found.ndim != 3 or found.shape[1:] != expected or len(found) < 2):
            raise ScenarioError(
                f"{name} of {theirs.model} must have shape (steps + 1, {expected[0]}, {expected[1]}), got {found.shape}"
            )


def _greatest(reference: Reference, differences: Vectors) -> float:
    found = np.abs(reference.shortest(differences))
    return float(found.max()) if np.isfinite(found).all() else math.inf


def _start(theirs: Theirs, reference: Reference, states: list[Stepped], away: float) -> list[str]:
    """What is wrong before the first step."""
    reasons = []
    if not away <= START:
        reasons.append(f"the start is another: a position is off by {away:.3g} u")
    if theirs.velocities is not None:
        off = float(np.abs(theirs.velocities[0] - reference.velocities).max())
        if not off <= START:
            reasons.append(f"the start is another: a velocity is off by {off:.3g}")
    if reasons:
        return reasons
    for agent, (mine, ours) in enumerate(
        zip(theirs.neighbors or [], reference.neighbors(states[0].columns), strict=False)
    ):
        if sorted(mine) != ours:
            extra, missing = sorted({*mine} - {*ours}), sorted({*ours} - {*mine})
            reasons.append(f"agent {agent} perceives others: {extra} too many, {missing} missing")
            break
    for name, force in theirs.forces.items():
        ours_of_rule = states[1].forces.get(name)
        if ours_of_rule is None:
            reasons.append(f"there is no rule {name}: known are {', '.join(states[1].forces)}")
        elif not np.allclose(
            force, ours_of_rule, rtol=1e-5, atol=1e-5 * max(1e-12, np.abs(ours_of_rule).max())
        ):
            reasons.append(
                f"the force of {name} differs in the first step: {_factor(np.array(force), ours_of_rule)}"
            )
    return reasons


def _factor(theirs: Vectors, ours: Vectors) -> str:
    """How much of one force is in another."""
    factor = float((theirs * ours).sum() / max(float((ours**2).sum()), 1e-300))
    rest = np.abs(theirs - factor * ours).max() / max(float(np.abs(ours).max()), 1e-300)
    return f"it is {factor:.4g} times the model's" if rest < 1e-3 else "it has other directions"


def _velocities(theirs: Theirs, reference: Reference, number: int) -> Vectors:
    """Their velocities after a step: given, or the way since the step before."""
    if theirs.velocities is not None:
        return np.asarray(theirs.velocities[number])
    if number == 0:
        return reference.velocities
    way = reference.shortest(theirs.positions[number] - theirs.positions[number - 1])
    return np.asarray(way / reference.scenario.motion.stride)


def _step(theirs: Theirs, reference: Reference, states: list[Stepped], number: int) -> list[str]:
    """What is wrong in one step, from their own state."""
    before = reference.placed(
        states[number].columns, theirs.positions[number], _velocities(theirs, reference, number)
    )
    ours = reference.step(before, number)
    expected = reference.vectors(ours.columns, "velocity")
    found = _velocities(theirs, reference, number + 1)
    scale = max(float(np.abs(expected).max()), 1e-12)
    difference = found - expected
    if not np.isfinite(difference).all():
        return [f"agent {int(np.argmin(np.isfinite(difference).all(axis=1)))} has no finite velocity"]
    if np.abs(difference).max() > STEP * scale:
        return [_blame(reference, ours, difference)]
    stride = reference.scenario.motion.stride
    way = reference.shortest(theirs.positions[number + 1] - theirs.positions[number])
    off = np.abs(
        reference.shortest(way - (reference.vectors(ours.columns, "position") - theirs.positions[number]))
    )
    if off.max() <= STEP * scale * stride + START:
        return []
    other = number + int(reference.moves_first)
    wrong = np.abs(way - _velocities(theirs, reference, other) * stride).max()
    orders = ("before", "after")[:: -1 if reference.moves_first else 1]
    why = (
        ": positions move with the velocity {} the step, not {} it".format(*orders) if wrong <= START else ""
    )
    return [
        f"velocities are right, but agent {int(off.max(axis=1).argmax())} moves {off.max():.3g} u elsewhere{why}"
    ]


def _blame(reference: Reference, ours: Stepped, difference: Vectors) -> str:
    """The rule whose force explains a difference of velocities best."""
    agent = int((difference**2).sum(axis=1).argmax())
    size = float(np.sqrt((difference[agent] ** 2).sum()))
    told = f"the velocity of agent {agent} is off by {size:.3g}"
    total = float((difference**2).sum())
    best = ("", 0.0, 0.0)
    for name, force in ours.forces.items():
        added = force * reference.scenario.motion.thrust
        power = float((added**2).sum())
        if power > 0.0:
            factor = float((difference * added).sum()) / power
            share = 1.0 - float(((difference - factor * added) ** 2).sum()) / total
            best = max(best, (name, factor, share), key=lambda one: one[2])
    name, factor, share = best
    if share < CLEAR:
        return (
            f"{told}; no single rule explains it (the best, {name or 'none'}, explains {100.0 * share:.0f} %)"
        )
    return f"{told}; {name} explains {100.0 * share:.1f} % of the differences: {_meaning(1.0 + factor)}"


def _meaning(count: float) -> str:
    if abs(count) < 0.02:
        return "it is missing"
    if abs(count + 1.0) < 0.02:
        return "its sign is flipped"
    return f"it counts {count:.3g} times"
