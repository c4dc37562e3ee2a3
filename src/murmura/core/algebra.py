"""Arithmetic that a rule may use, for every machine there is.

A `Value` is a number, an integer or a condition of some `Target`. Its operators ask the target to carry out the
operation (NumPy, in double precision: the definition) or to write it down (LLVM, CUDA C). Rules are plain Python over
values, so what they mean does not depend on where they run. The words here also take plain numbers and NumPy arrays,
which they compute at once.

Rules are branch-free: `where(condition, a, b)` chooses, and conditions combine with `&`, `|` and `~`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Number = Any  # a float, an array or a Value
Integer = Any  # likewise: 32 bits, wrapping round
Condition = Any

NUMBER, INTEGER, CONDITION = "number", "integer", "condition"
_RANK = {CONDITION: 0, INTEGER: 1, NUMBER: 2}
# Operations on two values of a kind whose result is of another.
_WIDENING = {INTEGER: {"divide"}, CONDITION: {"add", "subtract", "multiply", "divide"}}
_PLAIN: dict[str, tuple[type, ...]] = {NUMBER: (float, int), INTEGER: (int,), CONDITION: ()}
COMPARISONS = frozenset({"less", "less_equal", "greater", "greater_equal", "equal", "not_equal"})
WORD = 0xFFFFFFFF


class Target:
    """Where operations go. `code` is whatever the target calls a value: an array, an instruction, a name."""

    def constant(self, kind: str, value: Any) -> Any:
        raise NotImplementedError

    def apply(self, operation: str, kind: str, *codes: Any) -> Any:
        """One operation on operands of one kind; of a `select`, the kind of what is chosen from."""
        raise NotImplementedError

    def look_up(self, table: Any, index: Any) -> Any:
        """The entries of a NumPy table at these indices."""
        raise NotImplementedError

    def function(self, name: str, *operands: Value) -> Any:
        """A function that is no single operation, such as `arctan2`; two values of `sin_cos`."""
        raise NotImplementedError

    def when(
        self, condition: Value, then: Callable[[], object], otherwise: Callable[[], object] | None
    ) -> None:
        """Do one thing or the other, by a condition of one item."""
        raise NotImplementedError

    def under(
        self, condition: Value, values: list[Value], body: Callable[[list[Value]], list[Any]]
    ) -> list[Value]:
        """What `body` makes of the values where a condition holds that is the same for all agents; else the values."""
        raise NotImplementedError

    def number(self, value: float) -> Value:
        return Value(self, NUMBER, self.constant(NUMBER, value))

    def integer(self, value: int) -> Value:
        return Value(self, INTEGER, self.constant(INTEGER, value))


class Value:
    """A number, an integer (32 bits, wrapping round) or a condition of some target."""

    __slots__ = ("code", "kind", "target")
    __array_ufunc__ = None  # so that a NumPy number to the left leaves the operator to us
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, target: Target, kind: str, code: Any) -> None:
        self.target, self.kind, self.code = target, kind, code

    def __bool__(self) -> bool:
        raise TypeError(
            "`if`, `and`, `or` and `not` cannot ask about a value that differs from agent to agent: "
            "use where(condition, a, b), and &, | and ~ between conditions"
        )

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError(
            "a NumPy function cannot take a rule's value: use the functions of murmura.core.algebra (sqrt, ...)"
        )

    def __add__(self, other: Any) -> Any:
        return applied("add", self, other)

    def __radd__(self, other: Any) -> Any:
        return applied("add", other, self)

    def __sub__(self, other: Any) -> Any:
        return applied("subtract", self, other)

    def __rsub__(self, other: Any) -> Any:
        return applied("subtract", other, self)

    def __mul__(self, other: Any) -> Any:
        return applied("multiply", self, other)

    def __rmul__(self, other: Any) -> Any:
        return applied("multiply", other, self)

    def __truediv__(self, other: Any) -> Any:
        return applied("divide", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return applied("divide", other, self)

    def __lt__(self, other: Any) -> Any:
        return applied("less", self, other)

    def __le__(self, other: Any) -> Any:
        return applied("less_equal", self, other)

    def __gt__(self, other: Any) -> Any:
        return applied("greater", self, other)

    def __ge__(self, other: Any) -> Any:
        return applied("greater_equal", self, other)

    def __eq__(self, other: Any) -> Any:
        return applied("equal", self, other)

    def __ne__(self, other: Any) -> Any:
        return applied("not_equal", self, other)

    def __and__(self, other: Any) -> Any:
        return applied("and", self, other)

    def __rand__(self, other: Any) -> Any:
        return applied("and", other, self)

    def __or__(self, other: Any) -> Any:
        return applied("or", self, other)

    def __ror__(self, other: Any) -> Any:
        return applied("or", other, self)

    def __xor__(self, other: Any) -> Any:
        return applied("xor", self, other)

    def __rxor__(self, other: Any) -> Any:
        return applied("xor", other, self)

    def __lshift__(self, other: Any) -> Any:
        return applied("shift_left", self, other)

    def __rshift__(self, other: Any) -> Any:
        return applied("shift_right", self, other)

    def __floordiv__(self, other: Any) -> Any:
        """Of integers, rounded towards zero."""
        return applied("quotient", self, other)

    def __mod__(self, other: Any) -> Any:
        """Of numbers, with the divisor's sign; of integers, which must not be negative, the remainder."""
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
    """Something made of several numbers, which `where` chooses as a whole: a vector."""

    def chosen(self, condition: Condition, other: Any, *, first: bool) -> Any:
        """This or the other, by a condition; `first`: this one where it holds."""
        raise NotImplementedError


