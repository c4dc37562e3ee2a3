"""Emits WGSL, the language of WebGPU, for Metal, Vulkan, DirectX 12 and browsers.

Four differences from C: `select` takes the false value first, there is no infinity, `>>` of signed integers keeps the
sign, and constant arrays cannot be indexed by variables everywhere, so tables are in a buffer, `constants`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.compute.trace.text_target import QUAD, TextTarget
from murmura.core.algebra import CONDITION, INTEGER, NUMBER
from murmura.core.errors import ScenarioError

TYPES = {NUMBER: "f32", INTEGER: "i32", CONDITION: "bool", QUAD: "vec4f", "pair": "vec2f"}
CALLS = {
    "sqrt": "sqrt", "floor": "floor", "absolute": "abs", "inverse_root": "inverseSqrt", "minimum": "min",
    "maximum": "max", "to_number": "f32", "to_integer": "i32", "to_bits": "bitcast<i32>", "from_bits": "bitcast<f32>",
}  # fmt: skip
GREATEST = 3.4028234663852886e38


class WgslHelpers(dict[str, str]):
    """Functions that the kernels of a program share, by name, and the tables in its buffer `constants`."""

    def __init__(self) -> None:
        super().__init__()
        self._tables: dict[bytes, tuple[int, NDArray[np.int32]]] = {}
        self._size = 0

    def table(self, entries: NDArray[Any]) -> int:
        """The offset of a table in the buffer of constants."""
        bits = entries.ravel().astype(np.int32 if entries.dtype.kind in "iu" else np.float32).view(np.int32)
        key = bits.tobytes()
        if key not in self._tables:
            self._tables[key] = self._size, bits
            self._size += len(bits)
        return self._tables[key][0]

    @property
    def constants(self) -> NDArray[np.int32]:
        """All tables, one after the other, as bits."""
        return np.concatenate([np.zeros(0, np.int32), *(bits for _, bits in self._tables.values())])


class WgslTarget(TextTarget):
    """The body of a WGSL function.

    Args:
        helpers: What the texts of one program share.
        depth: How far the lines are indented.
    """

    helpers: WgslHelpers
    calls = CALLS

    def __init__(self, helpers: WgslHelpers | None = None, depth: int = 1) -> None:
        super().__init__(WgslHelpers() if helpers is None else helpers, depth)

    def integer_constant(self, value: int) -> str:
        if value == -(2**31):
            return "i32(-2147483648)"
        return f"({value}i)" if value < 0 else f"{value}i"

    def number_constant(self, value: float) -> str:
        if math.isnan(value):
            raise ScenarioError(
                "WGSL has no NaN: a rule must not use one as a constant on the webgpu backend"
            )
        value = max(-GREATEST, min(GREATEST, value))
        return f"({value!r}f)" if math.copysign(1.0, value) < 0.0 else f"{value!r}f"

    def expression(self, operation: str, kind: str, codes: Sequence[str]) -> str:
        if operation == "select":
            return f"select({codes[2]}, {codes[1]}, {codes[0]})"
        if operation == "signed_byte":
            return f"extractBits({codes[0]}, 8u * u32({codes[1]}), 8u)"
        if operation == "shift_left":
            return f"{codes[0]} << u32({codes[1]})"
        if operation == "shift_right":
            return f"bitcast<i32>(bitcast<u32>({codes[0]}) >> u32({codes[1]}))"
        if operation == "xor" and kind == CONDITION:
            return f"{codes[0]} != {codes[1]}"
        return super().expression(operation, kind, codes)

    def binding(self, name: str, kind: str, expression: str) -> str:
        return f"let {name} = {expression};"

    def variable(self, name: str, kind: str, expression: str) -> str:
        return f"var {name}: {TYPES[kind]} = {expression};"

    def array(self, name: str, kind: str, size: int) -> str:
        return f"var {name}: array<{TYPES[kind]}, {size}>;"

    def heading(self, k: str, first: str, last: str, step: int) -> str:
        return f"for (var {k}: i32 = {first}; {k} < {last}; {k} += {step}i)"

    def place(self, memory: str, index: str, steady: bool) -> str:
        return f"{memory}[{index}]"

    def quad(self, codes: Sequence[str]) -> str:
        return f"vec4f({', '.join(codes)})"

    def look_up(self, table: Any, index: str) -> str:
        entries = np.ascontiguousarray(table)
        kind = INTEGER if entries.dtype.kind in "iu" else NUMBER
        entry = self.constant_entry(f"{self.helpers.table(entries)}i + {index}")
        return self.bound(entry if kind == INTEGER else f"bitcast<f32>({entry})", kind)

    def constant_entry(self, place: str) -> str:
        """The bits of an entry of the constants."""
        return f"constants[{place}]"

    def definition(
        self, name: str, parameters: Sequence[str], body: TextTarget, results: Sequence[str]
    ) -> str:
        kind, result = ("f32", results[0]) if len(results) == 1 else ("vec2f", f"vec2f({', '.join(results)})")
        listed = ", ".join(f"{x}: f32" for x in parameters)
        return f"fn {name}({listed}) -> {kind} {{\n{body.ending_with(result)}    return {result};\n}}\n"
