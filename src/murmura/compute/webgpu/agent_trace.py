"""The step of one agent in WGSL: the trace of `cuda.agent_trace`, with WGSL's own code where it differs from C."""

from __future__ import annotations

from typing import Any

from murmura.compute.cuda.agent_trace import AgentTrace
from murmura.compute.cuda.memory import DeviceMemory
from murmura.compute.cuda.sight import ThreadSight
from murmura.compute.plan import Plan
from murmura.compute.shapes import Shapes
from murmura.compute.step import Step
from murmura.compute.webgpu.target import KernelTarget, world_record
from murmura.core.algebra import CONDITION, INTEGER, NUMBER, Number, Value, where
from murmura.core.tracing.record import Record
from murmura.core.vec import Vec
from murmura.core.world.perception import TIE

MOST_NEAREST = 64
FUNCTIONS: dict[str, str] = {
    "note_nearest": f"""
struct Nearest {{
    squares: array<f32, {MOST_NEAREST}>,
    count: i32,
}}
/* Keep the least squares, in ascending order. */
fn note_nearest(n: ptr<function, Nearest>, most: i32, square: f32) {{
    if ((*n).count == most) {{
        if (!(square < (*n).squares[most - 1i])) {{ return; }}
    }}
    var k = min((*n).count, most - 1i);
    while (k > 0i) {{
        if (!((*n).squares[k - 1i] > square)) {{ break; }}
        (*n).squares[k] = (*n).squares[k - 1i];
        k -= 1i;
    }}
    (*n).squares[k] = square;
    (*n).count = min((*n).count + 1i, most);
}}
""",
    # By bits: a compiler may assume that there are no infinities or NaN.
    "sound": """
fn sound(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7fffffffu) < bitcast<u32>(1e30f);
}
""",
}


class AgentTraceWgsl(AgentTrace):
    """The trace of one agent's step, for agent `i` of the sorted flock."""

    target: KernelTarget  # type: ignore[assignment]
    writes_forces = "a.clock_step >= a.clock_keep_from"

    def __init__(self, plan: Plan, shapes: Shapes, target: KernelTarget) -> None:
        self.plan, self.shapes, self.target = plan, shapes, target
        self.world = world_record(plan, target)
        self.memory = DeviceMemory(plan, target, self.world)
        self.step = Step(plan, target, self.memory, self.world)
        self.i = Value(target, INTEGER, "i")
        self._everyone = self.step.needs_unseen
        self._sight, self.eye = ThreadSight(self), None

    @property
    def room(self) -> Value:
        """The capacity of the flock's arrays."""
        return self.target.value(INTEGER, "a.sizes_room")

    def _reach_of_nearest(self, me: Record, cosine: Number, reach: Number) -> Number:
        self.target.write("var nearest: Nearest;")

        def note(j: Value, way: Vec, _: list[Value]) -> list[Any]:
            visible = self._visible(me, cosine, j, way)[0]
            square = way.square.code
            with self.target.scope(f"if ({visible.code})"):
                self.target.write(f"note_nearest(&nearest, a.sizes_nearest, {square});")
            return []

        self.candidates(me, reach, [], note)
        full = self.target.value(CONDITION, "nearest.count == a.sizes_nearest", steady=False)
        last = self.target.value(NUMBER, "nearest.squares[a.sizes_nearest - 1i]", steady=False)
        return where(full, last * (1.0 + TIE), reach)

    def _report_not_finite(self, numbers: list[str]) -> None:
        finite = " && ".join(f"sound({code})" for code in numbers)
        with self.target.scope(f"if (!({finite}))"):
            self.target.write("atomicMin(&outputs[0], a.clock_step);")
