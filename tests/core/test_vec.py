"""Vectors against the formulas of document 000 and against NumPy, on floats, arrays and values of a target."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from murmura.compute.trace.numpy_target import NumpyTarget
from murmura.core.algebra import Value, where
from murmura.core.vec import Vec, from_angle

quick = settings(max_examples=100, deadline=None, derandomize=True)
numbers = st.floats(-1e6, 1e6)
vectors = st.tuples(numbers, numbers)
angles = st.floats(-20.0, 20.0)


def close(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(tuple(found), expected, rtol=1e-12, atol=1e-9)


def exactly(found: Vec) -> tuple[float, ...]:
    return tuple(map(float, found))


@given(vectors)
@quick
def test_length(v: tuple[float, float]) -> None:
    # S0-1, S0-2
    assert Vec(*v).length == pytest.approx(math.hypot(*v), rel=1e-12, abs=1e-9)
    assert Vec(*v).square == pytest.approx(v[0] ** 2 + v[1] ** 2, rel=1e-12, abs=1e-9)


@given(vectors)
@quick
def test_normalized_keeps_the_direction_at_length_one(v: tuple[float, float]) -> None:
    # S0-3, S4-8
    size = math.hypot(*v)
    assume(size > 1e-6)
    close(Vec(*v).normalized(), (v[0] / size, v[1] / size))


def test_the_zero_vector_stays_zero() -> None:
    # S0-3, S0-4: and none of them warns of a division by zero
    zero = Vec(0.0, 0.0)
    for found in (zero.normalized(), zero.with_length(7.0), zero.limited(7.0)):
        assert exactly(found) == (0.0, 0.0)


@given(vectors, st.floats(0.0, 1e3))
@quick
def test_with_length(v: tuple[float, float], size: float) -> None:
    # S0-4
    old = math.hypot(*v)
    assume(old > 1e-6)
    close(Vec(*v).with_length(size), (v[0] / old * size, v[1] / old * size))


@given(vectors, st.floats(1e-3, 1e6))
@quick
def test_limited_shortens_what_is_longer_and_nothing_else(v: tuple[float, float], most: float) -> None:
    # S0-5, S4-8
    size = math.hypot(*v)
    assume(abs(size - most) > 1e-9 * most)
    found = Vec(*v).limited(most)
    if size > most:
        close(found, (v[0] / size * most, v[1] / size * most))
    else:
        assert exactly(found) == v  # to the last bit: it is left alone


def test_limited_keeps_a_vector_of_exactly_that_length() -> None:
    # S0-5
    assert exactly(Vec(3.0, 4.0).limited(5.0)) == (3.0, 4.0)


@given(vectors, vectors, st.floats(-1e3, 1e3))
@quick
def test_arithmetic(a: tuple[float, float], b: tuple[float, float], k: float) -> None:
    # S0-6, S0-7, S0-8
    assert exactly(Vec(*a) + Vec(*b)) == (a[0] + b[0], a[1] + b[1])
    assert exactly(Vec(*a) - Vec(*b)) == (a[0] - b[0], a[1] - b[1])
    assert exactly(Vec(*a) * k) == exactly(k * Vec(*a)) == (a[0] * k, a[1] * k)
    assert exactly(-Vec(*a)) == (-a[0], -a[1])


def test_a_plain_number_applies_to_all_components() -> None:
    v = Vec(6.0, 8.0)
    assert exactly(v + 1.0) == exactly(1.0 + v) == (7.0, 9.0)
    assert exactly(v - 1.0) == (5.0, 7.0)
    assert exactly(1.0 - v) == (-5.0, -7.0)
    assert exactly(v / 2.0) == (3.0, 4.0)
    assert exactly(v * Vec(0.5, 2.0)) == (3.0, 16.0)


def test_a_numpy_number_on_the_left_gives_a_vector() -> None:
    # NumPy would otherwise make an array of vectors, or a vector's own components into an array.
    factors = np.array([1.0, 2.0])
    found = factors * Vec(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    assert isinstance(found, Vec)
    assert np.array_equal(found.x, [1.0, 4.0])
    assert np.array_equal(found.y, [3.0, 8.0])
    assert exactly(np.float64(2.0) * Vec(1.0, 3.0)) == (2.0, 6.0)


def test_operations_chain() -> None:
    # S0-6…S0-8: each result is an operand of the next
    assert exactly((Vec(1.0, 2.0) + Vec(10.0, 20.0) - Vec(3.0, 4.0)) * 2.0) == (16.0, 36.0)


def test_division_by_zero_is_ignored() -> None:
    # S0-9
    assert exactly(Vec(3.0, -8.0).divided(2.0)) == (1.5, -4.0)
    assert exactly(Vec(3.0, -8.0).divided(0.0)) == (3.0, -8.0)
    found = Vec(np.array([3.0, 3.0]), np.array([-8.0, -8.0])).divided(np.array([2.0, 0.0]))
    close(found, ([1.5, 3.0], [-4.0, -8.0]))


@pytest.mark.parametrize("degrees", [0, 30, 90, 179, 180, -1, -90, -179])
def test_angle(degrees: int) -> None:
    # S0-10
    angle = math.radians(degrees)
    assert Vec(5.0 * math.cos(angle), 5.0 * math.sin(angle)).angle == pytest.approx(angle)


@given(vectors, angles)
@quick
def test_rotated(v: tuple[float, float], angle: float) -> None:
    # S0-11: multiplication by exp(i angle) in the complex plane
    turned = complex(*v) * complex(math.cos(angle), math.sin(angle))
    close(Vec(*v).rotated(angle), (turned.real, turned.imag))


def test_rotation_is_counter_clockwise() -> None:
    # S0-11
    close(Vec(1.0, 0.0).rotated(math.pi / 2), (0.0, 1.0))
    assert exactly(Vec(3.0, 4.0).left) == (-4.0, 3.0)


@given(vectors, vectors)
@quick
def test_distances_and_products(a: tuple[float, float], b: tuple[float, float]) -> None:
    # S0-12, S0-13, S0-14, S0-15, S4-8
    way = Vec(*b) - Vec(*a)
    assert way.length == pytest.approx(math.dist(a, b), rel=1e-12, abs=1e-9)
    assert way.square == pytest.approx((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2, rel=1e-12, abs=1e-9)
    (ax, ay), (bx, by) = a, b
    exact = [Fraction(value) for value in (ax, ay, bx, by)]
    rounding = 4e-16 * (abs(ax * bx) + abs(ay * by) + abs(ax * by) + abs(ay * bx)) + 1e-300
    assert abs(Vec(*a).dot(Vec(*b)) - float(exact[0] * exact[2] + exact[1] * exact[3])) <= rounding
    assert abs(Vec(*a).cross(Vec(*b)) - float(exact[0] * exact[3] - exact[1] * exact[2])) <= rounding


def test_cross_is_positive_to_the_left() -> None:
    # S0-15
    assert Vec(1.0, 0.0).cross(Vec(0.0, 1.0)) == 1.0
    assert Vec(0.0, 1.0).cross(Vec(1.0, 0.0)) == -1.0


@given(angles, st.floats(0.0, 1e3))
@quick
def test_from_angle(angle: float, size: float) -> None:
    # S0-16
    close(from_angle(angle, size), (size * math.cos(angle), size * math.sin(angle)))
    close(from_angle(angle), (math.cos(angle), math.sin(angle)))


@given(vectors, vectors, st.floats(-2.0, 2.0))
@quick
def test_lerp(a: tuple[float, float], b: tuple[float, float], t: float) -> None:
    # S0-18
    expected = ((1.0 - t) * a[0] + t * b[0], (1.0 - t) * a[1] + t * b[1])
    np.testing.assert_allclose(tuple(Vec(*a).lerp(Vec(*b), t)), expected, atol=1e-8)
    assert exactly(Vec(*a).lerp(Vec(*b), 0.0)) == a


def test_is_zero() -> None:
    # S0-19
    assert Vec(0.0, 0.0).is_zero
    assert Vec(-0.0, 0.0).is_zero
    assert not Vec(1e-300, 0.0).is_zero
    several = Vec(np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, 2.0]))
    assert several.is_zero.tolist() == [True, False, False]


def test_where_chooses_whole_vectors() -> None:
    condition = np.array([True, False])
    a, b = Vec(np.array([1.0, 2.0]), np.array([3.0, 4.0])), Vec(-1.0, -2.0)
    close(where(condition, a, b), ([1.0, -1.0], [3.0, -2.0]))
    close(where(condition, b, a), ([-1.0, 2.0], [-2.0, 4.0]))
    close(where(condition, a, 0.0), ([1.0, 0.0], [3.0, 0.0]))
    close(where(condition, 0.0, a), ([0.0, 2.0], [0.0, 4.0]))


def test_map_pairs_components_of_vectors_and_repeats_numbers() -> None:
    found = Vec(1.0, 2.0).map(lambda a, b, c: (a, b, c), Vec(10.0, 20.0), 5.0)
    assert tuple(found) == ((1.0, 10.0, 5.0), (2.0, 20.0, 5.0))


def test_a_vector_is_a_sequence_of_its_components() -> None:
    v = Vec(1.0, 2.0, 3.0)
    assert (v.x, v.y, v.z) == tuple(v) == (1.0, 2.0, 3.0)
    assert len(v) == 3
    assert tuple(Vec.of([4.0, 5.0])) == (4.0, 5.0)
    assert repr(Vec(1.0, 2.0)) == "Vec(1.0, 2.0)"


OPERATIONS: dict[str, Callable[[Vec, Vec, Any], Any]] = {
    "add": lambda a, b, k: a + b,
    "subtract": lambda a, b, k: a - b,
    "scale": lambda a, b, k: a * k,
    "divide": lambda a, b, k: a / k,
    "divided": lambda a, b, k: a.divided(k),
    "negate": lambda a, b, k: -a,
    "dot": lambda a, b, k: a.dot(b),
    "square": lambda a, b, k: a.square,
    "length": lambda a, b, k: a.length,
    "normalized": lambda a, b, k: a.normalized(),
    "with_length": lambda a, b, k: a.with_length(k),
    "limited": lambda a, b, k: a.limited(k),
    "lerp": lambda a, b, k: a.lerp(b, k),
    "where": lambda a, b, k: where(k > 1.0, a, b),
    "is_zero": lambda a, b, k: where(a.is_zero, 1.0, 0.0),
}
PLANE: dict[str, Callable[[Vec, Vec, Any], Any]] = {
    "cross": lambda a, b, k: a.cross(b),
    "angle": lambda a, b, k: a.angle,
    "left": lambda a, b, k: a.left,
    "rotated": lambda a, b, k: a.rotated(k),
    "from_angle": lambda a, b, k: from_angle(k, a.x),
}
CASES = [(2, name) for name in OPERATIONS | PLANE] + [(3, name) for name in OPERATIONS]


def rows_of(found: Any) -> NDArray[np.float64]:
    parts = tuple(found) if isinstance(found, Vec) else (found,)
    return np.array([part.code if isinstance(part, Value) else part for part in parts], float)


@pytest.mark.parametrize(("dimension", "name"), CASES)
def test_arrays_and_values_give_the_same_as_single_floats(dimension: int, name: str) -> None:
    # S0-19, S0-20: operands are never changed, so no copies are needed
    operation = (OPERATIONS | PLANE)[name]
    table = np.random.default_rng(3).normal(0.0, 10.0, (2 * dimension + 1, 50))
    before = table.copy()

    def found_for(columns: Any) -> NDArray[np.float64]:
        a, b = Vec(*columns[:dimension]), Vec(*columns[dimension:-1])
        return rows_of(operation(a, b, columns[-1]))

    together = found_for(list(table))
    singly = np.stack([found_for([float(x) for x in row]) for row in table.T], axis=-1)
    np.testing.assert_allclose(together, singly, rtol=1e-13)
    target = NumpyTarget()
    assert np.array_equal(found_for([target.value(column) for column in table]), together)
    assert np.array_equal(table, before)


def test_three_dimensions_agree_with_numpy() -> None:
    a, b = np.random.default_rng(4).normal(0.0, 10.0, (2, 3))
    assert Vec(*a).dot(Vec(*b)) == pytest.approx(np.dot(a, b))
    assert Vec(*a).length == pytest.approx(np.linalg.norm(a))
    close(Vec(*a).normalized(), a / np.linalg.norm(a))
    close(Vec(*a).limited(2.0), a * 2.0 / np.linalg.norm(a))


@pytest.mark.parametrize("operation", [lambda a, b: a.dot(b), lambda a, b: a + b, lambda a, b: b - a])
def test_vectors_of_different_dimensions_do_not_mix(operation: Callable[[Vec, Vec], Any]) -> None:
    with pytest.raises(ValueError, match="argument 2 is"):
        operation(Vec(1.0, 2.0), Vec(1.0, 2.0, 3.0))
