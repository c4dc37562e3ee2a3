"""Loads for sixteen lanes (four agents times four candidates, or sixteen agents), and reductions over them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numpy.typing import NDArray

from murmura.compute.cpu.frame import Array, FrameCode
from murmura.compute.cpu.index.rows import BLOCK
from murmura.compute.plan import WORLD_NUMBERS, Plan
from murmura.compute.trace.llvm_target import FLOAT, INT, LANES, LlvmTarget, is_lanes, lanes_of
from murmura.core.algebra import INTEGER, NUMBER, Value, code_of
from murmura.core.layout import Layout
from murmura.core.rule import Rule
from murmura.core.rule_arguments import World

SUMS_PITCH = BLOCK + LANES
"""Columns of the table that holds a block's contributions until its agents move."""
GROUP = 4
"""How many agents meet how many candidates at a time."""
ONE_REGISTER, TWO_REGISTERS = 16, 32
"""The number of entries of look-up tables."""


def pitch_of(entries: int) -> int:
    """The distance between tables of this many entries: whole registers if they fit into one or two."""
    if entries == 1:
        return 1
    return next((size for size in (ONE_REGISTER, TWO_REGISTERS) if entries <= size), entries)


def laid_out(tables: NDArray[np.float32]) -> NDArray[np.float32]:
    """Tables (one per row) laid out one after the other with their pitch."""
    count, entries = tables.shape
    whole = np.zeros((count, pitch_of(entries)), np.float32)
    whole[:, :entries] = tables
    return whole.reshape(-1)


def is_culled(rule: Rule | None) -> bool:
    """Whether items beyond the range of a whole block of agents are skipped for this rule."""
    return rule is not None and type(rule).item_range is not Rule.item_range


class LaneMemory:
    """The memory of a step, for lanes and for scalars."""

    def __init__(self, plan: Plan, target: LlvmTarget, frame: FrameCode) -> None:
        self.plan, self.target, self.frame = plan, target, frame
        self._numbers, self._affinities, self._items = frame.numbers, frame.affinities, frame.items

    def number(self, place: int, species: Any) -> Value:
        return self._entry(self._numbers, place, pitch_of(self.plan.species_count), species)

    def affinity(self, field: int, mine: Any, other: Any) -> Value:
        count = self.plan.species_count
        return self._entry(self._affinities, field, pitch_of(count * count), mine * count + other)

    def _entry(self, tables: Array, number: int, pitch: int, index: Any) -> Value:
        """An entry of the table with this number.

        A gather fetches sixteen entries one by one. A table of 16 entries is one register, and of 32 two: there the
        processor permutes them, where it can. Both give the same entries.
        """
        if index is None:
            return tables[number * pitch]
        if not is_lanes(index.code) or pitch not in (ONE_REGISTER, TWO_REGISTERS) or not self.target.wide:
            return tables[index + number * pitch]
        kind = lanes_of(FLOAT)
        registers = [tables.load(k, LANES) for k in range(number * pitch, (number + 1) * pitch, LANES)]
        if len(registers) == 1:
            code = self.target.call("llvm.x86.avx512.permvar.sf.512", kind, [registers[0], index.code])
        else:
            arguments = [registers[0], index.code, registers[1]]
            code = self.target.call("llvm.x86.avx512.vpermi2var.ps.512", kind, arguments)
        return Value(self.target, NUMBER, code)

    def item_numbers(self, row: Value, layout: Layout) -> list[Value]:
        """The values of an item that agents can read."""
        base = row * self.plan.item_width
        return [self._items[base + k] for k in range(len(layout))]

    def each_item(self, rule: int, values: list[Any], body: Callable[..., list[Any]]) -> list[Any]:
        layout = self.plan.rule_groups[rule].known

        def visit(row: Value, held: list[Value]) -> list[Any]:
            return body(self.item_numbers(row, layout), held)

        if not is_culled(self.plan.rule_groups[rule].rule):
            begin, end = (self.frame.ranges[2 * rule + side] for side in (0, 1))
            return self.target.loop(begin, end, 1, values, visit)
        begin, end = (self.near[2 * rule + side] for side in (0, 1))
        return self.target.loop(begin, end, 1, values, lambda k, held: visit(self.chosen[k], held))

    def each_shape(self, values: list[Any], body: Callable[..., list[Any]]) -> list[Any]:
        shapes, width = self.frame.shapes, len(self.plan.shape_layout)

        def visit(row: Value, held: list[Value]) -> list[Any]:
            return body([shapes[row * width + k] for k in range(width)], held)

        return self.target.loop(0, self.frame.shape_count, 1, values, visit)

    def use_block(self, chosen: Array, near: Array) -> None:
        """Set the list of items within range of the current block of agents."""
        self.chosen, self.near = chosen, near


