"""Values and targets: what rules compute with, and what evaluates or emits their operations.

A `Value` is a number, an integer or a condition of some `Target`. Its operators make the target evaluate the
operation (NumPy, in double precision: the reference) or emit code for it (LLVM, CUDA C, WGSL). Rules import what they
need from `algebra`; targets import it from here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Number = Any  # a float, an array or a Value
Integer = Any  # likewise: 32 bits, wrapping around
Condition = Any

NUMBER, INTEGER, CONDITION = "number", "integer", "condition"
_RANK = {CONDITION: 0, INTEGER: 1, NUMBER: 2}
# Operations whose result differs in kind from their operands.
_WIDENING = {INTEGER: {"divide"}, CONDITION: {"add", "subtract", "multiply", "divide"}}
_PLAIN: dict[str, tuple[type, ...]] = {NUMBER: (float, int), INTEGER: (int,), CONDITION: ()}
COMPARISONS = frozenset({"less", "less_equal", "greater", "greater_equal", "equal", "not_equal"})
WORD = 0xFFFFFFFF


class Target:
    """Evaluates or emits operations. `code` is the target's form of a value: an array, an instruction, a name."""

    def constant(self, kind: str, value: Any) -> Any:
        raise NotImplementedError

    def operand(self, kind: str, value: Any) -> Any:
        """A constant as the operand of one operation."""
        return self.constant(kind, value)

    def apply(self, operation: str, kind: str, *codes: Any) -> Any:
        """One operation on operands of one kind; for `select`, the kind of the alternatives."""
        raise NotImplementedError

    def look_up(self, table: Any, index: Any) -> Any:
        """The entries of a NumPy table at these indices."""
        raise NotImplementedError

    def function(self, name: str, *operands: Value) -> Any:
        """A function that takes several operations, such as `arctan2`. `sin_cos` returns two values."""
        raise NotImplementedError

    def when(
        self, condition: Value, then: Callable[[], object], otherwise: Callable[[], object] | None
    ) -> None:
        """Call one of two functions, depending on a condition of one item."""
        raise NotImplementedError

    def branch(
        self, condition: Value, values: list[Value], body: Callable[[list[Value]], list[Any]]
    ) -> list[Value]:
        """`body(values)` if a condition holds, else `values`. The condition must be the same for all agents."""
        raise NotImplementedError

    def plain_integer(self, value: Any) -> int | None:
        """A single integer as an unsigned Python number, where the target computes at once; None elsewhere."""
        return None

    def number(self, value: float) -> Value:
        return Value(self, NUMBER, self.constant(NUMBER, value))

    def integer(self, value: int) -> Value:
        return Value(self, INTEGER, self.constant(INTEGER, value))


