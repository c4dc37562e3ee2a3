"""Averages over time with errors: neighbouring samples of a series are alike, so they count for fewer.

The standard error of a mean of n samples is sqrt(variance tau / n), where tau is the integrated autocorrelation time in
samples: 1 for independent ones. A series with fewer than `LEAST_INDEPENDENT` independent samples gives no error, since
its autocorrelation time is unknown itself; the error is then NaN.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

LEAST_INDEPENDENT = 20.0
WINDOW = 5.0
"""The autocorrelation is summed up to this many times its own sum (Sokal 1997)."""
LEAST_BLOCKS = 10
NOISE = 1e-12
ROUNDING = 1e-6
"""What single precision leaves of a constant, with room to spare."""


@dataclass(frozen=True)
class Curve:
    """A curve with errors: `values` at the places `x`, and their standard errors, NaN where the run is too short."""

    x: NDArray[np.float64]
    values: NDArray[np.float64]
    errors: NDArray[np.float64]


def correlation_time(series: NDArray[np.float64]) -> float:
    """The integrated autocorrelation time 1 + 2 sum of rho(k) of a series, in samples: 1 for independent ones.

    The sum ends at the first lag that is at least five times the sum so far (Sokal 1997). A time below 1 (samples that
    alternate) counts as 1.
    """
    values = np.asarray(series, np.float64)
    centred = values - values.mean() if len(values) else values
    n = len(centred)
    power = float(centred @ centred)
    # What rounding leaves of a constant is no fluctuation.
    if n < 4 or power <= n * (NOISE * float(np.abs(values).max())) ** 2:
        return 1.0
    size = 1 << (2 * n - 1).bit_length()
    spectrum = np.abs(np.fft.rfft(centred, size)) ** 2
    rho = np.fft.irfft(spectrum, size)[:n] / power
    sums = 2.0 * np.cumsum(rho) - 1.0
    ends = np.arange(n) >= WINDOW * sums
    # Lag 0 ends a series only if it says nothing.
    ends[0] = False
    last = int(np.argmax(ends)) if ends.any() else n - 1
    return max(1.0, float(sums[last]))


@dataclass(frozen=True)
class Average:
    """The mean of a series over time.

    Attributes:
        mean: The mean of the samples; NaN if there is none.
        error: Its standard error; NaN if the series is too short to know.
        time: The integrated autocorrelation time, in samples.
        samples: How many there are.
    """

    mean: float
    error: float
    time: float
    samples: int

    @property
    def independent(self) -> float:
        """How many independent samples have the same error."""
        return self.samples / self.time


def average(series: NDArray[np.float64]) -> Average:
    """The mean of a series with its standard error. Samples that are not finite are left out."""
    values = np.asarray(series, np.float64)
    values = values[np.isfinite(values)]
    n = len(values)
    if n == 0:
        return Average(math.nan, math.nan, 1.0, 0)
    time = correlation_time(values)
    mean = float(values.mean())
    if n / time < LEAST_INDEPENDENT:
        return Average(mean, math.nan, time, n)
    return Average(mean, math.sqrt(float(values.var(ddof=1)) * time / n), time, n)


def average_columns(rows: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean and standard error of each column of samples, shape (samples, columns)."""
    found = [average(column) for column in np.asarray(rows, np.float64).T]
    return np.array([each.mean for each in found]), np.array([each.error for each in found])


