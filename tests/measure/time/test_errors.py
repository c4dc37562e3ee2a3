"""Errors of averages over time, against series whose autocorrelation is known exactly."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from murmura.measure.time.errors import (
    average,
    blocking_error,
    correlation_time,
    equilibration,
    jackknife,
    order_statistics,
)


def remembering(rho: float, count: int, length: int, seed: int = 1) -> NDArray[np.float64]:
    """Series x' = rho x + noise of variance 1, stationary from the start: their time is (1 + rho) / (1 - rho)."""
    rng = np.random.default_rng(seed)
    found = np.empty((count, length))
    found[:, 0] = rng.normal(size=count)
    for k in range(1, length):
        found[:, k] = rho * found[:, k - 1] + math.sqrt(1.0 - rho * rho) * rng.normal(size=count)
    return found


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9])
def test_the_autocorrelation_time_is_the_exact_one(rho: float):
    times = [correlation_time(series) for series in remembering(rho, 40, 4000)]
    assert np.mean(times) == pytest.approx((1.0 + rho) / (1.0 - rho), rel=0.06)


@pytest.mark.parametrize("rho", [0.0, 0.8])
def test_the_error_is_the_spread_of_means_over_many_series(rho: float):
    found = [average(series) for series in remembering(rho, 300, 2000)]
    means, errors = np.array([each.mean for each in found]), np.array([each.error for each in found])
    assert errors.mean() == pytest.approx(means.std(), rel=0.12)
    # The true mean, 0, lies within two standard errors in 95 of 100 series.
    assert 0.91 <= np.mean(np.abs(means) < 2.0 * errors) <= 0.98


def test_blocking_finds_the_same_error():
    found = [(average(series).error, blocking_error(series)) for series in remembering(0.8, 40, 8192)]
    first, second = np.array(found).T
    known = np.isfinite(second)
    assert known.mean() > 0.8
    assert second[known].mean() == pytest.approx(first[known].mean(), rel=0.1)


def test_a_short_series_has_a_mean_and_no_error():
    series = remembering(0.98, 1, 300)[0]
    found = average(series)
    assert found.mean == pytest.approx(series.mean()) and math.isnan(found.error)
    assert found.independent < 20.0
    assert math.isnan(average(np.cumsum(np.random.default_rng(2).normal(size=1000))).error)
    assert math.isnan(blocking_error(series[:8]))


def test_nothing_and_missing_samples():
    assert math.isnan(average(np.empty(0)).mean)
    series = np.random.default_rng(3).normal(size=100)
    assert average(np.append(series, math.nan)) == average(series)
    assert average(np.full(50, 3.0)).error == 0.0


def test_equilibration_discards_the_transient_and_little_else():
    rng = np.random.default_rng(4)
    decay = 10.0 * np.exp(-np.arange(2000) / 60.0)
    starts = [equilibration(decay + rng.normal(size=2000)) for _ in range(10)]
    assert min(starts) >= 120 and max(starts) <= 700
    assert np.mean([equilibration(rng.normal(size=1000)) for _ in range(20)]) < 150
    assert equilibration(np.arange(5.0)) == 0
    # Few fluctuations from the start: their short end is no equilibrium that the rest was not.
    slow = [equilibration(series) for series in remembering(0.98, 20, 400)]
    assert np.mean(slow) < 120 and max(slow) <= 200
    assert 400 <= equilibration(np.arange(1000.0)) <= 500
    assert equilibration(1.8 + 1e-8 * rng.normal(size=500)) == 0


def test_the_jackknife_of_a_mean_is_its_standard_error():
    values = np.random.default_rng(5).normal(size=1000)
    error = jackknife(values[:, None], lambda means: float(means[0]), 1.0)
    assert error == pytest.approx(values.std(ddof=1) / math.sqrt(1000.0), rel=0.2)
    assert math.isnan(jackknife(values[:, None], lambda means: float(means[0]), 80.0))


@pytest.mark.parametrize(("dimension", "binder"), [(2, 1.0 / 3.0), (3, 4.0 / 9.0)])
def test_the_cumulant_of_disorder_is_that_of_a_normal_vector(dimension: int, binder: float):
    vectors = np.random.default_rng(6).normal(size=(40_000, dimension)) / 10.0
    found = order_statistics(np.linalg.norm(vectors, axis=1), 100.0)
    assert abs(found.binder - binder) < 3.0 * found.binder_error
    assert found.binder_error < 0.01
    variance = dimension - np.linalg.norm(vectors, axis=1).mean() ** 2 * 100.0
    assert found.susceptibility == pytest.approx(variance, abs=0.03)
    assert 0.0 < found.susceptibility_error < 0.01


def test_the_cumulant_of_order_is_two_thirds():
    found = order_statistics(np.full(100, 0.9), 50.0)
    assert found.binder == pytest.approx(2.0 / 3.0) and found.susceptibility == pytest.approx(0.0, abs=1e-12)
    short = order_statistics(np.cumsum(np.ones(30)), 50.0)
    assert math.isnan(short.binder_error) and math.isnan(short.susceptibility_error)
