"""How a flock fills its world: measures of distances and crowding."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from murmura.measure.flock import Flock

if TYPE_CHECKING:
    from numpy.typing import NDArray

FEW = 1000


def nearest_neighbor_distance(flock: Flock) -> float:
    """Average the distance from each agent to the one nearest to it [u] (Clark & Evans 1954)."""
    if flock.agent_count < 2:
        return math.nan
    # Each agent finds itself too. Where several share one place, all of these distances are 0 anyway.
    distances, _ = flock.tree.query(flock.positions, k=2)
    return float(distances[:, 1].mean())


def spread(flock: Flock) -> float:
    """Take the root mean square distance to the centre [u]."""
    if flock.agent_count == 0:
        return math.nan
    x, y, *z = flock.offsets.T
    squares = x * x + y * y
    return math.sqrt(float((squares + z[0] * z[0] if z else squares).mean()))


def local_density(flock: Flock) -> float:
    """Average how many other agents each one has within the radius."""
    if flock.agent_count == 0:
        return math.nan
    return 2.0 * flock.link_count / flock.agent_count if flock.is_crowded else float(flock.degrees.mean())


def extent(flock: Flock) -> float:
    """Find the greatest distance between two agents [u]; on a torus as the flock lies around its centre."""
    if flock.agent_count == 0 or not np.isfinite(flock.offsets).all():
        return math.nan
    from scipy.spatial.distance import cdist

    ends = _outermost(flock.offsets)
    return max(float(cdist(ends[k : k + FEW], ends).max()) for k in range(0, len(ends), FEW))


def _outermost(places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Corners of the convex hull, among which the two farthest apart are; all places if they are few or flat."""
    from scipy.spatial import ConvexHull, QhullError

    if len(places) <= FEW:
        return places
    try:
        return np.asarray(places[ConvexHull(places).vertices])
    except QhullError:
        return places
