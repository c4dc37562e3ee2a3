"""A measure of one instant over time: its mean with an error and, for an order parameter, Binder's cumulant."""

from __future__ import annotations

import math

import numpy as np

from murmura.measure.catalog import MEASURES, measure_flock
from murmura.measure.flock import Flock
from murmura.measure.time.errors import Average, Order, average, equilibration, order_statistics

ORDER_PARAMETERS = ("polarization", "milling")
"""Measures from 0 (disorder) to 1 (order)."""


class Series:
    """The values of measures, frame by frame."""

    def __init__(self, *names: str) -> None:
        self._values: dict[str, list[float]] = {name: [] for name in names}
        self._counts: list[int] = []

    def add(self, flock: Flock) -> None:
        for name, value in measure_flock(flock, list(self._values)).items():
            self._values[name].append(value)
        self._counts.append(flock.agent_count)

    def average(self, name: str) -> Average:
        """The mean of a measure."""
        return average(np.array(self._values[name]))

    def order(self, name: str) -> Order:
        """Mean, susceptibility and Binder's cumulant of an order parameter."""
        return order_statistics(
            np.array(self._values[name]), float(np.mean(self._counts)) if self._counts else math.nan
        )

    def equilibration(self) -> int:
        """How many frames to discard until all of the measures are in equilibrium."""
        found = [np.array(values) for values in self._values.values()]
        return max((equilibration(series) for series in found if np.isfinite(series).all()), default=0)


def unit_of(name: str) -> str:
    """The unit of a measure; empty if it has none."""
    return MEASURES[name].unit if name in MEASURES else ""
