"""Writes LLVM code by running Python: arithmetic on a `Value` appends an instruction and gives the next `Value`.

Rules, and the text that fuses them, are branch-free, so one run of them meets every instruction they need. That is
many times faster than to have Numba read and type them, and constants, options and tuples vanish on the way. What is
a `float` when it runs is a constant of the code, in single precision.

A `Value` is a number or a condition, or sixteen of them: lanes. Scalars are spread over lanes where both meet. The one
liberty LLVM is given is to fuse a product and a sum of lanes into one instruction that rounds once: it makes the step
a third faster. Nothing may be reordered, so the bits do not depend on the vector width; on a machine without fused
instructions they differ.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils

WIDTH = 16
CONTRACT = ("contract",)
FLOAT, DOUBLE = ir.FloatType(), ir.DoubleType()
BIT, INT, LONG = ir.IntType(1), ir.IntType(32), ir.IntType(64)
FLOATS, INTS, BITS = (ir.VectorType(kind, WIDTH) for kind in (FLOAT, INT, BIT))
ELEMENT = {FLOATS: FLOAT, INTS: INT, BITS: BIT}
LANES = {FLOAT: FLOATS, INT: INTS, LONG: INTS, BIT: BITS}
RANK = {BIT: 0, INT: 1, LONG: 2, FLOAT: 3}


class Fork(Exception):
    """A question with `if` about a number that is the same for all lanes, but known only when the code runs."""

    def __init__(self, condition: Any) -> None:
        super().__init__()
        self.condition = condition


class Pen:
    """Where code is being written, and the answers to questions with `if` on the way that is being explored."""

    def __init__(self, context: Any, builder: Any) -> None:
        self.context, self.builder = context, builder
        self.answers: list[bool] | None = None


_here = threading.local()


def pen() -> Pen:
    found: Pen = _here.pen
    return found


@contextmanager
def writing(context: Any, builder: Any) -> Iterator[None]:
    """Write where this builder of Numba's is."""
    before, _here.pen = getattr(_here, "pen", None), Pen(context, builder)
    try:
        yield
    finally:
        _here.pen = before


class Value:
    """A number, or sixteen, of the code that is being written."""

    __slots__ = ("code",)
    __array_ufunc__ = None  # so that a NumPy number to the left leaves the operator to us
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, code: Any) -> None:
        self.code = code

    @property
    def kind(self) -> Any:
        """The LLVM type."""
        return self.code.type

    def __bool__(self) -> bool:
        answers = pen().answers
        if self.kind != BIT or answers is None:
            raise TypeError("a question that each agent may answer differently")
        if not answers:
            raise Fork(self.code)
        return answers.pop(0)

    def __add__(self, other: Any) -> Value:
        return _arithmetic("add", self, other)

    def __radd__(self, other: Any) -> Value:
        return _arithmetic("add", other, self)

    def __sub__(self, other: Any) -> Value:
        return _arithmetic("sub", self, other)

    def __rsub__(self, other: Any) -> Value:
        return _arithmetic("sub", other, self)

    def __mul__(self, other: Any) -> Value:
        return _arithmetic("mul", self, other)

    def __rmul__(self, other: Any) -> Value:
        return _arithmetic("mul", other, self)

    def __truediv__(self, other: Any) -> Value:
        return _arithmetic("div", self, other)

    def __rtruediv__(self, other: Any) -> Value:
        return _arithmetic("div", other, self)

    def __lt__(self, other: Any) -> Value:
        return _compared("<", self, other)

    def __le__(self, other: Any) -> Value:
        return _compared("<=", self, other)

    def __gt__(self, other: Any) -> Value:
        return _compared(">", self, other)

    def __ge__(self, other: Any) -> Value:
        return _compared(">=", self, other)

    def __eq__(self, other: Any) -> Value:  # type: ignore[override]
        return _compared("==", self, other)

    def __ne__(self, other: Any) -> Value:  # type: ignore[override]
        return _compared("!=", self, other)

    def __and__(self, other: Any) -> Value:
        return _bitwise("and_", self, other)

    def __rand__(self, other: Any) -> Value:
        return _bitwise("and_", other, self)

    def __or__(self, other: Any) -> Value:
        return _bitwise("or_", self, other)

    def __ror__(self, other: Any) -> Value:
        return _bitwise("or_", other, self)

    def __xor__(self, other: Any) -> Value:
        return _bitwise("xor", self, other)

    def __rxor__(self, other: Any) -> Value:
        return _bitwise("xor", other, self)

    def __neg__(self) -> Value:
        builder = pen().builder
        return Value(builder.fneg(self.code) if self.kind in (FLOATS, FLOAT) else builder.neg(self.code))

    def __invert__(self) -> Value:
        return Value(pen().builder.not_(self.code))


