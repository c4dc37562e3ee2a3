"""Estimates that errors of tracking do not draw towards 0: instruments from earlier frames.

The model starts from an observed velocity. Its error appears both in what the prediction misses and in how the
prediction depends on the numbers, so least squares are biased. How the prediction depended on the numbers some frames
earlier has other errors; it tells nearly as much, and what is missed is uncorrelated with it only at the truth
(Reiersøl 1941).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from murmura.lab.infer.errors import block_length, blocks_of, errors_of
from murmura.lab.infer.estimate import Estimation
from murmura.lab.infer.prediction import Predictor
from murmura.lab.infer.solution import Estimate, Numbers, Solution
from murmura.lab.infer.transitions import Recording, Vectors

ROUNDS = 4
SMALL = 1e-4
"""A last move, as a share of a range, that is no longer worth a further round."""
AGAIN = 2
"""How often the same error is added once more."""
WIDEST = 0.25
"""Errors above this share of a range say that the instruments are too weak."""


def corrected(
    estimation: Estimation,
    best: Solution,
    thresholds: dict[str, object],
    estimates: list[Estimate],
    error: float,
) -> list[Estimate] | None:
    """The estimates with the smooth numbers found by instruments; None if these are too weak.

    Where a step is not proportional to an error (at a limit of speed or force), instruments are biased, too. So the
    same error is added once more: what that changes is taken away, and widens the interval.

    Args:
        estimation: The estimation.
        best: Its solution by least squares.
        thresholds: The thresholds, which are kept.
        estimates: The estimates by least squares.
        error: The size of the error in each component of a velocity, if it is known; or 0.
    """
    found = _by_instruments(estimation, best.shares, thresholds, best)
    if found is None:
        return None
    shares, (errors, low, high) = found
    recording = estimation.predictor.recording
    if error > 0.0 and recording.window == 1:
        changes = []
        for seed in range(AGAIN):
            noisier = estimation.observing(noisy(recording, error, np.random.default_rng(seed)))
            moved = _by_instruments(noisier, shares, thresholds, best)
            changes += [] if moved is None else [moved[0] - shares]
        bias = np.mean(changes, axis=0) if changes else np.zeros_like(shares)
        shares = np.clip(shares - bias, 0.0, 1.0)
        errors, low, high = np.hypot(errors, bias), -np.hypot(low, bias), np.hypot(high, bias)
    if not (np.isfinite(errors).all() and (errors < WIDEST).all()):
        return None
    better = {
        axis.path: estimation.estimate_of(
            axis, float(shares[k]), float(errors[k]), float(low[k]), float(high[k])
        )
        for k, axis in enumerate(estimation.smooth)
    }
    return [better.get(estimate.path, replace(estimate)) for estimate in estimates]


def noisy(recording: Recording, error: float, chance: np.random.Generator) -> Recording:
    """The same motion with errors in its velocities; a velocity has the same error in both its transitions."""
    drawn: dict[tuple[int, int], Vectors] = {}

    def seen(ids: NDArray[np.int64], frame: int, velocities: Vectors) -> Vectors:
        fresh = chance.normal(0.0, error, velocities.shape)
        rows = [drawn.setdefault((one, frame), row) for one, row in zip(ids.tolist(), fresh, strict=True)]
        return velocities + np.array(rows).reshape(velocities.shape)

    return replace(
        recording,
        transitions=tuple(
            replace(
                t,
                velocities=seen(t.ids, t.frame, t.velocities),
                later=seen(t.ids, t.frame + recording.every, t.later),
            )
            for t in recording.transitions
        ),
    )


Errors = tuple[Numbers, Numbers, Numbers]


def _by_instruments(
    estimation: Estimation, start: Numbers, thresholds: dict[str, object], best: Solution
) -> tuple[Numbers, Errors] | None:
    """The smooth numbers as shares, and their errors; None without enough instruments."""
    earlier = _earlier(estimation.predictor, estimation.predictor.recording.window)
    known = earlier >= 0
    if known.sum() < 10 * len(estimation.smooth) or not estimation.smooth:
        return None
    shares = start.copy()
    for _ in range(ROUNDS):
        there = estimation.at(shares, thresholds)
        missed, rows = estimation.equations(there.velocities, there.derivatives, best.noise)
        instruments = rows[earlier[known]]
        normal = np.einsum("nkp,nkq->pq", instruments, rows[known])
        if np.linalg.cond(normal) > 1e10:
            return None
        shift = np.linalg.solve(normal, np.einsum("nkp,nk->p", instruments, missed[known]))
        shares = np.clip(shares + shift, 0.0, 1.0)
        if np.abs(shift).max() < SMALL:
            break
    owners = estimation.predictor.owners[known]
    return shares, _errors(estimation, owners, instruments, rows[known], missed[known])


def _earlier(predictor: Predictor, window: int) -> NDArray[np.int64]:
    """For each row, that of the same animal `window` frames earlier, or -1."""
    transitions = predictor.recording.transitions
    ids = np.concatenate([t.ids for t in transitions])[predictor.rows].tolist()
    frames = np.array([t.frame for t in transitions])[predictor.owners].tolist()
    places = {pair: row for row, pair in enumerate(zip(ids, frames, strict=True))}
    return np.array([places.get((one, frame - window), -1) for one, frame in zip(ids, frames, strict=True)])


def _errors(
    estimation: Estimation, owners: NDArray[np.int64], instruments: Numbers, rows: Numbers, missed: Numbers
) -> tuple[Numbers, Numbers, Numbers]:
    transitions, size = len(estimation.predictor.recording.transitions), len(estimation.smooth)
    each = np.einsum("nkp,nk->np", instruments, missed)
    scores = np.zeros((transitions, size))
    np.add.at(scores, owners, each)
    blocks = blocks_of(owners, transitions, block_length(scores))
    count = int(blocks.max()) + 1
    normal, gradient = np.zeros((count, size, size)), np.zeros((count, size))
    np.add.at(normal, blocks, np.einsum("nkp,nkq->npq", instruments, rows))
    np.add.at(gradient, blocks, each)
    return errors_of(normal, gradient, np.zeros(size))
