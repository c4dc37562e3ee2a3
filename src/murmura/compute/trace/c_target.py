"""Emits C for a GPU thread, in the subset that CUDA and plain C share (tests/cuda/host.py defines what C lacks)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from murmura.compute.trace.text_target import QUAD, TextTarget
from murmura.core.algebra import CONDITION, INTEGER, NUMBER

TYPES = {NUMBER: "float", INTEGER: "int", CONDITION: "bool", QUAD: "float4", "pair": "float2"}
CALLS = {
    "sqrt": "sqrtf", "floor": "floorf", "absolute": "fabsf", "inverse_root": "rsqrtf", "to_number": "(float)",
    "to_integer": "(int)", "to_bits": "__float_as_int", "from_bits": "__int_as_float",
}  # fmt: skip
WRAPPING = {"add": "+", "subtract": "-", "multiply": "*", "shift_left": "<<", "shift_right": ">>"}


class CTarget(TextTarget):
    """The body of a C function."""

    stay_rolled = "#pragma unroll 1"
    calls = CALLS

    def integer_constant(self, value: int) -> str:
        if value == -(2**31):
            return "(-2147483647 - 1)"
        return f"({value})" if value < 0 else str(value)

    def number_constant(self, value: float) -> str:
        if not math.isfinite(value):
            bits = 0x7FC00000 if math.isnan(value) else 0x7F800000
            return f"({'-' if value < 0.0 else ''}__int_as_float({bits}))"
        return f"({value!r}f)" if math.copysign(1.0, value) < 0.0 else f"{value!r}f"

    def expression(self, operation: str, kind: str, codes: Sequence[str]) -> str:
        if operation == "select":
            return f"{codes[0]} ? {codes[1]} : {codes[2]}"
        if operation in ("minimum", "maximum"):
            if kind == NUMBER:
                return f"{'fminf' if operation == 'minimum' else 'fmaxf'}({codes[0]}, {codes[1]})"
            return f"{codes[0]} {'<' if operation == 'minimum' else '>'} {codes[1]} ? {codes[0]} : {codes[1]}"
        if operation == "negate" and kind == INTEGER:
            return f"(int)(0u - (unsigned){codes[0]})"
        if operation == "signed_byte":
            return f"(int)(signed char)((unsigned){codes[0]} >> (8 * {codes[1]}))"
        if kind == INTEGER and operation in WRAPPING:  # signed overflow is undefined in C
            return f"(int)((unsigned){codes[0]} {WRAPPING[operation]} (unsigned){codes[1]})"
        return super().expression(operation, kind, codes)

    def binding(self, name: str, kind: str, expression: str) -> str:
        return f"const {TYPES[kind]} {name} = {expression};"

    def variable(self, name: str, kind: str, expression: str) -> str:
        return f"{TYPES[kind]} {name} = {expression};"

    def array(self, name: str, kind: str, size: int) -> str:
        return f"{TYPES[kind]} {name}[{size}];"

    def heading(self, k: str, first: str, last: str, step: int) -> str:
        return f"for (int {k} = {first}; {k} < {last}; {k} += {step})"

    def place(self, memory: str, index: str, steady: bool) -> str:
        return f"__ldg({memory} + {index})" if steady else f"{memory}[{index}]"

    def quad(self, codes: Sequence[str]) -> str:
        return f"make_float4({', '.join(codes)})"

    def table(self, name: str, kind: str, entries: Any) -> str:
        # Not in constant memory, which serves one address at a time: threads look up different entries.
        values = ", ".join(self.constant(kind, x) for x in entries.ravel().tolist())
        return f"static __device__ const {TYPES[kind]} {name}[{entries.size}] = {{{values}}};\n"

    def definition(
        self, name: str, parameters: Sequence[str], body: TextTarget, results: Sequence[str]
    ) -> str:
        kind, result = (
            ("float", results[0]) if len(results) == 1 else ("float2", f"make_float2({', '.join(results)})")
        )
        listed = ", ".join(f"const float {x}" for x in parameters)
        return f"static __device__ {kind} {name}({listed}) {{\n{body.ending_with(result)}    return {result};\n}}\n"