class Value:
    """A number, an integer (32 bits, wrapping around) or a condition of some target."""

    __slots__ = ("code", "kind", "target")
    __array_ufunc__ = None  # a NumPy scalar on the left then defers to these operators
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, target: Target, kind: str, code: Any) -> None:
        self.target, self.kind, self.code = target, kind, code

    def __bool__(self) -> bool:
        raise TypeError(
            "`if`, `and`, `or` and `not` cannot test a value that differs from agent to agent: "
            "use where(condition, a, b), and &, | and ~ between conditions"
        )

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError(
            "a NumPy function cannot take a rule's value: use the functions of murmura.core.algebra (sqrt, ...)"
        )

    def __add__(self, other: Any) -> Any:
        return _combined("add", self, other)

    def __radd__(self, other: Any) -> Any:
        return _combined("add", other, self)

    def __sub__(self, other: Any) -> Any:
        return _combined("subtract", self, other)

    def __rsub__(self, other: Any) -> Any:
        return _combined("subtract", other, self)

    def __mul__(self, other: Any) -> Any:
        return _combined("multiply", self, other)

    def __rmul__(self, other: Any) -> Any:
        return _combined("multiply", other, self)

    def __truediv__(self, other: Any) -> Any:
        return _combined("divide", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return _combined("divide", other, self)

    def __lt__(self, other: Any) -> Any:
        return _combined("less", self, other)

    def __le__(self, other: Any) -> Any:
        return _combined("less_equal", self, other)

    def __gt__(self, other: Any) -> Any:
        return _combined("greater", self, other)

    def __ge__(self, other: Any) -> Any:
        return _combined("greater_equal", self, other)

    def __eq__(self, other: Any) -> Any:
        return _combined("equal", self, other)

    def __ne__(self, other: Any) -> Any:
        return _combined("not_equal", self, other)

    def __and__(self, other: Any) -> Any:
        return _combined("and", self, other)

    def __rand__(self, other: Any) -> Any:
        return _combined("and", other, self)

    def __or__(self, other: Any) -> Any:
        return _combined("or", self, other)

    def __ror__(self, other: Any) -> Any:
        return _combined("or", other, self)

    def __xor__(self, other: Any) -> Any:
        return _combined("xor", self, other)

    def __rxor__(self, other: Any) -> Any:
        return _combined("xor", other, self)

    def __lshift__(self, other: Any) -> Any:
        return _combined("shift_left", self, other)

    def __rshift__(self, other: Any) -> Any:
        return _combined("shift_right", self, other)

    def __floordiv__(self, other: Any) -> Any:
        """Integer division, rounded towards zero."""
        return _combined("quotient", self, other)

    def __mod__(self, other: Any) -> Any:
        """For numbers, with the sign of the divisor; for integers, which must not be negative, the remainder."""
        if kind_of(self) == INTEGER and kind_of(other) == INTEGER:
            return applied("remainder", self, other)
        return self - other * floor(self / other)

    def __rmod__(self, other: Any) -> Any:
        return (
            as_number(self.target, other) % self
            if kind_of(self) == NUMBER
            else self.target.integer(other) % self
        )

    def __pow__(self, exponent: Any) -> Any:
        return power(self, exponent)

    def __rpow__(self, base: Any) -> Any:
        return power(base, self)

    def __neg__(self) -> Any:
        return applied("negate", self)

    def __abs__(self) -> Any:
        return absolute(self)

    def __invert__(self) -> Any:
        return applied("not", self)


class Composite:
    """A group of numbers, such as a vector, that `where` selects as a whole."""

    def chosen(self, condition: Condition, other: Any, *, first: bool) -> Any:
        """Select between this group and another: with `first`, this one where the condition holds."""
        raise NotImplementedError


# A table by type is faster than a chain of isinstance, and the reference spends most of its time here.
_KINDS: dict[type, str] = {
    bool: CONDITION, np.bool_: CONDITION, int: INTEGER, np.int32: INTEGER, np.int64: INTEGER, np.uint32: INTEGER,
    float: NUMBER, np.float32: NUMBER, np.float64: NUMBER,
}  # fmt: skip


def kind_of(x: Any) -> str:
    """The kind of a value or constant."""
    if type(x) is Value:
        return x.kind
    known = _KINDS.get(type(x))
    if known is not None:
        return known
    if isinstance(x, int | np.integer):
        return INTEGER
    if isinstance(x, float | np.floating):
        return NUMBER
    if isinstance(x, np.ndarray):
        return {"b": CONDITION, "i": INTEGER, "u": INTEGER, "f": NUMBER}[x.dtype.kind]
    raise TypeError(f"expected a number or a value, got {x!r}")


def code_of(target: Target, x: Any, kind: str) -> Any:
    """The code of a value or constant, converted to a kind."""
    if type(x) is not Value:
        return target.constant(kind, x)
    if x.kind == kind:
        return x.code
    if x.kind == CONDITION:
        return where(x, *((1.0, 0.0) if kind == NUMBER else (1, 0))).code
    if kind == NUMBER:
        return target.apply("to_number", INTEGER, x.code)
    raise TypeError(f"expected a {kind}, got a {x.kind}")


def as_number(target: Target, x: Any) -> Value:
    """A value or constant as a number of the target."""
    return Value(target, NUMBER, code_of(target, x, NUMBER))


def applied(operation: str, *operands: Any) -> Any:
    """An operation on values and constants, converted to their common kind."""
    target = next(x.target for x in operands if type(x) is Value)
    try:
        kinds = [kind_of(x) for x in operands]
    except TypeError:
        return NotImplemented
    kind = NUMBER if operation == "divide" else max(kinds, key=_RANK.__getitem__)
    if kind == CONDITION and operation in ("add", "subtract", "multiply", "negate"):
        kind = INTEGER
    if operation == "multiply" or operation == "and":
        neutral = _neutral(operation, kind, operands)
        if neutral is not None:
            return neutral
    codes = [code_of(target, x, kind) for x in operands]
    result = CONDITION if operation in COMPARISONS else kind
    return Value(target, result, target.apply(operation, kind, *codes))


def _combined(operation: str, a: Any, b: Any) -> Any:
    """An operation on two operands: fast for two values of one kind, and for a value and a constant.

    The reference spends its time here.
    """
    value = a if type(a) is Value else b
    kind, target = value.kind, value.target
    if kind != NUMBER and operation in _WIDENING[kind]:
        return applied(operation, a, b)
    if type(a) is not Value:
        if type(a) not in _PLAIN[kind] or (operation == "multiply" and a == 1):
            return applied(operation, a, b)
        code = target.apply(operation, kind, target.operand(kind, a), b.code)
    elif type(b) is Value:
        if b.kind != kind:
            return applied(operation, a, b)
        code = target.apply(operation, kind, a.code, b.code)
    else:
        if type(b) not in _PLAIN[kind] or (operation == "multiply" and b == 1):
            return applied(operation, a, b)
        code = target.apply(operation, kind, a.code, target.operand(kind, b))
    return Value(target, CONDITION if operation in COMPARISONS else kind, code)


def _neutral(operation: str, kind: str, operands: tuple[Any, ...]) -> Value | None:
    """The operand that a multiplication by 1 or an `and` with True leaves unchanged."""
    a, b = operands
    for value, constant in ((a, b), (b, a)):
        if isinstance(value, Value) and not isinstance(constant, Value | np.ndarray):
            if value.kind == kind and (operation == "multiply" or kind == CONDITION) and constant == 1:
                return value
    return None


def target_of(*operands: Any) -> Target | None:
    for x in operands:
        if type(x) is Value:
            found: Target = x.target
            return found
    return None


def where(condition: Condition, a: Any, b: Any) -> Any:
    """`a` where the condition holds, else `b`: numbers or vectors. Both are always computed."""
    if isinstance(a, Composite):
        return a.chosen(condition, b, first=True)
    if isinstance(b, Composite):
        return b.chosen(condition, a, first=False)
    target = target_of(condition, a, b)
    if target is None:
        if type(condition) is bool and type(a) is float and type(b) is float:
            return a if condition else b
        return np.where(condition, a, b)
    if not isinstance(condition, Value):
        return a if condition else b
    kind = max(kind_of(a), kind_of(b), key=_RANK.__getitem__)
    chosen = target.apply("select", kind, condition.code, code_of(target, a, kind), code_of(target, b, kind))
    return Value(target, kind, chosen)


def real(name: str, x: Any, plain: Callable[[Any], Any]) -> Any:
    target = target_of(x)
    if target is None:
        return plain(x)
    return Value(target, NUMBER, target.apply(name, NUMBER, code_of(target, x, NUMBER)))


def sqrt(x: Number) -> Number:
    return real("sqrt", x, np.sqrt)


def floor(x: Number) -> Number:
    return real("floor", x, np.floor)


def absolute(x: Number) -> Number:
    return real("absolute", x, np.abs)


def minimum(a: Number, b: Number) -> Number:
    return _combined("minimum", a, b) if target_of(a, b) else np.minimum(a, b)


def maximum(a: Number, b: Number) -> Number:
    return _combined("maximum", a, b) if target_of(a, b) else np.maximum(a, b)


def function_of(name: str, plain: Callable[..., Any], *operands: Any) -> Any:
    target = target_of(*operands)
    if target is None:
        return plain(*operands)
    return target.function(name, *(as_number(target, x) for x in operands))


def power(x: Number, exponent: Number) -> Number:
    """x to a power; x must not be negative unless the exponent is a small integer constant."""
    if isinstance(exponent, int | float) and float(exponent).is_integer() and 0 < abs(exponent) <= 16:
        result = x
        for _ in range(int(abs(exponent)) - 1):
            result = result * x
        return result if exponent > 0 else 1.0 / result
    if isinstance(exponent, int | float) and exponent == 0.5:
        return sqrt(x)
    return function_of("power", np.power, x, exponent)


def to_integer(x: Number) -> Integer:
    """The integer part of a number, as an integer that can index a table."""
    target = target_of(x)
    if target is None:
        return np.asarray(x).astype(np.int64)
    if x.kind == INTEGER:
        return x
    return Value(target, INTEGER, target.apply("to_integer", NUMBER, x.code))


def to_number(i: Integer) -> Number:
    """An integer as a number."""
    target = target_of(i)
    return np.asarray(i).astype(np.float64) if target is None else as_number(target, i)
