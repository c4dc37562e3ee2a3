"""Headings and speeds, against known cases and complex numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from murmura.measure import mean_speed, milling, polarization, speed_deviation

from .oracle import Vectors, make_flock, random_flock


def ring(count: int, middle: tuple[float, float] = (50.0, 30.0), radius: float = 8.0) -> Vectors:
    angles = np.arange(count) * (2.0 * math.pi / count)
    return np.column_stack([np.cos(angles), np.sin(angles)]) * radius + middle


def quarter_turn(vectors: Vectors) -> Vectors:
    return np.column_stack([-vectors[:, 1], vectors[:, 0]])


# S4-49
def test_polarization_of_known_states() -> None:
    anywhere = np.zeros((4, 2))
    assert polarization(
        make_flock(anywhere, [[3.0, 4.0], [6.0, 8.0], [0.3, 0.4], [3.0, 4.0]])
    ) == pytest.approx(1.0)
    assert polarization(make_flock(anywhere[:2], [[2.0, 1.0], [-4.0, -2.0]])) == 0.0
    assert polarization(make_flock(anywhere, [[1, 0], [0, 1], [-1, 0], [0, -1]])) == 0.0
    assert polarization(make_flock(anywhere[:2], [[5.0, 0.0], [0.0, 0.1]])) == pytest.approx(math.sqrt(0.5))


# S4-49
def test_polarization_is_the_length_of_a_mean_of_complex_units() -> None:
    flock = random_flock(seed=7, count=100)
    numbers = flock.velocities[:, 0] + 1j * flock.velocities[:, 1]
    assert polarization(flock) == pytest.approx(abs(np.exp(1j * np.angle(numbers)).mean()), rel=1e-12)


# S4-49
def test_polarization_leaves_out_those_that_stand_still() -> None:
    assert polarization(make_flock(np.zeros((3, 2)), [[0, 0], [1, 1], [0, 0]])) == pytest.approx(1.0)
    assert math.isnan(polarization(make_flock(np.zeros((2, 2)), np.zeros((2, 2)))))
    assert math.isnan(polarization(make_flock(np.zeros((0, 2)))))


@pytest.mark.parametrize("speed", [5e-324, 1e-310, 1e-160, 1e160, 1.7e308])
def test_polarization_does_not_depend_on_speed(speed: float) -> None:
    alike = np.full((7, 2), speed)
    assert polarization(make_flock(np.zeros((7, 2)), alike)) == pytest.approx(1.0)
    alike[0] *= -1.0
    assert polarization(make_flock(np.zeros((7, 2)), alike)) == pytest.approx(5.0 / 7.0)


def test_order_never_exceeds_one() -> None:
    for seed in range(50):
        heading = np.random.default_rng(seed).normal(size=(1, 2))
        assert polarization(make_flock(np.zeros((9, 2)), np.repeat(heading, 9, axis=0))) <= 1.0
        positions = ring(5 + seed)
        assert milling(make_flock(positions, quarter_turn(positions - [50.0, 30.0]))) <= 1.0


@pytest.mark.parametrize("wraps", [True, False])
@pytest.mark.parametrize("sense", [1.0, -1.0])
def test_a_perfect_mill(wraps: bool, sense: float) -> None:
    positions = ring(12)
    mill = make_flock(positions, sense * quarter_turn(positions - [50.0, 30.0]), wraps=wraps)
    assert milling(mill) == pytest.approx(1.0, abs=1e-12)
    assert polarization(mill) == pytest.approx(0.0, abs=1e-12)


def test_a_mill_over_the_corner_of_a_torus() -> None:
    positions = ring(12, middle=(0.0, 0.0))
    headings = quarter_turn(positions)
    assert milling(make_flock(positions % [100.0, 60.0], headings, wraps=True)) == pytest.approx(1.0)
    assert milling(make_flock(positions % [100.0, 60.0], headings, wraps=False)) < 0.9


def test_no_mill_where_paths_are_radial_or_balanced() -> None:
    positions = ring(12)
    outward = positions - [50.0, 30.0]
    assert milling(make_flock(positions, outward)) == pytest.approx(0.0, abs=1e-12)
    both_ways = quarter_turn(outward) * np.resize([1.0, -1.0], (12, 1))
    assert milling(make_flock(positions, both_ways)) == pytest.approx(0.0, abs=1e-12)


def test_milling_is_the_mean_sine_between_outward_and_heading() -> None:
    flock = random_flock(seed=11, count=60)
    outward = flock.positions - flock.positions.mean(axis=0)
    bearings = np.arctan2(outward[:, 1], outward[:, 0])
    headings = np.arctan2(flock.velocities[:, 1], flock.velocities[:, 0])
    assert milling(flock) == pytest.approx(abs(np.sin(headings - bearings).mean()), rel=1e-10)


@pytest.mark.parametrize("wraps", [True, False])
def test_milling_leaves_out_the_centre_and_those_that_stand_still(wraps: bool) -> None:
    positions = np.vstack([ring(6), [[50.0, 30.0]], ring(2)])
    velocities = np.vstack([quarter_turn(ring(6) - [50.0, 30.0]), [[1.0, 0.0]], np.zeros((2, 2))])
    assert milling(make_flock(positions, velocities, wraps=wraps)) == pytest.approx(1.0)


@pytest.mark.parametrize("wraps", [True, False])
def test_milling_is_undefined_without_a_centre_to_circle(wraps: bool) -> None:
    assert math.isnan(milling(make_flock(np.zeros((0, 2)), wraps=wraps)))
    assert math.isnan(milling(make_flock([[12.3, 45.6]], wraps=wraps)))
    assert math.isnan(milling(make_flock(np.tile([12.3, 45.6], (7, 1)), wraps=wraps)))


def test_milling_is_undefined_for_a_band_around_the_torus() -> None:
    band = np.column_stack([np.arange(10) * 10.0, np.full(10, 30.0)])
    assert math.isnan(milling(make_flock(band, wraps=True)))
    assert not math.isnan(milling(make_flock(band, wraps=False)))


def test_speeds() -> None:
    flock = make_flock(np.zeros((4, 2)), [[3.0, 4.0], [0.0, 0.0], [0.0, -5.0], [-6.0, 8.0]])
    assert mean_speed(flock) == 5.0
    assert speed_deviation(flock) == pytest.approx(math.sqrt((0 + 25 + 0 + 25) / 4))
    assert speed_deviation(make_flock(np.zeros((3, 2)))) == 0.0
    assert math.isnan(mean_speed(make_flock(np.zeros((0, 2)))))
    assert math.isnan(speed_deviation(make_flock(np.zeros((0, 2)))))
