"""The shape of a flock in space: how thick it is beside its width and length, and where nearest neighbours are.

Lengths are those of a box filled evenly that has the same spread along the flock's own three axes.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from murmura.measure.flock import Flock
from murmura.measure.neighbors import anisotropy

if TYPE_CHECKING:
    from numpy.typing import NDArray


def principal_lengths(flock: Flock) -> NDArray[np.float64]:
    """The flock's lengths along its own axes [u], the shortest first: I1, I2, I3 (Ballerini et al. 2008).

    In the plane there are two. NaN without agents, or where a torus leaves the flock no centre.
    """
    offsets = flock.offsets
    if flock.agent_count == 0 or not np.isfinite(offsets).all():
        return np.full(flock.dimension, math.nan)
    # Offsets from a circular mean need not add up to nothing.
    spread = np.linalg.eigvalsh(np.cov(offsets, rowvar=False, bias=True))
    return np.asarray(np.sqrt(12.0 * np.maximum(spread, 0.0)))


def thickness(flock: Flock) -> float:
    """Tell the shortest of the flock's lengths (I1) [u]."""
    return float(principal_lengths(flock)[0])


def thickness_to_width(flock: Flock) -> float:
    """Tell I1 / I2: 1 for a ball, less for what is flat."""
    return _ratio(flock, 1)


def thickness_to_length(flock: Flock) -> float:
    """Tell I1 / I3: 1 for a ball, less for what is flat or long."""
    return _ratio(flock, -1)


def _ratio(flock: Flock, which: int) -> float:
    lengths = principal_lengths(flock)
    return float(lengths[0] / lengths[which]) if lengths[which] > 0.0 else math.nan


def neighbor_anisotropy(flock: Flock) -> float:
    """Tell whether nearest neighbours are aside: 1/3 in all directions alike, 1 nobody ahead or behind (Ballerini)."""
    return float(anisotropy([flock], 1)[0])
