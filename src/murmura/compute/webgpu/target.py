"""The WGSL target of a kernel, which maps the arrays of a traced step to buffers and offsets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from murmura.compute.plan import Plan
from murmura.compute.trace.wgsl_target import WgslTarget
from murmura.compute.webgpu.records import SECTIONS, in_head
from murmura.core.algebra import INTEGER, NUMBER, Value, code_of
from murmura.core.tracing.record import Record


class KernelTarget(WgslTarget):
    """The body of a function of a kernel."""

    def value(self, kind: str, expression: str, steady: bool = True) -> Value:
        return super().value(kind, in_head(expression), steady)

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

    def call(self, name: str, operands: Sequence[tuple[Any, str]]) -> None:
        """Call a function for its effect, with values as these kinds."""
        self.write(f"{name}({', '.join(code_of(self, x, kind) for x, kind in operands)});")


def world_record(plan: Plan, target: KernelTarget) -> Record:
    """The record `world` of rules."""
    from murmura.compute.cuda.records import WORLD

    numbers = {name: target.value(NUMBER, f"a.world_{name}") for _, name in WORLD}
    numbers["step"] = target.value(INTEGER, "a.clock_step - 1i")
    for seed in ("seed_low", "seed_high"):
        numbers[seed] = target.value(INTEGER, f"a.clock_{seed}")
    return plan.world(numbers)
