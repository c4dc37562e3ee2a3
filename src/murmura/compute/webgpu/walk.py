"""One invocation's work: the walk that all GPUs share (`cuda.walk`), where WGSL says things in its own way."""

from __future__ import annotations

from typing import Any

from murmura.compute.cuda.memory import DeviceMemory, extra_place
from murmura.compute.cuda.walk import Walk, distance_of
from murmura.compute.plan import Plan
from murmura.compute.shapes import Shapes
from murmura.compute.step import Step
from murmura.compute.webgpu.target import KernelTarget, world_record
from murmura.core.algebra import CONDITION, INTEGER, NUMBER, Number, Value, code_of, where
from murmura.core.perception import TIE, in_view
from murmura.core.record import Record
from murmura.core.vec import Vec

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
    # By bits: a compiler may take for granted that there are neither infinities nor NaN.
    "sound": """
fn sound(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7fffffffu) < bitcast<u32>(1e30f);
}
""",
}


class WalkWgsl(Walk):
    """The trace of one agent's step, for agent `i` of the sorted flock."""

    target: KernelTarget  # type: ignore[assignment]

    def __init__(self, plan: Plan, shapes: Shapes, target: KernelTarget) -> None:
        self.plan, self.shapes, self.target = plan, shapes, target
        self.world = world_record(plan, target)
        self.memory = DeviceMemory(plan, target, self.world)
        self.step = Step(plan, target, self.memory, self.world)
        self.i = Value(target, INTEGER, "i")
        self._everyone = self.step.asks_everyone

    @property
    def room(self) -> Value:
        """How many agents there may be."""
        return self.target.value(INTEGER, "a.sizes_room")

    def _reach_of_nearest(self, me: Record, cosine: Number, reach: Number) -> Number:
        self.target.write("var nearest: Nearest;")

        def note(j: Value, way: Vec, _: list[Value]) -> list[Any]:
            visible = in_view(cosine, me.heading, way, distance_of(way))
            square = way.square.code
            with self.target.scope(f"if ({visible.code})"):
                self.target.write(f"note_nearest(&nearest, a.sizes_nearest, {square});")
            return []

        self._candidates(me, reach, [], note)
        full = self.target.value(CONDITION, "nearest.count == a.sizes_nearest", steady=False)
        last = self.target.value(NUMBER, "nearest.squares[a.sizes_nearest - 1i]", steady=False)
        return where(full, last * (1.0 + TIE), reach)

    def store(self, me: Record, force: Vec, crowd: Value, name: Value) -> None:
        target = self.target
        if self.plan.dimension == 2:
            target.store_quad("a.flock.places", self.i, [*me.position, *me.velocity])
        else:
            for array, vector in (("places", me.position), ("paces", me.velocity)):
                target.store_quad(f"a.flock.{array}", self.i, [*vector, 0.0])
        for column, value in enumerate(self.step.carried(me)):
            target.store("a.flock.extras", extra_place(target, column, self.i), value)
        with target.scope("if (a.clock_step >= a.clock_keep_from)"):
            for column, value in enumerate([*force, crowd]):
                target.store("a.flock.felt", extra_place(target, column, self.i), value)
        target.store("a.flock.ids", self.i, name, INTEGER)
        numbers = (code_of(target, x, NUMBER) for x in (*me.position, *me.velocity))
        whole = " && ".join(f"sound({code})" for code in numbers)
        with target.scope(f"if (!({whole}))"):
            target.write("atomicMin(&diary[0], a.clock_step);")
