"""What the words of `core.algebra` mean for lanes: rules written for one agent run on sixteen at once.

Lanes are 16 x float32, 16 x int32 or 16 conditions; LLVM turns them into AVX-512, AVX2 or NEON by itself. Here are
also the words with which a kernel loads, looks up, folds and stores lanes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir

from murmura.backends import primitives
from murmura.backends.tables import ONE_REGISTER, TWO_REGISTERS
from murmura.backends.tracing import (
    BIT,
    BITS,
    ELEMENT,
    FLOAT,
    FLOATS,
    INT,
    INTS,
    LANES,
    LONG,
    WIDTH,
    Array,
    Value,
    call,
    coded,
    common_kind,
    constant,
    pen,
    pick,
    shuffle,
    table_of,
)
from murmura.core import algebra

F = np.float32


def as_lanes(x: Any) -> Value:
    """A number as lanes; lanes as they are."""
    return Value(coded(x, FLOATS))


def as_ints(x: Any) -> Value:
    return Value(coded(x, INTS))


def where(condition: Any, a: Any, b: Any) -> Any:
    kind = common_kind(a, b)
    known = isinstance(a, Value) and isinstance(b, Value)
    if kind in (BIT, INT, LONG) and not (known and kind != BIT):
        kind = FLOAT  # numbers of a rule are real ones, however they are written
    if not isinstance(condition, Value):
        chosen = a if condition else b
        return Value(coded(chosen, kind)) if isinstance(a, Value) or isinstance(b, Value) else chosen
    if condition.kind == BITS:
        kind = LANES.get(kind, kind)
    question = coded(condition, BITS if kind in ELEMENT else BIT)
    return Value(pen().builder.select(question, coded(a, kind), coded(b, kind)))


def _each(name: str, plain: Callable[[float], float]) -> Callable[[Any], Any]:
    """LLVM's function of this name, for lanes and for a number."""

    def function(x: Any) -> Any:
        if not isinstance(x, Value):
            return F(plain(x))
        kind = FLOATS if x.kind in ELEMENT else FLOAT
        suffix = f"v{WIDTH}f32" if kind == FLOATS else "f32"
        return Value(call(f"llvm.{name}.{suffix}", kind, [coded(x, kind)]))

    return function


sqrt = _each("sqrt", np.sqrt)
absolute = _each("fabs", abs)
floor = _each("floor", math.floor)


def minimum(a: Any, b: Any) -> Any:
    return where(a < b, a, b)


def maximum(a: Any, b: Any) -> Any:
    return where(a > b, a, b)


def to_integer(x: Any) -> Any:
    if not isinstance(x, Value):
        return int(x)
    return Value(pen().builder.fptosi(x.code, INTS if x.kind == FLOATS else INT))


def to_number(i: Any) -> Any:
    if not isinstance(i, Value):
        return F(i)
    return Value(coded(i, FLOATS if i.kind in ELEMENT else FLOAT))


def look_up(table: Any, index: Any) -> Any:
    if not isinstance(index, Value):
        return table[index]
    return gather(table_of(table), index) if index.kind == INTS else table_of(table)[index]


def halves(i: Any) -> tuple[Any, Any]:
    if not isinstance(i, Value):
        return i & 0xFFFF, i >> 16
    builder = pen().builder
    return (
        Value(builder.and_(i.code, constant(i.kind, 0xFFFF))),
        Value(builder.lshr(i.code, constant(i.kind, 16))),
    )


def signed_bytes(i: Any) -> tuple[Any, ...]:
    code, builder = as_ints(i).code, pen().builder
    found = []
    for up in (24, 16, 8, 0):
        left = builder.shl(code, constant(INTS, up)) if up else code
        found.append(Value(builder.sitofp(builder.ashr(left, constant(INTS, 24)), FLOATS)))
    return tuple(found)


def _words(*values: Any) -> tuple[Any, list[Any]] | None:
    """The type in which 32-bit words meet, and their code; none: all of them are constants."""
    if not any(isinstance(value, Value) for value in values):
        return None
    kind = INTS if any(isinstance(value, Value) and value.kind in ELEMENT for value in values) else INT
    return kind, [coded(value, kind) for value in values]


def add_32(a: Any, b: Any) -> Any:
    words = _words(a, b)
    return Value(pen().builder.add(*words[1])) if words else (int(a) + int(b)) & 0xFFFFFFFF


def xor_32(a: Any, b: Any) -> Any:
    words = _words(a, b)
    return Value(pen().builder.xor(*words[1])) if words else int(a) ^ int(b)


