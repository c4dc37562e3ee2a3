"""The shape of a flock: how thick, wide and long it is, along axes of its own (Ballerini et al. 2008)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from murmura.measure.flock import NOISE, Flock, by_columns, column_means

if TYPE_CHECKING:
    from numpy.typing import NDArray


def principal_lengths(flock: Flock) -> NDArray[np.float64]:
    """Measure how long a flock is along each of its principal axes [u], the shortest first: I1, I2 and, in space, I3.

    They are the sides of the uniformly filled box that has the flock's variances: sqrt(12 x variance). Unlike a box
    around the flock, they do not depend on its outermost agent. NaN for an empty flock, or one without a centre.
    """
    if flock.agent_count == 0 or not np.isfinite(flock.center).all():
        return np.full(flock.dimension, math.nan)
    # The centre of a torus is a circular mean; variances are about the plain one.
    offsets = by_columns(np.subtract, flock.offsets, column_means(flock.offsets))
    variances = np.linalg.eigvalsh(offsets.T @ offsets / flock.agent_count)
    return np.asarray(np.sqrt(12.0 * np.maximum(variances, 0.0)))


def thickness(flock: Flock) -> float:
    """Take the shortest of the flock's principal lengths [u]: I1."""
    return float(principal_lengths(flock)[0])


def thickness_to_width(flock: Flock) -> float:
    """Divide the shortest of the principal lengths by the next: I1/I2."""
    return _share_of(flock, 1)


def thickness_to_length(flock: Flock) -> float:
    """Divide the shortest of the principal lengths by the longest: I1/I3, in the plane I1/I2."""
    return _share_of(flock, -1)


def _share_of(flock: Flock, which: int) -> float:
    lengths = principal_lengths(flock)
    # Below that a length is rounding noise, as for agents on one line.
    return float(lengths[0] / lengths[which]) if lengths[which] > NOISE * flock.extent else math.nan
