"""Whether a step follows a number smoothly, or jumps with it.

A number is smooth if differences of a step equal its exact derivative, on some of the recorded frames.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from murmura.core.errors import ScenarioError
from murmura.engine.simulation import Simulation
from murmura.lab.infer.prediction import Predictor
from murmura.lab.infer.transitions import Transition
from murmura.lab.sweeps.axes import Axis
from murmura.scenario import Scenario

STEP = 0.01
"""The share of a range over which differences are taken."""
JUMPS = 0.2
"""A number is a threshold if differences of a step miss its derivative by this share."""


def is_threshold(predictor: Predictor, axis: Axis) -> bool:
    """Whether a step jumps with this number instead of following its derivative."""
    if axis.whole:
        return True
    changed = 0.0
    missing = 0.0
    middle, half = axis.at(0.5), STEP
    for t in _some(predictor.recording.transitions):
        try:
            ends = [
                _reference(predictor.model, axis.path, x, t)
                for x in (axis.at(0.5 - half), axis.at(0.5 + half))
            ]
            centre = _reference(predictor.model, axis.path, middle, t)
            exact = centre.derivatives([axis.path])[axis.path]
        except ScenarioError:
            return True  # a number that changes more than the kernels' numbers
        for end in ends:
            end.step(1)
        width = axis.at(0.5 + half) - axis.at(0.5 - half)
        difference = (ends[1].velocities.astype(float) - ends[0].velocities) / width
        changed += float((difference**2).sum())
        missing += float(((difference - exact) ** 2).sum())
    return missing > JUMPS**2 * changed


def _some(transitions: Sequence[Transition]) -> list[Transition]:
    return [transitions[k] for k in np.unique(np.linspace(0, len(transitions) - 1, 4).astype(int))]


def _reference(model: Scenario, path: str, value: Any, t: Transition) -> Simulation:
    scenario = model.with_values({path: value, "agents": len(t.ids)})
    return Simulation(scenario, 0, "reference", positions=t.positions, velocities=t.velocities, announce=None)
