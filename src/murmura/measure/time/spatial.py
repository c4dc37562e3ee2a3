"""Curves over distance, wave number and number, averaged over time: C(r), g(r), S(k), fluctuations of number, groups.

Each is gathered frame by frame and keeps a short row of numbers for each frame, from which errors come.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from murmura.measure.flock import Flock
from murmura.measure.structure.correlation import velocity_correlation
from murmura.measure.time.errors import (
    LEAST_INDEPENDENT,
    Average,
    Curve,
    average,
    average_columns,
    correlation_time,
    jackknife,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

BINS = 40
CENTERS = 250
PAIRS = 50_000
"""Around this many agents others are counted for g(r), in every frame."""
PER_AXIS = {2: 20, 3: 6}
"""Waves counted along each axis, by the number of axes."""
DIRECTIONS = 2048


class FluctuationCorrelation:
    """C(r) of velocity fluctuations (Cavagna et al. 2010), as `velocity_correlation` has it for one instant."""

    def __init__(self, bins: int = BINS) -> None:
        self._bins = bins
        self._reach = 0.0
        self._rows: list[NDArray[np.float64]] = []

    def add(self, flock: Flock) -> None:
        x, values = velocity_correlation(flock, self._bins)
        reach = x[0] * 2.0 * self._bins
        if not self._rows:
            self._x, self._reach = x, reach
        elif abs(reach - self._reach) > 1e-9 * self._reach:
            # Off a torus the bins follow the flock: read at the places of the first frame.
            known = np.isfinite(values)
            values = (
                np.interp(self._x, x[known], values[known], math.nan, math.nan)
                if known.any()
                else np.full(self._bins, math.nan)
            )
        self._rows.append(values)

    def curve(self) -> Curve:
        """C against distance [u]."""
        if not self._rows:
            return Curve(np.empty(0), np.empty(0), np.empty(0))
        return Curve(self._x, *average_columns(np.stack(self._rows)))

    def length(self) -> Average:
        """The first zero ξ [u] of C, over the frames in which it has one."""
        return average(np.array([first_zero(self._x, row) for row in self._rows]))


def first_zero(x: NDArray[np.float64], values: NDArray[np.float64]) -> float:
    """Where a curve that begins at (0, 1) first reaches 0; NaN if it does not."""
    known = np.isfinite(values)
    x, y = np.concatenate([[0.0], x[known]]), np.concatenate([[1.0], values[known]])
    below = np.flatnonzero(y <= 0.0)
    if not len(below):
        return math.nan
    k = int(below[0])
    return float(x[k - 1] + (x[k] - x[k - 1]) * y[k - 1] / (y[k - 1] - y[k]))


class PairDistribution:
    """g(r): agents at distance r of another, over how many there would be if all were scattered over the world.

    Args:
        bins: Into how many parts the reach is divided.
        reach: Up to which distance [u]; by default six times the mean spacing, at most half the smallest side.
    """

    def __init__(self, bins: int = BINS, reach: float | None = None) -> None:
        self._bins, self._reach = bins, reach
        self._rows: list[NDArray[np.float64]] = []

    def add(self, flock: Flock) -> None:
        n, dimension = flock.agent_count, flock.dimension
        if not self._rows:
            half = 0.5 * float(flock.size.min())
            spacing = float(np.prod(flock.size)) ** (1.0 / dimension) / max(1, n) ** (1.0 / dimension)
            self._reach = min(half, 6.0 * spacing) if self._reach is None else min(half, self._reach)
            self._edges = np.linspace(0.0, self._reach, self._bins + 1)
            self._overlap = overlap(self._edges, flock.size, flock.wrapping)
        if n < 2:
            self._rows.append(np.full(self._bins, math.nan))
            return
        volume = float(np.prod(flock.size))
        # In space an agent has hundreds of others within reach: fewer centres do.
        most = min(CENTERS, int(PAIRS * volume / (n * self._overlap.sum())))
        every = max(1, n // max(1, most))
        centers = flock.positions[len(self._rows) % every :: every]
        assert self._reach is not None
        near = _tree_of(flock, centers).sparse_distance_matrix(flock.tree, self._reach, output_type="ndarray")
        counts = np.histogram(near["v"], self._bins, (0.0, self._reach))[0].astype(np.float64)
        # An agent is no neighbour of itself: one count at distance 0 for each centre.
        counts[0] -= len(centers)
        self._rows.append(counts / (len(centers) * (n - 1) / volume * self._overlap))

    def curve(self) -> Curve:
        """g against distance [u]."""
        if not self._rows:
            return Curve(np.empty(0), np.empty(0), np.empty(0))
        return Curve(0.5 * (self._edges[1:] + self._edges[:-1]), *average_columns(np.stack(self._rows)))


def _tree_of(flock: Flock, places: NDArray[np.float64]) -> Any:
    from scipy.spatial import cKDTree

    return cKDTree(places, boxsize=flock.tree.boxsize)


def overlap(
    edges: NDArray[np.float64], size: NDArray[np.float64], wrapping: tuple[bool, ...]
) -> NDArray[np.float64]:
    """How much of each shell around an agent lies in the world [u^d], on average over all places of the agent.

    Without edges (a torus) it is the shell itself. Elsewhere the share of the world that a step of (a, b) does not
    leave, (1 - |a| / width) (1 - |b| / height), is averaged over directions.
    """
    middles = np.linspace(edges[:-1], edges[1:], 5)
    dimension = len(size)
    k = np.arange(DIRECTIONS) + 0.5
    if dimension == 2:
        angles = k * (0.5 * math.pi / DIRECTIONS)
        directions = np.stack([np.cos(angles), np.sin(angles)])
    else:
        up = k / DIRECTIONS
        angles = math.pi * (1.0 + math.sqrt(5.0)) * k
        flat = np.sqrt(1.0 - up**2)
        directions = np.abs(np.stack([flat * np.cos(angles), flat * np.sin(angles), up]))
    inside = np.ones((*middles.shape, DIRECTIONS))
    for share, side, wraps in zip(directions, size, wrapping, strict=True):
        if not wraps:
            inside *= np.maximum(0.0, 1.0 - middles[..., None] * share / side)
    surface = (2.0 * math.pi * middles) if dimension == 2 else (4.0 * math.pi * middles**2)
    # Boole's rule over each shell: exact for the polynomials that arise.
    weights = np.array([7.0, 32.0, 12.0, 32.0, 7.0]) / 90.0
    return np.asarray(np.tensordot(weights, inside.mean(axis=-1) * surface, 1) * np.diff(edges))


class StructureFactor:
    """S(k) = |sum exp(-i k · x)|² / n for the waves that fit into the world, averaged over directions.

    Args:
        per_axis: Waves along an axis, at most; by default 20 in the plane and 6 in space.
    """

    def __init__(self, per_axis: int | None = None) -> None:
        self._per_axis = per_axis
        self._rows: list[NDArray[np.float64]] = []

    def add(self, flock: Flock) -> None:
        if not self._rows:
            self._prepare(flock)
        if not flock.agent_count:
            self._rows.append(np.full(len(self._x), math.nan))
            return
        waves = wave_sums(flock.positions, flock.size, self._most)
        power = (waves.real**2 + waves.imag**2).ravel()[self._chosen] / flock.agent_count
        self._rows.append(np.bincount(self._bin_of, power) / self._counts)

    def _prepare(self, flock: Flock) -> None:
        self._most = self._per_axis or PER_AXIS[flock.dimension]
        axes = [np.arange(-self._most, self._most + 1)] * (flock.dimension - 1) + [np.arange(self._most + 1)]
        numbers = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, flock.dimension)
        length = np.sqrt(((numbers * (2.0 * math.pi / flock.size)) ** 2).sum(axis=1))
        step = 2.0 * math.pi / float(flock.size.max())
        # The shortest side's waves end first: beyond that, directions would be missing.
        reach = self._most * step * (1.0 + 1e-9)
        self._chosen = np.flatnonzero((length > 0.0) & (length <= reach))
        bins = np.rint(length[self._chosen] / step).astype(np.intp)
        _, self._bin_of = np.unique(bins, return_inverse=True)
        self._counts = np.bincount(self._bin_of)
        self._x = np.bincount(self._bin_of, length[self._chosen]) / self._counts

    def curve(self) -> Curve:
        """S against the wave number k [1/u]."""
        if not self._rows:
            return Curve(np.empty(0), np.empty(0), np.empty(0))
        return Curve(self._x, *average_columns(np.stack(self._rows)))


def wave_sums(positions: NDArray[np.float64], size: NDArray[np.float64], most: int) -> NDArray[np.complex128]:
    """The sum of exp(-i k · x) over agents for k = 2 pi (a / width, b / height, ...).

    Returns:
        Shape (2 most + 1, ..., most + 1): a and b from -most to most, the last axis from 0.
    """
    factors = []
    for column, side in zip(positions.T, size, strict=True):
        first = np.exp(-2j * math.pi * column / side)
        powers = np.empty((most + 1, len(column)), np.complex128)
        powers[0] = 1.0
        for k in range(1, most + 1):
            np.multiply(powers[k - 1], first, out=powers[k])
        factors.append(powers)
    both = [np.concatenate([powers[:0:-1].conj(), powers]) for powers in factors[:-1]]
    if len(both) == 1:
        return np.asarray(both[0] @ factors[-1].T)
    flat = (both[0][:, None, :] * both[1][None, :, :]).reshape(-1, len(positions))
    return np.asarray((flat @ factors[-1].T).reshape(2 * most + 1, 2 * most + 1, most + 1))


@dataclass(frozen=True)
class NumberFluctuations:
    """How the number of agents in a part of the world fluctuates with its mean.

    Attributes:
        curve: The variance of the number against its mean.
        exponent: a in variance ~ mean^a: 1 for independent agents, more for giant fluctuations.
        exponent_error: Its standard error; NaN if the run is too short.
    """

    curve: Curve
    exponent: float
    exponent_error: float


class Fluctuations:
    """Variances of the number of agents in boxes of many sizes.

    The world is divided into 4, 6, 8, ... parts along each axis while boxes hold an agent on average. The variance is
    about the mean of all boxes. In a box with share p of the world, independent agents have variance n p (1 - p), so
    the largest boxes (1/16 of the plane, 1/64 of space) show 6 % or 2 % less than their mean.
    """

    def __init__(self) -> None:
        self._rows: list[NDArray[np.float64]] = []

    def add(self, flock: Flock) -> None:
        if not self._rows:
            largest = max(4.0, max(1, flock.agent_count) ** (1.0 / flock.dimension))
            count = max(2, round(2.0 * math.log2(largest / 4.0)) + 1)
            self._parts = np.unique(np.rint(np.geomspace(4.0, largest, count)).astype(int)).tolist()
            self._shares = np.array([float(part) ** -flock.dimension for part in self._parts])
        n = flock.agent_count
        row = []
        for part, share in zip(self._parts, self._shares, strict=True):
            index = np.zeros(n, np.intp)
            for column, side in zip(flock.positions.T, flock.size, strict=True):
                cell = (column * (part / side)).astype(np.intp)
                index = index * part + np.clip(cell, 0, part - 1, out=cell)
            counts = np.bincount(index, minlength=part**flock.dimension)
            row.append(float((counts.astype(np.float64) ** 2).mean()) - (n * share) ** 2)
        self._rows.append(np.array([*row, float(n)]))

    def result(self) -> NumberFluctuations:
        nothing = np.empty(0)
        if not self._rows:
            return NumberFluctuations(Curve(nothing, nothing, nothing), math.nan, math.nan)
        rows = np.stack(self._rows)
        shares = self._shares

        def slope(means: NDArray[np.float64]) -> float:
            x, y = means[-1] * shares, means[:-1]
            known = (x > 0.0) & (y > 0.0)
            return (
                float(np.polyfit(np.log(x[known]), np.log(y[known]), 1)[0]) if known.sum() > 1 else math.nan
            )

        variances, errors = average_columns(rows[:, :-1])
        time = max(correlation_time(column) for column in rows[:, :-1].T)
        short = len(rows) / time < LEAST_INDEPENDENT
        order = np.argsort(shares)
        curve = Curve((rows[:, -1].mean() * shares)[order], variances[order], errors[order])
        exponent = slope(rows.mean(axis=0))
        return NumberFluctuations(curve, exponent, math.nan if short else jackknife(rows, slope, time))


class GroupSizes:
    """How many groups of each size there are: groups per frame in classes 1, 2-3, 4-7, ... of size."""

    def __init__(self) -> None:
        self._rows: list[NDArray[np.float64]] = []

    def add(self, flock: Flock) -> None:
        sizes = flock.group_sizes
        classes = np.floor(np.log2(sizes)).astype(np.intp) if len(sizes) else np.empty(0, np.intp)
        self._rows.append(np.bincount(classes, minlength=1).astype(np.float64))

    def curve(self) -> Curve:
        """Groups of a size, per frame and per unit of size, against size (the geometric middle of a class)."""
        width = max(map(len, self._rows), default=0)
        rows = np.zeros((len(self._rows), width))
        for k, row in enumerate(self._rows):
            rows[k, : len(row)] = row
        low = 2.0 ** np.arange(width)
        means, errors = average_columns(rows) if width else (np.empty(0), np.empty(0))
        return Curve(np.sqrt(low * np.maximum(low, 2.0 * low - 1.0)), means / low, errors / low)
