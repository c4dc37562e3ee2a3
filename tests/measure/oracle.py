"""Flocks for the tests, and every graph quantity by simple counting, without SciPy."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.measure import Flock

Vectors = NDArray[np.float64]


def make_flock(positions: Any, velocities: Any = None, **options: Any) -> Flock:
    """Build a flock in a 100 x 60 world, radius 10, no wrap, by default all heading along x."""
    if velocities is None:
        velocities = np.tile([1.0, 0.0], (len(positions), 1))
    return Flock(
        positions, velocities, **{"width": 100.0, "height": 60.0, "wraps": False, "radius": 10.0} | options
    )


def random_flock(seed: int, count: int = 40, **options: Any) -> Flock:
    rng = np.random.default_rng(seed)
    return make_flock(rng.random((count, 2)) * [100.0, 60.0], rng.normal(size=(count, 2)), **options)


def distance(flock: Flock, i: int, j: int) -> float:
    """The distance between nearest images: tries all nine copies of the world instead of rounding."""
    x, y = flock.positions[i] - flock.positions[j]
    copies = (-1, 0, 1) if flock.wraps else (0,)
    return min(math.hypot(x + a * flock.width, y + b * flock.height) for a in copies for b in copies)


def neighbor_sets(flock: Flock) -> list[set[int]]:
    everyone = range(flock.agent_count)
    return [{j for j in everyone if j != i and distance(flock, i, j) <= flock.radius} for i in everyone]


def clustering(flock: Flock) -> float:
    """Follow the definition: share of linked pairs among each agent's neighbours."""
    near = neighbor_sets(flock)
    shares = []
    for mine in near:
        pairs = list(itertools.combinations(mine, 2))
        shares.append(sum(b in near[a] for a, b in pairs) / len(pairs) if pairs else 0.0)
    return sum(shares) / len(shares)


def group_sizes(flock: Flock) -> list[int]:
    """Flood fill."""
    near, unseen, sizes = neighbor_sets(flock), set(range(flock.agent_count)), []
    while unseen:
        edge, group = {unseen.pop()}, 1
        while edge:
            edge = set().union(*(near[i] for i in edge)) & unseen
            unseen -= edge
            group += len(edge)
        sizes.append(group)
    return sizes
