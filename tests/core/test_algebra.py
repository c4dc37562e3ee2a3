"""The functions of `core.algebra` on numbers, and on values of a target."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from murmura.compute.trace.numpy_target import NumpyTarget
from murmura.core import algebra
from murmura.core.algebra import CONDITION, INTEGER, NUMBER, Value

quick = settings(max_examples=100, deadline=None, derandomize=True)
words = st.integers(0, 2**32 - 1)


@given(words, words, st.integers(1, 31))
@quick
def test_32_bit_words_wrap_around(a: int, b: int, bits: int) -> None:
    assert int(algebra.add_32(a, b)) == (a + b) % 2**32
    assert int(algebra.xor_32(a, b)) == a ^ b
    text = f"{a:032b}"
    assert int(algebra.rotate_left_32(a, bits)) == int(text[bits:] + text[:bits], 2)


@given(words)
@quick
def test_unit_interval_takes_the_upper_24_bits(a: int) -> None:
    assert float(algebra.unit_interval(a)) == (a // 256) / 2**24


def test_where_selects_element_by_element() -> None:
    assert algebra.where(np.array([True, False]), np.array([1.0, 2.0]), -1.0).tolist() == [1.0, -1.0]


def test_whole_numbers_and_back() -> None:
    whole = algebra.to_integer(np.array([0.0, 255.0, -3.0]))
    assert whole.tolist() == [0, 255, -3]
    assert algebra.to_number(whole[:2]).tolist() == [0.0, 255.0]
    assert algebra.look_up(np.array([5.0, 6.0, 7.0]), np.array([2, 0])).tolist() == [7.0, 5.0]


def test_sine_comes_before_cosine() -> None:
    assert np.allclose(algebra.sin_cos(np.pi / 2), (1.0, 0.0))
    assert np.isclose(algebra.arctan2(1.0, 0.0), np.pi / 2)


TARGET = NumpyTarget()
NUMBERS = np.random.default_rng(5).uniform(-4.0, 4.0, (2, 60))
SHARES = np.linspace(-1.0, 1.0, 41)
INTEGERS = np.random.default_rng(6).integers(0, 2**31, (2, 60)).astype(np.int32)
CONDITIONS = np.random.default_rng(7).uniform(size=(2, 60)) < 0.5


def value(x: Any) -> Value:
    kind = {"f": NUMBER, "i": INTEGER, "b": CONDITION}[np.asarray(x).dtype.kind]
    return TARGET.value(x, kind)


@pytest.mark.parametrize(
    "name", ["add", "sub", "mul", "truediv", "lt", "le", "gt", "ge", "eq", "ne", "mod", "neg", "abs"]
)
def test_operators_on_numbers(name: str) -> None:
    operation = getattr(operator, name)
    operands = list(NUMBERS[:1] if name in ("neg", "abs") else NUMBERS)
    expected = operation(*operands)
    found = operation(*map(value, operands))
    assert found.kind == (CONDITION if expected.dtype == bool else NUMBER)
    np.testing.assert_allclose(found.code, expected, atol=1e-12)
    if len(operands) == 2:
        # A plain number may stand on either side.
        a, b = operands
        np.testing.assert_allclose(operation(value(a), 1.5).code, operation(a, 1.5), atol=1e-12)
        if name != "mod":
            np.testing.assert_allclose(operation(1.5, value(b)).code, operation(1.5, b), atol=1e-12)
            np.testing.assert_allclose(
                operation(np.float64(1.5), value(b)).code, operation(1.5, b), atol=1e-12
            )


@pytest.mark.parametrize("name", ["add", "sub", "mul", "and_", "or_", "xor", "eq", "lt"])
def test_operators_on_integers_wrap_around(name: str) -> None:
    a, b = (x.astype(np.int64) for x in INTEGERS)
    exact = getattr(operator, name)(a, b)
    found = getattr(operator, name)(*map(value, INTEGERS))
    assert found.kind == (CONDITION if name in ("eq", "lt") else INTEGER)
    assert np.array_equal(found.code.astype(np.int64) % 2**32, exact.astype(np.int64) % 2**32)


def test_integers_shift_and_divide() -> None:
    a, small = INTEGERS[0], INTEGERS[1] % 31
    assert np.array_equal((value(a) >> 5).code, a >> 5)
    assert np.array_equal((value(a) << 3).code.view(np.uint32), a.view(np.uint32) << 3)
    assert np.array_equal((value(small) // 7).code, small // 7)
    assert np.array_equal((value(small) % 7).code, small % 7)
    # The sign bit is shifted like any other bit: the operands are words, not signed numbers.
    assert int((TARGET.integer(-1) >> 28).code) == 15


def test_conditions_combine() -> None:
    a, b = CONDITIONS
    assert np.array_equal((value(a) & value(b)).code, a & b)
    assert np.array_equal((value(a) | value(b)).code, a | b)
    assert np.array_equal((~value(a)).code, ~a)
    assert np.array_equal((value(a) & True).code, a)
    assert np.array_equal((value(a) & False).code, np.zeros_like(a))


def test_mixed_kinds_convert_to_the_wider_one() -> None:
    numbers, integers, conditions = NUMBERS[0], INTEGERS[0] % 100, CONDITIONS[0]
    assert np.array_equal((value(integers) * value(numbers)).code, integers * numbers)
    assert np.array_equal((value(integers) / 4).code, integers / 4)
    assert np.array_equal((value(conditions) + value(conditions)).code, 2 * conditions)
    assert np.array_equal((value(conditions) * value(numbers)).code, conditions * numbers)
    assert (value(conditions) + value(conditions)).kind == INTEGER


WORDS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (algebra.sqrt, (np.abs(NUMBERS[0]),)),
    (algebra.inverse_root, (np.abs(NUMBERS[0]) + 0.1,)),
    (algebra.floor, (NUMBERS[0],)),
    (algebra.absolute, (NUMBERS[0],)),
    (algebra.minimum, tuple(NUMBERS)),
    (algebra.maximum, tuple(NUMBERS)),
    (algebra.sin, (NUMBERS[0],)),
    (algebra.cos, (NUMBERS[0],)),
    (algebra.arctan2, tuple(NUMBERS)),
    (algebra.arcsin, (SHARES,)),
    (algebra.arccos, (SHARES,)),
    (algebra.exp, (NUMBERS[0],)),
    (algebra.log, (np.abs(NUMBERS[0]) + 0.1,)),
    (algebra.tanh, (NUMBERS[0],)),
    (algebra.where, (CONDITIONS[0], *NUMBERS)),
    (algebra.where, (CONDITIONS[0], *INTEGERS)),
]
NAMES = [f"{word.__name__} {np.asarray(operands[-1]).dtype}" for word, operands in WORDS]
EXPECTED: dict[Callable[..., Any], Callable[..., Any]] = {
    algebra.inverse_root: lambda x: x**-0.5,
    algebra.absolute: np.abs,
}


@pytest.mark.parametrize(("word", "operands"), WORDS, ids=NAMES)
def test_functions_on_arrays_and_on_values(word: Callable[..., Any], operands: tuple[Any, ...]) -> None:
    expected = EXPECTED.get(word) or getattr(np, word.__name__)
    np.testing.assert_allclose(word(*operands), expected(*operands), rtol=1e-14, atol=1e-15)
    found = word(*map(value, operands))
    assert isinstance(found, Value)
    assert np.array_equal(found.code, word(*operands))


@pytest.mark.parametrize("exponent", [1, 2, 3, 16, -1, -3, 0.5, 1.7, -0.3, 20.0, 0])
def test_powers(exponent: float) -> None:
    x = np.abs(NUMBERS[0]) + 0.1
    np.testing.assert_allclose(algebra.power(x, exponent), x ** float(exponent), rtol=1e-12)
    np.testing.assert_allclose((value(x) ** exponent).code, x ** float(exponent), rtol=1e-12)


@pytest.mark.parametrize("exponent", [1, 2, 3.0, 16, -3])
def test_small_integer_powers_of_negative_numbers(exponent: float) -> None:
    found = value(NUMBERS[0]) ** exponent
    np.testing.assert_allclose(found.code, NUMBERS[0] ** float(exponent), rtol=1e-12)


def test_integers_as_numbers_and_bytes_as_values() -> None:
    whole = value(np.array([0.0, 255.9, -3.9]))
    assert algebra.to_integer(whole).code.tolist() == [0, 255, -3]
    assert algebra.to_number(value(np.array([7], np.int32))).code.tolist() == [7.0]
    table = np.array([5.0, 6.0, 7.0])
    assert algebra.look_up(table, value(np.array([2, 0], np.int32))).code.tolist() == [7.0, 5.0]
    words = np.random.default_rng(8).integers(-(2**31), 2**31, 50).astype(np.int32)
    expected = words[:, None].view(np.int8).T
    for k, part in enumerate(algebra.signed_bytes(words)):
        assert np.array_equal(part, expected[k])
        assert np.array_equal(algebra.signed_bytes(value(words))[k].code, expected[k])


def test_when_calls_one_function_or_the_other() -> None:
    done: list[str] = []
    for condition in (True, False, TARGET.value(True, CONDITION), TARGET.value(False, CONDITION)):
        algebra.when(condition, lambda: done.append("then"), lambda: done.append("otherwise"))
        algebra.when(condition, lambda: done.append("only then"))
    assert done == ["then", "only then", "otherwise"] * 2


def test_given_computes_only_where_the_condition_holds() -> None:
    def never() -> Any:
        raise AssertionError("computed although the condition does not hold")

    assert algebra.given(True, lambda: 3.0, 1.0) == 3.0
    assert algebra.given(False, never, 1.0) == 1.0
    yes, no = TARGET.value(True, CONDITION), TARGET.value(False, CONDITION)
    assert float(algebra.given(yes, lambda: 3.0, 1.0).code) == 3.0
    assert float(algebra.given(no, never, 1.0).code) == 1.0


def test_python_and_numpy_reject_values_with_an_error() -> None:
    x = value(NUMBERS[0])
    with pytest.raises(TypeError, match=r"use where\(condition, a, b\), and &, \| and ~"):
        _ = 1 if x > 0.0 else 2
    with pytest.raises(TypeError, match="differs from agent to agent"):
        _ = (x > 0.0) and (x < 1.0)
    for function in (np.sqrt, math.sqrt, float):
        with pytest.raises(TypeError):
            function(x)
    with pytest.raises(TypeError, match=r"use the functions of murmura\.core\.algebra"):
        np.asarray(x)
    with pytest.raises(TypeError, match="unhashable"):
        hash(x)
    with pytest.raises(TypeError, match="unsupported operand"):
        _ = x + "text"