# By type, which is quicker than asking a chain of questions: the definition does little else.
_KINDS: dict[type, str] = {
    bool: CONDITION, np.bool_: CONDITION, int: INTEGER, np.int32: INTEGER, np.int64: INTEGER, np.uint32: INTEGER,
    float: NUMBER, np.float32: NUMBER, np.float64: NUMBER,
}  # fmt: skip


def kind_of(x: Any) -> str:
    """What kind of value something is."""
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
    """The code of a value or constant as a kind."""
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
    """An operation on values and constants, which meet in the kind that holds all of them."""
    if len(operands) == 2:
        quick = _quickly(operation, *operands)
        if quick is not None:
            return quick
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


def _quickly(operation: str, a: Any, b: Any) -> Value | None:
    """The usual cases, without asking what each operand is: two values of one kind, or a value and a constant."""
    value = a if type(a) is Value else b
    kind, target = value.kind, value.target
    if kind != NUMBER and operation in _WIDENING[kind]:
        return None
    if type(a) is Value and type(b) is Value:
        if a.kind != b.kind:
            return None
        codes = (a.code, b.code)
    else:
        constant = b if value is a else a
        if type(constant) not in _PLAIN[kind] or (constant == 1 and operation == "multiply"):
            return None
        code = target.constant(kind, constant)
        codes = (a.code, code) if value is a else (code, b.code)
    return Value(
        target, CONDITION if operation in COMPARISONS else kind, target.apply(operation, kind, *codes)
    )


def _neutral(operation: str, kind: str, operands: tuple[Any, ...]) -> Value | None:
    """The one operand that a multiplication by 1 or an `and` with True leaves as it is."""
    a, b = operands
    for value, constant in ((a, b), (b, a)):
        if isinstance(value, Value) and not isinstance(constant, Value | np.ndarray):
            if value.kind == kind and (operation == "multiply" or kind == CONDITION) and constant == 1:
                return value
    return None


def _target_of(*operands: Any) -> Target | None:
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
    target = _target_of(condition, a, b)
    if target is None:
        return np.where(condition, a, b)
    if not isinstance(condition, Value):
        return a if condition else b
    kind = max(kind_of(a), kind_of(b), key=_RANK.__getitem__)
    chosen = target.apply("select", kind, condition.code, code_of(target, a, kind), code_of(target, b, kind))
    return Value(target, kind, chosen)


def when(
    condition: Condition, then: Callable[[], object], otherwise: Callable[[], object] | None = None
) -> None:
    """Do one thing or the other: for items, which take their turns one at a time."""
    if isinstance(condition, Value):
        condition.target.when(condition, then, otherwise)
    elif condition:
        then()
    elif otherwise is not None:
        otherwise()


def given(condition: Condition, compute: Callable[[], Number], otherwise: float) -> Number:
    """A number that is computed only if a condition holds which is the same for all agents; else a constant."""
    if not isinstance(condition, Value):
        return compute() if condition else otherwise
    target = condition.target
    [found] = target.under(condition, [target.number(otherwise)], lambda _: [compute()])
    return found


def _real(name: str, x: Any, plain: Callable[[Any], Any]) -> Any:
    target = _target_of(x)
    if target is None:
        return plain(x)
    return Value(target, NUMBER, target.apply(name, NUMBER, code_of(target, x, NUMBER)))


def sqrt(x: Number) -> Number:
    return _real("sqrt", x, np.sqrt)


def inverse_root(x: Number) -> Number:
    """1 / sqrt(x): graphics processors have one instruction for it."""
    return _real("inverse_root", x, lambda y: 1.0 / np.sqrt(y))


def floor(x: Number) -> Number:
    return _real("floor", x, np.floor)


def absolute(x: Number) -> Number:
    return _real("absolute", x, np.abs)


def minimum(a: Number, b: Number) -> Number:
    return applied("minimum", a, b) if _target_of(a, b) else np.minimum(a, b)


