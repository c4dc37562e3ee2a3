"""Loads of a traced step on a GPU: world, parameters, items, obstacles and agents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from murmura.compute.plan import AFFINITIES, Plan
from murmura.compute.trace.text_target import TextTarget
from murmura.core.algebra import INTEGER, NUMBER, Value
from murmura.core.tracing.record import Record
from murmura.core.vec import Vec
from murmura.core.world.space import offset

MOVING = {"position": "places", "velocity": "velocities"}
"""The arrays of positions and velocities in space; in the plane the first holds both."""


def world_record(plan: Plan, target: TextTarget) -> Record:
    """The record `world` of rules."""
    from murmura.compute.cuda.records import WORLD

    numbers = {name: target.value(NUMBER, f"a.rules.world->{name}") for _, name in WORLD}
    numbers["step"] = target.value(INTEGER, "(int)(a.outputs.clock->step - 1)")
    for seed in ("seed_low", "seed_high"):
        numbers[seed] = target.value(INTEGER, f"(int)(unsigned)a.outputs.clock->{seed}")
    return plan.world(numbers)


class DeviceMemory:
    """The `Memory` of a step on a GPU."""

    def __init__(self, plan: Plan, target: TextTarget, world: Record) -> None:
        self._plan, self._target, self._world = plan, target, world
        self.place: Vec | None = None
        """Where the agent is; items too far from it to matter are skipped."""

    def number(self, place: int, species: Any) -> Value:
        first = place * self._plan.species_count
        index = first if species is None else species + first
        return self._target.load("a.rules.numbers", index, NUMBER, steady=True)

    def affinity(self, field: int, mine: Any, other: Any) -> Value:
        entry = (mine * self._plan.species_count + other) * len(AFFINITIES) + field
        return self._target.load("a.rules.affinities", entry, NUMBER, steady=True)

    def rows(self, rule: int) -> tuple[Value, Value]:
        """The first row of a rule's items, and the one after the last."""
        begin, end = (self._target.load("a.rules.ranges", 2 * rule + k, INTEGER, steady=True) for k in (0, 1))
        return begin, end

    def item_place(self, row: Any, column: int) -> Any:
        return row * self._plan.item_width + column

    def item_numbers(self, rule: int, row: Value, steady: bool = True) -> list[Value]:
        """The fields of an item that agents can read, by column."""
        columns = range(len(self._plan.rule_groups[rule].known))
        places = (self.item_place(row, column) for column in columns)
        return [self._target.load("a.rules.items", place, NUMBER, steady) for place in places]

    def each_item(self, rule: int, values: list[Any], body: Callable[..., list[Any]]) -> list[Any]:
        known = self._plan.rule_groups[rule].known

        def visit(row: Value, held: list[Value]) -> list[Any]:
            numbers = self.item_numbers(rule, row)
            if "position" not in known.fields or self.place is None:
                return body(numbers, held)
            reach = self._target.load("a.rules.item_ranges", rule, NUMBER, steady=True)
            way = offset(self._world, self.place, known.collect(numbers)["position"])
            return self._target.branch(way.square <= reach, held, lambda inner: body(numbers, inner))

        return self._target.loop(*self.rows(rule), 1, values, visit)

    def each_shape(self, values: list[Any], body: Callable[..., list[Any]]) -> list[Any]:
        width = len(self._plan.shape_layout)

        def visit(row: Value, held: list[Value]) -> list[Any]:
            numbers = [
                self._target.load("a.rules.shapes", row * width + k, NUMBER, steady=True)
                for k in range(width)
            ]
            return body(numbers, held)

        return self._target.loop(0, self._target.value(INTEGER, "a.sizes.shapes"), 1, values, visit)


class AgentColumns(Mapping[str, Any]):
    """The columns of one agent, loaded on first use.

    Args:
        flock: The record's name: `flock`, or `sorted`, which is constant while agents decide.
        row: The agent's row.
    """

    def __init__(self, plan: Plan, target: TextTarget, flock: str, row: Value) -> None:
        self._plan, self._target, self._flock, self._row = plan, target, flock, row
        self._steady = flock == "sorted"
        self._known: dict[str, Any] = {}
        if plan.dimension == 2:
            x, y, vx, vy = target.load_quad(f"a.{flock}.places", row, self._steady)
            self._known = {"position": Vec(x, y), "velocity": Vec(vx, vy)}

    def __getitem__(self, name: str) -> Any:
        if name in self._known:
            return self._known[name]
        if name in MOVING:
            x, y, z, _ = self._target.load_quad(f"a.{self._flock}.{MOVING[name]}", self._row, self._steady)
            self._known[name] = Vec(x, y, z)
            return self._known[name]
        index = extra_place(self._target, self._plan.carried.index(name), self._row)
        return self._target.load(f"a.{self._flock}.extras", index, NUMBER, self._steady)

    def __iter__(self) -> Iterator[str]:
        return iter([*MOVING, *self._plan.carried])

    def __len__(self) -> int:
        return len(MOVING) + len(self._plan.carried)

    @property
    def identity(self) -> Value:
        return self._target.load(f"a.{self._flock}.ids", self._row, INTEGER, self._steady)


def extra_place(target: TextTarget, column: int, row: Any) -> Any:
    """Where a column of a row is among the extras, or among forces."""
    return row if column == 0 else target.value(INTEGER, "a.sizes.room") * column + row


class ItemStorage:
    """Items in GPU memory, for reading and writing in turns."""

    def __init__(self, target: TextTarget, width: int) -> None:
        self._target, self._width = target, width

    def read(self, row: Any, column: int) -> Value:
        return self._target.load("a.rules.items", row * self._width + column, NUMBER)

    def write(self, row: Any, column: int, value: Any) -> None:
        self._target.store("a.rules.items", row * self._width + column, value)


def stored_columns(plan: Plan, values: Mapping[str, Any]) -> dict[int, Any]:
    """Values of an agent by number: those of place and velocity, then the columns that the plan carries."""
    found: dict[int, Any] = {}
    for name, value in values.items():
        if name in MOVING:
            first = 0 if name == "position" else plan.dimension
            found |= {first + k: part for k, part in enumerate(value)}
        elif name in plan.carried:
            found[2 * plan.dimension + plan.carried.index(name)] = value
    return found
