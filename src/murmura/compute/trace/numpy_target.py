"""Evaluates every operation immediately with NumPy, in double precision. This is the reference."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from murmura.core.algebra import CONDITION, INTEGER, NUMBER, WORD, Target, Value, as_number

DTYPES = {NUMBER: np.float64, INTEGER: np.int32, CONDITION: np.bool_}


def _shift_right(a: Any, b: Any) -> Any:
    return (a.view(np.uint32) >> b.view(np.uint32)).view(np.int32)


def _signed_byte(i: Any, k: Any) -> Any:
    return ((i << (24 - 8 * k)).astype(np.int32) >> 24).astype(np.int32)


@cache
def _word(value: int) -> np.int32:
    """An integer as 32 bits."""
    return np.uint32(value & WORD).view(np.int32)


OPERATIONS: dict[str, Callable[..., Any]] = {
    "add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide, "negate": np.negative,
    "minimum": np.minimum, "maximum": np.maximum, "sqrt": np.sqrt, "floor": np.floor, "absolute": np.abs,
    "inverse_root": lambda x: 1.0 / np.sqrt(x),
    "less": np.less, "less_equal": np.less_equal, "greater": np.greater, "greater_equal": np.greater_equal,
    "equal": np.equal, "not_equal": np.not_equal,
    "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor, "select": np.where,
    "not": np.invert, "quotient": np.floor_divide, "remainder": np.remainder,
    "shift_left": np.left_shift, "shift_right": _shift_right,
    "signed_byte": _signed_byte,
    "to_integer": lambda x: np.trunc(x).astype(np.int64).astype(np.int32),
    "to_number": lambda i: np.asarray(i).astype(np.float64),
}  # fmt: skip
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "arctan2": np.arctan2, "bearing": np.arctan2, "arctan": np.arctan, "exp": np.exp, "log": np.log,
    "tanh": np.tanh, "power": np.power,
}  # fmt: skip


class NumpyTarget(Target):
    """Immediate evaluation in double precision. Integers have 32 bits and wrap around, as on all targets."""

    def constant(self, kind: str, value: Any) -> Any:
        if kind == NUMBER and type(value) in (float, int):  # most constants: quicker than an array
            return np.float64(value)
        if kind == INTEGER and type(value) is int:
            return _word(value)
        if kind == INTEGER:
            return (np.asarray(value).astype(np.int64) & WORD).astype(np.uint32).view(np.int32)
        return np.asarray(value, DTYPES[kind])

    def operand(self, kind: str, value: Any) -> Any:
        # NumPy takes a plain number for one of its own type, in a third of the time.
        return float(value) if kind == NUMBER else self.constant(kind, value)

    def plain_integer(self, value: Any) -> int | None:
        code = value.code if type(value) is Value else value
        return int(code) & WORD if np.ndim(code) == 0 else None

    def apply(self, operation: str, kind: str, *codes: Any) -> Any:
        return OPERATIONS[operation](*codes)

    def look_up(self, table: Any, index: Any) -> Any:
        return np.asarray(table)[index]

    def function(self, name: str, *operands: Value) -> Any:
        codes = [x.code for x in operands]
        if name == "sin_cos":
            return Value(self, NUMBER, np.sin(codes[0])), Value(self, NUMBER, np.cos(codes[0]))
        return Value(self, NUMBER, FUNCTIONS[name](*codes))

    def when(
        self, condition: Value, then: Callable[[], object], otherwise: Callable[[], object] | None
    ) -> None:
        if bool(condition.code):
            then()
        elif otherwise is not None:
            otherwise()

    def repeat(self, count: Any, body: Callable[[Any], object]) -> None:
        """Call `body` with 0, 1, ... below the count."""
        for k in range(int(count.code if isinstance(count, Value) else count)):
            body(k)

    def branch(
        self, condition: Value, values: list[Value], body: Callable[[list[Value]], list[Any]]
    ) -> list[Value]:
        return [as_number(self, x) for x in body(values)] if np.any(condition.code) else values

    def value(self, array: Any, kind: str = NUMBER) -> Value:
        """An array as a value of this target."""
        return Value(self, kind, np.asarray(array, DTYPES[kind]))
