"""Sixteen floats as one Numba value: rules written for one agent run on sixteen lanes at once.

`Lanes` holds 16 x float32, `Ints` 16 x int32, `Mask` 16 x bool. Their operators are ordinary Numba overloads,
so Numba specialises a rule on them and LLVM turns the result into AVX-512, AVX2 or NEON by itself. Scalars
are rounded to float32 and spread over the lanes. The one liberty LLVM is given is to fuse a product and a sum
into one instruction that rounds once: it makes the step a third faster. Nothing may be reordered, so the bits
do not depend on the vector width; on a machine without fused instructions they differ.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import lower_cast
from numba.core.typeconv import Conversion
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model

WIDTH = 16
CONTRACT = ("contract",)
FLOAT, INT, BIT, LONG = ir.FloatType(), ir.IntType(32), ir.IntType(1), ir.IntType(64)
FLOATS, INTS, BITS = (ir.VectorType(kind, WIDTH) for kind in (FLOAT, INT, BIT))


class LaneType(types.Type):
    """A vector of WIDTH equal values."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        super().__init__(name=f"lanes{WIDTH}_{kind}")

    def unify(self, typing_context: Any, other: types.Type) -> Any:
        """A name that is a number on one way through a rule and lanes on the other is lanes."""
        return self if self.kind == "f32" and is_number(other) else None

    def can_convert_from(self, typing_context: Any, other: types.Type) -> Any:
        return Conversion.promote if self.kind == "f32" and is_number(other) else None


Lanes, Ints, Mask = LaneType("f32"), LaneType("i32"), LaneType("mask")
LLVM_TYPES = {"f32": FLOATS, "i32": INTS, "mask": BITS}


@register_model(LaneType)
class LaneModel(models.PrimitiveModel):
    def __init__(self, manager: Any, lane_type: LaneType) -> None:
        super().__init__(manager, lane_type, LLVM_TYPES[lane_type.kind])


def is_number(numba_type: types.Type) -> bool:
    return isinstance(numba_type, types.Float | types.Integer | types.IntegerLiteral | types.Boolean)


def _spread(builder: Any, scalar: Any, vector_type: Any) -> Any:
    empty = ir.Constant(vector_type, ir.Undefined)
    first = builder.insert_element(empty, scalar, INT(0))
    return builder.shuffle_vector(first, empty, ir.Constant(ir.VectorType(INT, WIDTH), [INT(0)] * WIDTH))


@lower_cast(types.Float, Lanes)
@lower_cast(types.Integer, Lanes)
@lower_cast(types.Boolean, Lanes)
def _number_to_lanes(context: Any, builder: Any, from_type: Any, to_type: Any, value: Any) -> Any:
    return _spread(builder, context.cast(builder, value, from_type, types.float32), FLOATS)


def _shuffle(builder: Any, a: Any, b: Any, indices: list[int]) -> Any:
    mask = ir.Constant(ir.VectorType(INT, len(indices)), [INT(k) for k in indices])
    return builder.shuffle_vector(a, b, mask)


def _pick(builder: Any, a: Any, indices: list[int]) -> Any:
    return _shuffle(builder, a, ir.Constant(a.type, ir.Undefined), indices)


