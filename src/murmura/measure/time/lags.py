"""Motion against time: mean squared displacement and autocorrelation of velocities, gathered frame by frame.

Memory grows with the logarithm of the run's length only (Frenkel & Smit 2002, section 4.4): level k keeps the last
`KEPT` of every 2^k-th frame, unaveraged. So each value at a lag is exact; long lags have fewer origins. Between two
frames an agent must move less than half a side of a torus, because positions are unwrapped by the shortest way.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from murmura.measure.flock import Flock
from murmura.measure.time.errors import Curve, average

if TYPE_CHECKING:
    from numpy.typing import NDArray

KEPT = 16


Instant = tuple["NDArray[np.int64]", "NDArray[np.float64]"]
"""Ids of agents and a vector of each."""


class Lagged:
    """A mean over agents of a product of two instants, against the time between them.

    Args:
        product: From the vectors of the same agents at two instants, the mean of what is wanted.
    """

    def __init__(self, product: Callable[[NDArray[np.float64], NDArray[np.float64]], float]) -> None:
        self._product = product
        self._levels: list[deque[Instant]] = []
        self._found: dict[int, list[float]] = {0: []}
        self._frames = 0
        self._first: Instant | None = None

    def add(self, ids: NDArray[np.int64], vectors: NDArray[np.float64]) -> None:
        """Compare an instant with the ones before. Agents that are in one of two instants alone are left out."""
        now, frame = (ids, vectors), self._frames
        self._first = self._first or now
        self._found[0].append(self._mean(now, now))
        if frame == 1 << len(self._levels):
            self._levels.append(deque([self._first], KEPT))
        for k, kept in enumerate(self._levels):
            if frame % (1 << k):
                break
            # The lower half of the lags of a level is that of the level below.
            for m in range(1 if k == 0 else KEPT // 2 + 1, len(kept) + 1):
                self._found.setdefault(m << k, []).append(self._mean(kept[-m], now))
            kept.append(now)
        self._frames += 1

    def curve(self, seconds: float) -> Curve:
        """The means and their errors, for frames this many seconds apart."""
        lags = sorted(self._found)
        found = [average(np.array(self._found[lag])) for lag in lags]
        means, errors = ([getattr(each, name) for each in found] for name in ("mean", "error"))
        return Curve(np.array(lags) * seconds, np.array(means), np.array(errors))

    def _mean(self, before: Instant, now: Instant) -> float:
        one, other = before[1], now[1]
        if before[0] is not now[0] and not np.array_equal(before[0], now[0]):
            _, mine, theirs = np.intersect1d(before[0], now[0], assume_unique=True, return_indices=True)
            one, other = one[mine], other[theirs]
        return self._product(one, other) if len(one) else math.nan


class Displacements:
    """Mean squared displacement [u²] against time, of a flock whose frames are added one after the other."""

    def __init__(self) -> None:
        self._lagged = Lagged(_squared_distance)
        self._ids = np.empty(0, np.int64)
        self._wrapped = np.empty((0, 2))
        self._unwrapped = np.empty((0, 2))

    def add(self, flock: Flock) -> None:
        ids = ids_of(flock)
        places = flock.positions
        if len(ids) == len(self._ids) and np.array_equal(ids, self._ids):
            ids = self._ids
            unwrapped = self._unwrapped + flock.shortest(places - self._wrapped)
        else:
            unwrapped = places.copy()
            _, mine, theirs = np.intersect1d(ids, self._ids, assume_unique=True, return_indices=True)
            if len(mine):
                steps = flock.shortest(places[mine] - self._wrapped[theirs])
                unwrapped[mine] = self._unwrapped[theirs] + steps
        self._ids, self._wrapped, self._unwrapped = ids, places, unwrapped
        self._lagged.add(ids, unwrapped)

    def curve(self, seconds: float) -> Curve:
        """Mean squared displacement [u²] against time [s], for frames this many seconds apart."""
        return self._lagged.curve(seconds)


class VelocityAutocorrelation:
    """Mean of v(t) · v(t + lag) [u²/s²] against the lag, of a flock whose frames are added one after the other."""

    def __init__(self) -> None:
        self._lagged = Lagged(_dot)
        self._ids: NDArray[np.int64] | None = None

    def add(self, flock: Flock) -> None:
        ids = ids_of(flock)
        if self._ids is not None and np.array_equal(ids, self._ids):
            ids = self._ids
        self._ids = ids
        self._lagged.add(ids, flock.velocities)

    def curve(self, seconds: float) -> Curve:
        """The autocorrelation [u²/s²] against time [s], for frames this many seconds apart."""
        return self._lagged.curve(seconds)


# Not `@`: BLAS starts threads for so short a sum, which costs more than the sum.
def _squared_distance(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    difference = (one - other).ravel()
    return float(np.einsum("i,i", difference, difference)) / len(one)


def _dot(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    return float(np.einsum("i,i", one.ravel(), other.ravel())) / len(one)


def ids_of(flock: Flock) -> NDArray[np.int64]:
    """The ids of the agents, or their rows if they have none."""
    return np.arange(flock.agent_count) if flock.ids is None else flock.ids
