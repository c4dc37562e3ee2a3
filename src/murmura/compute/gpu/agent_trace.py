"""The step of one agent on a GPU thread: scan the bins around it, decide, move and report.

Candidates are in three rows of bins (nine in space). Each row is one run, or two where it crosses the seam of a
wrapping world.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from murmura.compute.gpu.memory import AgentColumns, DeviceMemory, extra_place, world_record
from murmura.compute.gpu.sight import EYE_SUMS, FIELD, EyeOfThread, ThreadSight
from murmura.compute.gpu.target import GpuTarget
from murmura.compute.plan import Plan
from murmura.compute.shapes import Shapes
from murmura.compute.step import Step, initial_contributions
from murmura.compute.step_data import SAME_PLACE, Contributions, Parameters
from murmura.core.algebra import (
    INTEGER,
    NUMBER,
    Condition,
    Number,
    Value,
    code_of,
    floor,
    maximum,
    minimum,
    sqrt,
    to_integer,
    to_number,
    where,
)
from murmura.core.layout import AXES
from murmura.core.merging import flatten, unflatten
from murmura.core.tracing.record import Record
from murmura.core.vec import Vec
from murmura.core.world.perception import TIE, in_view
from murmura.core.world.visual_field import Eye

Visit = Callable[[Value, Vec, list[Value]], list[Any]]
Meet = Callable[[Value, Vec, Condition, list[Value]], list[Any]]
Run = Callable[[Value, Value, Vec, list[Value]], list[Any]]


class AgentTrace:
    """The trace of one agent's step, for agent `i` of the sorted flock."""

    branches = True
    """Whether a branch skips candidates out of reach; otherwise what they contribute is masked."""

    def __init__(self, plan: Plan, shapes: Shapes, target: GpuTarget, branches: bool = True) -> None:
        self.plan, self.shapes, self.target = plan, shapes, target
        self.branches = branches
        self.world = world_record(plan, target)
        self.memory = DeviceMemory(plan, target, self.world)
        self.step = Step(plan, target, self.memory, self.world)
        self.i = Value(target, INTEGER, "i")
        self._everyone = self.step.needs_unseen
        self._sight = ThreadSight(self)
        self.eye: Eye | None = None
        """What the agent sees covered, after `contributions`, where a rule reads it."""

    def agent(self) -> AgentColumns:
        return AgentColumns(self.plan, self.target, "sorted", self.i)

    def contributions(self) -> Contributions:
        """What the agent's neighbours contribute."""
        shape = initial_contributions(self.target, self.shapes.pairs)
        if self.plan.occludes:
            self.target.local_array(FIELD, NUMBER, self.plan.bins)
        sums = [self.target.number(0.0)] * (EYE_SUMS if self.plan.uses_eye else 0)
        start = flatten(shape)
        # The scan has its own scope, and decisions load their values after it, which saves registers.
        values = self.target.block([*start, *sums], lambda held: self._meetings(shape, held[: len(start)]))
        if sums:
            self.eye = EyeOfThread(self.target, self.plan.bins, values[len(start) :])
        found: Contributions = unflatten(shape, values[: len(start)])
        return found

    def _meetings(self, shape: Contributions, values: list[Value]) -> list[Any]:
        columns = self.agent()
        p, me = self.step.sense(columns, columns.identity)
        cosine = self.step.view(p, me)
        reach = p.perception.radius * p.perception.radius
        if self.plan.occludes:
            self._sight.look(p, me, cosine, reach)
        eye = self._sight.eye() if self.plan.uses_eye else []
        if self.plan.topological:
            reach = self._reach_of_nearest(me, cosine, reach)

        def meet(j: Value, way: Vec, held: list[Value]) -> list[Any]:
            before: Contributions = unflatten(shape, [*held])
            return flatten(self._met(p, me, cosine, reach, j, way, before))

        farthest = self.step.farthest(p, reach)
        if self.branches:
            found = self.candidates(me, farthest, values, meet)
        else:
            found = self._runs(me, farthest, values, self._without_branches(p, me, cosine, reach, shape))
        return [*found, *eye]

    def _without_branches(
        self, p: Parameters, me: Record, cosine: Number, reach: Number, shape: Contributions
    ) -> Run:
        """Visit a run of candidates without branches, then once more for rules with a filter if some candidate passes
        it: in most runs none does, and loading their columns would cost more than all the rest."""
        filtered = self.step.filtered
        others = [k for k in range(len(self.step.rules)) if k not in filtered]
        farthest = self.step.farthest(p, reach)

        def merged(
            j: Value, way: Vec, near: Condition, held: list[Value], skipped: list[int], counts: bool
        ) -> list[Any]:
            visible = self._visible(me, cosine, j, way)[0]
            far = self.step.far(p, way.square, near, visible)
            near = near & (way.square <= reach) if far else near
            seen = self._seen(p, me, j, way, {"visible": near & visible if far else visible})
            new = self.step.contribute(p, me, seen, skipped, counts)
            return flatten(self.step.merge(unflatten(shape, [*held]), new, near, near & visible, far))

        def meet(j: Value, way: Vec, near: Condition, held: list[Value]) -> list[Any]:
            return merged(j, way, near, held, filtered, counts=True)

        def meet_again(j: Value, way: Vec, near: Condition, held: list[Value]) -> list[Any]:
            yes = self.target.condition(True)
            return self.target.branch(
                near, held, lambda inner: merged(j, way, yes, inner, others, counts=False)
            )

        def visit(begin: Value, end: Value, here: Vec, held: list[Value]) -> list[Any]:
            found = self._each(begin, end, here, farthest, held, meet)
            if not filtered:
                return found
            some = self.target.any_marked(begin, end)
            return self.target.branch(
                some, found, lambda inner: self._each(begin, end, here, farthest, inner, meet_again)
            )

        return visit

    def _seen(self, p: Parameters, me: Record, j: Value, way: Vec, known: dict[str, Any]) -> Record:
        """A neighbour as the agent's rules see it."""
        columns = AgentColumns(self.plan, self.target, "sorted", j)
        return self.step.neighbor(p, me, columns, columns.identity, way).updated(known)

    def _visible(self, me: Record, cosine: Number, j: Value, way: Vec) -> tuple[Condition, dict[str, Any]]:
        """Whether the agent sees a candidate within reach, and what its rules learn from that."""
        if not self.plan.occludes:
            return in_view(cosine, me.heading, way, distance_of(way)), {}
        bins = self._sight.shown(me, cosine, j, way)
        return bins > 0.0, {"bins": bins}

    def _met(
        self,
        p: Parameters,
        me: Record,
        cosine: Number,
        reach: Number,
        j: Value,
        way: Vec,
        before: Contributions,
    ) -> Contributions:
        """The contributions so far, merged with those of a candidate that some rule looks at."""
        visible, known = self._visible(me, cosine, j, way)
        far = self.step.far(p, way.square, True, visible)
        near: Condition = way.square <= reach if far else True

        def merged(mask: Condition, shown: Condition) -> Contributions:
            seen = self._seen(p, me, j, way, {"visible": shown, **known})
            return self.step.merge(before, self.step.contribute(p, me, seen), near, mask, far)

        if far:
            return merged(near & visible, near & visible)
        if self._everyone:
            return merged(visible, visible)
        found = self.target.branch(
            visible, flatten(before), lambda _: flatten(merged(True, self.target.condition(True)))
        )
        together: Contributions = unflatten(before, found)
        return together

    def _reach_of_nearest(self, me: Record, cosine: Number, reach: Number) -> Number:
        """The squared distance of the k-th nearest visible neighbour."""
        self.target.declare_nearest()

        def note(j: Value, way: Vec, _: list[Value]) -> list[Any]:
            visible = self._visible(me, cosine, j, way)[0]
            square = way.square
            with self.target.scope(f"if ({visible.code})"):
                self.target.note_nearest(square)
            return []

        self.candidates(me, reach, [], note)
        full, last = self.target.last_of_nearest()
        return where(full, last * (1.0 + TIE), reach)

    def candidates(self, me: Record, reach: Number, values: list[Value], visit: Visit) -> list[Value]:
        """Visit all other agents within a squared distance: values = visit(row, offset, values)."""

        def meet(j: Value, way: Vec, near: Condition, held: list[Value]) -> list[Any]:
            return self.target.branch(near, held, lambda inner: visit(j, way, inner))

        return self._runs(
            me, reach, values, lambda begin, end, here, held: self._each(begin, end, here, reach, held, meet)
        )

    def _each(
        self, begin: Value, end: Value, here: Vec, reach: Number, values: list[Value], visit: Meet
    ) -> list[Value]:
        """Visit the agents of a run: values = visit(row, offset, whether it is near, values)."""

        def candidate(j: Value, held: list[Value]) -> list[Any]:
            numbers = self.target.load_quad("sorted.places", j, steady=True)
            way = Vec(*numbers[: self.plan.dimension]) - here
            return visit(j, way, (way.square <= reach) & (j != self.i), held)

        return self.target.loop(begin, end, 1, values, candidate)

    def _runs(self, me: Record, reach: Number, values: list[Value], visit: Run) -> list[Value]:
        """Visit the runs of candidates around: values = visit(begin, end, place seen from there, values)."""
        rows = self._rows_of(me)

        def meet(begin: Value, end: Value, shift: Vec, held: list[Value]) -> list[Any]:
            return visit(begin, end, me.position - shift, held)

        def row(number: Value, held: list[Value]) -> list[Any]:
            sides = [number - 1] if len(rows) == 1 else [number % 3 - 1, number // 3 - 1]
            line, first, last, is_near, shifts = self._row(me, reach, rows, sides)
            if not self.world.wraps:
                begin, end = self._stretch(line, first, last)
                return meet(begin, where(is_near, end, begin), Vec(self.target.number(0.0), *shifts), held)
            crosses = (first < 0) | (last >= self._grid("columns", INTEGER))
            parts = where(is_near, where(crosses, 2, 1), 0)

            def part(k: Value, inner: list[Value]) -> list[Any]:
                here, there, shift = self._across_seam(first, last, k == 1)
                return meet(*self._stretch(line, here, there), Vec(shift, *shifts), inner)

            return self.target.loop(0, parts, 1, held, part, rolled=True)

        return self.target.loop(0, 3 ** len(rows), 1, values, row, rolled=True)

    def _grid(self, name: str, kind: str = NUMBER) -> Value:
        return self.target.field("grid", name, kind)

    def _rows_of(self, me: Record) -> list[Value]:
        """The agent's row and, in space, its layer."""
        found = []
        for axis, count in zip(AXES[1 : self.plan.dimension], ("rows", "layers"), strict=False):
            place = (getattr(me.position, axis) - self._grid(f"{axis}0")) * self._grid(f"per_{axis}")
            found.append(self.target.between(place, self._grid(count, INTEGER)))
        return found

    def _row(
        self, me: Record, reach: Number, rows: list[Value], sides: list[Value]
    ) -> tuple[Value, Value, Value, Condition, list[Any]]:
        """One of the rows around the agent: its number, the first and the last bin within the agent's circle, whether
        it exists and is within reach, and its shift along the other axes.

        In a wrapping world the bins may lie beyond the seam.
        """
        there, gaps = [row + beside for row, beside in zip(rows, sides, strict=True)], []
        heights = ("row_height", "layer_height")
        for axis, name, row, beside in zip(AXES[1:], heights, there, sides, strict=False):
            x, height = getattr(me.position, axis), self._grid(name)
            edge = self._grid(f"{axis}0") + height * to_number(row)
            gap = where(beside > 0, edge - x, where(beside < 0, x - (edge + height), 0.0))
            gaps.append(maximum(gap, 0.0))
        square = Vec(*gaps).square * 0.999
        # Slightly wider than the circle, so that rounding cannot lose a neighbour on its edge.
        half = sqrt(maximum(reach - square, 0.0)) * 1.0001 + 1e-3
        first, last = (self._column(me.position.x + sign * half) for sign in (-1.0, 1.0))
        line, is_row, shifts = self._line(there)
        if not self.world.wraps:
            # Without a seam, agents outside of the grid are in the border bins, whatever their distance.
            columns = self._grid("columns", INTEGER)
            first, last = (minimum(maximum(k, 0), columns - 1) for k in (first, last))
        if len(rows) == 2:
            is_row = is_row & (square <= reach * 1.001)  # a corner may be out of reach altogether
        return line, first, last, is_row, shifts

    def _line(self, there: list[Value]) -> tuple[Value, Condition, list[Any]]:
        """The number of a row, whether it exists, and its shift along y and z."""
        numbers, shifts, exists = [], [], self.target.condition(True)
        sizes, edges = [*self.world.size][1:], self.world.edges[1:]
        for row, name, size, edge in zip(there, ("rows", "layers"), sizes, edges, strict=False):
            count = self._grid(name, INTEGER)
            if edge == "wrap":
                shifts.append(where(row < 0, -size, where(row >= count, size, 0.0)))
                numbers.append(where(row < 0, row + count, where(row >= count, row - count, row)))
            else:
                shifts.append(self.target.number(0.0))
                inside = (row >= 0) & (row < count)
                exists = exists & inside
                numbers.append(where(inside, row, 0))
        if len(numbers) == 1:
            return numbers[0], exists, shifts
        return numbers[1] * self._grid("rows", INTEGER) + numbers[0], exists, shifts

    def _column(self, x: Number) -> Value:
        column: Value = to_integer(floor((x - self._grid("x0")) * self._grid("per_x")))
        return column

    def _across_seam(self, first: Value, last: Value, beyond: Condition) -> tuple[Value, Value, Value]:
        """The bins of a run on one side of the seam of a wrapping world, and their shift."""
        columns, width = self._grid("columns", INTEGER), self.world.size.x
        under, over = first < 0, last >= columns
        far_first = where(under, first + columns, 0)
        far_last = where(under, columns - 1, where(over, last - columns, -1))
        shift = where(beyond, where(under, -width, width), 0.0)
        first = where(beyond, far_first, maximum(first, 0))
        last = where(beyond, far_last, minimum(last, columns - 1))
        return first, last, shift

    def _stretch(self, row: Value, first: Value, last: Value) -> tuple[Value, Value]:
        """The begin and end of the agents in these bins of a row; empty if last < first."""
        base = row * self._grid("columns", INTEGER)
        begin = self.target.load("index.start", base + minimum(first, last + 1), INTEGER, steady=True)
        end = self.target.load("index.start", base + last + 1, INTEGER, steady=True)
        return begin, end

    def store(self, me: Record, force: Vec, crowd: Value, name: Value) -> None:
        """Store the agent after the step."""
        target = self.target
        if self.plan.dimension == 2:
            target.store_quad("flock.places", self.i, [*me.position, *me.velocity])
        else:
            for array, vector in (("places", me.position), ("velocities", me.velocity)):
                target.store_quad(f"flock.{array}", self.i, [*vector, 0.0])
        for column, value in enumerate(self.step.carried(me)):
            target.store("flock.extras", extra_place(target, column, self.i), value)
        with target.scope(f"if ({target.writes_forces})"):
            for column, value in enumerate([*force, crowd]):
                target.store("flock.forces", extra_place(target, column, self.i), value)
        target.store("flock.ids", self.i, name, INTEGER)
        self.target.report_not_finite([code_of(target, x, NUMBER) for x in (*me.position, *me.velocity)])


def distance_of(way: Vec) -> Number:
    """The same expression as in `Step.neighbor`, so that the two share one binding."""
    square = way.square
    return square * (1.0 / sqrt(square + SAME_PLACE))