def _binary(op: Any, scalar: Any, lanes: LaneType, result: LaneType, emit: Callable[..., Any]) -> None:
    """Register `op` for lanes with lanes and, if `scalar` is given, for lanes with a number on either side."""

    @infer_global(op)
    class Template(AbstractTemplate):
        def generic(self, args: Any, kws: Any) -> Any:
            if len(args) != 2:
                return None
            a, b = args
            if a == lanes and b == lanes:
                return signature(result, lanes, lanes)
            if scalar is not None and a == lanes and is_number(b):
                return signature(result, lanes, scalar)
            if scalar is not None and b == lanes and is_number(a):
                return signature(result, scalar, lanes)
            return None

    vector_type = LLVM_TYPES[lanes.kind]

    @lower_builtin(op, lanes, lanes)
    def both(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return emit(builder, *args)

    if scalar is not None:

        @lower_builtin(op, lanes, scalar)
        def right(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return emit(builder, args[0], _spread(builder, args[1], vector_type))

        @lower_builtin(op, scalar, lanes)
        def left(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return emit(builder, _spread(builder, args[0], vector_type), args[1])


def _method(name: str) -> Callable[..., Any]:
    return lambda builder, a, b: getattr(builder, name)(a, b)


def _fusible(name: str) -> Callable[..., Any]:
    return lambda builder, a, b: getattr(builder, name)(a, b, flags=CONTRACT)


def _float_compare(sign: str) -> Callable[..., Any]:
    return lambda builder, a, b: builder.fcmp_ordered(sign, a, b)


def _int_compare(sign: str) -> Callable[..., Any]:
    return lambda builder, a, b: builder.icmp_signed(sign, a, b)


for _ops, _name in (
    ((operator.add, operator.iadd), "fadd"),
    ((operator.sub, operator.isub), "fsub"),
    ((operator.mul, operator.imul), "fmul"),
    ((operator.truediv, operator.itruediv), "fdiv"),
):
    for _op in _ops:
        _binary(_op, types.float32, Lanes, Lanes, _fusible(_name))
for _op, _sign in (
    (operator.lt, "<"),
    (operator.le, "<="),
    (operator.gt, ">"),
    (operator.ge, ">="),
    (operator.eq, "=="),
    (operator.ne, "!="),
):
    _binary(_op, types.float32, Lanes, Mask, _float_compare(_sign))
    _binary(_op, types.int32, Ints, Mask, _int_compare(_sign))
for _op, _name in (
    (operator.add, "add"),
    (operator.sub, "sub"),
    (operator.mul, "mul"),
    (operator.xor, "xor"),
):
    _binary(_op, types.int32, Ints, Ints, _method(_name))
_binary(operator.and_, types.boolean, Mask, Mask, _method("and_"))
_binary(operator.or_, types.boolean, Mask, Mask, _method("or_"))


@infer_global(operator.neg)
class _Negate(AbstractTemplate):
    def generic(self, args: Any, kws: Any) -> Any:
        return signature(Lanes, Lanes) if args[0] == Lanes else None


@lower_builtin(operator.neg, Lanes)
def _negate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return builder.fneg(args[0])


@infer_global(operator.invert)
class _Invert(AbstractTemplate):
    def generic(self, args: Any, kws: Any) -> Any:
        return signature(Mask, Mask) if args[0] == Mask else None


@lower_builtin(operator.invert, Mask)
def _invert(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return builder.not_(args[0])


def _unary(name: str) -> Any:
    """An intrinsic that applies LLVM's function of this name to each lane."""

    @intrinsic
    def function(typing_context: Any, x: Any) -> Any:
        def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            kind = ir.FunctionType(FLOATS, [FLOATS])
            callee = cgutils.get_or_insert_function(builder.module, kind, f"llvm.{name}.v{WIDTH}f32")
            return builder.call(callee, [args[0]])

        return Lanes(Lanes), emit

    return function


lanes_sqrt, lanes_abs, lanes_floor = _unary("sqrt"), _unary("fabs"), _unary("floor")


@intrinsic
def spread(typing_context: Any, x: Any) -> Any:
    """The same float32 in every lane."""
    return Lanes(types.float32), lambda context, builder, sig, args: _spread(builder, args[0], FLOATS)


@intrinsic
def spread_int(typing_context: Any, x: Any) -> Any:
    """The same int32 in every lane."""
    return Ints(types.int32), lambda context, builder, sig, args: _spread(builder, args[0], INTS)


@intrinsic
def spread_bit(typing_context: Any, x: Any) -> Any:
    """The same condition in every lane."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _spread(builder, builder.trunc(args[0], BIT) if args[0].type != BIT else args[0], BITS)

    return Mask(types.boolean), emit


@intrinsic
def select(typing_context: Any, mask: Any, a: Any, b: Any) -> Any:
    """`a` where the mask is set, else `b`."""
    return a(Mask, a, a), lambda context, builder, sig, args: builder.select(*args)


@intrinsic
def any_lane(typing_context: Any, mask: Any) -> Any:
    """Whether the mask is set in any lane."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        packed = builder.bitcast(args[0], ir.IntType(WIDTH))
        return builder.zext(builder.icmp_unsigned("!=", packed, ir.IntType(WIDTH)(0)), ir.IntType(8))

    return types.uint8(Mask), emit


@intrinsic
def to_ints(typing_context: Any, x: Any) -> Any:
    return Ints(Lanes), lambda context, builder, sig, args: builder.fptosi(args[0], INTS)


@intrinsic
def to_floats(typing_context: Any, x: Any) -> Any:
    return Lanes(Ints), lambda context, builder, sig, args: builder.sitofp(args[0], FLOATS)


@intrinsic(prefer_literal=True)
def signed_byte(typing_context: Any, x: Any, number: Any) -> Any:
    """One byte of each lane as a signed number; `number` is a literal, 0 the lowest."""
    up = 24 - 8 * number.literal_value

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        left = builder.shl(args[0], ir.Constant(INTS, [INT(up)] * WIDTH)) if up else args[0]
        return builder.sitofp(builder.ashr(left, ir.Constant(INTS, [INT(24)] * WIDTH)), FLOATS)

    return Lanes(Ints, number), emit


@intrinsic(prefer_literal=True)
def half(typing_context: Any, x: Any, number: Any) -> Any:
    """The lower (0) or upper (1) 16 bits of each lane; `number` is a literal."""
    upper = number.literal_value

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        if upper:
            return builder.lshr(args[0], ir.Constant(INTS, [INT(16)] * WIDTH))
        return builder.and_(args[0], ir.Constant(INTS, [INT(0xFFFF)] * WIDTH))

    return Ints(Ints, number), emit


@intrinsic(prefer_literal=True)
def rotate_left(typing_context: Any, x: Any, bits: Any) -> Any:
    """Rotate each lane's 32 bits; `bits` is a literal."""
    count = bits.literal_value

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        up = ir.Constant(INTS, [INT(count)] * WIDTH)
        down = ir.Constant(INTS, [INT(32 - count)] * WIDTH)
        return builder.or_(builder.shl(args[0], up), builder.lshr(args[0], down))

    return Ints(Ints, bits), emit


@intrinsic
def upper_24_bits(typing_context: Any, x: Any) -> Any:
    """The upper 24 bits of each lane as a whole number: exact in float32."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        shifted = builder.lshr(args[0], ir.Constant(INTS, [INT(8)] * WIDTH))
        return builder.uitofp(shifted, FLOATS)

    return Lanes(Ints), emit


@intrinsic(prefer_literal=True)
def lane_numbers(typing_context: Any, per_group: Any, within: Any) -> Any:
    """Ints that number the groups of `per_group` lanes (within=0) or the lanes within a group (within=1)."""
    size, inside = per_group.literal_value, within.literal_value
    values = [INT(k % size if inside else k // size) for k in range(WIDTH)]
    return Ints(per_group, within), lambda context, builder, sig, args: ir.Constant(INTS, values)


def pointer_to(context: Any, builder: Any, array_type: Any, array: Any, index: Any, target: Any) -> Any:
    data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [index]), target.as_pointer())


@intrinsic
def load(typing_context: Any, row: Any, i: Any) -> Any:
    """Sixteen consecutive elements, float32 or int32."""
    lanes, vector_type = (Lanes, FLOATS) if row.dtype == types.float32 else (Ints, INTS)

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.load(pointer_to(context, builder, sig.args[0], args[0], args[1], vector_type), align=4)

    return lanes(row, types.intp), emit


def _loader(arrange: Callable[[int], list[int]], count: Callable[[int], int]) -> Any:
    @intrinsic(prefer_literal=True)
    def loader(typing_context: Any, row: Any, i: Any, per_group: Any) -> Any:
        size = per_group.literal_value
        lanes, kind = (Lanes, FLOAT) if row.dtype == types.float32 else (Ints, INT)

        def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            few = ir.VectorType(kind, count(size))
            few_values = builder.load(
                pointer_to(context, builder, sig.args[0], args[0], args[1], few), align=4
            )
            return _pick(builder, few_values, arrange(size))

        return lanes(row, types.intp, per_group), emit

    return loader


# An agent is repeated over its group of lanes; a tile of candidates is repeated for every group.
load_repeated = _loader(lambda size: [k // size for k in range(WIDTH)], lambda size: WIDTH // size)
load_tile = _loader(lambda size: [k % size for k in range(WIDTH)], lambda size: size)


def has_avx512(context: Any) -> bool:
    return "+avx512f" in context.codegen()._tm_features.split(",")


@intrinsic
def gather(typing_context: Any, table: Any, index: Any) -> Any:
    """The table's entries at sixteen indices, float32 or int32."""
    lanes, vector_type = (Lanes, FLOATS) if table.dtype == types.float32 else (Ints, INTS)
    suffix, letter = ("f32", "s") if lanes is Lanes else ("i32", "i")

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        data = context.make_array(sig.args[0])(context, builder, args[0]).data
        everyone = ir.Constant(BITS, [BIT(1)] * WIDTH)
        nothing = ir.Constant(vector_type, ir.Undefined)
        if has_avx512(context):  # with short indices: LLVM itself would make two gathers of the general form
            name = f"llvm.x86.avx512.mask.gather.dp{letter}.512"
            base = builder.bitcast(data, ir.IntType(8).as_pointer())
            values = [ir.Constant(vector_type, None), base, args[1], everyone, INT(4)]
        else:
            longs = ir.VectorType(LONG, WIDTH)
            offsets = builder.mul(builder.sext(args[1], longs), ir.Constant(longs, [LONG(4)] * WIDTH))
            addresses = builder.add(_spread(builder, builder.ptrtoint(data, LONG), longs), offsets)
            pointers = builder.inttoptr(addresses, ir.VectorType(data.type, WIDTH))
            name = f"llvm.masked.gather.v{WIDTH}{suffix}.v{WIDTH}p0"
            values = [pointers, INT(4), everyone, nothing]
        kind = ir.FunctionType(vector_type, [value.type for value in values])
        return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), values)

    return lanes(table, Ints), emit


@intrinsic
def store_first(typing_context: Any, row: Any, i: Any, values: Any, count: Any) -> Any:
    """row[i : i + min(count, 16)] = values; other elements stay as they are."""
    vector_type, suffix = (FLOATS, "f32") if values == Lanes else (INTS, "i32")

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        numbers = ir.Constant(INTS, [INT(k) for k in range(WIDTH)])
        chosen = builder.icmp_signed("<", numbers, _spread(builder, builder.trunc(args[3], INT), INTS))
        pointer = pointer_to(context, builder, sig.args[0], args[0], args[1], vector_type)
        kind = ir.FunctionType(ir.VoidType(), [vector_type, pointer.type, INT, BITS])
        name = f"llvm.masked.store.v{WIDTH}{suffix}.p0"
        callee = cgutils.get_or_insert_function(builder.module, kind, name)
        builder.call(callee, [args[2], pointer, INT(4), chosen])
        return context.get_dummy_value()

    return types.none(row, types.intp, values, types.intp), emit


def _fold_four(builder: Any, vectors: list[Any], combine: Callable[[Any, Any], Any]) -> Any:
    """Combine the four lanes of each group of four vectors: lane 4g + v of the result is group g of vector v.

    A transpose-style reduction: six shuffles and three combinations for four vectors.
    """
    low = [4 * g + k for g in range(4) for k in (0, WIDTH, 1, WIDTH + 1)]
    high = [4 * g + k for g in range(4) for k in (2, WIDTH + 2, 3, WIDTH + 3)]
    a, b, c, d = vectors
    ab = combine(_shuffle(builder, a, b, low), _shuffle(builder, a, b, high))
    cd = combine(_shuffle(builder, c, d, low), _shuffle(builder, c, d, high))
    first = [4 * g + k for g in range(4) for k in (0, 1, WIDTH, WIDTH + 1)]
    second = [4 * g + k for g in range(4) for k in (2, 3, WIDTH + 2, WIDTH + 3)]
    return combine(_shuffle(builder, ab, cd, first), _shuffle(builder, ab, cd, second))


def _combiner(builder: Any, kind: str) -> Callable[[Any, Any], Any]:
    if kind == "sum":
        return lambda x, y: builder.fadd(x, y)
    sign = ">" if kind == "greatest" else "<"
    return lambda x, y: builder.select(builder.fcmp_ordered(sign, x, y), x, y)


@intrinsic(prefer_literal=True)
def fold_groups(typing_context: Any, rows: Any, column: Any, values: Any, first_row: Any, kind: Any) -> Any:
    """Reduce groups of four lanes: rows[first_row + v, column : column + 4] = the four groups of values[v]."""
    start, reduction, count = first_row.literal_value, kind.literal_value, len(values)

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        array = context.make_array(sig.args[0])(context, builder, args[0])
        stride = builder.udiv(cgutils.unpack_tuple(builder, array.strides)[0], LONG(4))
        combine = _combiner(builder, reduction)
        zero = ir.Constant(FLOATS, [FLOAT(0.0)] * WIDTH)
        for begin in range(0, count, 4):
            few = range(begin, min(begin + 4, count))
            vectors = [builder.extract_value(args[2], k) for k in few]
            folded = _fold_four(builder, vectors + [zero] * (4 - len(few)), combine)
            for k in few:
                groups = _pick(builder, folded, [4 * g + k - begin for g in range(4)])
                offset = builder.add(builder.mul(LONG(start + k), stride), args[1])
                target = builder.gep(array.data, [offset])
                builder.store(groups, builder.bitcast(target, groups.type.as_pointer()), align=4)
        return context.get_dummy_value()

    return types.none(rows, types.intp, values, first_row, kind), emit


@intrinsic(prefer_literal=True)
def fold_nearest(typing_context: Any, rows: Any, column: Any, values: Any, first_row: Any) -> Any:
    """Reduce groups of four lanes to the lane whose first value is least; the other values come along."""
    start, count = first_row.literal_value, len(values)

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        array = context.make_array(sig.args[0])(context, builder, args[0])
        stride = builder.udiv(cgutils.unpack_tuple(builder, array.strides)[0], LONG(4))
        vectors = [builder.extract_value(args[2], k) for k in range(count)]
        for step in (1, 2):
            partner = [lane ^ step for lane in range(WIDTH)]
            others = [_pick(builder, vector, partner) for vector in vectors]
            nearer = builder.fcmp_ordered("<", others[0], vectors[0])
            vectors = [builder.select(nearer, b, a) for a, b in zip(vectors, others, strict=True)]
        for k, vector in enumerate(vectors):
            groups = _pick(builder, vector, [0, 4, 8, 12])
            offset = builder.add(builder.mul(LONG(start + k), stride), args[1])
            target = builder.gep(array.data, [offset])
            builder.store(groups, builder.bitcast(target, groups.type.as_pointer()), align=4)
        return context.get_dummy_value()

    return types.none(rows, types.intp, values, first_row), emit
