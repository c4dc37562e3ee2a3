"""The end of a step as C, after all agents have moved: items are updated, newborns and immigrants are added."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any

from murmura.compute.cuda.memory import (
    AgentColumns,
    DeviceMemory,
    ItemStorage,
    extra_place,
    stored_columns,
    world_record,
)
from murmura.compute.items import ItemRow, ItemRows
from murmura.compute.plan import Group, Plan
from murmura.compute.shapes import Shapes
from murmura.compute.step import Step, UnscaledStep
from murmura.compute.trace.c_target import CTarget
from murmura.core.algebra import CONDITION, INTEGER, NUMBER, Value, code_of
from murmura.core.events import Event
from murmura.core.merging import Best, Count
from murmura.core.rule import Rule
from murmura.core.state import column_name, newborn_value
from murmura.core.tracing.record import Record
from murmura.core.vec import Vec

BIRTHS_TEXT = f"""
/* Where the fathers of this step's young are, dead or alive. */
extern "C" __global__ void find_fathers(const Arguments a) {{
    const int i = THREAD;
    if (a.sizes.idle || a.outputs.clock->young == 0 || i >= a.index.start[a.sizes.bins]) return;
    const int id = a.flock.ids[i] < 0 ? -1 - a.flock.ids[i] : a.flock.ids[i];
    for (int k = a.outputs.buckets[bucket_of(a, id)] - 1; k >= 0; k = a.outputs.young[k].next)
        if (a.outputs.young[k].father == id) a.outputs.young[k].father_row = i;
}}

