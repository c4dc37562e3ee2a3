"""Loads of a traced step on a GPU: world, parameters, items, obstacles and agents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from murmura.compute.gpu.fields import WORLD
from murmura.compute.gpu.target import GpuTarget
from murmura.compute.plan import AFFINITIES, Plan
from murmura.core.algebra import INTEGER, NUMBER, Value
from murmura.core.rule_arguments import World
from murmura.core.vec import Vec
from murmura.core.world.space import offset

MOVING = {"position": "places", "velocity": "velocities"}
"""The arrays of positions and velocities in space; in the plane the first holds both."""


def world_record(plan: Plan, target: GpuTarget) -> World:
    """The `world` of rules."""
    numbers = {name: target.field("world", name) for _, name in WORLD}
    numbers |= {name: target.clock(name) for name in ("step", "seed_low", "seed_high")}
    return plan.world(numbers)


class DeviceMemory:
    """The `Memory` of a step on a GPU."""

    def __init__(self, plan: Plan, target: GpuTarget, world: World) -> None:
        self._plan, self._target, self._world = plan, target, world
        self.place: Vec | None = None
        """Where the agent is; items too far from it to matter are skipped."""

    def number(self, place: int, species: Any) -> Value:
        first = place * self._plan.species_count
        index = first if species is None else species + first
        return self._target.load("rules.numbers", index, NUMBER, steady=True)

    def affinity(self, field: int, mine: Any, other: Any) -> Value:
        entry = (mine * self._plan.species_count + other) * len(AFFINITIES) + field
        return self._target.load("rules.affinities", entry, NUMBER, steady=True)

    def rows(self, rule: int) -> tuple[Value, Value]:
        """The first row of a rule's items, and the one after the last."""
        begin, end = (self._target.load("rules.ranges", 2 * rule + k, INTEGER, steady=True) for k in (0, 1))
        return begin, end

    def item_place(self, row: Any, column: int) -> Any:
        return row * self._plan.item_width + column

    def item_numbers(self, rule: int, row: Value, steady: bool = True) -> list[Value]:
        """The fields of an item that agents can read, by column."""
        columns = range(len(self._plan.rule_groups[rule].known))
        places = (self.item_place(row, column) for column in columns)
        return [self._target.load("rules.items", place, NUMBER, steady) for place in places]

    def each_item(self, rule: int, values: list[Any], body: Callable[..., list[Any]]) -> list[Any]:
        known = self._plan.rule_groups[rule].known

        def visit(row: Value, held: list[Value]) -> list[Any]:
            numbers = self.item_numbers(rule, row)
            if "position" not in known.fields or self.place is None:
                return body(numbers, held)
            reach = self._target.load("rules.item_ranges", rule, NUMBER, steady=True)
            way = offset(self._world, self.place, known.collect(numbers)["position"])
            return self._target.branch(way.square <= reach, held, lambda inner: body(numbers, inner))

        return self._target.loop(*self.rows(rule), 1, values, visit)

    def each_shape(self, values: list[Any], body: Callable[..., list[Any]]) -> list[Any]:
        width = len(self._plan.shape_layout)

        def visit(row: Value, held: list[Value]) -> list[Any]:
            numbers = [
                self._target.load("rules.shapes", row * width + k, NUMBER, steady=True) for k in range(width)
            ]
            return body(numbers, held)

        return self._target.loop(0, self._target.field("sizes", "shapes", INTEGER), 1, values, visit)


class AgentColumns(Mapping[str, Any]):
    """The columns of one agent, loaded on first use.

    Args:
        flock: The record's name: `flock`, or `sorted`, which is constant while agents decide.
        row: The agent's row.
    """

    def __init__(self, plan: Plan, target: GpuTarget, flock: str, row: Value) -> None:
        self._plan, self._target, self._flock, self._row = plan, target, flock, row
        self._steady = flock == "sorted"
        self._known: dict[str, Any] = {}
        if plan.dimension == 2:
            x, y, vx, vy = target.load_quad(f"{flock}.places", row, self._steady)
            self._known = {"position": Vec(x, y), "velocity": Vec(vx, vy)}

    def __getitem__(self, name: str) -> Any:
        if name in self._known:
            return self._known[name]
        if name in MOVING:
            x, y, z, _ = self._target.load_quad(f"{self._flock}.{MOVING[name]}", self._row, self._steady)
            self._known[name] = Vec(x, y, z)
            return self._known[name]
        index = extra_place(self._target, self._plan.carried.index(name), self._row)
        return self._target.load(f"{self._flock}.extras", index, NUMBER, self._steady)

    def __iter__(self) -> Iterator[str]:
        return iter([*MOVING, *self._plan.carried])

    def __len__(self) -> int:
        return len(MOVING) + len(self._plan.carried)

    @property
    def identity(self) -> Value:
        return self._target.load(f"{self._flock}.ids", self._row, INTEGER, self._steady)


def extra_place(target: GpuTarget, column: int, row: Any) -> Any:
    """Where a column of a row is among the extras, or among forces."""
    return row if column == 0 else target.field("sizes", "room", INTEGER) * column + row


class ItemStorage:
    """Items in GPU memory, for reading and writing in turns."""

    def __init__(self, target: GpuTarget, width: int) -> None:
        self._target, self._width = target, width

    def read(self, row: Any, column: int) -> Value:
        return self._target.load("rules.items", row * self._width + column, NUMBER)

    def write(self, row: Any, column: int, value: Any) -> None:
        self._target.store("rules.items", row * self._width + column, value)


def stored_columns(plan: Plan, values: Mapping[str, Any]) -> dict[int, Any]:
    """Values of an agent by number: those of place and velocity, then the columns that the plan carries."""
    found: dict[int, Any] = {}
    for name, value in values.items():
        if name in MOVING:
            first = 0 if name == "position" else plan.dimension
            found |= {first + k: part for k, part in enumerate(value)}
        elif name in plan.vectors:
            found |= stored_columns(plan, dict(zip(plan.vectors[name], value, strict=True)))
        elif name in plan.carried:
            found[2 * plan.dimension + plan.carried.index(name)] = value
    return found
