"""How well models predict motion that they were not fitted to: blocks of time, or animals, are left out in turn.

Leaving rows out moves an estimate a little, so it is moved by one step of least squares from the estimate of all rows:
no further pass over the motion is needed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from murmura.lab.infer.estimate import Estimation
from murmura.lab.infer.least_squares import flat
from murmura.lab.infer.prediction import Predictor
from murmura.lab.infer.solution import Solution
from murmura.lab.infer.transitions import Vectors

FOLDS = 5
Groups = NDArray[np.int64]


@dataclass(frozen=True)
class Score:
    """How well a model predicts what was left out.

    Attributes:
        likelihood: Mean logarithm of the likelihood of an animal's next velocity [nat].
        error: Its standard error, from the folds.
        explained: The share of the change of velocity that is predicted: 1 - mean square missed / mean square change.
        folds: The likelihood of each fold.
    """

    likelihood: float
    error: float
    explained: float
    folds: tuple[float, ...]


def time_folds(predictor: Predictor) -> Groups:
    """The fold of each row: a tenth of the time belongs to one fold, the next tenth to another."""
    transitions = len(predictor.recording.transitions)
    block = predictor.owners * (2 * FOLDS) // transitions
    return np.asarray(block % FOLDS)


def animal_folds(predictor: Predictor) -> Groups:
    """The fold of each row: an animal belongs to one fold for its whole life."""
    ids = np.concatenate([t.ids for t in predictor.recording.transitions])[predictor.rows]
    _, order = np.unique(ids, return_inverse=True)
    return np.asarray(np.random.default_rng(0).permutation(order.max() + 1)[order] % FOLDS)


def score_of(estimation: Estimation, best: Solution, groups: Groups) -> Score:
    """The score of a fitted model."""
    missed, jacobian = estimation.equations(best.velocities, best.derivatives, best.noise)
    fitted = estimation.predictor.compared(best.velocities)
    predicted = fitted.copy()
    for fold in np.unique(groups):
        inside = groups != fold
        if best.derivatives:
            part = flat(jacobian[inside])
            normal = part.T @ part
            ridge = 1e-9 * np.trace(normal) * np.eye(normal.shape[0])
            shift = np.linalg.solve(normal + ridge, part.T @ missed[inside].ravel())
            moved = sum(u * d for u, d in zip(shift, best.derivatives, strict=True))
            predicted[~inside] += np.asarray(moved)[~inside]
    return _score(estimation.predictor, predicted, fitted, groups)


def baseline_score(predictor: Predictor, predicted: Vectors, groups: Groups) -> Score:
    """The score of predictions that were not fitted."""
    found = predictor.compared(predicted)
    return _score(predictor, found, found, groups)


def _score(predictor: Predictor, predicted: Vectors, fitted: Vectors, groups: Groups) -> Score:
    """The score of predictions; the noise of a fold is that of all other folds."""
    missed, inner = predictor.target - predicted, predictor.target - fitted
    scale = float(np.sqrt((predictor.later**2).sum(axis=1).mean()))
    folds = []
    for fold in np.unique(groups):
        outside = groups == fold
        total = 0.0
        for columns in predictor.noises:
            noise = max(float(np.sqrt((inner[~outside, columns] ** 2).mean())), 1e-6 * scale)
            terms = -0.5 * (missed[outside, columns] / noise) ** 2 - np.log(noise) - 0.5 * np.log(2.0 * np.pi)
            total += float(terms.sum(axis=1).mean())
        folds.append(total)
    change = (predictor.residuals(predictor.before) ** 2).sum(axis=1).mean()
    left = (missed**2).sum(axis=1).mean()
    error = float(np.std(folds, ddof=1) / np.sqrt(len(folds))) if len(folds) > 1 else float("nan")
    return Score(
        float(np.mean(folds)), error, float(1.0 - left / change) if change > 0.0 else 0.0, tuple(folds)
    )


def paired_gain(one: Score, other: Score) -> tuple[float, float]:
    """How much better the first score is, and the standard error of that: both had the same folds."""
    gains = np.array(one.folds) - np.array(other.folds)
    return float(gains.mean()), float(gains.std(ddof=1) / np.sqrt(len(gains)))
