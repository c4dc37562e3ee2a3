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
import traceback
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin

from murmura.backends.compiling import refusal
from murmura.core.errors import BackendError

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


def _kind_of(x: Any) -> Any:
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
    kinds = [_kind_of(x) for x in operands]
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


def _leaves(tree: Any) -> list[Any]:
    return [leaf for part in tree for leaf in _leaves(part)] if isinstance(tree, tuple) else [tree]


def _rebuilt(tree: Any, leaves: list[Any]) -> Any:
    """The tree with its leaves replaced, in their order; `leaves` is used up."""
    if isinstance(tree, tuple):
        parts = [_rebuilt(part, leaves) for part in tree]
        return type(tree)(*parts) if hasattr(tree, "_fields") else tuple(parts)
    return leaves.pop(0)


class _Carried:
    """Values that code changes on a way that may be taken or not: LLVM makes registers of these places in memory."""

    def __init__(self, values: tuple[Any, ...]) -> None:
        self._tree = values
        self._kinds = [_kind_of(leaf) for leaf in _leaves(values)]
        self._places = [cgutils.alloca_once(pen().builder, kind) for kind in self._kinds]
        self.write(values)

    def write(self, values: Any) -> None:
        leaves = _leaves(values)
        for place, kind, leaf in zip(self._places, self._kinds, leaves, strict=True):
            pen().builder.store(coded(leaf, kind), place)

    def read(self) -> Any:
        return _rebuilt(self._tree, [Value(pen().builder.load(place)) for place in self._places])


def loop(begin: Any, end: Any, body: Callable[..., Any], *carried: Any, step: int = 1) -> Any:
    """`for k in range(begin, end, step): carried = body(k, *carried)`; returns what was carried to the end."""
    builder = pen().builder
    memory = _Carried(carried)
    place = cgutils.alloca_once(builder, LONG)
    builder.store(coded(begin, LONG), place)
    stop = coded(end, LONG)
    head, inside, after = (builder.append_basic_block(name) for name in ("loop", "inside", "after"))
    builder.branch(head)
    builder.position_at_end(head)
    k = builder.load(place)
    builder.cbranch(builder.icmp_signed("<", k, stop), inside, after)
    builder.position_at_end(inside)
    result = body(Value(k), *memory.read())
    if carried:
        memory.write(result)
    builder.store(builder.add(k, LONG(step)), place)
    builder.branch(head)
    builder.position_at_end(after)
    return memory.read()


def when(condition: Any, body: Callable[..., Any], *carried: Any) -> Any:
    """`if condition: carried = body(*carried)` for a condition that is known only when the code runs."""
    memory = _Carried(carried)
    with pen().builder.if_then(coded(condition, BIT)):
        result = body(*memory.read())
        if carried:
            memory.write(result)
    return memory.read()


class Forking:
    """A rule's function: an `if` in it about a number that is the same for all lanes becomes a branch of the code."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def __call__(self, *arguments: Any) -> Any:
        try:
            return self._explore(arguments, [])
        except BackendError:
            raise
        except Exception as error:
            raise refusal(f"{self._function.__qualname__}{_line(self._function, error)}: {error}") from error

    def _explore(self, arguments: tuple[Any, ...], answers: list[bool]) -> Any:
        here = pen()
        before, here.answers = here.answers, [*answers]
        try:
            return self._function(*arguments)
        except Fork as fork:
            question = fork.condition
        finally:
            here.answers = before
        # What was written up to the question is written again on both ways; LLVM sees that it is the same.
        results, ends = [], []
        with here.builder.if_else(question) as sides:
            for side, answer in zip(sides, (True, False), strict=True):
                with side:
                    results.append(self._explore(arguments, [*answers, answer]))
                    ends.append(here.builder.block)
        return _merged(results, ends)


def _line(function: Any, error: Exception) -> str:
    """The line of a function's file from which an error came."""
    file = function.__code__.co_filename
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    return f", line {lines[-1]} of {file}" if lines else ""


def _merged(results: list[Any], ends: list[Any]) -> Any:
    """What two ways come to, where they meet again."""
    builder = pen().builder
    found = []
    for pair in zip(*map(_leaves, results), strict=True):
        kind = common_kind(*pair)
        chosen = builder.phi(kind)
        for value, end in zip(pair, ends, strict=True):
            with builder.goto_block(end):
                chosen.add_incoming(coded(value, kind), end)
        found.append(Value(chosen))
    return _rebuilt(results[0], found)


def traced(returns: Any, prepare: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Make a Python function callable in Numba's code: the code that it writes comes in place of the call."""

    def decorate(function: Any) -> Any:
        def stub() -> None: ...

        class Template(AbstractTemplate):
            key = stub

            def generic(self, args: Any, kws: Any) -> Any:
                return signature(returns, *args)

        infer_global(stub, types.Function(Template))

        @lower_builtin(stub, types.VarArg(types.Any))
        def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            before = getattr(_here, "pen", None)
            _here.pen = Pen(context, builder)
            try:
                with np.errstate(all="ignore"):
                    given = [_argument(kind, code) for kind, code in zip(sig.args, args, strict=True)]
                    result = prepare(function)(*given)
                return context.get_dummy_value() if result is None else coded(result, BIT)
            except (ValueError, TypeError, IndexError) as error:  # of the text: a rule gave too little or too much
                raise refusal(str(error)) from error
            finally:
                _here.pen = before

        return stub

    return decorate


def _argument(kind: Any, code: Any) -> Any:
    """An argument from Numba's code."""
    context, builder = pen().context, pen().builder
    if isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder, code)
        shape = tuple(Value(size) for size in cgutils.unpack_tuple(builder, array.shape))
        pitch = None
        if kind.ndim == 2:
            size = context.get_abi_sizeof(context.get_data_type(kind.dtype))
            pitch = builder.udiv(cgutils.unpack_tuple(builder, array.strides)[0], LONG(size))
        return Array(array.data, pitch, shape)
    if isinstance(kind, types.BaseTuple):
        parts = [
            _argument(part, code)
            for part, code in zip(kind, cgutils.unpack_tuple(builder, code), strict=True)
        ]
        return kind.instance_class(*parts) if isinstance(kind, types.BaseNamedTuple) else tuple(parts)
    return Value(code)
