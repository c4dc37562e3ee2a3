"""A target whose numbers carry derivatives: forward differentiation of everything a rule computes.

The code of a number is the inner target's code, or a `Dual`: that code with one tangent for each direction. Integers
and conditions have no tangents. Tangents are computed with `Value`s of the inner target, whatever it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from murmura.core.algebra import COMPARISONS, NUMBER, Target, Value, as_number, log, where

TINY = 1e-30
"""Keeps the derivative of an angle finite at the origin."""
CONSTANT = frozenset({"floor", "to_integer", "to_bits"})
"""Operations whose result does not change with small changes of the operand."""
Partial = Value | float | Callable[[], Any]
"""A partial derivative; a function is called only if the operand has tangents."""


class Dual:
    """A number and its tangents, as codes of the inner target. A tangent of None is 0."""

    __slots__ = ("number", "tangents")

    def __init__(self, number: Any, tangents: tuple[Any, ...]) -> None:
        self.number, self.tangents = number, tangents


def plain(code: Any) -> Any:
    """A code without its tangents."""
    return code.number if type(code) is Dual else code


class DualTarget(Target):
    """Derivatives along `directions` directions, over an inner target."""

    def __init__(self, inner: Target, directions: int) -> None:
        self.inner, self.directions = inner, directions

    def dual(self, number: Any, tangents: Mapping[int, Any]) -> Value:
        """A number with tangents by direction, all codes of the inner target."""
        if not tangents:
            return Value(self, NUMBER, number)
        return Value(self, NUMBER, Dual(number, tuple(tangents.get(k) for k in range(self.directions))))

    def tangents(self, code: Any) -> tuple[Any, ...]:
        return code.tangents if type(code) is Dual else (None,) * self.directions

    def value(self, array: Any, kind: str = NUMBER) -> Value:
        """An array as a constant of this target; the inner one must be NumPy's."""
        return Value(self, kind, self.inner.value(array, kind).code)  # type: ignore[attr-defined]

    def constant(self, kind: str, value: Any) -> Any:
        return self.inner.constant(kind, value)

    def operand(self, kind: str, value: Any) -> Any:
        return self.inner.operand(kind, value)

    def plain_integer(self, value: Any) -> int | None:
        return self.inner.plain_integer(value)

    def look_up(self, table: Any, index: Any) -> Any:
        return self.inner.look_up(table, index)

    def branch(
        self, condition: Value, values: list[Value], body: Callable[[list[Value]], list[Any]]
    ) -> list[Value]:
        # A branch saves time and never changes a number, but skipping it would lose the derivative by a weight of 0.
        return [as_number(self, x) for x in body(values)]

    def apply(self, operation: str, kind: str, *codes: Any) -> Any:
        if Dual not in map(type, codes):
            return self.inner.apply(operation, kind, *codes)
        if operation in COMPARISONS or operation in CONSTANT:
            return self.inner.apply(operation, kind, *map(plain, codes))
        if operation == "select":
            return self._selected(*codes)
        result = Value(self.inner, NUMBER, self.inner.apply(operation, kind, *map(plain, codes)))
        return self._chained(result, codes, PARTIALS[operation])

    def function(self, name: str, *operands: Value) -> Any:
        codes = [x.code for x in operands]
        results = self.inner.function(name, *(Value(self.inner, NUMBER, plain(code)) for code in codes))
        if Dual not in map(type, codes):
            outer = [Value(self, NUMBER, x.code) for x in (results if name == "sin_cos" else [results])]
            return tuple(outer) if name == "sin_cos" else outer[0]
        if name == "sin_cos":
            sine, cosine = results
            first, second = (
                self._chained(sine, codes, lambda *_: (cosine,)),
                self._chained(cosine, codes, lambda *_: (-sine,)),
            )
            return Value(self, NUMBER, first), Value(self, NUMBER, second)
        return Value(self, NUMBER, self._chained(results, codes, PARTIALS[name]))

    def _selected(self, condition: Any, a: Any, b: Any) -> Dual:
        def chosen(x: Any, y: Any) -> Any:
            return self.inner.apply("select", NUMBER, condition, x, y)

        zero = self.inner.constant(NUMBER, 0.0)
        tangents = [
            None if x is None and y is None else chosen(zero if x is None else x, zero if y is None else y)
            for x, y in zip(self.tangents(a), self.tangents(b), strict=True)
        ]
        return Dual(chosen(plain(a), plain(b)), tuple(tangents))

    def _chained(self, result: Value, codes: Any, partials: Callable[..., tuple[Partial, ...]]) -> Dual:
        """The result with the tangents that the chain rule gives it."""
        operands = [Value(self.inner, NUMBER, plain(code)) for code in codes]
        factors = [
            factor() if callable(factor) and type(code) is Dual else factor
            for factor, code in zip(partials(result, *operands), codes, strict=True)
        ]
        along = zip(*(self.tangents(code) for code in codes), strict=True)
        return Dual(result.code, tuple(self._total(parts, factors) for parts in along))

    def _total(self, tangents: tuple[Any, ...], factors: list[Any]) -> Any:
        """The sum of tangents times partial derivatives, as a code."""
        total: Any = None
        for tangent, factor in zip(tangents, factors, strict=True):
            if tangent is not None:
                term = Value(self.inner, NUMBER, tangent) * factor
                total = term if total is None else total + term
        return None if total is None else total.code


def _inverse(x: Value) -> Value:
    """1 / x, and 0 for 0: a length of 0 has no derivative, and rules do not use its direction."""
    inverse: Value = where(x == 0.0, 0.0, 1.0 / where(x == 0.0, 1.0, x))
    return inverse


def _of_angle(y: Value, x: Value) -> tuple[Partial, Partial]:
    return lambda: x / (x * x + y * y + TINY), lambda: -y / (x * x + y * y + TINY)


def _of_power(r: Value, x: Value, exponent: Value) -> tuple[Partial, Partial]:
    base = where(x > 0.0, x, 1.0)
    return lambda: where(x > 0.0, exponent * r / base, 0.0), lambda: where(x > 0.0, r * log(base), 0.0)


PARTIALS: dict[str, Callable[..., tuple[Partial, ...]]] = {
    "add": lambda r, a, b: (1.0, 1.0),
    "subtract": lambda r, a, b: (1.0, -1.0),
    "multiply": lambda r, a, b: (b, a),
    "divide": lambda r, a, b: (lambda: 1.0 / b, lambda: -r / b),
    "negate": lambda r, a: (-1.0,),
    "minimum": lambda r, a, b: (lambda: where(a < b, 1.0, 0.0), lambda: where(a < b, 0.0, 1.0)),
    "maximum": lambda r, a, b: (lambda: where(a > b, 1.0, 0.0), lambda: where(a > b, 0.0, 1.0)),
    "sqrt": lambda r, a: (lambda: 0.5 * _inverse(r),),
    "inverse_root": lambda r, a: (lambda: -0.5 * r * r * r,),
    "absolute": lambda r, a: (lambda: where(a < 0.0, -1.0, where(a > 0.0, 1.0, 0.0)),),
    "arctan2": lambda r, y, x: _of_angle(y, x),
    "bearing": lambda r, y, x: _of_angle(y, x),
    "arctan": lambda r, x: (lambda: 1.0 / (1.0 + x * x),),
    "exp": lambda r, x: (r,),
    "log": lambda r, x: (lambda: 1.0 / x,),
    "tanh": lambda r, x: (lambda: 1.0 - r * r,),
    "power": _of_power,
}
"""The partial derivatives of each operation, from its result and its operands."""