def blocking_error(series: NDArray[np.float64]) -> float:
    """The standard error of a mean by blocking (Flyvbjerg & Petersen 1989): an independent check of `average`.

    Neighbours are merged again and again; the error grows until blocks are independent. The first level that differs
    from the next by less than its own uncertainty counts; NaN if there is none.
    """
    values = np.asarray(series, np.float64)
    errors: list[tuple[float, float]] = []
    while len(values) >= 2:
        n = len(values)
        error = math.sqrt(float(values.var()) / (n - 1))
        errors.append((error, error / math.sqrt(2.0 * (n - 1))))
        values = 0.5 * (values[: n // 2 * 2 : 2] + values[1 : n // 2 * 2 : 2])
    for (error, doubt), (following, _) in pairwise(errors):
        if following - error <= doubt and error / max(doubt, 1e-300) >= math.sqrt(2.0 * LEAST_BLOCKS):
            return error
    return math.nan


def equilibration(series: NDArray[np.float64], starts: int = 50) -> int:
    """How many samples at the beginning to discard: the start that leaves most independent samples (Chodera 2016).

    At most half is discarded, and the autocorrelation time is at least that of the second half: a short end of a slow
    series would look independent, since it knows only one fluctuation.

    Args:
        series: The samples, in order of time.
        starts: How many starts are tried, evenly spaced over the first half.
    """
    values = np.asarray(series, np.float64)
    n = len(values)
    if n < LEAST_BLOCKS or not np.isfinite(values).all() or values.std() <= ROUNDING * np.abs(values).max():
        return 0
    least = correlation_time(values[n // 2 :])
    tried = np.unique(np.linspace(0, n // 2, starts).astype(int)).tolist()
    left = [(n - start) / max(least, correlation_time(values[start:])) for start in tried]
    return int(tried[int(np.argmax(left))])


def jackknife(
    rows: NDArray[np.float64], function: Callable[[NDArray[np.float64]], float], time: float
) -> float:
    """The standard error of a function of the means of samples, by leaving out blocks of time one after the other.

    Args:
        rows: Samples in order of time, shape (samples, columns).
        function: From the mean of each column to a number: a ratio, a slope.
        time: The autocorrelation time of the samples; a block has at least twice as many.

    Returns:
        The standard error; NaN if there are fewer than ten blocks.
    """
    length = max(1, math.ceil(2.0 * time))
    blocks = len(rows) // length
    if blocks < LEAST_BLOCKS:
        return math.nan
    blocks = min(blocks, 100)
    ends = np.linspace(0, len(rows), blocks + 1).astype(int)
    sums = np.add.reduceat(np.asarray(rows, np.float64), ends[:-1], axis=0)
    counts = np.diff(ends)[:, None]
    left = (sums.sum(axis=0) - sums) / (len(rows) - counts)
    found = np.array([function(means) for means in left])
    return float(math.sqrt((blocks - 1) / blocks * float(((found - found.mean()) ** 2).sum())))


@dataclass(frozen=True)
class Order:
    """An order parameter over time: its mean, its fluctuations and Binder's cumulant, each with a standard error.

    Attributes:
        mean: The mean.
        susceptibility: Number of agents times variance; its error in `susceptibility_error`.
        binder: 1 - mean(x^4) / (3 mean(x^2)^2): 2/3 for a constant; for a disordered flock 1/3 in the
            plane, 4/9 in space.
    """

    mean: Average
    susceptibility: float
    susceptibility_error: float
    binder: float
    binder_error: float


def order_statistics(series: NDArray[np.float64], agent_count: float) -> Order:
    """Mean, susceptibility and Binder's cumulant of an order parameter.

    Args:
        series: Its values in order of time.
        agent_count: The number of agents.
    """
    values = np.asarray(series, np.float64)
    values = values[np.isfinite(values)]
    mean = average(values)
    if not len(values):
        return Order(mean, math.nan, math.nan, math.nan, math.nan)
    powers = np.stack([values, values**2, values**4], axis=1)
    known = mean.independent >= LEAST_INDEPENDENT
    time = max(correlation_time(column) for column in powers.T)

    def chi(means: NDArray[np.float64]) -> float:
        return float(agent_count * (means[1] - means[0] ** 2))

    moments = powers.mean(axis=0)
    errors = [jackknife(powers, each, time) if known else math.nan for each in (chi, _binder)]
    return Order(mean, chi(moments), errors[0], _binder(moments), errors[1])


def _binder(means: NDArray[np.float64]) -> float:
    return float(1.0 - means[2] / (3.0 * means[1] ** 2)) if means[1] > 0.0 else math.nan
