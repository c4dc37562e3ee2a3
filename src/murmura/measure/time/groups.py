"""What changes from frame to frame: who is near whom, groups that split and join, places that were visited."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from murmura.measure.flock import Flock
from murmura.measure.time.errors import Average, Curve, average
from murmura.measure.time.lags import Lagged, ids_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

NEAREST = 6
FOLLOWED = 500
"""This many agents are followed at most, evenly spaced by row in the first frame."""
MOST_CELLS = 2**20


class NeighborPersistence:
    """The share of an agent's nearest neighbours that are so again a time later (Cavagna et al. 2013).

    Args:
        nearest: How many neighbours count.
    """

    def __init__(self, nearest: int = NEAREST) -> None:
        self._nearest = nearest
        self._lagged = Lagged(_shared)
        self._followed: NDArray[np.int64] | None = None

    def add(self, flock: Flock) -> None:
        ids, n = ids_of(flock), flock.agent_count
        if self._followed is None:
            self._followed = ids[np.linspace(0, n - 1, min(n, FOLLOWED)).astype(np.intp)]
        rows = np.flatnonzero(np.isin(ids, self._followed, assume_unique=True))
        k = min(self._nearest, n - 1)
        if k < 1 or not len(rows):
            self._lagged.add(np.empty(0, np.int64), np.empty((0, 1)))
            return
        _, near = flock.tree.query(flock.positions[rows], k=k + 1)
        # An agent is no neighbour of itself; where it does not find itself, the last of the others is one too many.
        own = near == rows[:, None]
        own[~own.any(axis=1), -1] = True
        names = np.full((len(rows), self._nearest), math.nan)
        names[:, :k] = ids[near[~own].reshape(-1, k)]
        self._lagged.add(ids[rows], names)

    def curve(self, seconds: float) -> Curve:
        """The share against time [s], for frames this many seconds apart."""
        return self._lagged.curve(seconds)


def _shared(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """The share of the names in the rows of one that are in those of the other."""
    count = np.isfinite(one).sum()
    return float((one[:, :, None] == other[:, None, :]).sum() / count) if count else math.nan


class GroupChanges:
    """How often groups split and join: groups that the members of one are in a frame later, beyond the first."""

    def __init__(self) -> None:
        self._before: tuple[NDArray[np.int64], NDArray[np.int32]] | None = None
        self._rows: list[tuple[float, float]] = []

    def add(self, flock: Flock) -> None:
        ids, labels = ids_of(flock), flock.group_labels
        if self._before is not None:
            _, mine, theirs = np.intersect1d(ids, self._before[0], assume_unique=True, return_indices=True)
            self._rows.append(_changes(self._before[1][theirs], labels[mine]))
        self._before = ids, labels

    def rates(self, seconds: float) -> tuple[Average, Average]:
        """Fissions and fusions per second, for frames this many seconds apart."""
        rows = np.array(self._rows).reshape(-1, 2) / seconds
        return average(rows[:, 0]), average(rows[:, 1])


def _changes(before: NDArray[np.int32], now: NDArray[np.int32]) -> tuple[float, float]:
    """Fissions and fusions between two partitions of the same agents."""
    both = len(np.unique(before.astype(np.int64) * (int(now.max(initial=0)) + 1) + now))
    return float(both - len(np.unique(before))), float(both - len(np.unique(now)))


class Exploration:
    """The share of the world that the flock visits in a time, in cells as wide as the perception radius.

    The run is divided into windows of 1, 2, 4, ... frames, so each value is an average over windows. Only two windows
    of each length are kept.
    """

    def __init__(self) -> None:
        self._open: list[NDArray[np.bool_] | None] = []
        self._shares: list[list[float]] = []

    def add(self, flock: Flock) -> None:
        if not self._open:
            self._parts = _cells(flock)
        visited: NDArray[np.bool_] = np.zeros(int(np.prod(self._parts)), np.bool_)
        cells = np.floor(flock.positions * (self._parts / flock.size)).astype(np.intp)
        inside = ((cells >= 0) & (cells < self._parts)).all(axis=1)
        visited[np.ravel_multi_index(tuple(cells[inside].T), tuple(self._parts.tolist()))] = True
        for level in range(len(self._open) + 1):
            if level == len(self._open):
                self._open.append(None)
                self._shares.append([])
            self._shares[level].append(float(visited.mean()))
            former = self._open[level]
            if former is None:
                self._open[level] = visited
                return
            self._open[level] = None
            visited = visited | former

    def curve(self, seconds: float) -> Curve:
        """The share against time [s], for frames this many seconds apart."""
        found = [average(np.array(shares)) for shares in self._shares]
        lags = np.asarray((2.0 ** np.arange(len(found)) - 1.0) * seconds, np.float64)
        return Curve(lags, np.array([f.mean for f in found]), np.array([f.error for f in found]))


def _cells(flock: Flock) -> NDArray[np.intp]:
    """Into how many cells the world is divided along each axis."""
    parts = np.maximum(1.0, np.round(flock.size / flock.radius))
    too_many = max(1.0, float(np.prod(parts)) / MOST_CELLS)
    return np.asarray(np.maximum(1, parts / too_many ** (1.0 / flock.dimension)), np.intp)