def world_of(plan: Plan, target: LlvmTarget, frame: FrameCode, done: Value) -> World:
    """The `world` of rules, in a step of this call."""
    numbers: dict[str, Any] = {name: frame.number(name) for name in WORLD_NUMBERS}
    numbers["time"], numbers["noise_time"] = frame.times[2 * done], frame.times[2 * done + 1]
    numbers["step"] = frame.first_step + done
    numbers["seed_low"], numbers["seed_high"] = frame.seed_low, frame.seed_high
    return plan.world(numbers)


def agents_of(target: LlvmTarget) -> list[int]:
    """The agent of each lane where agents meet candidates."""
    return [k // GROUP for k in range(target.lanes)]


def candidates_of(target: LlvmTarget) -> list[int]:
    """The candidate of each lane where agents meet candidates."""
    return [k % GROUP for k in range(target.lanes)]


class Flock:
    """Loads from the sorted flock into lanes."""

    def __init__(self, plan: Plan, target: LlvmTarget, frame: FrameCode) -> None:
        self._plan, self._target = plan, target
        self._columns = [frame.table.row(k) for k in range(2 * plan.dimension + len(plan.carried))]
        self._ids = frame.table_ids

    def repeated(self, i: Value) -> tuple[dict[str, Any], Value]:
        """Agents from row i on, each on four lanes; and their ids."""
        return self._read(lambda array: self._dealt(array, i, agents_of(self._target)))

    def tile(self, j: Value) -> tuple[dict[str, Any], Value]:
        """Four candidates from row j on, for each agent; and their ids."""
        return self._read(lambda array: self._dealt(array, j, candidates_of(self._target)))

    def sixteen(self, i: Value) -> tuple[dict[str, Any], Value]:
        """Sixteen agents from row i on; and their ids."""
        return self._read(lambda array: Value(self._target, array.kind, array.load(i, LANES)))

    def at(self, rows: Value) -> tuple[dict[str, Any], Value]:
        """The agents in sixteen rows; and their ids."""
        return self._read(lambda array: array[rows])

    def _dealt(self, array: Array, i: Value, lanes: Sequence[int]) -> Value:
        return Value(self._target, array.kind, self._target.picked(array.load(i, GROUP), lanes))

    def _read(self, load: Callable[[Array], Value]) -> tuple[dict[str, Any], Value]:
        return self._plan.known([load(column) for column in self._columns]), load(self._ids)


def first_lanes(target: LlvmTarget, count: Any) -> Value:
    """The mask of the first `count` lanes."""
    spread = Value(target, INTEGER, target.spread(code_of(target, count, INTEGER)))
    mask: Value = target.numbered(range(LANES)) < spread
    return mask


def as_lanes(target: LlvmTarget, x: Any) -> Value:
    """A number on sixteen lanes."""
    return Value(target, NUMBER, target.spread(code_of(target, x, NUMBER)))


def bits_of(target: LlvmTarget, numbers: Value) -> Value:
    return Value(
        target, INTEGER, target.builder.bitcast(numbers.code, lanes_of(INT, numbers.code.type.count))
    )


def numbers_with_bits(target: LlvmTarget, integers: Value) -> Value:
    """Integers reinterpreted as numbers, to carry them among numbers."""
    return Value(
        target, NUMBER, target.builder.bitcast(integers.code, lanes_of(FLOAT, integers.code.type.count))
    )


def fold_groups(
    target: LlvmTarget, rows: Array, pitch: int, column: Value, values: list[tuple[int, Value]], kind: str
) -> None:
    """Reduce groups of four lanes by sum or maximum, into the given rows, column to column + 3."""
    combine = _combination(target, kind)
    for begin in range(0, len(values), GROUP):
        few = values[begin : begin + GROUP]
        folded = _fold_four(target, _four(target, few), combine)
        by_value = target.picked(folded, [4 * g + k for k in range(GROUP) for g in range(4)])
        for k, (row, _) in enumerate(few):
            _store_groups(rows, column + row * pitch, target.picked(by_value, range(4 * k, 4 * k + 4)))


def fold_lanes(
    target: LlvmTarget, rows: Array, pitch: int, column: Value, values: list[tuple[int, Value]], kind: str
) -> None:
    """Reduce all sixteen lanes by sum or maximum, into the given rows of one column."""
    combine = _combination(target, kind)
    for begin in range(0, len(values), GROUP):
        few = values[begin : begin + GROUP]
        folded = _fold_four(target, _four(target, few), combine)
        for step in (4, 8):
            folded = combine(folded, target.picked(folded, [lane ^ step for lane in range(LANES)]))
        for k, (row, _) in enumerate(few):
            rows[column + row * pitch] = Value(target, NUMBER, target.builder.extract_element(folded, INT(k)))


def fold_nearest_lane(
    target: LlvmTarget, rows: Array, pitch: int, column: Value, first_row: int, values: list[Value]
) -> None:
    """Reduce all sixteen lanes to the one with the least first value, with its other values."""
    vectors = _nearest_lanes(target, values, (1, 2, 4, 8))
    for k, vector in enumerate(vectors):
        value = Value(target, NUMBER, target.builder.extract_element(vector, INT(0)))
        rows[column + (first_row + k) * pitch] = value


def _combination(target: LlvmTarget, kind: str) -> Callable[[Any, Any], Any]:
    """How two vectors are combined."""
    builder = target.builder

    def combine(x: Any, y: Any) -> Any:
        if kind == "sum":
            return builder.fadd(x, y)
        return builder.select(builder.fcmp_ordered(">", x, y), x, y)

    return combine


def _four(target: LlvmTarget, few: list[tuple[int, Value]]) -> list[Any]:
    """Four vectors: these values, filled up with zeros."""
    vectors = [target.spread(value.code) for _, value in few]
    return vectors + [target.spread(target.constant(NUMBER, 0.0))] * (GROUP - len(few))


def _nearest_lanes(target: LlvmTarget, values: list[Value], steps: tuple[int, ...]) -> list[Any]:
    """Vectors in which each lane has the values of the nearest of itself and its partners `steps` lanes away."""
    builder = target.builder
    vectors = [target.spread(value.code) for value in values]
    for step in steps:
        partner = [lane ^ step for lane in range(LANES)]
        others = [target.picked(vector, partner) for vector in vectors]
        nearer = builder.fcmp_ordered("<", others[0], vectors[0])
        vectors = [builder.select(nearer, b, a) for a, b in zip(vectors, others, strict=True)]
    return vectors


def fold_nearest(
    target: LlvmTarget, rows: Array, pitch: int, column: Value, first_row: int, values: list[Value]
) -> None:
    """Reduce groups of four lanes to the lane with the least first value, with its other values."""
    vectors = _nearest_lanes(target, values, (1, 2))
    for k, vector in enumerate(vectors):
        _store_groups(rows, column + (first_row + k) * pitch, target.picked(vector, [0, 4, 8, 12]))


def _fold_four(target: LlvmTarget, vectors: list[Any], combine: Callable[[Any, Any], Any]) -> Any:
    """Combine the four lanes of each group of four vectors: lane 4g + v of the result is group g of vector v.

    A transpose-style reduction: six shuffles and three combinations for four vectors.
    """
    low = [4 * g + k for g in range(4) for k in (0, LANES, 1, LANES + 1)]
    high = [4 * g + k for g in range(4) for k in (2, LANES + 2, 3, LANES + 3)]
    a, b, c, d = vectors
    ab = combine(target.shuffled(a, b, low), target.shuffled(a, b, high))
    cd = combine(target.shuffled(c, d, low), target.shuffled(c, d, high))
    first = [4 * g + k for g in range(4) for k in (0, 1, LANES, LANES + 1)]
    second = [4 * g + k for g in range(4) for k in (2, 3, LANES + 2, LANES + 3)]
    return combine(target.shuffled(ab, cd, first), target.shuffled(ab, cd, second))


def _store_groups(rows: Array, place: Value, groups: Any) -> None:
    builder = rows.target.builder
    pointer = builder.bitcast(rows.at(place), ir.VectorType(FLOAT, GROUP).as_pointer())
    builder.store(groups, pointer, align=4)
