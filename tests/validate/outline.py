"""The outline of a flock: does it lie along the axes, like that of a box?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import ConvexHull, cKDTree

NEAR = 50.0  # [u] agents nearer than this are in one group
SLANT = 10.0  # [deg] a side that is turned less than this lies along an axis
ROUND = 2.0 * SLANT / 90.0
"""What `share_along_axes` is for sides of any direction."""


def share_along_axes(places: NDArray[np.float64]) -> float:
    """The share of the outline of the largest group that lies along an axis: 1 for a box."""
    pairs = cKDTree(places).query_pairs(NEAR, output_type="ndarray")
    links = coo_array((np.ones(len(pairs)), pairs.T), shape=(len(places), len(places)))
    group = connected_components(links, directed=False)[1]
    largest = places[group == np.bincount(group).argmax()]
    outline = largest[ConvexHull(largest).vertices]
    sides = np.roll(outline, -1, axis=0) - outline
    lengths, angles = np.hypot(*sides.T), np.degrees(np.arctan2(sides[:, 1], sides[:, 0])) % 90.0
    return float(lengths[np.minimum(angles, 90.0 - angles) < SLANT].sum() / lengths.sum())