/* The young of this step, each in the row that the order of their mothers' ids gives it. */
extern "C" __global__ void add_newborns(const Arguments a) {{
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
extern "C" __global__ void finish_step(const Arguments a) {
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


Tools = tuple[CTarget, DeviceMemory, Record, Step]
"""The parts of a trace: target, memory, world and step."""


class WatchedRows(ItemRows):
    """Items that record whether a turn reads items other than its own."""

    asked = False

    def __getitem__(self, row: Any) -> ItemRow:
        self.asked = True
        return super().__getitem__(row)


class Lifecycle:
    """The traces of one plan."""

    def __init__(self, plan: Plan, shapes: Shapes, helpers: dict[str, str]) -> None:
        self.plan, self.shapes, self.helpers = plan, shapes, helpers

    def _begin(self) -> Tools:
        target = CTarget(self.helpers)
        world = world_record(self.plan, target)
        memory = DeviceMemory(self.plan, target, world)
        return target, memory, world, UnscaledStep(self.plan, target, memory, world)

    def _species(self, target: CTarget, species: Any) -> Any:
        if self.plan.species_count == 1:
            return None
        return species if isinstance(species, Value) else target.integer(species)

    # Items

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
        kernel = (
            'extern "C" __global__ void update_items(const Arguments a) {\n    if (a.sizes.idle) return;\n'
        )
        return "\n".join([*functions, kernel + "".join(blocks) + "}\n"])

    def _turn(self, k: int, group: Group) -> tuple[str, bool]:
        target, memory, world, step = self._begin()
        row = Value(target, INTEGER, "row")
        self._read_target_report(target, memory, k, group, row)
        reports = self._reports(target, k, row)
        begin, end = memory.rows(k)
        storage = ItemStorage(target, self.plan.item_width)
        rows = WatchedRows(target, group.layout, storage, begin, end - begin)
        it = ItemRow(group.layout, storage, row, row - begin)
        p = step.parameters(self._species(target, 0))[k + 2]
        assert group.functions.turn is not None and group.rule is not None
        with self._only_present(group.rule):
            group.functions.turn(p, it, reports, rows, world)
        return self._function(f"turn_{k}", ("row",), target), not rows.asked

    def _only_present(self, rule: Rule) -> AbstractContextManager[object]:
        """Kinds of items that a trace may leave out, since the plan has none of them."""
        return nullcontext()

    def _function(self, name: str, parameters: Sequence[str], body: CTarget) -> str:
        """A function of integers that returns nothing."""
        listed = "".join(f", const int {parameter}" for parameter in parameters)
        return f"static __device__ void {name}(const Arguments a{listed}) {{\n{body.text}}}\n"

    def _read_target_report(
        self, target: CTarget, memory: DeviceMemory, k: int, group: Group, row: Value
    ) -> None:
        """The report of the item's target."""
        columns = self.shapes.target_reports.get(k, ())
        if not columns:
            return
        first = row * (1 + self.plan.item_width)
        fresh = target.load("a.outputs.target_reports", first, NUMBER) != 0.0
        with target.scope(f"if ({fresh.code})"):
            for n, column in enumerate(columns):
                value = target.load("a.outputs.target_reports", first + (n + 1), NUMBER)
                target.store("a.rules.items", memory.item_place(row, group.layout.place[column]), value)
            target.store("a.outputs.target_reports", first, 0.0)

    def _reports(self, target: CTarget, k: int, row: Value) -> Record:
        """Read and clear the reports to the item, by name."""
        found: dict[str, Any] = {}
        slot = 0

        def take(how: str) -> list[Value]:
            nonlocal slot
            place = f"a.outputs.reports[{(row * self.shapes.report_width + slot).code}]"
            word = target.name("w")
            target.write(f"const unsigned long long {word} = {place};")
            target.write(f"{place} = 0ull;")
            slot += 1
            return [target.value(NUMBER, f"{name}({word})", steady=False) for name in how.split()]

        for name, report in self.shapes.reports.get(k, {}).items():
            if isinstance(report, Best):
                score, who = take("best_score best_id")
                found[name] = Record("the best", {"score": score, "id": who})
            elif isinstance(report, Count):
                [found[name]] = take("(float)")
            elif isinstance(report.value, Vec):
                found[name] = Vec(*(take("total_of")[0] for _ in report.value))
            else:
                [found[name]] = take("total_of")
        return Record("reports", found)

    # Births

    def births_text(self) -> str:
        """`bear`, which writes a newborn to row c, and the kernels around it."""
        return self.bear_text() + BIRTHS_TEXT

    def bear_text(self) -> str:
        """`bear`: copy the mother's row, then apply `inherit` of the rule that caused the birth."""
        names = ("rule", "c", "m", "f", "mother", "father", "child")
        target, _, world, step = self._begin()
        rule, child_row, mother_row, father_row, mother, father, child = (
            Value(target, INTEGER, name) for name in names
        )
        self._copy_mother(target)
        for k, group in enumerate(self.plan.rule_groups):
            if group.functions.inherit is None:
                continue
            with target.scope(f"if ({(rule == k).code})"):
                she, species = self._agent(target, step, mother_row, mother)
                he, _ = self._agent(target, step, father_row, father)
                p = step.parameters(species)[k + 2]
                values = group.functions.inherit(p, she, he, child, world)
                self._write(target, child_row, stored_columns(self.plan, values))
        return self._function("bear", names, target)

    def _copy_mother(self, target: CTarget) -> None:
        """Copy row m to row c, with the child's id."""
        target.write("a.flock.places[c] = a.flock.places[m];")
        if self.plan.dimension == 3:
            target.write("a.flock.velocities[c] = a.flock.velocities[m];")
        for table, count in (("extras", "CARRIED"), ("forces", str(len(self.plan.force_columns)))):
            line = f"a.flock.{table}[k * a.sizes.room + c] = a.flock.{table}[k * a.sizes.room + m];"
            target.write(f"for (int k = 0; k < {count}; k++) {line}")
        target.write("a.flock.ids[c] = child;")

    def _agent(self, target: CTarget, step: Step, row: Value, name: Value) -> tuple[Record, Any]:
        """An agent of the flock after the move as rules see it, and its species."""
        columns = dict(AgentColumns(self.plan, target, "flock", row))
        _, me = step.sense(columns, name)
        crowd = target.load("a.flock.forces", extra_place(target, self.plan.dimension, row), NUMBER)
        return me.updated({"neighbors": crowd}), step.species_of(columns)

    def _write(self, target: CTarget, row: Value, values: dict[int, Any]) -> None:
        """Write columns of an agent by number (see `stored_columns`)."""
        moving = 2 * self.plan.dimension
        for place, value in values.items():
            code = code_of(target, value, NUMBER)
            if place < moving:
                letter = "xyz"[place % 3] if self.plan.dimension == 3 else "xyzw"[place]
                is_velocity = self.plan.dimension == 3 and place >= 3
                target.write(f"{self._place(row, is_velocity)}.{letter} = {code};")
            else:
                target.store(
                    "a.flock.extras", extra_place(target, place - moving, row), Value(target, NUMBER, code)
                )

    def _place(self, row: Value, is_velocity: bool = False) -> str:
        """The four numbers of a row that hold the place; in space, or the velocity."""
        return f"a.flock.{'velocities' if is_velocity else 'places'}[{row.code}]"

    # Arrivals

    def finish_step_text(self) -> str:
        """`add_arrivals` and the kernel around it."""
        return self.add_arrivals_text() + FINISH_STEP_TEXT

    def add_arrivals_text(self) -> str:
        """`add_arrivals`, which adds immigrants."""
        target, memory, world, step = self._begin()
        for k, group, _, _ in self.plan.stateful_items:
            if group.functions.arrives is None:
                continue
            begin, end = memory.rows(k)
            count = self._fewer(target, (end - begin).code)
            target.repeat(count, partial(self._arrival, (target, memory, world, step), k, group))
        return self._function("add_arrivals", (), target)

    def _fewer(self, target: CTarget, items: str) -> Value:
        """The lesser of the number of items and the number of species."""
        most = target.integer(self.plan.species_count).code
        return target.value(INTEGER, f"{items} < {most} ? {items} : {most}")

    def _arrival(self, tools: Tools, k: int, group: Group, species: Value) -> None:
        """Add an immigrant of a species, if the rule says so and there is room."""
        target, memory, world, step = tools
        functions = group.functions
        assert functions.arrives is not None and functions.settle is not None
        p = step.parameters(self._species(target, species))[k + 2]
        begin, _ = memory.rows(k)
        # Turns have changed the items, so they are loaded again.
        it = step.item(k, memory.item_numbers(k, begin + species, steady=False))
        arrives = code_of(target, functions.arrives(p, it, species, world), CONDITION)
        with target.scope(f"if ({self.alive} < {self.room} && {arrives})"):
            row = target.value(INTEGER, self.next_row, steady=False)
            name = target.value(INTEGER, self.next_id, steady=False)
            values = stored_columns(self.plan, functions.settle(p, it, name, world) | {"species": species})
            self._write(target, row, self._newborn() | values)
            for column in range(len(self.plan.force_columns)):
                target.store("a.flock.forces", extra_place(target, column, row), 0.0)
            target.store("a.flock.ids", row, name, INTEGER)
            self._count_in(target, row, name, species)

    alive, room = "a.outputs.clock->alive", "a.sizes.room"
    next_row, next_id = "(int)a.outputs.clock->alive", "(int)a.outputs.clock->next_id"

    def _count_in(self, target: CTarget, row: Value, name: Value, species: Value) -> None:
        """Write the event of the arrival and advance the counters."""
        place = f"{self._place(row)}.x, {self._place(row)}.y"
        arguments = (
            f"{float(Event.ARRIVAL)}, {name.code}, -1.0, {place}, 0.0, {species.code}, HEIGHT({row.code})"
        )
        target.write(f"write_event(a, a.outputs.clock->events, {arguments});")
        for counter in ("events", "next_id", "alive"):
            target.write(f"a.outputs.clock->{counter} += 1;")

    def _newborn(self) -> dict[int, Any]:
        """The default of every column."""
        moving = 2 * self.plan.dimension
        carried = {moving + k: float(newborn_value(column_name(c))) for k, c in enumerate(self.plan.carried)}
        return {**dict.fromkeys(range(moving), 0.0), **carried}
