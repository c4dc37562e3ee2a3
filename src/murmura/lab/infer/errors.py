"""Errors of estimates from motion: neighbouring frames are not independent, so blocks of time are resampled."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 500
LEVEL = 0.90
LEAST_BLOCKS = 10
WINDOW = 5.0
"""The autocorrelation is summed up to this many times its own sum (Sokal 1997)."""


def correlation_time(series: NDArray[np.float64]) -> float:
    """The integrated autocorrelation time of a series in samples: 1 for independent ones."""
    centred = series - series.mean()
    n = len(centred)
    power = float(centred @ centred)
    if n < 4 or power <= 0.0:
        return 1.0
    size = 1 << (2 * n - 1).bit_length()
    spectrum = np.abs(np.fft.rfft(centred, size)) ** 2
    correlation = np.fft.irfft(spectrum, size)[:n] / power
    total = 1.0
    for lag in range(1, n):
        total += 2.0 * float(correlation[lag])
        if lag >= WINDOW * total:
            break
    return max(1.0, total)


def block_length(scores: NDArray[np.float64]) -> int:
    """How many neighbouring transitions form a block, from their scores (transitions, parameters)."""
    longest = max((correlation_time(column) for column in scores.T), default=1.0)
    return max(1, min(math.ceil(2.0 * longest), len(scores) // LEAST_BLOCKS))


def blocks_of(owners: NDArray[np.int64], transitions: int, length: int) -> NDArray[np.int64]:
    """The block of each row, from the transition of each."""
    count = max(1, transitions // length)
    found: NDArray[np.int64] = np.minimum(owners // length, count - 1)
    return found


def resampled(normal: NDArray[np.float64], scores: NDArray[np.float64], seed: int = 0) -> NDArray[np.float64]:
    """Deviations of an estimate when its blocks are drawn again with replacement, (resamples, parameters).

    Args:
        normal: The normal matrix of each block, (blocks, parameters, parameters).
        scores: The gradient of each block, (blocks, parameters); they sum to about 0 at the estimate.
        seed: Of the draws.
    """
    blocks = len(scores)
    drawn = np.random.default_rng(seed).multinomial(blocks, np.full(blocks, 1.0 / blocks), RESAMPLES)
    matrices = np.einsum("rb,bij->rij", drawn, normal)
    gradients = drawn @ (scores - scores.mean(axis=0))
    ridge = 1e-12 * np.trace(normal.sum(axis=0)) * np.eye(scores.shape[1])
    found: NDArray[np.float64] = np.linalg.solve(matrices + ridge, gradients[..., None])[..., 0]
    return found


def errors_of(
    normal: NDArray[np.float64], scores: NDArray[np.float64], least: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Standard errors, and the ends of 90 % intervals relative to the estimate.

    Args:
        normal, scores: Of each block, as for `resampled`.
        least: Standard errors if all frames were independent: they are no smaller.
    """
    deviations = resampled(normal, scores)
    errors = np.maximum(least, deviations.std(axis=0))
    tail = 0.5 * (1.0 - LEVEL)
    ends = np.quantile(deviations, [tail, 1.0 - tail], axis=0)
    # Few blocks say little about the tails: then an interval is at least the normal one.
    half = 1.6449 * errors
    return errors, np.minimum(ends[0], -half), np.maximum(ends[1], half)
