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

ROUNDS = 4
SMALL = 1e-4
"""A last move, as a share of a range, that is no longer worth a further round."""
WIDEST = 0.25
"""Errors above this share of a range say that the instruments are too weak."""


def corrected(
    estimation: Estimation,
    best: Solution,
    thresholds: dict[str, object],
    estimates: list[Estimate],
    window: int,
) -> list[Estimate] | None:
    """The estimates with the smooth numbers found by instruments; None if these are too weak.

    Args:
        estimation: The estimation.
        best: Its solution by least squares.
        thresholds: The thresholds, which are kept.
        estimates: The estimates by least squares.
        window: How many frames share an error of tracking.
    """
    earlier = _earlier(estimation.predictor, window)
    known = earlier >= 0
    if known.sum() < 10 * len(estimation.smooth) or not estimation.smooth:
        return None
    shares = best.shares.copy()
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
    errors, low, high = _errors(estimation, owners, instruments, rows[known], missed[known])
    if not (np.isfinite(errors).all() and (errors < WIDEST).all()):
        return None
    found = {
        axis.path: estimation.estimate_of(
            axis, float(shares[k]), float(errors[k]), float(low[k]), float(high[k])
        )
        for k, axis in enumerate(estimation.smooth)
    }
    return [found.get(estimate.path, replace(estimate)) for estimate in estimates]


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
