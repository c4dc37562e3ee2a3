"""The end of a step as WGSL, after all agents have moved: items are updated, newborns and immigrants are added."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager

from murmura.compute.gpu.lifecycle import Lifecycle
from murmura.compute.gpu.target import GpuTarget
from murmura.compute.trace.wgsl_target import WgslHelpers
from murmura.compute.webgpu.records import EVENTS, YOUNG, YOUNG_WORDS
from murmura.compute.webgpu.target import KernelTarget
from murmura.core.algebra import Value
from murmura.core.events import Event
from murmura.core.rule import Rule

ITEM_THREADS = 64
BIRTH_GROUPS = 64

FIND_FATHERS = f"""
    if (atomicLoad(&outputs[{YOUNG}]) == 0i || i >= start[a.sizes_bins]) {{ return; }}
    let id = select(columns[i], -1i - columns[i], columns[i] < 0i);
    var k = atomicLoad(&outputs[bucket_of(id)]) - 1i;
    while (k >= 0i) {{
        let young = a.at_young + {YOUNG_WORDS}i * k;
        if (atomicLoad(&outputs[young + 2i]) == id) {{ atomicStore(&outputs[young + 4i], i); }}
        k = atomicLoad(&outputs[young + 5i]);
    }}
"""
ADD_NEWBORNS = f"""
    let count = min(atomicLoad(&outputs[{YOUNG}]), a.sizes_young_room);
    for (var k = i; k < count; k += THREADS * {BIRTH_GROUPS}i) {{
        let young = a.at_young + {YOUNG_WORDS}i * k;
        let mother = atomicLoad(&outputs[young]);
        let rule = atomicLoad(&outputs[young + 1i]);
        let father = atomicLoad(&outputs[young + 2i]);
        let mother_row = atomicLoad(&outputs[young + 3i]);
        let father_row = atomicLoad(&outputs[young + 4i]);
        var before = 0i;
        for (var j = 0i; j < count; j++) {{
            let other = a.at_young + {YOUNG_WORDS}i * j;
            let her = atomicLoad(&outputs[other]);
            let sooner = her < mother || (her == mother && atomicLoad(&outputs[other + 1i]) < rule);
            before += select(0i, 1i, sooner);
        }}
        let row = start[a.sizes_bins] + before;
        let child = a.clock_next_id + before;
        if (father >= 0i) {{ atomicStore(&outputs[bucket_of(father)], 0i); }}
        if (row >= a.sizes_room) {{ continue; }}
        let known = father_row >= 0i;
        let his_row = select(mother_row, father_row, known);
        bear(rule, row, mother_row, his_row, mother, select(mother, father, known), child);
        let q = places[row];
        [plane] let height = 0.0f;
        [space] let height = q.z;
        let slot = atomicLoad(&outputs[{EVENTS}]) + before;
        write_event(slot, {int(Event.BIRTH)}i, child, mother, q.x, q.y, 0.0f, father, height);
    }}
"""
FINISH_STEP = f"""
    if (i != 0i) {{ return; }}
    let here = start[a.sizes_bins];
    let born = min(min(atomicLoad(&outputs[{YOUNG}]), a.sizes_young_room), max(a.sizes_room - here, 0i));
    a.clock_next_id += born;
    atomicAdd(&outputs[{EVENTS}], born);
    atomicStore(&outputs[{YOUNG}], 0i);
    a.clock_alive = here + born;
    add_arrivals();
"""


class LifecycleWgsl(Lifecycle):
    """The traces of one plan."""

    helpers: WgslHelpers

    def _target(self) -> KernelTarget:
        return KernelTarget(self.helpers)

    def item_updates(self) -> tuple[dict[str, str], str]:
        """A function for each rule with stateful items, and the kernel's body, with a workgroup for each rule.

        If the turn of a rule reads no other item, its items are updated in parallel.
        """
        functions, body = {}, ""
        for unit, (k, group, _, _) in enumerate(self.plan.stateful_items):
            functions[f"turn_{k}"], alone = self._turn(k, group)
            first, step = ("t", f"{ITEM_THREADS}i") if alone else ("0i", "1i")
            only = "" if alone else " && t == 0i"
            begin, end = (f"tables[a.at_ranges + {2 * k + edge}i]" for edge in (0, 1))
            body += (
                f"    if (i / {ITEM_THREADS}i == {unit}i{only}) {{\n"
                f"        for (var row = {begin} + {first}; row < {end}; row += {step}) {{ turn_{k}(row); }}\n    }}\n"
            )
        return functions, body

    def _only_present(self, rule: Rule) -> AbstractContextManager[object]:
        return rule.leaving_out_other_kinds()

    def _function(self, name: str, parameters: Sequence[str], body: GpuTarget) -> str:
        listed = ", ".join(f"{parameter}: i32" for parameter in parameters)
        return f"fn {name}({listed}) {{\n{body.text}}}\n"

    def _copy_mother(self, target: GpuTarget) -> None:
        target.write("places[c] = places[m];")
        if self.plan.dimension == 3:
            target.write("places[a.sizes_room + c] = places[a.sizes_room + m];")
        count = len(self.plan.carried) + len(self.plan.force_columns)
        line = "columns[k * a.sizes_room + c] = columns[k * a.sizes_room + m];"
        target.write(f"for (var k = 1i; k <= {count}i; k++) {{ {line} }}")
        target.write("columns[c] = child;")

    def _place(self, row: Value, is_velocity: bool = False) -> str:
        return f"places[{'a.sizes_room + ' if is_velocity else ''}{row.code}]"

    alive = next_row = "a.clock_alive"
    room, next_id = "a.sizes_room", "a.clock_next_id"

    def _count_in(self, target: GpuTarget, row: Value, name: Value, species: Value) -> None:
        place = f"{self._place(row)}.x, {self._place(row)}.y"
        amount = f"bitcast<i32>(f32({species.code}))"
        height = f"{self._place(row)}.z" if self.plan.dimension == 3 else "0.0f"
        arguments = (
            f"{int(Event.ARRIVAL)}i, {name.code}, bitcast<i32>(-1.0f), {place}, 0.0f, {amount}, {height}"
        )
        target.write(f"write_event(atomicAdd(&outputs[{EVENTS}], 1i), {arguments});")
        target.write("a.clock_next_id += 1i;")
        target.write("a.clock_alive += 1i;")
