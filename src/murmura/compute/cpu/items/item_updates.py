"""The end of a step, after all agents have moved: items are updated, newborns and immigrants are added.

Scalar code, which one thread of the team runs.
"""

from __future__ import annotations

from typing import Any

from murmura.compute.cpu.frame import Array, FrameCode
from murmura.compute.cpu.index.rows import MARGIN
from murmura.compute.cpu.items.lane_reports import FINENESS, LARGEST, write_event
from murmura.compute.cpu.perception.lanes import LaneMemory
from murmura.compute.cpu.threads import peek, put
from murmura.compute.items import ItemRows
from murmura.compute.plan import Plan
from murmura.compute.shapes import Shapes, Slot
from murmura.compute.step import Step, UnscaledStep
from murmura.compute.trace.llvm_target import DOUBLE, FLOAT, INT, LONG, LlvmTarget
from murmura.core.algebra import INTEGER, NUMBER, Value, as_number, maximum, to_number, where
from murmura.core.events import Event
from murmura.core.layout import POSITION, VELOCITY, Layout, components, vector
from murmura.core.merging import Best, Count, flatten
from murmura.core.rule_arguments import World
from murmura.core.state import column_name, newborn_value
from murmura.core.tracing.record import Record
from murmura.core.vec import Vec


class ItemStorage:
    """The table of items, for reading and writing in a turn."""

    def __init__(self, items: Array, width: int) -> None:
        self._items, self._width = items, width

    def read(self, row: Any, column: int) -> Value:
        return self._items[row * self._width + column]

    def write(self, row: Any, column: int, value: Any) -> None:
        self._items[row * self._width + column] = value


class ItemUpdates:
    """Emits the updates of items for one plan."""

    def __init__(
        self, plan: Plan, shapes: Shapes, target: LlvmTarget, frame: FrameCode, world: World
    ) -> None:
        self.plan, self.shapes, self.target, self.frame, self.world = plan, shapes, target, frame, world
        self.memory = LaneMemory(plan, target, frame)
        self.step = Step(plan, target, self.memory, world)

    def update_items(self, team: Value) -> None:
        """Update items, one after the other."""
        t, frame = self.target, self.frame
        storage = ItemStorage(frame.items, self.plan.item_width)
        species = t.integer(0) if self.plan.species_count > 1 else None
        for k, group, _, _ in self.plan.stateful_items:
            assert group.functions.turn is not None
            p = self.step.parameters(species).rules[k]
            begin, end = (frame.ranges[2 * k + side] for side in (0, 1))
            rows = ItemRows(t, group.layout, storage, begin, end - begin)
            with t.for_loop(begin, end) as row:
                reports = self._reports(k, row, team)
                self._read_target_report(k, row)
                group.functions.turn(p, rows[row - begin], reports, rows, self.world)

    def _reports(self, k: int, row: Value, team: Value) -> Record:
        """Read and clear the reports to an item."""
        values: dict[str, list[Any]] = {}
        for number, slot in enumerate(self.shapes.slots(k)):
            whole = self._collected(row * max(1, self.shapes.report_width) + number, slot, team)
            values.setdefault(slot.report, []).append(self._meaning(whole, slot))
        found: dict[str, Any] = {}
        for name, parts in values.items():
            is_vector = isinstance(self.shapes.reports[k][name].value, Vec) and len(parts) > 1
            found[name] = Vec(*parts) if is_vector else parts[0]
        return Record("reports", found)

    def _collected(self, place: Value, slot: Slot, team: Value) -> Any:
        """One report, reduced over all threads' tables, as a long integer."""
        t, b, reports = self.target, self.target.builder, self.frame.reports
        with b.goto_entry_block():
            total = b.alloca(LONG)
        b.store(LONG(0), total)
        with t.for_loop(0, team) as k:
            at = reports.at(k * self.frame.report_pitch + place)
            mine, before = b.load(at, typ=LONG), b.load(total, typ=LONG)
            if slot.kind is Best:
                both = b.select(b.icmp_signed(">", mine, before), mine, before)
            else:
                both = b.add(mine, before)
            b.store(both, total)
            b.store(LONG(0), at)
        return b.load(total, typ=LONG)

    def _meaning(self, whole: Any, slot: Slot) -> Any:
        t, b = self.target, self.target.builder
        if slot.kind is Count:
            return Value(t, NUMBER, b.sitofp(whole, FLOAT))
        if slot.kind is not Best:
            exact = b.fdiv(b.sitofp(whole, DOUBLE), DOUBLE(FINENESS))
            return Value(t, NUMBER, b.fptrunc(exact, FLOAT))
        score = Value(t, NUMBER, b.bitcast(b.trunc(b.lshr(whole, LONG(32)), INT), FLOAT))
        name = b.trunc(b.sub(LONG(LARGEST), b.and_(whole, LONG(LARGEST))), INT)
        somebody = Value(t, "condition", b.icmp_signed(">", whole, LONG(0)))
        name = where(somebody, to_number(Value(t, INTEGER, name)), -1.0)
        return Record("the best", {"score": score, "id": name})

    def _read_target_report(self, k: int, row: Value) -> None:
        """Copy the report of the item's target into the item."""
        t, frame, layout = self.target, self.frame, self.plan.rule_groups[k].layout
        if not self.shapes.target_reports[k]:
            return
        base = row * (1 + self.plan.item_width)
        with t.if_then(frame.target_reports[base] != 0.0):
            for n, column in enumerate(self.shapes.target_reports[k]):
                frame.items[row * self.plan.item_width + layout.place[column]] = frame.target_reports[
                    base + (n + 1)
                ]
            frame.target_reports[base] = 0.0


