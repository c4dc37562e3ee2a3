"""The C target with an ordinary compiler: every operation against NumPy, control flow, memory, and code size."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from murmura.compute.trace.c_target import CTarget
from murmura.compute.trace.numpy_target import NumpyTarget
from murmura.core.algebra import (
    CONDITION,
    INTEGER,
    NUMBER,
    Value,
    absolute,
    arctan2,
    exp,
    floor,
    given,
    look_up,
    maximum,
    minimum,
    power,
    signed_bytes,
    sin_cos,
    sqrt,
    to_integer,
    to_number,
    when,
    where,
)
from tests.cuda.host import HOST_HEADER, compiled

RNG = np.random.default_rng(8)
X = np.concatenate([RNG.normal(0.0, 30.0, 500), [0.0, -0.0, 1.0, -1.0, 0.5, 1e-20, 1e20]]).astype(np.float32)
Y = RNG.permutation(X)
WHOLE = np.concatenate([RNG.integers(-(2**31), 2**31, 500), [0, 1, -1, 2**31 - 1, -(2**31), 7, 255]]).astype(
    np.int32
)
OTHERS = RNG.permutation(WHOLE)
TABLE = RNG.integers(0, 1000, 16).astype(np.int32)


def run(body: Callable[[CTarget], None], *arrays: Any) -> str:
    """Let the C compiler run a traced body once for each i, with the arrays p0, p1, ...; return the body's text."""
    target = CTarget()
    body(target)
    kinds = ["int*" if array.dtype == np.int32 else "float*" for array in arrays]
    parameters = ", ".join(f"{kind} p{k}" for k, kind in enumerate(kinds))
    loop = (
        f"void run(int count, {parameters}) {{\n  for (int i = 0; i < count; i++) {{\n{target.text}  }}\n}}\n"
    )
    library = ctypes.CDLL(str(compiled(HOST_HEADER + "".join(target.helpers.values()) + loop)))
    library.run(len(arrays[0]), *(ctypes.c_void_p(array.ctypes.data) for array in arrays))
    return target.text


def computed(formula: Callable[..., Any], kinds: str, *operands: Any) -> tuple[Any, Any]:
    """The results of a formula of numbers (f) and integers (i) in C and in NumPy."""
    names = {"f": NUMBER, "i": INTEGER}
    found = np.zeros(len(operands[0]), np.float32)

    def body(target: CTarget) -> None:
        i = Value(target, INTEGER, "i")
        values = [target.load(f"p{k + 1}", i, names[kind], steady=True) for k, kind in enumerate(kinds)]
        target.store("p0", i, formula(*values))

    run(body, found, *operands)
    numpy = NumpyTarget()
    with np.errstate(all="ignore"):
        exact = formula(*(numpy.value(x, names[kind]) for kind, x in zip(kinds, operands, strict=True)))
    return found, np.broadcast_to(to_number(exact).code, found.shape)


