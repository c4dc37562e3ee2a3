"""The end of a step, after all agents have moved: items are updated, newborns and immigrants are added."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any

from murmura.compute.gpu.memory import (
    AgentColumns,
    DeviceMemory,
    ItemStorage,
    extra_place,
    stored_columns,
    world_record,
)
from murmura.compute.gpu.reports import report_place
from murmura.compute.gpu.target import GpuTarget
from murmura.compute.items import ItemRow, ItemRows
from murmura.compute.plan import Group, Plan
from murmura.compute.shapes import Shapes
from murmura.compute.step import Step, UnscaledStep
from murmura.core.algebra import CONDITION, INTEGER, NUMBER, Value, code_of
from murmura.core.merging import Best, Count
from murmura.core.rule import Rule
from murmura.core.rule_arguments import World
from murmura.core.state import column_name, newborn_value
from murmura.core.tracing.record import Record
from murmura.core.vec import Vec

Tools = tuple[GpuTarget, DeviceMemory, World, Step]
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
        target = self._target()
        world = world_record(self.plan, target)
        memory = DeviceMemory(self.plan, target, world)
        return target, memory, world, UnscaledStep(self.plan, target, memory, world)

    def _species(self, target: GpuTarget, species: Any) -> Any:
        if self.plan.species_count == 1:
            return None
        return species if isinstance(species, Value) else target.integer(species)

    # What each language writes in its own way

    alive: str
    room: str
    next_row: str
    next_id: str

    def _target(self) -> GpuTarget:
        """An empty function body."""
        raise NotImplementedError

    def _function(self, name: str, parameters: Sequence[str], body: GpuTarget) -> str:
        """A function of integers that returns nothing."""
        raise NotImplementedError

    def _copy_mother(self, target: GpuTarget) -> None:
        """Copy row m to row c, with the child's id."""
        raise NotImplementedError

    def _place(self, row: Value, is_velocity: bool = False) -> str:
        """The four numbers of a row that hold the place; in space, or the velocity."""
        raise NotImplementedError

    def _count_in(self, target: GpuTarget, row: Value, name: Value, species: Value) -> None:
        """Write the event of the arrival and advance the counters."""
        raise NotImplementedError

    # Items

    def _turn(self, k: int, group: Group) -> tuple[str, bool]:
        target, memory, world, step = self._begin()
        row = Value(target, INTEGER, "row")
        self._read_target_report(target, memory, k, group, row)
        reports = self._reports(target, k, row)
        begin, end = memory.rows(k)
        storage = ItemStorage(target, self.plan.item_width)
        rows = WatchedRows(target, group.layout, storage, begin, end - begin)
        it = ItemRow(group.layout, storage, row, row - begin)
        p = step.parameters(self._species(target, 0)).rules[k]
        assert group.functions.turn is not None and group.rule is not None
        with self._only_present(group.rule):
            group.functions.turn(p, it, reports, rows, world)
        return self._function(f"turn_{k}", ("row",), target), not rows.asked

    def _only_present(self, rule: Rule) -> AbstractContextManager[object]:
        """Kinds of items that a trace may leave out, since the plan has none of them."""
        return nullcontext()

    def _read_target_report(
        self, target: GpuTarget, memory: DeviceMemory, k: int, group: Group, row: Value
    ) -> None:
        """The report of the item's target."""
        columns = self.shapes.target_reports.get(k, ())
        if not columns:
            return
        first = row * (1 + self.plan.item_width)
        fresh = target.load("outputs.target_reports", first, NUMBER) != 0.0
        with target.scope(f"if ({fresh.code})"):
            for n, column in enumerate(columns):
                value = target.load("outputs.target_reports", first + (n + 1), NUMBER)
                target.store("rules.items", memory.item_place(row, group.layout.place[column]), value)
            target.store("outputs.target_reports", first, 0.0)

    def _reports(self, target: GpuTarget, k: int, row: Value) -> Record:
        """Read and clear the reports to the item, by name."""
        found: dict[str, Any] = {}
        slot = 0

        def take(*functions: str) -> list[Value]:
            nonlocal slot
            slot += 1
            return target.take_report(report_place(target, self.shapes, row, slot - 1), *functions)

        for name, report in self.shapes.reports.get(k, {}).items():
            if isinstance(report, Best):
                score, who = take("best_score", "best_id")
                found[name] = Record("the best", {"score": score, "id": who})
            elif isinstance(report, Count):
                [found[name]] = take("count_of")
            elif isinstance(report.value, Vec):
                found[name] = Vec(*(take("total_of")[0] for _ in report.value))
            else:
                [found[name]] = take("total_of")
        return Record("reports", found)

    # Births

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
                p = step.parameters(species).rules[k]
                values = group.functions.inherit(p, she, he, child, world)
                self._write(target, child_row, stored_columns(self.plan, values))
        return self._function("bear", names, target)

    def _agent(self, target: GpuTarget, step: Step, row: Value, name: Value) -> tuple[Record, Any]:
        """An agent of the flock after the move as rules see it, and its species."""
        columns = dict(AgentColumns(self.plan, target, "flock", row))
        _, me = step.sense(columns, name)
        crowd = target.load("flock.forces", extra_place(target, self.plan.dimension, row), NUMBER)
        return me.updated({"neighbors": crowd}), step.species_of(columns)

    def _write(self, target: GpuTarget, row: Value, values: dict[int, Any]) -> None:
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
                    "flock.extras", extra_place(target, place - moving, row), Value(target, NUMBER, code)
                )

    # Arrivals

    def add_arrivals_text(self) -> str:
        """`add_arrivals`, which adds immigrants."""
        target, memory, world, step = self._begin()
        for k, group, _, _ in self.plan.stateful_items:
            if group.functions.arrives is None:
                continue
            begin, end = memory.rows(k)
            count = target.lesser(end - begin, self.plan.species_count)
            target.repeat(count, partial(self._arrival, (target, memory, world, step), k, group))
        return self._function("add_arrivals", (), target)

    def _arrival(self, tools: Tools, k: int, group: Group, species: Value) -> None:
        """Add an immigrant of a species, if the rule says so and there is room."""
        target, memory, world, step = tools
        functions = group.functions
        assert functions.arrives is not None and functions.settle is not None
        p = step.parameters(self._species(target, species)).rules[k]
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
                target.store("flock.forces", extra_place(target, column, row), 0.0)
            target.store("flock.ids", row, name, INTEGER)
            self._count_in(target, row, name, species)

    def _newborn(self) -> dict[int, Any]:
        """The default of every column."""
        moving = 2 * self.plan.dimension
        carried = {moving + k: float(newborn_value(column_name(c))) for k, c in enumerate(self.plan.carried)}
        return {**dict.fromkeys(range(moving), 0.0), **carried}
