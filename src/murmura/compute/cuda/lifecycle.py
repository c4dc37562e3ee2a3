"""The end of a step as C: the kernels around what `gpu.lifecycle` traces."""

from __future__ import annotations

from collections.abc import Sequence

from murmura.compute.cuda.target import CudaTarget
from murmura.compute.gpu.lifecycle import Lifecycle
from murmura.compute.gpu.target import GpuTarget
from murmura.core.algebra import Value
from murmura.core.events import Event

BIRTHS_TEXT = f"""
/* Where the fathers of this step's young are, dead or alive. */
KERNEL(find_fathers) {{
    const int i = THREAD;
    if (a.sizes.idle || a.outputs.clock->young == 0 || i >= a.index.start[a.sizes.bins]) return;
    const int id = a.flock.ids[i] < 0 ? -1 - a.flock.ids[i] : a.flock.ids[i];
    for (int k = a.outputs.buckets[bucket_of(a, id)] - 1; k >= 0; k = a.outputs.young[k].next)
        if (a.outputs.young[k].father == id) a.outputs.young[k].father_row = i;
}}

/* The young of this step, each in the row that the order of their mothers' ids gives it. */
KERNEL(add_newborns) {{
    if (a.sizes.idle) return;
    const int noted = (int)a.outputs.clock->young, count = noted < a.sizes.young_room ? noted : a.sizes.young_room;
    for (int k = THREAD; k < count; k += (int)(gridDim.x * blockDim.x)) {{
        const Young young = a.outputs.young[k];
        int before = 0;
        for (int j = 0; j < count; j++) {{
            const int mother = a.outputs.young[j].mother;
            before += mother < young.mother || (mother == young.mother && a.outputs.young[j].rule < young.rule);
        }}
        const int row = a.index.start[a.sizes.bins] + before, child = (int)a.outputs.clock->next_id + before;
        if (young.father >= 0) a.outputs.buckets[bucket_of(a, young.father)] = 0;
        if (row >= a.sizes.room) continue;
        const bool known = young.father_row >= 0;
        bear(a, young.rule, row, young.mother_row, known ? young.father_row : young.mother_row, young.mother,
             known ? young.father : young.mother, child);
        const float4 q = a.flock.places[row];
        write_event(a, a.outputs.clock->events + before, {float(Event.BIRTH)}, child, young.mother, q.x, q.y, 0.0,
                    young.father, HEIGHT(row));
    }}
}}
"""
FINISH_STEP_TEXT = """
/* The young are counted in and newcomers arrive: one thread does it. */
KERNEL(finish_step) {
    if (a.sizes.idle || THREAD != 0) return;
    Clock* clock = a.outputs.clock;
    const long long here = a.index.start[a.sizes.bins], room = a.sizes.room > here ? a.sizes.room - here : 0;
    long long born = clock->young < a.sizes.young_room ? clock->young : a.sizes.young_room;
    born = born < room ? born : room;
    clock->next_id += born;
    clock->events += born;
    clock->young = 0;
    clock->alive = here + born;
    add_arrivals(a);
}
"""


class LifecycleC(Lifecycle):
    """The traces of one plan."""

    def _target(self) -> CudaTarget:
        return CudaTarget(self.helpers)

    def item_updates_text(self) -> str:
        """A function for each rule with stateful items, and the kernel, with a block for each of these rules.

        If the turn of a rule reads no other item, its items are updated in parallel.
        """
        functions, blocks = [], []
        for unit, (k, group, _, _) in enumerate(self.plan.stateful_items):
            text, alone = self._turn(k, group)
            functions.append(text)
            first, step = ("threadIdx.x", "blockDim.x") if alone else ("0", "1")
            only = "" if alone else " && threadIdx.x == 0"
            begin, end = f"a.rules.ranges[{2 * k}]", f"a.rules.ranges[{2 * k + 1}]"
            blocks.append(
                f"    if (blockIdx.x == {unit}{only})\n"
                f"        for (int row = {begin} + (int){first}; row < {end}; row += (int){step}) turn_{k}(a, row);\n"
            )
        kernel = "KERNEL(update_items) {\n    if (a.sizes.idle) return;\n"
        return "\n".join([*functions, kernel + "".join(blocks) + "}\n"])

    def _function(self, name: str, parameters: Sequence[str], body: GpuTarget) -> str:
        listed = "".join(f", const int {parameter}" for parameter in parameters)
        return f"static __device__ void {name}(const Arguments a{listed}) {{\n{body.text}}}\n"

    def births_text(self) -> str:
        """`bear`, which writes a newborn to row c, and the kernels around it."""
        return self.bear_text() + BIRTHS_TEXT

    def _copy_mother(self, target: GpuTarget) -> None:
        target.write("a.flock.places[c] = a.flock.places[m];")
        if self.plan.dimension == 3:
            target.write("a.flock.velocities[c] = a.flock.velocities[m];")
        for table, count in (("extras", "CARRIED"), ("forces", str(len(self.plan.force_columns)))):
            line = f"a.flock.{table}[k * a.sizes.room + c] = a.flock.{table}[k * a.sizes.room + m];"
            target.write(f"for (int k = 0; k < {count}; k++) {line}")
        target.write("a.flock.ids[c] = child;")

    def _place(self, row: Value, is_velocity: bool = False) -> str:
        return f"a.flock.{'velocities' if is_velocity else 'places'}[{row.code}]"

    def finish_step_text(self) -> str:
        """`add_arrivals` and the kernel around it."""
        return self.add_arrivals_text() + FINISH_STEP_TEXT

    alive, room = "a.outputs.clock->alive", "a.sizes.room"
    next_row, next_id = "(int)a.outputs.clock->alive", "(int)a.outputs.clock->next_id"

    def _count_in(self, target: GpuTarget, row: Value, name: Value, species: Value) -> None:
        place = f"{self._place(row)}.x, {self._place(row)}.y"
        arguments = (
            f"{float(Event.ARRIVAL)}, {name.code}, -1.0, {place}, 0.0, {species.code}, HEIGHT({row.code})"
        )
        target.write(f"write_event(a, a.outputs.clock->events, {arguments});")
        for counter in ("events", "next_id", "alive"):
            target.write(f"a.outputs.clock->{counter} += 1;")
