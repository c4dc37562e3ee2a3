"""Emits LLVM instructions. Values are scalars or lanes.

A scalar is broadcast where it meets lanes. A product and a sum of lanes are fused here into one operation that rounds
once, which makes a step faster, unless the code is portable: WebAssembly has no such operation. LLVM itself may neither
fuse nor reorder anything, so the bits do not depend on the processor. Variables of loops and branches live in memory,
which LLVM promotes to registers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import numpy as np
from llvmlite import ir

from murmura.compute.trace.polynomials import FUNCTIONS
from murmura.core.algebra import CONDITION, INTEGER, NUMBER, Target, Value, code_of, kind_of

LANES = 16
FLOAT, DOUBLE = ir.FloatType(), ir.DoubleType()
BIT, BYTE, INT, LONG = ir.IntType(1), ir.IntType(8), ir.IntType(32), ir.IntType(64)
TYPES = {NUMBER: FLOAT, INTEGER: INT, CONDITION: BIT}
SIGNS = {
    "less": "<", "less_equal": "<=", "greater": ">", "greater_equal": ">=", "equal": "==", "not_equal": "!=",
}  # fmt: skip
FLOAT_OPERATIONS = {"add": "fadd", "subtract": "fsub", "multiply": "fmul", "divide": "fdiv"}
INTEGER_OPERATIONS = {
    "add": "add", "subtract": "sub", "multiply": "mul", "remainder": "srem", "quotient": "sdiv", "and": "and_",
    "or": "or_", "xor": "xor", "shift_left": "shl", "shift_right": "lshr",
}  # fmt: skip
INTRINSICS = {"sqrt": "llvm.sqrt", "floor": "llvm.floor", "absolute": "llvm.fabs"}


def is_lanes(code: Any) -> bool:
    return isinstance(code.type, ir.VectorType)


def lanes_of(element: Any, count: int = LANES) -> Any:
    return ir.VectorType(element, count)


def is_product(code: Any) -> bool:
    return isinstance(code, ir.Instruction) and code.opname == "fmul"


def is_sum(code: Any) -> bool:
    return isinstance(code, ir.Instruction) and code.opname == "fadd"


def is_fused(code: Any) -> bool:
    return isinstance(code, ir.CallInstr) and code.callee.name.startswith("llvm.fma.")


class Cell:
    """A variable of the code: memory that LLVM turns into a register."""

    def __init__(self, target: LlvmTarget, kind: str, code: Any) -> None:
        self._target, self._kind, self._type = target, kind, code.type
        with target.builder.goto_entry_block():
            self.place = target.builder.alloca(code.type)
        target.builder.store(code, self.place)

    def get(self) -> Value:
        return Value(self._target, self._kind, self._target.builder.load(self.place, typ=self._type))

    def set(self, value: Any) -> None:
        code = code_of(self._target, value, self._kind)
        code = self._target.spread(code, self._type.count) if isinstance(self._type, ir.VectorType) else code
        self._target.builder.store(code, self.place)


class LlvmTarget(Target):
    """Emits code at its builder's position.

    `wide`: the processor has gathers and permutes for sixteen lanes. `portable`: products and sums round one by one.
    `compact`: one thread, with registers of four lanes, as in WebAssembly.
    """

    def __init__(self, builder: Any, wide: bool, portable: bool = False, compact: bool = False) -> None:
        self.builder, self.wide, self.portable, self.compact = builder, wide, portable, compact
        self.lanes = LANES
        self.masks_factors = False
        self.finite: set[int] = set()
        """Codes that are finite on every lane, whether or not it has an agent."""

    @contextmanager
    def narrowed(self, lanes: int) -> Iterator[None]:
        """Within this context, use this many lanes, and mask factors rather than sums."""
        before, self.lanes, self.masks_factors = self.lanes, lanes, True
        yield
        self.lanes, self.masks_factors = before, False

    def constant(self, kind: str, value: Any) -> Any:
        return _constant(kind, _stored(kind, value))

    def apply(self, operation: str, kind: str, *codes: Any) -> Any:
        if operation in INTRINSICS:
            return self._intrinsic(INTRINSICS[operation], codes[0])
        codes = tuple(self._alike(codes))
        if operation in SIGNS:
            return self._compare(SIGNS[operation], kind, *codes)
        if kind == NUMBER and operation in FLOAT_OPERATIONS:
            return self._arithmetic(operation, *codes)
        if kind != NUMBER and operation in INTEGER_OPERATIONS:
            return getattr(self.builder, INTEGER_OPERATIONS[operation])(*codes)
        return getattr(self, f"_{operation}")(kind, *codes)

    def _arithmetic(self, operation: str, a: Any, b: Any) -> Any:
        """Arithmetic on numbers; fuses a sum or difference with a product of lanes, unless the code is portable."""
        fuses = operation in ("add", "subtract") and is_lanes(a) and not self.portable
        if fuses and (is_product(a) or is_product(b)):
            minus = operation == "subtract"
            (x, y), z = (a.operands, b) if is_product(a) else (b.operands, a)
            if minus and z is b:
                z = self.builder.fneg(z)
            elif minus:
                x = self.builder.fneg(x)
            return self.call(f"llvm.fma.v{a.type.count}f32", a.type, [x, y, z])
        return getattr(self.builder, FLOAT_OPERATIONS[operation])(a, b)

    def _compare(self, sign: str, kind: str, a: Any, b: Any) -> Any:
        if kind != NUMBER:
            return self.builder.icmp_signed(sign, a, b)
        compare = self.builder.fcmp_unordered if sign == "!=" else self.builder.fcmp_ordered
        return compare(sign, a, b)

    def _select(self, kind: str, condition: Any, a: Any, b: Any) -> Any:
        if kind == NUMBER and self.masks_factors and is_lanes(condition):
            a, b = self._masked_sum(condition, a, b)
        return a if a is b else self.builder.select(condition, a, b)

    def _masked_sum(self, condition: Any, total: Any, before: Any) -> tuple[Any, Any]:
        """A conditional sum, with the condition moved into the summand if that is exact.

        Without mask registers, selecting takes two operations; multiplying by a factor of 0 takes one, and the factor
        serves all components of a vector.
        """
        if is_fused(total) and total.args[2] is before and id(total.args[0]) in self.finite:
            x, y, _ = total.args
            zero = ir.Constant(y.type, [FLOAT(0.0)] * y.type.count)
            whole = self.call(total.callee.name, y.type, [x, self.builder.select(condition, y, zero), before])
            return whole, whole
        if is_sum(total) and total.operands[0] is before and isinstance(total.operands[1], ir.Constant):
            one = total.operands[1]
            zero = ir.Constant(one.type, [FLOAT(0.0)] * one.type.count)
            whole = self.builder.fadd(before, self.builder.select(condition, one, zero))
            return whole, whole
        return total, before

    def _not(self, kind: str, a: Any) -> Any:
        return self.builder.not_(a)

    def _negate(self, kind: str, a: Any) -> Any:
        return self.builder.fneg(a) if kind == NUMBER else self.builder.neg(a)

    def _minimum(self, kind: str, a: Any, b: Any) -> Any:
        return self.builder.select(self._compare("<", kind, a, b), a, b)

    def _maximum(self, kind: str, a: Any, b: Any) -> Any:
        return self.builder.select(self._compare(">", kind, a, b), a, b)

    def _inverse_root(self, kind: str, a: Any) -> Any:
        return self.apply("divide", NUMBER, self.constant(NUMBER, 1.0), self.apply("sqrt", NUMBER, a))

    def _to_number(self, kind: str, a: Any) -> Any:
        return self.builder.sitofp(a, self._like(a, FLOAT))

    def _to_integer(self, kind: str, a: Any) -> Any:
        return self.builder.fptosi(a, self._like(a, INT))

    def _signed_byte(self, kind: str, a: Any, k: Any) -> Any:
        place = k.constant[0].constant if is_lanes(k) else k.constant
        up, down = (self._alike([a, self.constant(INTEGER, bits)])[1] for bits in (24 - 8 * place, 24))
        return self.builder.ashr(self.builder.shl(a, up), down)

    def _to_bits(self, kind: str, a: Any) -> Any:
        return self.builder.bitcast(a, self._like(a, INT))

    def _from_bits(self, kind: str, a: Any) -> Any:
        return self.builder.bitcast(a, self._like(a, FLOAT))

    def _intrinsic(self, name: str, a: Any) -> Any:
        suffix = f".v{a.type.count}f32" if is_lanes(a) else ".f32"
        return self.call(name + suffix, a.type, [a])

    def call(self, name: str, kind: Any, arguments: Sequence[Any]) -> Any:
        """Call a function by name, which is declared if it is new."""
        module = self.builder.module
        function = module.globals.get(name)
        if function is None:
            function = ir.Function(module, ir.FunctionType(kind, [a.type for a in arguments]), name)
        return self.builder.call(function, arguments)

    def function(self, name: str, *operands: Value) -> Any:
        return FUNCTIONS[name](*operands)

    # Lanes

    def _like(self, a: Any, element: Any) -> Any:
        return lanes_of(element, a.type.count) if is_lanes(a) else element

    def _alike(self, codes: Sequence[Any]) -> list[Any]:
        count = next((code.type.count for code in codes if is_lanes(code)), None)
        return list(codes) if count is None else [self.spread(code, count) for code in codes]

    def spread(self, code: Any, count: int | None = None) -> Any:
        """Broadcast a scalar to all lanes; lanes stay unchanged."""
        if is_lanes(code):
            return code
        count = count or self.lanes
        kind = lanes_of(code.type, count)
        if isinstance(code, ir.Constant):
            return ir.Constant(kind, [code] * count)
        first = self.builder.insert_element(ir.Constant(kind, ir.Undefined), code, INT(0))
        return self.picked(first, [0] * count)

    def picked(self, code: Any, lanes: Sequence[int]) -> Any:
        """A vector of selected lanes of another."""
        return self.shuffled(code, ir.Constant(code.type, ir.Undefined), lanes)

    def shuffled(self, a: Any, b: Any, lanes: Sequence[int]) -> Any:
        return self.builder.shuffle_vector(a, b, _numbered(tuple(lanes)))

    def joined(self, parts: Sequence[Any]) -> Any:
        """The lanes of two vectors, or of four, one after the other."""
        first, second = parts if len(parts) == 2 else (self.joined(parts[:2]), self.joined(parts[2:]))
        return self.shuffled(first, second, range(2 * first.type.count))

    def numbered(self, numbers: Sequence[int]) -> Value:
        """Lanes that hold these integers."""
        return Value(self, INTEGER, _numbered(tuple(numbers)))

    def any_lane(self, mask: Value) -> Value:
        """Whether a condition holds on any lane."""
        if not is_lanes(mask.code):
            return mask
        bits = ir.IntType(mask.code.type.count)
        packed = self.builder.bitcast(mask.code, bits)
        return Value(self, CONDITION, self.builder.icmp_unsigned("!=", packed, bits(0)))

    def lane(self, values: Value, k: Value) -> Value:
        """One lane."""
        code = self.spread(values.code)
        return Value(self, values.kind, self.builder.extract_element(code, k.code))

    # Memory

    def address(self, pointer: Any, index: Any, element: Any) -> Any:
        """Where an element is; the index is an integer value or a constant."""
        code = code_of(self, index, INTEGER)
        return self.builder.gep(pointer, [self.builder.sext(code, LONG)], inbounds=True, source_etype=element)

    def look_up(self, table: Any, index: Any) -> Any:
        element = INT if table.dtype.kind in "iu" else FLOAT
        data = self._table(table, element)
        if is_lanes(index):
            return self.gather(data, index, element)
        place = self.builder.gep(data, [self.builder.sext(index, LONG)], source_etype=element)
        return self.builder.load(place, typ=element)

    def _table(self, table: Any, element: Any) -> Any:
        """A NumPy table as a constant of the module."""
        module = self.builder.module
        name = f".table.{element}.{hashlib.sha256(np.ascontiguousarray(table).tobytes()).hexdigest()[:16]}"
        data = module.globals.get(name)
        if data is None:
            entries = ir.Constant(ir.ArrayType(element, len(table)), [element(v) for v in table.tolist()])
            data = ir.GlobalVariable(module, entries.type, name)
            data.linkage, data.global_constant, data.initializer, data.align = "internal", True, entries, 64
        return self.builder.bitcast(data, element.as_pointer())

    def gather(self, pointer: Any, index: Any, element: Any) -> Any:
        """The elements at the indices on lanes, float32 or int32."""
        builder, count = self.builder, index.type.count
        kind, letter = lanes_of(element, count), "s" if element == FLOAT else "i"
        if (
            self.wide and count == LANES
        ):  # with 32-bit indices: LLVM itself would emit two gathers of the general form
            base = builder.bitcast(pointer, BYTE.as_pointer())
            everyone = ir.Constant(lanes_of(BIT), [BIT(1)] * LANES)
            arguments = [ir.Constant(kind, None), base, index, everyone, INT(4)]
            return self.call(f"llvm.x86.avx512.mask.gather.dp{letter}.512", kind, arguments)
        found = ir.Constant(kind, ir.Undefined)
        for k in range(count):
            at = builder.sext(builder.extract_element(index, INT(k)), LONG)
            place = builder.gep(pointer, [at], source_etype=element)
            found = builder.insert_element(found, builder.load(place, typ=element), INT(k))
        return found

    # Flow

    def cell(self, value: Any, lanes: bool = False) -> Cell:
        """A variable with this initial value."""
        kind = kind_of(value)
        code = code_of(self, value, kind)
        return Cell(self, kind, self.spread(code) if lanes else code)

    def _cells(self, values: Sequence[Any], lanes: bool) -> list[Cell]:
        return [self.cell(value, lanes) for value in values]

    @contextmanager
    def for_loop(self, begin: Any, end: Any, step: int = 1) -> Iterator[Value]:
        """`for k in range(begin, end, step)`, of scalars."""
        builder = self.builder
        counter = self.cell(Value(self, INTEGER, code_of(self, begin, INTEGER)))
        last = code_of(self, end, INTEGER)
        head, inside, after = (builder.append_basic_block(name) for name in ("loop", "inside", "after"))
        builder.branch(head)
        builder.position_at_end(head)
        k = counter.get()
        builder.cbranch(builder.icmp_signed("<", k.code, last), inside, after)
        builder.position_at_end(inside)
        yield k
        counter.set(Value(self, INTEGER, builder.add(k.code, INT(step), flags=("nsw",))))
        builder.branch(head)
        builder.position_at_end(after)

    @contextmanager
    def while_loop(self, condition: Callable[[], Any]) -> Iterator[None]:
        """`while condition():`."""
        builder = self.builder
        head, inside, after = (builder.append_basic_block(name) for name in ("while", "inside", "after"))
        builder.branch(head)
        builder.position_at_end(head)
        builder.cbranch(condition().code, inside, after)
        builder.position_at_end(inside)
        yield
        builder.branch(head)
        builder.position_at_end(after)

    @contextmanager
    def if_then(self, condition: Any) -> Iterator[None]:
        """`if condition:`, of a scalar condition or a constant."""
        with self.builder.if_then(code_of(self, condition, CONDITION)):
            yield

    def when(
        self, condition: Value, then: Callable[[], object], otherwise: Callable[[], object] | None
    ) -> None:
        if otherwise is None:
            with self.if_then(condition):
                then()
            return
        with self.builder.if_else(condition.code) as (yes, no):
            with yes:
                then()
            with no:
                otherwise()

    def repeat(self, count: Any, body: Callable[[Any], object]) -> None:
        with self.for_loop(0, count) as k:
            body(k)

    def branch(
        self, condition: Value, values: list[Value], body: Callable[[list[Value]], list[Any]]
    ) -> list[Value]:
        cells = self._cells(values, lanes=True)
        with self.if_then(self.any_lane(condition)):
            for cell, value in zip(cells, body(values), strict=True):
                cell.set(value)
        return [cell.get() for cell in cells]

    def loop(
        self, begin: Any, end: Any, step: int, values: Sequence[Any], body: Callable[..., Sequence[Any]]
    ) -> list[Value]:
        """`for k in range(begin, end, step): values = body(k, values)`, of lanes."""
        cells = self._cells(values, lanes=True)
        with self.for_loop(begin, end, step) as k:
            for cell, value in zip(cells, body(k, [cell.get() for cell in cells]), strict=True):
                cell.set(value)
        return [cell.get() for cell in cells]


def _stored(kind: str, value: Any) -> Any:
    if kind == NUMBER:
        return np.float32(value).tobytes()  # as bits: 0.0 and -0.0 are equal
    return bool(value) if kind == CONDITION else (int(value) + 2**31) % 2**32 - 2**31


@lru_cache(4096)
def _constant(kind: str, value: Any) -> Any:
    number = float(np.frombuffer(value, np.float32)[0]) if isinstance(value, bytes) else value
    return ir.Constant(TYPES[kind], number)


@lru_cache(256)
def _numbered(values: tuple[int, ...]) -> Any:
    return ir.Constant(ir.VectorType(INT, len(values)), [INT(k) for k in values])
