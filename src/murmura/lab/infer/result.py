"""The result for one model as plain data, with the warnings that belong to it."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

import numpy as np

from murmura.lab.infer.free_force import FreeForce, free_forces
from murmura.lab.infer.models import Fitted, animal_score, baselines
from murmura.lab.infer.transitions import LARGEST_TURN, Recording

BIASED = 0.05
"""Errors of tracking above this share of the change of velocity bias the estimates visibly."""
SURE = 0.5
"""An interval that fills this share of its range says nothing."""


SECTORS = 6
"""Bins of the angle in maps of forces."""


def result_of(fit: Fitted, recording: Recording, reach: float | None, seed: int) -> dict[str, Any]:
    """All that is known of a fitted model but the shares of its rules."""
    estimation, best = fit.estimation, fit.solution
    model = estimation.predictor.model.with_values(fit.true_values)
    animals = animal_score(fit)
    return {
        "name": model.name,
        "scenario": model.model_dump(mode="json"),
        "estimates": [_plain(asdict(estimate)) for estimate in fit.estimates],
        "naive": None if fit.naive is None else [_plain(asdict(estimate)) for estimate in fit.naive],
        "noise": asdict(best.noise),
        "tracking_error": fit.tracking_error,
        "held_out_time": _plain(asdict(fit.by_time)),
        "held_out_animals": None if animals is None else _plain(asdict(animals)),
        "warnings": _warnings(fit, fit.estimates),
        "residuals": _residuals(fit),
        **_forces(fit, reach or model.perception.radius),
    }


def _forces(fit: Fitted, reach: float) -> dict[str, Any]:
    """Forces without a formula, by distance alone and as maps: of all motion, of the model, and of what it misses."""
    predictor, predicted = fit.estimation.predictor, fit.solution.velocities
    motion = {
        "whole": predictor.later - predictor.before,
        "model": predicted - predictor.before,
        "missed": predictor.later - predicted,
    }
    found = free_forces(predictor, motion, reach, angles=SECTORS)
    return {f"{name}_force": _plain_force(force.by_distance) for name, force in found.items()} | {
        f"{name}_map": _plain_force(force.by_angle) for name, force in found.items()
    }


def recording_warnings(recording: Recording) -> list[str]:
    """What is amiss with the recorded motion, in sentences."""
    found = []
    if recording.sharp_turns:
        found.append(
            f"{recording.sharp_turns:,} of {recording.seen:,} times an animal turns more than {LARGEST_TURN:g}° within "
            f"{recording.interval:.3g} s, which no rule predicts: the frames are too far apart, or these are errors"
        )
    if recording.lost:
        found.append(
            f"{recording.lost:,} times an animal is not seen again {recording.interval:.3g} s later: these are left out"
        )
    return found


def _residuals(fit: Fitted) -> dict[str, list[float]]:
    """Quantiles of what the model misses, in units of the noise."""
    missed = fit.estimation.predictor.residuals(fit.solution.velocities)
    levels, noise = np.linspace(0.005, 0.995, 100), fit.solution.noise
    return {
        "levels": levels.tolist(),
        "along": np.quantile(missed[:, 0] / noise.along, levels).tolist(),
        "across": np.quantile(missed[:, 1:] / noise.across, levels).tolist(),
    }


def _warnings(fit: Fitted, estimates: list[Any]) -> list[str]:
    found = []
    for one, other, share in fit.estimation.correlations(fit.solution):
        found.append(
            f"{one} and {other} cannot be told apart by this motion (correlation {share:+.3f}): fix one of them"
        )
    for estimate, axis in zip(estimates, fit.estimation.axes, strict=True):
        width = min(estimate.high, axis.high) - max(estimate.low, axis.low)
        if width >= SURE * (axis.high - axis.low):
            found.append(
                f"the motion says little about {estimate.path}: its interval fills half of the range, "
                f"{axis.low:g} to {axis.high:g}"
            )
        elif min(estimate.value - axis.low, axis.high - estimate.value) <= 1e-3 * (axis.high - axis.low):
            found.append(
                f"{estimate.path} lies at the end of its range, {estimate.value:g}: the truth may be beyond {axis}"
            )
    change = float(np.sqrt(((fit.estimation.predictor.later - fit.estimation.predictor.before) ** 2).mean()))
    if fit.tracking_error > BIASED * change:
        found.append(
            f"positions have errors of tracking: about {fit.tracking_error / change:.0%} of the change of velocity "
            f"between frames. Estimates {'are corrected for them' if fit.naive else 'may be biased by them'}; see "
            "docs/infer.md"
        )
    noise, speed = fit.solution.noise, float(np.linalg.norm(fit.estimation.predictor.later, axis=1).mean())
    turns = fit.estimation.predictor.recording.compared == "turns"
    sizes = (("speed", noise.along), ("direction", noise.across)) if turns else (("velocity", noise.along),)
    for name, size in sizes:
        if size <= 2e-6 * speed:
            found.append(f"the model predicts every {name} exactly: these animals have no noise in it")
    return found


def baseline_scores(fit: Fitted) -> dict[str, Any]:
    return {name: _plain(asdict(score)) for name, score in baselines(fit.estimation.predictor).items()}


def _plain_force(found: FreeForce) -> dict[str, Any]:
    return {
        name: value.tolist() if hasattr(value, "tolist") else value for name, value in vars(found).items()
    }


def _plain(data: dict[str, Any]) -> dict[str, Any]:
    """Numbers in the form of JSON."""
    return {
        key: None if isinstance(value, float) and not math.isfinite(value) else value
        for key, value in data.items()
    }