FORMULAS: dict[str, tuple[Callable[..., Any], str]] = {
    "arithmetic": (lambda x, y: x * y + 2.0 * x - y, "ff"),
    "division": (lambda x, y: x / where(y == 0.0, 1.0, y), "ff"),
    "root": (lambda x, y: x / sqrt(y * y + 1.0) + 1.0 / sqrt(x * x + 2.0), "ff"),
    "rounding": (lambda x: floor(x) + to_number(to_integer(x)), "f"),
    "least and greatest": (lambda x, y: minimum(x, 3.0) + maximum(x, y) - absolute(y), "ff"),
    "conditions": (lambda x, y: where((x < y) & ~(x > 0.0) | (y >= 1.0), x, -y), "ff"),
    "remainder": (lambda x: x % 7.0, "f"),
    "functions": (lambda x, y: sin_cos(x)[0] + arctan2(y, x) + exp(minimum(x, 5.0)), "ff"),
    "power": (lambda x: power(absolute(x) + 0.1, 0.3) + power(x, 3), "f"),
    "sums of integers": (lambda i, j: to_number((i + j) & 0xFFFF) + to_number((i - j) >> 12), "ii"),
    "products of integers": (lambda i, j: to_number((i * j) >> 8), "ii"),
    "shifts": (lambda i: to_number((i << 5) >> 9) + to_number(i >> 31), "i"),
    "bits": (lambda i, j: to_number(((i ^ j) | 3) & 0xFFFFF), "ii"),
    "bytes": (lambda i: sum(signed_bytes(i), start=0.0), "i"),
    "tables": (lambda i: to_number(look_up(TABLE, i & 15)), "i"),
    "quotients": (lambda i: to_number((i & 0xFFFF) // 7 + (i & 0xFFFF) % 7), "i"),
    "mixed kinds": (lambda x, i: x + (i & 255) + (x > 0.0), "fi"),
    "chosen integers": (lambda i, j: to_number(where(i < j, i & 255, minimum(j, 9) & 255)), "ii"),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_a_formula_agrees_with_numpy(name: str) -> None:
    formula, kinds = FORMULAS[name]
    ordinary = np.abs(X) < 1e10
    operands = [(X[ordinary] if kind == "f" else WHOLE[ordinary]) for kind in kinds]
    if len(operands) > 1:
        operands[1] = Y[ordinary] * (np.abs(Y[ordinary]) < 1e10) if kinds[1] == "f" else OTHERS[ordinary]
    found, exact = computed(formula, kinds, *operands)
    np.testing.assert_allclose(found, exact, rtol=2e-6, atol=2e-5)


def test_nan_and_infinity() -> None:
    found, _ = computed(lambda x: x * 0.0 + float("inf"), "f", X[:3])
    assert np.isposinf(found).all()
    found, _ = computed(lambda x: x * 0.0 + float("nan"), "f", X[:3])
    assert np.isnan(found).all()


def test_loops_carry_values_and_branches_have_effects() -> None:
    found = np.zeros(6, np.float32)

    def body(target: CTarget) -> None:
        i = Value(target, INTEGER, "i")

        def add(k: Value, values: list[Value]) -> list[Any]:
            total, count = values
            total, count = target.branch(
                k % 2 == 0, [total, count], lambda v: [v[0] + to_number(k), v[1] + 1.0]
            )
            return [total, count]

        zero = target.number(0.0)
        total, count = target.loop(0, i + 1, 1, [zero, zero], add)
        target.store("p0", i, total)
        when(
            count > 2.0,
            lambda: target.store("p0", i, -1.0),
            lambda: when(i == 1, lambda: target.store("p0", i, 9.0)),
        )
        # Stored values are seen afterwards: memory that is written is read again.
        target.store("p0", i, target.load("p0", i, NUMBER) + given(i > 4, lambda: 0.5, 0.25))

    run(body, found)
    assert found.tolist() == [0.25, 9.25, 2.25, 2.25, -0.75, -0.5]


def test_equal_expressions_are_written_once_and_unused_ones_not_at_all() -> None:
    target = CTarget()
    x, y = (Value(target, NUMBER, name) for name in ("x0", "x1"))
    wasted = sqrt(x) * 3.0
    target.store("p0", 0, (x * y) + (x * y))
    assert wasted.code not in target.text
    assert target.text.count("x0 * x1") == 1
    assert "sqrtf" not in target.text


def test_bindings_of_a_branch_are_not_used_outside() -> None:
    target = CTarget()
    x = Value(target, NUMBER, "x0")
    with target.scope("if (true)"):
        target.store("p0", 0, x * 2.0)
    target.store("p0", 1, x * 2.0)
    assert target.text.count("x0 * 2.0f") == 2


def test_conditions_do_not_become_numbers_by_accident() -> None:
    target = CTarget()
    condition = Value(target, NUMBER, "x0") > 0.0
    assert condition.kind == CONDITION
    assert (condition & True).code == condition.code
