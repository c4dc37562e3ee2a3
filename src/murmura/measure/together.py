"""Measures of many flocks of one size at once, with the bits that each has alone.

The formulas are those of `motion` and `spacing`, over one axis more. They hold where everybody moves and nobody is at
the centre; other flocks are measured one by one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from murmura.measure.flock import NOISE, unit_vectors
from murmura.measure.motion import mean_speed, milling, polarization, speed_deviation
from murmura.measure.structure.spacing import spread

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Flocks:
    """Many flocks in equal worlds of the plane.

    Args:
        positions: Shape (worlds, agents, 2) [u].
        velocities: Likewise [u/s].
        size: Width and height of each world [u].
        wraps: Whether it is a torus.
    """

    def __init__(
        self,
        positions: NDArray[np.float64],
        velocities: NDArray[np.float64],
        size: tuple[float, float],
        wraps: bool,
    ) -> None:
        self.x, self.y = (np.ascontiguousarray(positions[..., k]) for k in range(2))
        self.vx, self.vy = (np.ascontiguousarray(velocities[..., k]) for k in range(2))
        self.size, self.wraps = size, wraps

    @cached_property
    def are_plain(self) -> NDArray[np.bool_]:
        """In which worlds all agents move, lie inside and are off the centre, shape (worlds,)."""
        moving = ((self.vx != 0.0) | (self.vy != 0.0)).all(axis=1)
        (width, height), (x, y) = self.size, (self.x, self.y)
        largest = np.maximum(np.maximum(np.abs(x).max(axis=1), np.abs(y).max(axis=1)), max(width, height))
        off = (self.distances > NOISE * largest[:, None]).all(axis=1)
        if not self.wraps:
            return np.asarray(moving & off)
        inside = ((x >= 0.0) & (x < width) & (y >= 0.0) & (y < height)).all(axis=1)
        return np.asarray(moving & off & inside)

    @cached_property
    def speeds(self) -> NDArray[np.float64]:
        return np.hypot(self.vx, self.vy)

    @cached_property
    def headings(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return _units(self.vx, self.vy)

    @cached_property
    def offsets(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """From the centre to each agent, along x and y."""
        axes = zip((self.x, self.y), self.size, strict=True)
        x, y = (_from_center(places, side if self.wraps else None) for places, side in axes)
        return x, y

    @cached_property
    def distances(self) -> NDArray[np.float64]:
        return np.hypot(*self.offsets)


def _from_center(places: NDArray[np.float64], side: float | None) -> NDArray[np.float64]:
    """Places relative to their mean, along one axis; the circular mean where the world wraps."""
    if side is None:
        return places - _means(places)[:, None]
    angles = places * (2.0 * math.pi / side)
    sines, cosines = _means(np.sin(angles)), _means(np.cos(angles))
    middle = np.mod(np.arctan2(sines, cosines) / (2.0 * math.pi), 1.0) * side
    middle = np.where(np.hypot(sines, cosines) > NOISE, middle, math.nan)
    away = places - middle[:, None]
    return np.asarray(away - np.rint(away / side) * side)


def _means(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean of each row, added up one by one as `column_means` does."""
    return np.asarray(np.add.accumulate(values, axis=1)[:, -1] / values.shape[1])


def _units(x: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    found = unit_vectors(np.stack([x.ravel(), y.ravel()], axis=1))
    return found[:, 0].reshape(x.shape), found[:, 1].reshape(x.shape)


def _polarization(flocks: Flocks) -> NDArray[np.float64]:
    x, y = (_means(part) for part in flocks.headings)
    # NumPy's hypot may round differently from Python's.
    return np.array([min(1.0, math.hypot(a, b)) for a, b in zip(x.tolist(), y.tolist(), strict=True)])


def _milling(flocks: Flocks) -> NDArray[np.float64]:
    outward, headings = _units(*flocks.offsets), flocks.headings
    turns = outward[0] * headings[1] - outward[1] * headings[0]
    return np.asarray(np.minimum(1.0, np.abs(turns.mean(axis=1))))


def _mean_speed(flocks: Flocks) -> NDArray[np.float64]:
    return np.asarray(flocks.speeds.mean(axis=1))


def _speed_deviation(flocks: Flocks) -> NDArray[np.float64]:
    return np.asarray(flocks.speeds.std(axis=1))


def _spread(flocks: Flocks) -> NDArray[np.float64]:
    x, y = flocks.offsets
    return np.asarray(np.sqrt((x * x + y * y).mean(axis=1)))


TOGETHER: dict[Callable[..., float], Callable[[Flocks], NDArray[np.float64]]] = {
    polarization: _polarization,
    milling: _milling,
    mean_speed: _mean_speed,
    speed_deviation: _speed_deviation,
    spread: _spread,
}
"""Measures that can be taken of many flocks at once, by their function."""