def kind_of(x: Any) -> Any:
    """The LLVM type of a value, or of what a constant becomes."""
    if isinstance(x, Value):
        return x.kind
    if isinstance(x, bool | np.bool_):
        return BIT
    if isinstance(x, int | np.integer):
        return INT
    if isinstance(x, float | np.floating):
        return FLOAT
    raise TypeError(f"{x!r} is no number")


def common_kind(*operands: Any) -> Any:
    """The type in which these meet."""
    kinds = [kind_of(x) for x in operands]
    element = max((ELEMENT.get(kind, kind) for kind in kinds), key=RANK.__getitem__)
    return LANES[element] if any(kind in ELEMENT for kind in kinds) else element


def coded(x: Any, kind: Any) -> Any:
    """LLVM code of a value or constant in a type."""
    if not isinstance(x, Value):
        return constant(kind, x)
    if x.kind == kind:
        return x.code
    if kind in ELEMENT and x.kind not in ELEMENT:
        return spread(coded(x, ELEMENT[kind]), kind)
    builder = pen().builder
    match _numeral(x.kind), _numeral(kind):
        case ("whole", "real"):
            return builder.sitofp(x.code, kind)
        case ("bit", "real"):
            return builder.uitofp(x.code, kind)
        case ("bit", "whole"):
            return builder.zext(x.code, kind)
        case ("whole", "whole"):
            return builder.sext(x.code, kind) if kind == LONG else builder.trunc(x.code, kind)
        case ("real", "real") if kind == DOUBLE:
            return builder.fpext(x.code, kind)
    raise TypeError(f"a {_numeral(x.kind)} number where a {_numeral(kind)} one was expected")


def _numeral(kind: Any) -> str:
    element = ELEMENT.get(kind, kind)
    return "bit" if element == BIT else "real" if element in (FLOAT, DOUBLE) else "whole"


def constant(kind: Any, x: Any) -> Any:
    if kind in (FLOAT, FLOATS):
        return _constant(kind, np.float32(x).tobytes())
    if kind == DOUBLE:
        return ir.Constant(DOUBLE, float(x))
    if kind in (BIT, BITS):
        return _constant(kind, bool(x))
    if kind in (INT, INTS):
        return _constant(kind, (int(x) + 2**31) % 2**32 - 2**31)
    return ir.Constant(kind, int(x))


@lru_cache(4096)
def _constant(kind: Any, x: Any) -> Any:
    value = float(np.frombuffer(x, np.float32)[0]) if isinstance(x, bytes) else x
    if kind in ELEMENT:
        return ir.Constant(kind, [ir.Constant(ELEMENT[kind], value)] * WIDTH)
    return ir.Constant(kind, value)


def spread(scalar: Any, kind: Any) -> Any:
    builder = pen().builder
    first = builder.insert_element(ir.Constant(kind, ir.Undefined), scalar, INT(0))
    return pick(first, [0] * WIDTH)


def shuffle(a: Any, b: Any, indices: list[int]) -> Any:
    return pen().builder.shuffle_vector(a, b, _numbered(tuple(indices)))


