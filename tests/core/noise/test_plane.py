"""Perlin noise and its fractal sum against an independent implementation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from murmura.compute.trace.numpy_target import NumpyTarget
from murmura.core.noise import plane as perlin
from tests.core import oracle
from tests.sizes import size

quick = settings(max_examples=size(80, 200), deadline=None, derandomize=True)
anywhere = st.floats(allow_nan=False, allow_infinity=False)


def test_the_permutation_is_a_permutation() -> None:
    # S0-105: each of 256 entries once, in no obvious order
    order = perlin.PERMUTATION
    assert sorted(order) == list(range(256))
    assert abs(np.corrcoef(np.arange(256), order)[0, 1]) < 0.2


def test_gradients_have_length_one_and_point_everywhere() -> None:
    # S0-105
    unit = perlin.GRADIENTS / perlin.RADIUS
    np.testing.assert_allclose(np.hypot(*unit.T), 1.0, rtol=1e-15)
    turns = np.unique(np.arctan2(*unit.T[::-1]) / (2.0 * np.pi) % 1.0)
    assert len(turns) == 36
    assert np.diff([*turns, turns[0] + 1.0]).max() < 0.05


def test_packed_tables_hold_neighbours() -> None:
    # S0-105: what the kernels read is the permutation and the gradients, two entries at a time
    low, high = perlin.halves(perlin.PERMUTATION_PAIRS)
    assert np.array_equal(low, perlin.PERMUTATION)
    assert np.array_equal(high, np.roll(perlin.PERMUTATION, -1))
    ax, ay, bx, by = perlin.signed_bytes(perlin.GRADIENT_PAIRS)
    assert np.array_equal(np.stack([ax, ay], axis=1)[:256], perlin.GRADIENTS)
    assert np.array_equal(np.stack([bx, by], axis=1)[:256], np.roll(perlin.GRADIENTS, -1, axis=0))


def test_a_pair_of_fields_is_two_shifted_ones() -> None:
    x, y = np.random.default_rng(1).uniform(-300.0, 300.0, (2, 500))
    first, second = perlin.fractal_noise_pair(x, y, 100.0, 3)
    np.testing.assert_allclose(first, perlin.fractal_noise(x, y, 3), atol=1e-12)
    np.testing.assert_allclose(second, perlin.fractal_noise(x + 100.0, y + 100.0, 3), atol=1e-9)


def test_fade_is_the_quintic_with_flat_ends() -> None:
    # S0-105
    t = np.linspace(0.0, 1.0, 101)
    np.testing.assert_allclose(perlin.fade(t), t**3 * (t * (6.0 * t - 15.0) + 10.0), atol=1e-15)
    assert perlin.fade(0.0) == 0.0
    assert perlin.fade(1.0) == 1.0
    assert perlin.fade(0.5) == 0.5
    h = 1e-4
    for end in (0.0, 1.0):
        slope = (perlin.fade(end + h) - perlin.fade(end - h)) / (2.0 * h)
        bend = (perlin.fade(end + h) - 2.0 * perlin.fade(end) + perlin.fade(end - h)) / h**2
        assert abs(slope) < 1e-6
        assert abs(bend) < 1e-2


@given(st.integers(-(10**9), 10**9), st.integers(-(10**9), 10**9))
@quick
def test_zero_on_the_lattice(i: int, j: int) -> None:
    # S0-105
    assert perlin.noise(float(i), float(j)) == 0.0


@given(st.floats(-300.0, 600.0), st.floats(-300.0, 600.0))
@quick
def test_value(x: float, y: float) -> None:
    # S0-105
    assert perlin.noise(x, y) == pytest.approx(oracle.perlin(x, y), abs=1e-6)


def test_arrays_give_the_same_as_single_floats() -> None:
    x, y = np.random.default_rng(5).uniform(-500.0, 500.0, (2, 200))
    assert np.array_equal(perlin.noise(x, y), [perlin.noise(a, b) for a, b in zip(x, y, strict=True)])


def test_values_of_a_target_give_the_same_as_arrays() -> None:
    x, y = np.random.default_rng(5).uniform(-500.0, 500.0, (2, 200))
    target = NumpyTarget()
    assert np.array_equal(perlin.noise(target.value(x), target.value(y)).code, perlin.noise(x, y))
    pair = perlin.fractal_noise_pair(target.value(x), target.value(y), 100.0, 3)
    assert np.array_equal([part.code for part in pair], perlin.fractal_noise_pair(x, y, 100.0, 3))


@given(st.floats(0.0, 255.0), st.floats(0.0, 255.0), st.integers(-8, 8), st.integers(-8, 8))
@quick
def test_repeats_every_256_cells(x: float, y: float, i: int, j: int) -> None:
    # S0-105
    x, y = math.floor(x * 1024.0) / 1024.0, math.floor(y * 1024.0) / 1024.0  # also exact after the shift
    assert perlin.noise(x + 256.0 * i, y + 256.0 * j) == perlin.noise(x, y)


def test_does_not_repeat_sooner() -> None:
    x = np.arange(256) + 0.5
    values = perlin.noise(x, np.full(256, 0.5))
    assert all(
        not np.allclose(np.roll(values, period), values, atol=0.05) for period in (1, 2, 4, 16, 64, 128)
    )


@given(anywhere, anywhere)
@settings(max_examples=size(120, 400), deadline=None, derandomize=True)
def test_stays_in_range_for_any_finite_coordinate(x: float, y: float) -> None:
    # S0-105 with decision 13: as printed it would reach 256 beyond the first period
    assert abs(perlin.noise(x, y)) <= math.sqrt(0.5) + 1e-6


@given(st.floats(-1e12, 1e12), st.floats(-1e12, 1e12))
@quick
def test_stays_in_range_where_coordinates_have_fractions(x: float, y: float) -> None:
    # S0-105, S0-106 with decision 13
    assert abs(perlin.noise(x, y)) <= math.sqrt(0.5) + 1e-6
    assert abs(perlin.fractal_noise(x, y)) <= 1.0


def test_is_smooth() -> None:
    # S0-105: no step at the seams of cells, nor at the seam of the period
    x = np.linspace(254.0, 258.0, 4001)
    values = perlin.noise(x, np.full_like(x, 17.3))
    assert np.abs(np.diff(values)).max() < 3.0 * (x[1] - x[0])


@pytest.mark.parametrize("octaves", [1, 2, 3, 4, 7])
def test_fractal_sum(octaves: int) -> None:
    # S0-106
    for x, y in np.random.default_rng(octaves).uniform(-100.0, 100.0, (20, 2)):
        assert perlin.fractal_noise(x, y, octaves) == pytest.approx(oracle.fractal(x, y, octaves), abs=1e-6)


def test_fractal_defaults() -> None:
    # S0-106: four octaves, each half as strong and twice as fine
    assert perlin.fractal_noise(3.7, 9.2) == pytest.approx(oracle.fractal(3.7, 9.2, 4, 0.5, 2.0), abs=1e-6)
    assert perlin.fractal_noise(3.7, 9.2) != perlin.fractal_noise(3.7, 9.2, 3)


def test_fractal_with_other_gain_and_lacunarity() -> None:
    # S0-106: the sum is divided by the sum of amplitudes, whatever they are
    found = perlin.fractal_noise(3.7, 9.2, 5, 0.8, 3.0)
    assert found == pytest.approx(oracle.fractal(3.7, 9.2, 5, 0.8, 3.0), abs=1e-6)


def test_one_octave_is_plain_noise() -> None:
    # S0-106
    assert perlin.fractal_noise(3.7, 9.2, 1) == perlin.noise(3.7, 9.2)


def test_a_fractal_pair_is_two_fields() -> None:
    # S0-49, S0-50: the second field of turbulence lies a whole shift away
    x, y = np.random.default_rng(6).uniform(-400.0, 400.0, (2, 100))
    np.testing.assert_allclose(
        perlin.noise_pair(x, y, 100.0), (perlin.noise(x, y), perlin.noise(x + 100.0, y + 100.0)), atol=1e-9
    )
    for octaves in (1, 3, 5):
        found = perlin.fractal_noise_pair(x, y, 100.0, octaves)
        expected = (perlin.fractal_noise(x, y, octaves), perlin.fractal_noise(x + 100.0, y + 100.0, octaves))
        np.testing.assert_allclose(found, expected, atol=1e-9)


def test_has_no_bias_and_is_not_flat() -> None:
    x, y = np.random.default_rng(1).uniform(0.0, 256.0, (2, 20_000))
    values = perlin.noise(x, y)
    assert abs(values.mean()) < 0.02
    assert 0.15 < values.std() < 0.4
