"""Plane vectors against the formulas of document 000, on floats and on arrays."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from murmura.core import vector

quick = settings(max_examples=100, deadline=None, derandomize=True)
numbers = st.floats(-1e6, 1e6)
angles = st.floats(-20.0, 20.0)


def close(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-9)


@given(numbers, numbers)
@quick
def test_length(x: float, y: float) -> None:
    # S0-1, S0-2
    close(vector.length(x, y), math.hypot(x, y))
    close(vector.length_squared(x, y), x**2 + y**2)


@given(numbers, numbers)
@quick
def test_normalize_keeps_the_direction_at_length_one(x: float, y: float) -> None:
    # S0-3, S4-8
    size = math.hypot(x, y)
    assume(size > 1e-6)
    close(vector.normalize(x, y), (x / size, y / size))


def test_the_zero_vector_stays_zero() -> None:
    # S0-3, S0-4: nor does any of them warn of a division by zero
    assert tuple(map(float, vector.normalize(0.0, 0.0))) == (0.0, 0.0)
    assert tuple(map(float, vector.with_length(0.0, 0.0, 7.0))) == (0.0, 0.0)
    assert tuple(map(float, vector.limit(0.0, 0.0, 7.0))) == (0.0, 0.0)


@given(numbers, numbers, st.floats(0.0, 1e3))
@quick
def test_with_length(x: float, y: float, size: float) -> None:
    # S0-4
    old = math.hypot(x, y)
    assume(old > 1e-6)
    close(vector.with_length(x, y, size), (x / old * size, y / old * size))


@given(numbers, numbers, st.floats(1e-3, 1e6))
@quick
def test_limit_shortens_what_is_longer_and_nothing_else(x: float, y: float, most: float) -> None:
    # S0-5, S4-8
    size = math.hypot(x, y)
    assume(abs(size - most) > 1e-9 * most)
    found = vector.limit(x, y, most)
    if size > most:
        close(found, (x / size * most, y / size * most))
    else:
        assert (float(found[0]), float(found[1])) == (x, y)  # to the last bit: it is left alone


def test_limit_leaves_a_vector_of_just_that_length_alone() -> None:
    # S0-5
    assert tuple(map(float, vector.limit(3.0, 4.0, 5.0))) == (3.0, 4.0)


@given(numbers, numbers, numbers, numbers, st.floats(-1e3, 1e3))
@quick
def test_arithmetic(ax: float, ay: float, bx: float, by: float, k: float) -> None:
    # S0-6, S0-7, S0-8
    assert vector.add(ax, ay, bx, by) == (ax + bx, ay + by)
    assert vector.subtract(ax, ay, bx, by) == (ax - bx, ay - by)
    assert vector.scale(ax, ay, k) == (ax * k, ay * k)


def test_operations_chain() -> None:
    # S0-6…S0-8: each result is the next one's argument
    found = vector.scale(*vector.subtract(*vector.add(1.0, 2.0, 10.0, 20.0), 3.0, 4.0), 2.0)
    assert found == (16.0, 36.0)


def test_division_by_zero_is_ignored() -> None:
    # S0-9
    close(vector.divide(3.0, -8.0, 2.0), (1.5, -4.0))
    close(vector.divide(3.0, -8.0, 0.0), (3.0, -8.0))
    close(
        vector.divide(np.array([3.0, 3.0]), np.array([-8.0, -8.0]), np.array([2.0, 0.0])),
        ([1.5, 3.0], [-4.0, -8.0]),
    )


@pytest.mark.parametrize("degrees", [0, 30, 90, 179, 180, -1, -90, -179])
def test_heading(degrees: int) -> None:
    # S0-10
    angle = math.radians(degrees)
    close(vector.heading(5.0 * math.cos(angle), 5.0 * math.sin(angle)), angle)


@given(numbers, numbers, angles)
@quick
def test_rotate(x: float, y: float, angle: float) -> None:
    # S0-11: multiplication by exp(i angle) in the complex plane
    turned = complex(x, y) * complex(math.cos(angle), math.sin(angle))
    close(vector.rotate(x, y, angle), (turned.real, turned.imag))


def test_rotation_is_counter_clockwise() -> None:
    # S0-11
    close(vector.rotate(1.0, 0.0, math.pi / 2), (0.0, 1.0))


@given(numbers, numbers, numbers, numbers)
@quick
def test_distances_and_products(ax: float, ay: float, bx: float, by: float) -> None:
    # S0-12, S0-13, S0-14, S0-15, S4-8
    close(vector.distance(ax, ay, bx, by), math.dist((ax, ay), (bx, by)))
    close(vector.distance_squared(ax, ay, bx, by), (ax - bx) ** 2 + (ay - by) ** 2)
    exact = [Fraction(value) for value in (ax, ay, bx, by)]
    rounding = 4e-16 * (abs(ax * bx) + abs(ay * by) + abs(ax * by) + abs(ay * bx)) + 1e-300
    assert abs(vector.dot(ax, ay, bx, by) - float(exact[0] * exact[2] + exact[1] * exact[3])) <= rounding
    assert abs(vector.cross(ax, ay, bx, by) - float(exact[0] * exact[3] - exact[1] * exact[2])) <= rounding


def test_cross_is_positive_to_the_left() -> None:
    # S0-15
    assert vector.cross(1.0, 0.0, 0.0, 1.0) == 1.0
    assert vector.cross(0.0, 1.0, 1.0, 0.0) == -1.0


@given(angles, st.floats(0.0, 1e3))
@quick
def test_from_angle(angle: float, size: float) -> None:
    # S0-16
    close(vector.from_angle(angle, size), (size * math.cos(angle), size * math.sin(angle)))
    close(vector.from_angle(angle), (math.cos(angle), math.sin(angle)))


@given(numbers, numbers, numbers, numbers, st.floats(-2.0, 2.0))
@quick
def test_lerp(ax: float, ay: float, bx: float, by: float, t: float) -> None:
    # S0-18
    expected = ((1.0 - t) * ax + t * bx, (1.0 - t) * ay + t * by)
    np.testing.assert_allclose(vector.lerp(ax, ay, bx, by, t), expected, atol=1e-8)
    assert vector.lerp(ax, ay, bx, by, 0.0) == (ax, ay)


def test_is_zero() -> None:
    # S0-19
    assert vector.is_zero(0.0, 0.0)
    assert vector.is_zero(-0.0, 0.0)
    assert not vector.is_zero(1e-300, 0.0)
    assert vector.is_zero(np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, 2.0])).tolist() == [
        True,
        False,
        False,
    ]


FUNCTIONS: list[tuple[Callable[..., Any], int]] = [
    (vector.length, 2),
    (vector.length_squared, 2),
    (vector.normalize, 2),
    (vector.with_length, 3),
    (vector.limit, 3),
    (vector.add, 4),
    (vector.subtract, 4),
    (vector.scale, 3),
    (vector.divide, 3),
    (vector.heading, 2),
    (vector.rotate, 3),
    (vector.distance, 4),
    (vector.distance_squared, 4),
    (vector.dot, 4),
    (vector.cross, 4),
    (vector.from_angle, 2),
    (vector.lerp, 5),
    (vector.is_zero, 2),
]


@pytest.mark.parametrize(("function", "count"), FUNCTIONS, ids=lambda value: getattr(value, "__name__", ""))
def test_arrays_mean_the_same_as_floats_one_by_one(function: Callable[..., Any], count: int) -> None:
    # S0-19, S0-20: components in, components out; what was given is never changed, so no copies are needed
    rows = np.random.default_rng(3).normal(0.0, 10.0, (50, count))
    columns = [rows[:, k].copy() for k in range(count)]
    together = np.array(function(*columns), float)
    singly = np.array([function(*(float(value) for value in row)) for row in rows], float)
    np.testing.assert_allclose(together.T, singly, rtol=1e-13)
    assert all(np.array_equal(columns[k], rows[:, k]) for k in range(count))
