"""Small tables that lanes look entries up in: what the species' numbers and their wishes towards each other are.

A gather fetches sixteen entries one by one. A table of 16 entries is one register, and of 32 two: there the processor
permutes them, where it can. Both give the same entries.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from murmura.backends.lanes import FLOATS, INTS, Ints, Lanes, gather, has_avx512, pointer_to


@intrinsic(prefer_literal=True)
def permuted(typing_context: Any, tables: Any, number: Any, pitch: Any, index: Any) -> Any:
    size = pitch.literal_value
    first = number.literal_value * size

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        if not has_avx512(context):
            begin = ir.Constant(INTS, [first] * 16)
            values = [args[0], builder.add(args[3], begin)]
            return context.get_function(gather, Lanes(sig.args[0], Ints))(builder, values)
        registers = [
            builder.load(
                pointer_to(
                    context, builder, sig.args[0], args[0], context.get_constant(types.intp, k), FLOATS
                ),
                align=4,
            )
            for k in range(first, first + size, 16)
        ]
        if len(registers) == 1:
            name, values = "llvm.x86.avx512.permvar.sf.512", [registers[0], args[3]]
        else:
            name, values = "llvm.x86.avx512.vpermi2var.ps.512", [registers[0], args[3], registers[1]]
        kind = ir.FunctionType(FLOATS, [value.type for value in values])
        return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), values)

    return Lanes(tables, number, pitch, index), emit
