"""The C target of a kernel: how fields, calls and reports are spelled in CUDA."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from murmura.compute.gpu.target import GpuTarget
from murmura.compute.trace.c_target import CTarget
from murmura.core.algebra import INTEGER, NUMBER, Value, code_of

RECORDS = {
    "sizes": "a.sizes.",
    "grid": "a.index.grid->",
    "world": "a.rules.world->",
    "clock": "a.outputs.clock->",
}


class CudaTarget(GpuTarget, CTarget):
    """The body of a function of a kernel."""

    writes_forces = "a.sizes.keep"

    def place(self, memory: str, index: str, steady: bool) -> str:
        return super().place(f"a.{memory}" if "." in memory else memory, index, steady)

    def spelled(self, record: str, field: str) -> str:
        return RECORDS[record] + field

    def clock(self, name: str) -> Value:
        field = self.spelled("clock", name)
        return self.value(INTEGER, f"(int)({field} - 1)" if name == "step" else f"(int)(unsigned){field}")

    def called(self, name: str, operands: Sequence[str]) -> str:
        return f"{name}({', '.join(['a', *operands])})"

    def lesser(self, a: Value, b: int) -> Value:
        return self.value(INTEGER, f"{a.code} < {b} ? {a.code} : {b}")

    def declare_nearest(self) -> None:
        self.write("Nearest nearest; nearest.count = 0;")

    def report_not_finite(self, numbers: Sequence[str]) -> None:
        for k in range(0, len(numbers), 4):
            four = [*numbers[k : k + 4], *["0.0f"] * 3][:4]
            self.write(f"{self.called('note_failed_step', four)};")

    def report(self, name: str, at: Value, value: Any, kind: str) -> None:
        self.write(f"{name}(a.outputs.reports + {at.code}, {code_of(self, value, kind)});")

    def report_best(self, at: Value, score: Any, me: Value, at_score: Value | None) -> None:
        self.write(f"best_report(a.outputs.reports + {at.code}, {code_of(self, score, NUMBER)}, {me.code});")

    def take_report(self, at: Value, *functions: str) -> list[Value]:
        place, word = f"a.outputs.reports[{at.code}]", self.name("w")
        self.write(f"const unsigned long long {word} = {place};")
        self.write(f"{place} = 0ull;")
        return [self.value(NUMBER, f"{name}({word})", steady=False) for name in functions]