class Newborns:
    """Emits births and arrivals for one plan."""

    def __init__(self, plan: Plan, target: LlvmTarget, frame: FrameCode, world: World) -> None:
        self.plan, self.target, self.frame, self.world = plan, target, frame, world
        self.memory = LaneMemory(plan, target, frame)
        self.step = UnscaledStep(plan, target, self.memory, world)
        moving = Layout((POSITION, VELOCITY), plan.dimension)
        self.names = [*moving.columns, *plan.carried]
        self.columns = [frame.state.row(k) for k in range(len(self.names) + len(plan.force_columns))]

    def add_newborns(self, alive: Value, step_number: Any) -> Value:
        """Append the newborns of this step in the order of their mothers' ids, while there is room."""
        t, frame, young = self.target, self.frame, self.frame.young
        n = t.cell(alive)
        noted = peek(t, frame.status("young"))
        count = where(noted < frame.young_room, noted, frame.young_room)
        self._sort_young(count)
        with t.for_loop(0, count) as k, t.if_then(n.get() < frame.state_pitch - MARGIN):
            mother, rule, father = (young[k * 3 + c] for c in range(3))
            m, f = self._row_of(mother, n.get()), self._row_of(father, n.get())
            known = f >= 0
            self._add_newborn(
                rule,
                n.get(),
                m,
                where(known, f, m),
                mother,
                where(known, father, mother),
                father,
                step_number,
            )
            n.set(n.get() + 1)
        put(t, frame.status("young"), 0)
        return n.get()

    def _sort_young(self, count: Value) -> None:
        t, young = self.target, self.frame.young
        with t.for_loop(1, count) as k:
            j = t.cell(k)

            def unsorted() -> Value:
                here = j.get()
                before = where(here > 0, here - 1, 0)
                return (here > 0) & (young[here * 3] < young[before * 3])

            with t.while_loop(unsorted):
                here = j.get() * 3
                for c in range(3):
                    a, b = young[here + c], young[here + (c - 3)]
                    young[here + c], young[here + (c - 3)] = b, a
                j.set(j.get() - 1)

    def _row_of(self, name: Value, n: Value) -> Value:
        """The row of an agent, alive or dead, in the moved flock; -1: none."""
        t, ids = self.target, self.frame.ids
        found, begin = t.cell(-1), t.cell(0)
        dead = -1 - name
        with t.while_loop(lambda: (found.get() < 0) & (begin.get() < n) & (name >= 0)):
            first = begin.get()
            last = where(first + 1024 < n, first + 1024, n)
            with t.for_loop(first, last) as i:  # without an early exit, so that it vectorises
                here = (ids[i] == name) | (ids[i] == dead)
                found.set(maximum(found.get(), where(here, i, -1)))
            begin.set(last)
        return found.get()

    def _agent(self, i: Value, name: Value) -> tuple[Any, Record]:
        """An agent of the moved flock as rules see it, and its species."""
        known = self.plan.known([column[i] for column in self.columns[: len(self.names)]])
        _, me = self.step.sense(known, name)
        return self.step.species_of(known), me.updated({"neighbors": self.columns[-1][i]})

    def _add_newborn(
        self, rule: Value, c: Value, m: Value, f: Value, mother: Value, father: Value, named: Value, step_number: Any
    ) -> None:  # fmt: skip
        """Write a newborn to row c: a copy of the mother with the inherited values."""
        t, frame = self.target, self.frame
        child = peek(t, frame.status("next_id"))
        put(t, frame.status("next_id"), child + 1)
        with t.for_loop(0, len(self.columns)) as number:
            row = frame.state.row(number)
            row[c] = row[m]
        frame.ids[c] = child
        for k, group in enumerate(self.plan.rule_groups):
            inherit = group.functions.inherit
            if inherit is None:
                continue
            with t.if_then(rule == k):
                species, she = self._agent(m, mother)
                _, he = self._agent(f, father)
                p = self.step.parameters(species).rules[k]
                self._write(c, inherit(p, she, he, child, self.world))
        x, y, z = self._place(c)
        write_event(t, frame, step_number, [float(Event.BIRTH), child, mother, x, y, 0.0, named, z])

    def _place(self, i: Value) -> list[Any]:
        """Where an agent is; in the plane at height 0."""
        return [*(column[i] for column in self.columns[: self.plan.dimension]), 0.0][:3]

    def _write(self, i: Value, values: dict[str, Any]) -> None:
        """Write columns of a newborn or newcomer."""
        numbers = {name: as_number(self.target, x) for name, x in _flat(values).items()}
        for name, number in numbers.items():
            self.columns[self.names.index(name)][i] = number

    def add_arrivals(self, alive: Value, step_number: Any) -> Value:
        """Append immigrants, at most one of each species, with defaults except for the columns of `settle`."""
        t, frame = self.target, self.frame
        n = t.cell(alive)
        for k, group, _, _ in self.plan.stateful_items:
            arrives, settle = group.functions.arrives, group.functions.settle
            if arrives is None or settle is None:
                continue
            begin, end = (frame.ranges[2 * k + side] for side in (0, 1))
            for number in range(self.plan.species_count):
                species = t.integer(number) if self.plan.species_count > 1 else None
                p = self.step.parameters(species).rules[k]
                it = self.step.item(k, self.memory.item_numbers(begin + number, group.known))
                comes = (n.get() < frame.state_pitch - MARGIN) & arrives(p, it, number, self.world)
                with t.if_then(comes & (begin + number < end)):
                    self._settle(settle, p, it, n.get(), number, step_number)
                    n.set(n.get() + 1)
        return n.get()

    def _settle(self, settle: Any, p: Record, it: Record, i: Value, species: int, step_number: Any) -> None:
        t, frame = self.target, self.frame
        name = peek(t, frame.status("next_id"))
        put(t, frame.status("next_id"), name + 1)
        frame.ids[i] = name
        with t.for_loop(0, len(self.columns)) as k:
            frame.state.row(k)[i] = 0.0
        defaults = {c: float(newborn_value(column_name(c))) for c in self.plan.carried}
        defaults |= {"species": float(species)} if "species" in self.plan.carried else {}
        self._write(i, defaults | settle(p, it, name, self.world))
        x, y, z = self._place(i)
        write_event(t, frame, step_number, [float(Event.ARRIVAL), name, -1.0, x, y, 0.0, float(species), z])


def _flat(values: dict[str, Any]) -> dict[str, Any]:
    """Columns by their short names, vectors by component."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, Vec):
            found |= dict(zip(components(vector(name), len(value)), flatten(value), strict=True))
        else:
            found[name] = value
    return found
