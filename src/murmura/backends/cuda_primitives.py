"""What the words of `core.algebra` mean on a CUDA thread, and how a thread reads a whole agent at once."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import cuda
from numba.core import config

from murmura.backends import primitives
from murmura.core import algebra

F = np.float32
MASK = np.uint64(0xFFFFFFFF)
SIMULATED = bool(config.ENABLE_CUDASIM)
device = cuda.jit(device=True, fastmath=True)


@device
def where(condition: Any, a: Any, b: Any) -> Any:
    return F(a) if condition else F(b)


@device
def sqrt(x: Any) -> Any:
    return F(math.sqrt(F(x)))


@device
def minimum(a: Any, b: Any) -> Any:
    return F(a) if a < b else F(b)


@device
def maximum(a: Any, b: Any) -> Any:
    return F(a) if a > b else F(b)


@device
def absolute(x: Any) -> Any:
    return abs(F(x))


@device
def to_integer(x: Any) -> Any:
    return np.int32(x)


@device
def to_number(i: Any) -> Any:
    return F(i)


@device
def look_up(table: Any, index: Any) -> Any:
    return table[index]


@device
def add_32(a: Any, b: Any) -> Any:
    return np.uint32((np.uint64(a) + np.uint64(b)) & MASK)


@device
def xor_32(a: Any, b: Any) -> Any:
    return np.uint32((np.uint64(a) ^ np.uint64(b)) & MASK)


@device
def rotate_left_32(a: Any, bits: Any) -> Any:
    wide = np.uint64(a)
    return np.uint32(((wide << np.uint64(bits)) | (wide >> np.uint64(32 - bits))) & MASK)


@device
def unit_interval(a: Any) -> Any:
    return F(np.uint32(a) >> np.uint32(8)) * F(2.0**-24)


if SIMULATED:

    @device
    def floor(x: Any) -> Any:
        return F(math.floor(x))

    @device
    def load_quad(table: Any, i: Any) -> Any:
        return table[i, 0], table[i, 1], table[i, 2], table[i, 3]

    @device
    def store_quad(table: Any, i: Any, a: Any, b: Any, c: Any, d: Any) -> None:
        table[i, 0], table[i, 1], table[i, 2], table[i, 3] = a, b, c, d

else:
    from llvmlite import ir
    from numba.cuda import libdevice, types
    from numba.cuda.extending import intrinsic

    QUAD = ir.VectorType(ir.FloatType(), 4)

    def _quad_pointer(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
        data = context.make_array(array_type)(context, builder, array).data
        offset = builder.mul(
            builder.sext(index, ir.IntType(64)) if index.type.width < 64 else index, ir.IntType(64)(4)
        )
        return builder.bitcast(builder.gep(data, [offset]), QUAD.as_pointer())

    @intrinsic
    def load_quad(typing_context: Any, table: Any, i: Any) -> Any:
        """Row i of an (n, 4) float32 array, as one 16-byte read."""
        result = types.UniTuple(types.float32, 4)

        def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            quad = builder.load(_quad_pointer(context, builder, sig.args[0], args[0], args[1]), align=16)
            return context.make_tuple(
                builder, result, [builder.extract_element(quad, ir.IntType(32)(k)) for k in range(4)]
            )

        return result(table, i), emit

    @intrinsic
    def store_quad(typing_context: Any, table: Any, i: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
        """Write row i of an (n, 4) float32 array, as one 16-byte write."""
        f = types.float32

        def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            quad = ir.Constant(QUAD, ir.Undefined)
            for k in range(4):
                quad = builder.insert_element(quad, args[2 + k], ir.IntType(32)(k))
            builder.store(quad, _quad_pointer(context, builder, sig.args[0], args[0], args[1]), align=16)
            return context.get_dummy_value()

        return types.none(table, i, f, f, f, f), emit

    @device
    def floor(x: Any) -> Any:
        return libdevice.floorf(F(x))


SUBSTITUTES: dict[Callable[..., Any], Any] = {
    getattr(algebra, name): globals()[name]
    for name in (
        "where", "sqrt", "minimum", "maximum", "absolute", "floor", "to_integer", "to_number", "look_up",
        "add_32", "xor_32", "rotate_left_32", "unit_interval",
    )
}  # fmt: skip
# The polynomials are written in the same words; they find the CUDA meaning through these.
SUBSTITUTES |= {
    getattr(primitives, name): globals()[name]
    for name in ("where", "minimum", "maximum", "absolute", "floor")
}
SUBSTITUTES |= {algebra.sin_cos: primitives.sin_cos, algebra.arctan2: primitives.arctan2}
