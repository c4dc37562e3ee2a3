"""One thread's work: an agent walks the bins around it, meets who is there, decides, moves and tells.

Candidates lie in three rows of bins, each a run that is cut in two where it crosses the seam of a wrapping world.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from murmura.compute.cuda.memory import AgentColumns, DeviceMemory, extra_place, world_record
from murmura.compute.plan import Plan
from murmura.compute.shapes import Shapes
from murmura.compute.step import SAME_PLACE, Contributions, Step, blank
from murmura.compute.trace.c_target import CTarget
from murmura.core.algebra import (
    CONDITION,
    INTEGER,
    NUMBER,
    Condition,
    Number,
    Value,
    floor,
    maximum,
    minimum,
    sqrt,
    to_integer,
    to_number,
    where,
)
from murmura.core.merging import leaves, rebuilt
from murmura.core.perception import TIE, in_view
from murmura.core.record import Record
from murmura.core.vec import Vec

Visit = Callable[[Value, Vec, list[Value]], list[Any]]


class Walk:
    """The trace of one agent's step, for agent `i` of the sorted flock."""

    def __init__(self, plan: Plan, shapes: Shapes, target: CTarget) -> None:
        self.plan, self.shapes, self.target = plan, shapes, target
        self.world = world_record(plan, target)
        self.memory = DeviceMemory(plan, target, self.world)
        self.step = Step(plan, target, self.memory, self.world)
        self.i = Value(target, INTEGER, "i")
        self._everyone = self.step.asks_everyone

    def agent(self) -> AgentColumns:
        return AgentColumns(self.plan, self.target, "sorted", self.i)

    def heard(self) -> Contributions:
        """What the agent's neighbours contribute."""
        shape = blank(self.target, self.shapes.pairs)
        # What only meeting needs is forgotten afterwards, and what only deciding needs is read after it: registers.
        values = self.target.block(leaves(shape), lambda held: self._meetings(shape, held))
        found: Contributions = rebuilt(shape, values)
        return found

    def _meetings(self, shape: Contributions, values: list[Value]) -> list[Any]:
        columns = self.agent()
        p, me = self.step.sense(columns, columns.identity)
        cosine = self.step.view(p, me)
        reach = p[1].radius * p[1].radius
        if self.plan.topological:
            reach = self._reach_of_nearest(me, cosine, reach)

        def meet(j: Value, way: Vec, held: list[Value]) -> list[Any]:
            before: Contributions = rebuilt(shape, [*held])
            return leaves(self._met(p, me, cosine, j, way, before))

        return self._candidates(me, reach, values, meet)

    def _met(
        self, p: list[Record], me: Record, cosine: Number, j: Value, way: Vec, before: Contributions
    ) -> Contributions:
        """Everything so far, and what a neighbour within reach says."""
        visible = in_view(cosine, me.heading, way, distance_of(way))

        def said(mask: Condition, shown: Condition) -> Contributions:
            columns = AgentColumns(self.plan, self.target, "sorted", j)
            seen = self.step.neighbor(p, me, columns, columns.identity, way).having({"visible": shown})
            return self.step.merge(before, self.step.contribute(p, me, seen), True, mask)

        if self._everyone:
            return said(visible, visible)
        always = Value(self.target, CONDITION, self.target.constant(CONDITION, True))
        found = self.target.under(visible, leaves(before), lambda _: leaves(said(True, always)))
        together: Contributions = rebuilt(before, found)
        return together

    def _reach_of_nearest(self, me: Record, cosine: Number, reach: Number) -> Number:
        """The squared distance of the last neighbour that counts where only the nearest do."""
        self.target.write("Nearest nearest; nearest.count = 0;")

        def note(j: Value, way: Vec, _: list[Value]) -> list[Any]:
            visible = in_view(cosine, me.heading, way, distance_of(way))
            square = way.square.code
            with self.target.scope(f"if ({visible.code})"):
                self.target.write(f"note_nearest(&nearest, a.sizes.nearest, {square});")
            return []

        self._candidates(me, reach, [], note)
        full = self.target.value(CONDITION, "nearest.count == a.sizes.nearest")
        last = self.target.value(NUMBER, "nearest.squares[a.sizes.nearest - 1]", steady=False)
        return where(full, last * (1.0 + TIE), reach)

    def _candidates(self, me: Record, reach: Number, values: list[Value], visit: Visit) -> list[Value]:
        """Visit everybody else within a squared distance: values = visit(row, offset, values)."""
        parts = 2 if self.world.wraps else 1
        row = self._row_of(me)

        def run(number: Value, held: list[Value]) -> list[Any]:
            begin, end, shift = self._run(me, reach, row, number // parts - 1, number % parts == 1)
            here = me.position - shift

            def candidate(j: Value, inner: list[Value]) -> list[Any]:
                x, y, _, _ = self.target.load_quad("a.sorted.places", j, steady=True)
                way = Vec(x, y) - here
                near = (way.square <= reach) & (j != self.i)
                return self.target.under(near, inner, lambda innermost: visit(j, way, innermost))

            return self.target.loop(begin, end, 1, held, candidate)

        return self.target.loop(0, 3 * parts, 1, values, run, rolled=True)

    def _grid(self, name: str, kind: str = NUMBER) -> Value:
        return self.target.value(kind, f"a.index.grid->{name}")

    def _row_of(self, me: Record) -> Value:
        place = (me.position.y - self._grid("y0")) * self._grid("per_y")
        return self.target.value(INTEGER, f"between({place.code}, {self._grid('rows', INTEGER).code})")

    def _run(
        self, me: Record, reach: Number, row: Value, beside: Value, beyond: Condition
    ) -> tuple[Value, Value, Vec]:
        """The agents of one row of bins that the agent's circle touches, and by how much they are seen shifted.

        `beyond`: those on the other side of the seam of a wrapping world.
        """
        columns, rows = self._grid("columns", INTEGER), self._grid("rows", INTEGER)
        y, height = me.position.y, self._grid("row_height")
        there = row + beside
        edge = self._grid("y0") + height * to_number(there)
        gap = where(beside > 0, edge - y, where(beside < 0, y - (edge + height), 0.0))
        gap = maximum(gap, 0.0)
        # A hair wider than the circle: rounding must not lose a neighbour on its edge.
        half = sqrt(maximum(reach - gap * gap * 0.999, 0.0)) * 1.0001 + 1e-3
        first, last = (self._column(me.position.x + sign * half) for sign in (-1.0, 1.0))
        if self.world.wraps:
            return self._wrapped_run(there, first, last, beyond)
        is_row = (there >= 0) & (there < rows)
        # Outside a world without seams agents lie in the border bins, whatever their distance.
        first, last = (minimum(maximum(k, 0), columns - 1) for k in (first, last))
        begin, end = self._stretch(where(is_row, there, 0), first, last)
        zero = self.target.number(0.0)
        return begin, where(is_row, end, begin), Vec(zero, zero)

    def _column(self, x: Number) -> Value:
        column: Value = to_integer(floor((x - self._grid("x0")) * self._grid("per_x")))
        return column

    def _wrapped_run(
        self, there: Value, first: Value, last: Value, beyond: Condition
    ) -> tuple[Value, Value, Vec]:
        columns, rows = self._grid("columns", INTEGER), self._grid("rows", INTEGER)
        width, height = self.world.size
        shift_y = where(there < 0, -height, where(there >= rows, height, 0.0))
        there = where(there < 0, there + rows, where(there >= rows, there - rows, there))
        under, over = first < 0, last >= columns
        far_first = where(under, first + columns, 0)
        far_last = where(under, columns - 1, where(over, last - columns, -1))
        shift_x = where(beyond, where(under, -width, width), 0.0)
        first = where(beyond, far_first, maximum(first, 0))
        last = where(beyond, far_last, minimum(last, columns - 1))
        begin, end = self._stretch(there, first, last)
        return begin, end, Vec(shift_x, shift_y)

    def _stretch(self, row: Value, first: Value, last: Value) -> tuple[Value, Value]:
        """Where the agents of these bins of a row begin and end; last < first: nobody."""
        base = row * self._grid("columns", INTEGER)
        begin = self.target.load("a.index.start", base + minimum(first, last + 1), INTEGER, steady=True)
        end = self.target.load("a.index.start", base + last + 1, INTEGER, steady=True)
        return begin, end

    def store(self, me: Record, force: Vec, crowd: Value, name: Value) -> None:
        """Write the agent down as it is after the step."""
        target = self.target
        target.store_quad("a.flock.places", self.i, [*me.position, *me.velocity])
        for column, value in enumerate(self.step.carried(me)):
            target.store("a.flock.extras", extra_place(target, column, self.i), value)
        with target.scope("if (a.sizes.keep)"):
            for column, value in enumerate([*force, crowd]):
                target.store("a.flock.felt", extra_place(target, column, self.i), value)
        target.store("a.flock.ids", self.i, name, INTEGER)
        numbers = ", ".join(x.code for x in (*me.position, *me.velocity))
        target.write(f"note_trouble(a, {numbers});")


def distance_of(way: Vec) -> Number:
    """As `Step.neighbor` has it, word for word, so that it is computed once."""
    square = way.square
    return square * (1.0 / sqrt(square + SAME_PLACE))
