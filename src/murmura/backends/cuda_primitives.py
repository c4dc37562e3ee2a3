"""What the words of `core.algebra` mean on a CUDA thread, and how a thread reads a whole agent at once."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import cuda
from numba.core import config

from murmura.backends import primitives
from murmura.core import algebra, noise

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
def entry(tables: Any, number: Any, pitch: Any, index: Any) -> Any:
    return tables[number * pitch + index]


@device
def halves(i: Any) -> Any:
    return np.int32(i & 0xFFFF), np.int32(i >> 16)


@device
def signed_bytes(i: Any) -> Any:
    wide = np.int64(i)
    return F(signed(wide)), F(signed(wide >> 8)), F(signed(wide >> 16)), F(signed(wide >> 24))


@device
def signed(i: Any) -> Any:
    return ((i & 255) ^ 128) - 128


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
        return F(np.floor(x))  # which takes NaN, unlike the one of `math`

    @device
    def inverse_root(x: Any) -> Any:
        return F(1.0) / F(math.sqrt(x))

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

    @device
    def inverse_root(x: Any) -> Any:
        return libdevice.rsqrtf(x)

    def _table(name: str, values: Any) -> Any:
        """A look-up in a table that lies in global memory.

        Arrays that a kernel names are put into constant memory, which serves one address at a time: neighbouring
        threads, which look up different entries, would wait for each other (six times slower with wind and noise).
        """
        element, number = (
            (ir.FloatType(), types.float32) if values.dtype == np.float32 else (ir.IntType(32), types.int32)
        )
        entries = ir.Constant(ir.ArrayType(element, len(values)), [element(v) for v in values.tolist()])

        @intrinsic
        def fetch(typing_context: Any, i: Any) -> Any:
            def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
                table = builder.module.globals.get(name)
                if table is None:
                    table = ir.GlobalVariable(builder.module, entries.type, name, addrspace=1)
                    table.linkage, table.global_constant, table.initializer = "internal", True, entries
                long = ir.IntType(64)
                index = builder.sext(args[0], long) if args[0].type.width < 64 else args[0]
                return builder.load(builder.gep(table, [long(0), index]), align=4)

            return number(i), emit

        return fetch

    permuted_pair = _table("murmura_permutation_pairs", noise.PERMUTATION_PAIRS)
    gradient_pair = _table("murmura_gradient_pairs", noise.GRADIENT_PAIRS)


SUBSTITUTES: dict[Callable[..., Any], Any] = {
    getattr(algebra, name): globals()[name]
    for name in (
        "where", "sqrt", "minimum", "maximum", "absolute", "floor", "to_integer", "to_number", "look_up",
        "halves", "signed_bytes",
        "add_32", "xor_32", "rotate_left_32", "unit_interval",
    )
}  # fmt: skip
# The polynomials are written in the same words; they find the CUDA meaning through these.
SUBSTITUTES |= {
    getattr(primitives, name): globals()[name]
    for name in ("where", "minimum", "maximum", "absolute", "floor")
}
if not SIMULATED:
    SUBSTITUTES |= {getattr(noise, name): globals()[name] for name in ("permuted_pair", "gradient_pair")}
SUBSTITUTES |= {algebra.sin_cos: primitives.sin_cos, algebra.arctan2: primitives.arctan2}