@lru_cache(256)
def _numbered(values: tuple[int, ...]) -> Any:
    return ir.Constant(ir.VectorType(INT, len(values)), [INT(k) for k in values])


def pick(a: Any, indices: list[int]) -> Any:
    return shuffle(a, ir.Constant(a.type, ir.Undefined), indices)


def _arithmetic(name: str, a: Any, b: Any) -> Value:
    kind = common_kind(a, b)
    builder = pen().builder
    if kind == FLOATS:
        return Value(getattr(builder, "f" + name)(coded(a, kind), coded(b, kind), flags=CONTRACT))
    if kind == FLOAT or name == "div":
        kind = FLOATS if kind in ELEMENT else FLOAT
        return Value(getattr(builder, "f" + name)(coded(a, kind), coded(b, kind)))
    if kind in (BIT, BITS):
        kind = INTS if kind in ELEMENT else INT
    return Value(getattr(builder, name)(coded(a, kind), coded(b, kind)))


def _compared(sign: str, a: Any, b: Any) -> Value:
    kind = common_kind(a, b)
    builder, x, y = pen().builder, coded(a, kind), coded(b, kind)
    if kind == FLOAT and sign == "!=":
        return Value(builder.fcmp_unordered(sign, x, y))
    if kind in (FLOATS, FLOAT):
        return Value(builder.fcmp_ordered(sign, x, y))
    return Value(builder.icmp_signed(sign, x, y))


def _bitwise(name: str, a: Any, b: Any) -> Value:
    kind = common_kind(a, b)
    return Value(getattr(pen().builder, name)(coded(a, kind), coded(b, kind)))


def call(name: str, kind: Any, arguments: list[Any]) -> Any:
    """Call LLVM's own function of this name."""
    builder = pen().builder
    function_type = ir.FunctionType(kind, [argument.type for argument in arguments])
    return builder.call(cgutils.get_or_insert_function(builder.module, function_type, name), arguments)


class Array:
    """Numbers in memory, C-ordered, of one or two dimensions."""

    def __init__(self, data: Any, pitch: Any, shape: tuple[Any, ...]) -> None:
        self.data, self._pitch, self.shape = data, pitch, shape

    @property
    def element(self) -> Any:
        return self.data.type.pointee

    def place(self, key: Any) -> Any:
        """The pointer to an element."""
        builder = pen().builder
        if isinstance(key, tuple):
            row, column = (coded(k, LONG) for k in key)
            offset = builder.add(builder.mul(row, self._pitch), column)
        else:
            offset = coded(key, LONG)
        return builder.gep(self.data, [offset])

    def vector_at(self, i: Any, kind: Any) -> Any:
        """The pointer to as many elements as a vector type has."""
        return pen().builder.bitcast(self.place(i), kind.as_pointer())

    def __getitem__(self, key: Any) -> Any:
        if self._pitch is not None and not isinstance(key, tuple):
            return Array(self.place((key, 0)), None, self.shape[1:])
        return Value(pen().builder.load(self.place(key)))

    def __setitem__(self, key: Any, value: Any) -> None:
        pen().builder.store(coded(value, self.element), self.place(key))


def table_of(values: Any) -> Array:
    """A table of the rule's module as an array of the code; arrays as they are."""
    if isinstance(values, Array):
        return values
    builder = pen().builder
    element = INT if values.dtype.kind in "iu" else FLOAT
    entries = ir.Constant(ir.ArrayType(element, len(values)), [element(v) for v in values.tolist()])
    name = f".table.{element}.{hashlib.sha256(values.tobytes()).hexdigest()[:16]}"
    data = builder.module.globals.get(name)
    if data is None:
        data = cgutils.add_global_variable(builder.module, entries.type, name)
        data.linkage, data.global_constant, data.initializer, data.align = "internal", True, entries, 64
    return Array(builder.bitcast(data, element.as_pointer()), None, (len(values),))
