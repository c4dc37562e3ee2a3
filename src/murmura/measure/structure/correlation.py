"""How far changes of velocity are correlated: velocity fluctuations against distance (Cavagna et al. 2010).

The motion of the flock as a whole is subtracted; the rest is correlated between pairs as a function of distance.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from murmura.measure.flock import NOISE, Flock, by_columns, column_means

if TYPE_CHECKING:
    from numpy.typing import NDArray

BINS = 40
SAMPLE = 500
"""In larger flocks only this many agents are compared, evenly spaced by row: 125,000 pairs."""


def velocity_correlation(
    flock: Flock, bins: int = BINS, sample: int = SAMPLE
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Correlate the velocity fluctuations of pairs with their distance.

    Args:
        flock: The instant to look at.
        bins: Into how many equal parts the reach is divided: half the smaller side of a torus, else twice the
            distance from the centre to the agent farthest from it.
        sample: How many agents are compared at most.

    Returns:
        The middle of each bin [u] and the correlation there, 1 at distance 0; NaN where a bin has no pair, and
        everywhere if no agent deviates from the mean velocity.
    """
    if bins < 1 or sample < 2:
        raise ValueError(f"expected 1 or more bins and a sample of 2 or more, got {bins} and {sample}")
    reach = _reach(flock)
    middles = np.asarray((np.arange(bins) + 0.5) * (reach / bins), np.float64)
    nothing = np.full(bins, math.nan)
    if flock.agent_count < 2 or not reach > 0.0:
        return middles, nothing
    deviations = by_columns(np.subtract, flock.velocities, column_means(flock.velocities))
    first, *others = (column**2 for column in deviations.T)
    power = float(sum(others, first).mean())
    if power <= (NOISE * float(flock.speeds.max())) ** 2:
        return middles, nothing
    rows = np.linspace(0, flock.agent_count - 1, min(sample, flock.agent_count)).astype(np.intp)
    one, other = _pairs(len(rows))
    # In place: allocating memory for 125,000 numbers costs as much as computing them.
    squares = np.zeros(len(one))
    for column, side, wraps in zip(flock.positions.T, flock.size, flock.wrapping, strict=True):
        x = column[rows]
        dx = x.take(one)
        dx -= x.take(other)
        if wraps:
            dx -= side * np.rint(dx / side)
        squares += np.square(dx, out=dx)
    distances = np.sqrt(squares, out=squares)
    # Pairs beyond the reach fall into an extra bin, which is dropped.
    distances *= bins / reach
    bin_of = np.minimum(distances, bins, out=distances).astype(np.intp)
    products = np.zeros(len(one))
    for column in deviations.T:
        dv = column[rows]
        part = dv.take(one)
        part *= dv.take(other)
        products += part
    sums = np.bincount(bin_of, products, bins + 1)[:bins]
    counts = np.bincount(bin_of, minlength=bins + 1)[:bins]
    return middles, np.divide(sums, counts * power, where=counts > 0, out=nothing)


@lru_cache(maxsize=4)
def _pairs(count: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Every pair of rows once. Finding them takes as long as comparing them."""
    one, other = np.triu_indices(count, 1)
    return one, other


def correlation_length(flock: Flock) -> float:
    """Find the distance [u] at which velocity fluctuations become uncorrelated: the first zero of their correlation."""
    distances, correlations = velocity_correlation(flock)
    known = np.isfinite(correlations)
    if not known.any():
        return math.nan
    x = np.concatenate([[0.0], distances[known]])
    y = np.concatenate([[1.0], correlations[known]])
    below = np.flatnonzero(y <= 0.0)
    if not len(below):
        return math.nan
    k = below[0]
    return float(x[k - 1] + (x[k] - x[k - 1]) * y[k - 1] / (y[k - 1] - y[k]))


def _reach(flock: Flock) -> float:
    if all(flock.wrapping):
        return 0.5 * float(flock.size.min())
    if flock.agent_count == 0:
        return 0.0
    farthest = float(flock.distances.max())
    # No pair is farther apart than this; a tiny addition keeps the farthest pair in the last bin.
    return 2.0 * farthest * (1.0 + 1e-9)