def maximum(a: Number, b: Number) -> Number:
    return applied("maximum", a, b) if _target_of(a, b) else np.maximum(a, b)


def _function(name: str, plain: Callable[..., Any], *operands: Any) -> Any:
    target = _target_of(*operands)
    if target is None:
        return plain(*operands)
    return target.function(name, *(as_number(target, x) for x in operands))


def sin_cos(angle: Number) -> tuple[Number, Number]:
    """Sine and cosine of an angle in radians."""
    found: tuple[Number, Number] = _function("sin_cos", lambda x: (np.sin(x), np.cos(x)), angle)
    return found


def sin(angle: Number) -> Number:
    return sin_cos(angle)[0]


def cos(angle: Number) -> Number:
    return sin_cos(angle)[1]


def arctan2(y: Number, x: Number) -> Number:
    """The angle of (x, y) in radians, in [-pi, pi]."""
    return _function("arctan2", np.arctan2, y, x)


def arcsin(x: Number) -> Number:
    """The angle whose sine is x, for x in [-1, 1]."""
    return arctan2(x, sqrt(maximum(0.0, (1.0 - x) * (1.0 + x))))


def arccos(x: Number) -> Number:
    """The angle whose cosine is x, for x in [-1, 1]."""
    return arctan2(sqrt(maximum(0.0, (1.0 - x) * (1.0 + x))), x)


def exp(x: Number) -> Number:
    return _function("exp", np.exp, x)


def log(x: Number) -> Number:
    """The natural logarithm of a positive number."""
    return _function("log", np.log, x)


def tanh(x: Number) -> Number:
    return _function("tanh", np.tanh, x)


def power(x: Number, exponent: Number) -> Number:
    """x to a power; x must not be negative unless the exponent is a small whole constant."""
    if isinstance(exponent, int | float) and float(exponent).is_integer() and 0 < abs(exponent) <= 16:
        result = x
        for _ in range(int(abs(exponent)) - 1):
            result = result * x
        return result if exponent > 0 else 1.0 / result
    if isinstance(exponent, int | float) and exponent == 0.5:
        return sqrt(x)
    return _function("power", np.power, x, exponent)


def to_integer(x: Number) -> Integer:
    """The whole part of a number, as an integer that can index a table."""
    target = _target_of(x)
    if target is None:
        return np.asarray(x).astype(np.int64)
    if x.kind == INTEGER:
        return x
    return Value(target, INTEGER, target.apply("to_integer", NUMBER, x.code))


def to_number(i: Integer) -> Number:
    """An integer as a number."""
    target = _target_of(i)
    return np.asarray(i).astype(np.float64) if target is None else as_number(target, i)


def look_up(table: Any, index: Integer) -> Any:
    """The table's entries at these indices."""
    target = _target_of(index)
    if target is None:
        return table[index]
    kind = INTEGER if table.dtype.kind in "iu" else NUMBER
    return Value(target, kind, target.look_up(table, index.code))


def halves(i: Integer) -> tuple[Integer, Integer]:
    """The lower and the upper 16 bits of a non-negative integer."""
    return i & 0xFFFF, i >> 16


def signed_bytes(i: Integer) -> tuple[Number, Number, Number, Number]:
    """The four bytes of an integer, lowest first, as signed numbers."""
    target = _target_of(i)
    if target is None:
        first, second, third, fourth = (
            np.ascontiguousarray(np.asarray(i, "<i4")[..., None]).view(np.int8).T.astype(np.float64)
        )
        return first.T, second.T, third.T, fourth.T
    codes = [target.apply("signed_byte", INTEGER, i.code, target.constant(INTEGER, k)) for k in range(4)]
    a, b, c, d = (to_number(Value(target, INTEGER, code)) for code in codes)
    return a, b, c, d


def add_32(a: Integer, b: Integer) -> Integer:
    """Sum modulo 2**32."""
    if _target_of(a, b):
        return applied("add", a, b)
    return (np.asarray(a, np.uint64) + np.asarray(b, np.uint64)) & np.uint64(WORD)


def xor_32(a: Integer, b: Integer) -> Integer:
    if _target_of(a, b):
        return applied("xor", a, b)
    return np.asarray(a, np.uint64) ^ np.asarray(b, np.uint64)


def rotate_left_32(a: Integer, bits: int) -> Integer:
    if _target_of(a):
        return (a << bits) | (a >> (32 - bits))
    wide = np.asarray(a, np.uint64)
    return ((wide << np.uint64(bits)) | (wide >> np.uint64(32 - bits))) & np.uint64(WORD)


def unit_interval(a: Integer) -> Number:
    """The upper 24 bits as a number in [0, 1): exact in single precision."""
    if _target_of(a):
        return to_number(a >> 8) * 2.0**-24
    return (np.asarray(a, np.uint64) >> np.uint64(8)).astype(np.float64) * 2.0**-24