def rotate_left_32(a: Any, bits: int) -> Any:
    words = _words(a)
    if not words:
        return ((int(a) << bits) | (int(a) >> (32 - bits))) & 0xFFFFFFFF
    kind, [word] = words
    builder = pen().builder
    return Value(
        builder.or_(builder.shl(word, constant(kind, bits)), builder.lshr(word, constant(kind, 32 - bits)))
    )


def unit_interval(a: Any) -> Any:
    words = _words(a)
    if not words:
        return F((int(a) >> 8) * 2.0**-24)
    kind, [word] = words
    builder = pen().builder
    upper = builder.lshr(word, constant(kind, 8))
    return Value(builder.uitofp(upper, FLOATS if kind == INTS else FLOAT)) * F(2.0**-24)


def any_lane(mask: Any) -> Value:
    """Whether the mask is set in any lane."""
    packed = pen().builder.bitcast(coded(mask, BITS), ir.IntType(WIDTH))
    return Value(pen().builder.icmp_unsigned("!=", packed, ir.IntType(WIDTH)(0)))


def lane_numbers(per_group: int, within: int) -> Value:
    """Ints that number the groups of `per_group` lanes (within=0) or the lanes within a group (within=1)."""
    values = [INT(k % per_group if within else k // per_group) for k in range(WIDTH)]
    return Value(ir.Constant(INTS, values))


def first_lanes(count: Any) -> Value:
    """The mask of the first `count` lanes."""
    return lane_numbers(WIDTH, 1) < as_ints(count)


def lane_of(values: Any, k: Value) -> Value:
    """One lane of lanes, ints or a mask."""
    return Value(pen().builder.extract_element(values.code, coded(k, INT)))


def number_of(bits: Value) -> Value:
    """The numbers that have these bits: what carries whole numbers among real ones."""
    return Value(pen().builder.bitcast(bits.code, FLOATS))


def bits_of(numbers: Value) -> Value:
    return Value(pen().builder.bitcast(numbers.code, INTS))


def load(row: Array, i: Any) -> Value:
    """Sixteen consecutive elements, float32 or int32."""
    kind = FLOATS if row.element == FLOAT else INTS
    return Value(pen().builder.load(row.vector_at(i, kind), align=4))


def load_repeated(row: Array, i: Any, per_group: int) -> Value:
    """Consecutive elements, each repeated over a group of lanes: agents, where groups are agents."""
    few = ir.VectorType(row.element, WIDTH // per_group)
    values = pen().builder.load(row.vector_at(i, few), align=4)
    return Value(pick(values, [k // per_group for k in range(WIDTH)]))


def load_tile(row: Array, j: Any, per_group: int) -> Value:
    """A tile of consecutive elements, repeated for every group of lanes: candidates. Or those at sixteen places."""
    if j.kind == INTS:
        return gather(row, j)
    few = ir.VectorType(row.element, per_group)
    values = pen().builder.load(row.vector_at(j, few), align=4)
    return Value(pick(values, [k % per_group for k in range(WIDTH)]))


def _has_avx512() -> bool:
    return "+avx512f" in pen().context.codegen()._tm_features.split(",")


def gather(table: Array, index: Value) -> Value:
    """The table's entries at sixteen indices, float32 or int32."""
    builder, real = pen().builder, table.element == FLOAT
    kind, letter = (FLOATS, "s") if real else (INTS, "i")
    everyone = constant(BITS, True)
    if _has_avx512():  # with short indices: LLVM itself would make two gathers of the general form
        base = builder.bitcast(table.data, ir.IntType(8).as_pointer())
        arguments = [ir.Constant(kind, None), base, index.code, everyone, INT(4)]
        return Value(call(f"llvm.x86.avx512.mask.gather.dp{letter}.512", kind, arguments))
    longs = ir.VectorType(LONG, WIDTH)
    start = builder.insert_element(
        ir.Constant(longs, ir.Undefined), builder.ptrtoint(table.data, LONG), INT(0)
    )
    four = ir.Constant(longs, [LONG(4)] * WIDTH)
    addresses = builder.add(pick(start, [0] * WIDTH), builder.mul(builder.sext(index.code, longs), four))
    pointers = builder.inttoptr(addresses, ir.VectorType(table.data.type, WIDTH))
    arguments = [pointers, INT(4), everyone, ir.Constant(kind, ir.Undefined)]
    return Value(call(f"llvm.masked.gather.v{WIDTH}{'f32' if real else 'i32'}.v{WIDTH}p0", kind, arguments))


def entry(tables: Array, number: int, pitch: int, index: Any) -> Any:
    """Entry `index` of the table with this number; `pitch` is how far apart tables lie.

    A gather fetches sixteen entries one by one. A table of 16 entries is one register, and of 32 two: there the
    processor permutes them, where it can. Both give the same entries.
    """
    if index.kind != INTS:
        return tables[index + number * pitch]
    if pitch not in (ONE_REGISTER, TWO_REGISTERS) or not _has_avx512():
        return gather(tables, index + number * pitch)
    registers = [load(tables, k).code for k in range(number * pitch, (number + 1) * pitch, WIDTH)]
    if len(registers) == 1:
        return Value(call("llvm.x86.avx512.permvar.sf.512", FLOATS, [registers[0], index.code]))
    arguments = [registers[0], index.code, registers[1]]
    return Value(call("llvm.x86.avx512.vpermi2var.ps.512", FLOATS, arguments))


def store_first(row: Array, i: Any, values: Any, count: Any) -> None:
    """row[i : i + min(count, 16)] = values; other elements stay as they are."""
    kind, suffix = (FLOATS, "f32") if row.element == FLOAT else (INTS, "i32")
    arguments = [coded(values, kind), row.vector_at(i, kind), INT(4), first_lanes(count).code]
    call(f"llvm.masked.store.v{WIDTH}{suffix}.p0", ir.VoidType(), arguments)


def _fold_four(vectors: list[Any], combine: Callable[[Any, Any], Any]) -> Any:
    """Combine the four lanes of each group of four vectors: lane 4g + v of the result is group g of vector v.

    A transpose-style reduction: six shuffles and three combinations for four vectors.
    """
    low = [4 * g + k for g in range(4) for k in (0, WIDTH, 1, WIDTH + 1)]
    high = [4 * g + k for g in range(4) for k in (2, WIDTH + 2, 3, WIDTH + 3)]
    a, b, c, d = vectors
    ab = combine(shuffle(a, b, low), shuffle(a, b, high))
    cd = combine(shuffle(c, d, low), shuffle(c, d, high))
    first = [4 * g + k for g in range(4) for k in (0, 1, WIDTH, WIDTH + 1)]
    second = [4 * g + k for g in range(4) for k in (2, 3, WIDTH + 2, WIDTH + 3)]
    return combine(shuffle(ab, cd, first), shuffle(ab, cd, second))


def _combiner(kind: str) -> Callable[[Any, Any], Any]:
    builder = pen().builder
    if kind == "sum":
        return lambda x, y: builder.fadd(x, y)
    sign = ">" if kind == "greatest" else "<"
    return lambda x, y: builder.select(builder.fcmp_ordered(sign, x, y), x, y)


def _store_groups(rows: Array, row: int, column: Any, groups: Any) -> None:
    place = rows.place((row, column))
    pen().builder.store(groups, pen().builder.bitcast(place, groups.type.as_pointer()), align=4)


def fold_groups(rows: Array, column: Any, values: tuple[Any, ...], first_row: int, kind: str) -> None:
    """Reduce groups of four lanes: rows[first_row + v, column : column + 4] = the four groups of values[v]."""
    combine = _combiner(kind)
    vectors = [coded(value, FLOATS) for value in values]
    for begin in range(0, len(vectors), 4):
        few = vectors[begin : begin + 4]
        folded = _fold_four(few + [constant(FLOATS, 0.0)] * (4 - len(few)), combine)
        for k in range(len(few)):
            _store_groups(rows, first_row + begin + k, column, pick(folded, [4 * g + k for g in range(4)]))


def fold_nearest(rows: Array, column: Any, values: tuple[Any, ...], first_row: int) -> None:
    """Reduce groups of four lanes to the lane whose first value is least; the other values come along."""
    builder = pen().builder
    vectors = [coded(value, FLOATS) for value in values]
    for step in (1, 2):
        partner = [lane ^ step for lane in range(WIDTH)]
        others = [pick(vector, partner) for vector in vectors]
        nearer = builder.fcmp_ordered("<", others[0], vectors[0])
        vectors = [builder.select(nearer, b, a) for a, b in zip(vectors, others, strict=True)]
    for k, vector in enumerate(vectors):
        _store_groups(rows, first_row + k, column, pick(vector, [0, 4, 8, 12]))


WORDS: dict[str, Callable[..., Any]] = {
    "where": where, "sqrt": sqrt, "minimum": minimum, "maximum": maximum, "absolute": absolute, "floor": floor,
    "to_integer": to_integer, "to_number": to_number, "look_up": look_up, "halves": halves,
    "signed_bytes": signed_bytes, "add_32": add_32, "xor_32": xor_32, "rotate_left_32": rotate_left_32,
    "unit_interval": unit_interval,
}  # fmt: skip
SUBSTITUTES = {
    getattr(module, name): word for module in (algebra, primitives) for name, word in WORDS.items()
} | {algebra.sin_cos: primitives.sin_cos, algebra.arctan2: primitives.arctan2}
