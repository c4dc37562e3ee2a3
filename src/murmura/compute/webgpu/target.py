"""The WGSL target of a kernel, which maps the arrays of a traced step to buffers and offsets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from murmura.compute.gpu.target import GpuTarget
from murmura.compute.trace.wgsl_target import WgslTarget
from murmura.compute.webgpu.records import SECTIONS
from murmura.core.algebra import INTEGER, NUMBER, Value, code_of


class KernelTarget(GpuTarget, WgslTarget):
    """The body of a function of a kernel."""

    writes_forces = "a.clock_step >= a.clock_keep_from"

    def place(self, memory: str, index: str, steady: bool) -> str:
        section = SECTIONS.get(memory)
        if section is None:
            return super().place(memory, index, steady)
        return f"{section.buffer}[{f'{section.first} + ' if section.first else ''}{index}]"

    def load(self, memory: str, index: Any, kind: str, steady: bool = False) -> Value:
        entry = self.place(memory, code_of(self, index, INTEGER), steady)
        section = SECTIONS.get(memory)
        if section is None:
            return self.value(kind, entry, steady)
        bits = f"atomicLoad(&{entry})" if section.buffer == "outputs" else entry
        return self.value(kind, f"bitcast<f32>({bits})" if section.kind == NUMBER else bits, steady)

    def store(self, memory: str, index: Any, value: Any, kind: str = NUMBER) -> None:
        entry, code = (
            self.place(memory, code_of(self, index, INTEGER), steady=False),
            code_of(self, value, kind),
        )
        section = SECTIONS.get(memory)
        if section is not None and section.kind == NUMBER:
            code = f"bitcast<i32>({code})"
        in_outputs = section is not None and section.buffer == "outputs"
        self.write(f"atomicStore(&{entry}, {code});" if in_outputs else f"{entry} = {code};")

    def constant_entry(self, place: str) -> str:
        return f"tables[a.at_constants + {place}]"

    def spelled(self, record: str, field: str) -> str:
        return f"a.{record}_{field}"

    def clock(self, name: str) -> Value:
        field = self.spelled("clock", name)
        return self.value(INTEGER, f"{field} - 1i" if name == "step" else field)

    def called(self, name: str, operands: Sequence[str]) -> str:
        return f"{name}({', '.join(operands)})"

    def lesser(self, a: Value, b: int) -> Value:
        return self.value(INTEGER, f"min({a.code}, {b}i)")

    def declare_nearest(self) -> None:
        self.write("var nearest: Nearest;")

    def report_not_finite(self, numbers: Sequence[str]) -> None:
        finite = " && ".join(f"sound({code})" for code in numbers)
        with self.scope(f"if (!({finite}))"):
            self.write("atomicMin(&outputs[0], a.clock_step);")

    report_words = 2

    def report(self, name: str, at: Value, value: Any, kind: str) -> None:
        self.call(name, (at, INTEGER), (value, kind))

    def score_place(self, row: Value, width: int, slot: int, me: Value) -> Value:
        place: Value = (row * width + slot) * self.field("sizes", "room", INTEGER) + me
        return place

    def report_best(self, at: Value, score: Any, me: Value, at_score: Value | None) -> None:
        self.call("best_report", (at, INTEGER), (score, NUMBER), (at_score, INTEGER))

    def take_report(self, at: Value, *functions: str) -> list[Value]:
        found: list[Value] = []
        for name in functions:
            operands = [code_of(self, at, INTEGER), *(x.code for x in found)]
            found.append(self.value(NUMBER, self.called(name, operands), steady=False))
        return found
