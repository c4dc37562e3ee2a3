"""Whom an agent sees where bodies are opaque, and what those say: one agent at a time, its neighbours on sixteen lanes.

1. List the neighbours within the radius that may be in view.
2. Work out which bins of the visual field each of them takes; who is not in view takes none.
3. Keep for every bin the squared distance of the nearest thing in it, obstacles first.
4. Count the bins in which each neighbour is nearest; who has none is hidden, and leaves the list.
5. The agent meets those who are left.

Only minima and comparisons of the same numbers decide, so the result does not depend on the order of the list.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir

from murmura.compute.cpu.frame import Array
from murmura.compute.cpu.grid import ACROSS, Grid
from murmura.compute.cpu.index import Index
from murmura.compute.cpu.lanes import SUMS_PITCH, fold_lanes
from murmura.compute.cpu.nearest import MOST_NEAREST, insert
from murmura.compute.step import Contributions, initial_contributions
from murmura.compute.trace.llvm_target import FLOAT, INT, LANES, LlvmTarget, lanes_of
from murmura.core.algebra import INTEGER, NUMBER, Value, look_up, minimum, to_integer, to_number, where
from murmura.core.merging import FAR, flatten, unflatten
from murmura.core.perception import TIE, faces, in_view
from murmura.core.tracing.record import Record
from murmura.core.vec import Vec
from murmura.core.visual_field import area_of_bin, bins_taken, border_table, ray_table, word_count
from murmura.rules.environment.terrain import sighted

COARSE = 1e-4
"""By how much the cosine of the view is widened where the list is made: the exact test needs a root."""
EYE_SUMS = 6
"""Numbers of an eye beside its words: covered bins, area and edges (two each), edges counted."""


def eye_rows(plan: Any) -> int:
    """Numbers of its visual field that an agent carries from meeting to moving."""
    return EYE_SUMS + word_count(plan.bins) if plan.uses_eye else 0


def field_room(bins: int) -> int:
    """Entries of a visual field in memory: one before the first bin, and what lanes may touch behind the last."""
    return 1 + (bins + LANES - 1) // LANES * LANES + LANES


class Sight:
    """Writes perceiving with occlusion for one plan; `thread` is the number of the thread that runs it."""

    def __init__(self, agents: Any, index: Index, grid: Grid, thread: Value) -> None:
        self.agents, self.index, self.grid = agents, index, grid
        self.plan, self.target, self.step = agents.plan, agents.target, agents.step
        frame = agents.frame
        self.listed, self.first, self.count = (frame.listed.row(thread * 3 + k) for k in range(3))
        self.squares, self.shown = (frame.sighted.row(thread * 2 + k) for k in range(2))
        self.field = frame.field.offset(thread * field_room(self.plan.bins) + 1)
        self.closest = frame.closest.offset(thread * MOST_NEAREST)

    def perceive(self, i: Value, base: Value, sums: Array, k: Value) -> None:
        """Agent i, whose bin is `base`, meets whom it sees; the result goes to column k."""
        plan = self.plan
        columns = plan.known([self._same(column[i]) for column in self.index.columns])
        p, me = self.step.sense(columns, self._same(self.index.table_ids[i]))
        view, reach = self.step.view(p, me), p[1].radius * p[1].radius
        many = self._list(i, base, me, view, reach)
        self._take_bins(i, many, p, me, view, reach)
        self._look(many, p, me, view)
        if plan.uses_eye:
            self._note_eye(sums, k)
        if not self.step.needs_unseen:
            many = self._keep_seen(many)
        if plan.topological:
            reach = self._same(self._reach_of_nearest(many, reach))
        self.agents.fold(self._meet(i, many, p, me, reach), sums, k, one=True)

    def _same(self, value: Value) -> Value:
        """A scalar on all lanes."""
        return Value(self.target, value.kind, self.target.spread(value.code))

    def _lanes(self, n: Any) -> Value:
        """The numbers from n on."""
        return self.target.numbered(range(LANES)) + n

    # The list

    def _list(self, i: Value, base: Value, me: Record, view: Any, reach: Any) -> Value:
        """List the rows of neighbours within reach; how many they are."""
        t, index = self.target, self.index
        found = t.cell(0)
        for beside in (-1, 0, 1):
            first = base + self.grid.pitch * beside
            end = index.start[first + (2 * ACROSS + 1)]
            with t.for_loop(index.start[first], end, LANES) as j:
                places = (Value(t, NUMBER, column.load(j, LANES)) for column in index.columns[:2])
                way = Vec(*places) - me.position
                rows = self._lanes(j)
                near = (way.square <= reach) & (rows < self._same(end)) & (rows != self._same(i))
                if not self.step.needs_unseen:
                    near = near & faces(view - COARSE, me.heading, way, way.square)
                found.set(found.get() + self._append(self.listed, found.get(), rows, near))
        return found.get()

    def _append(self, to: Array, place: Value, rows: Value, mask: Value) -> Value:
        """Put those rows that the mask lets through next to each other; how many they are."""
        t = self.target
        if t.wide:
            kind = lanes_of(INT)
            code = t.call(
                "llvm.x86.avx512.mask.compress.v16i32", kind, [rows.code, ir.Constant(kind, None), mask.code]
            )
            store(t, to, place, code)
            return self._counted(mask)
        many = t.cell(place)
        for lane in range(LANES):
            here = many.get()
            to[here] = Value(t, INTEGER, t.builder.extract_element(rows.code, INT(lane)))
            bit = t.builder.extract_element(mask.code, INT(lane))
            many.set(here + Value(t, INTEGER, t.builder.zext(bit, INT)))
        return many.get() - place

    def _counted(self, mask: Value) -> Value:
        """On how many lanes a condition holds."""
        t, bits = self.target, ir.IntType(LANES)
        packed = t.builder.bitcast(mask.code, bits)
        return Value(t, INTEGER, t.builder.zext(t.call("llvm.ctpop.i16", bits, [packed]), INT))

    def _neighbors(self, i: Value, n: Value, many: Value, p: list[Record], me: Record) -> tuple[Any, ...]:
        """Sixteen of the list from n on as the agent sees them: their rows, who is there, and their columns."""
        t = self.target
        there = self._lanes(n) < self._same(many)
        rows = where(there, Value(t, INTEGER, self.listed.load(n, LANES)), self._same(i))
        columns, ids = self.agents.flock.at(rows)
        way = columns["position"] - me.position
        seen = self.step.neighbor(p, me, columns, to_number(ids), way)
        return rows, there, columns, seen

    # Bins

    def _take_bins(self, i: Value, many: Value, p: list[Record], me: Record, view: Any, reach: Any) -> None:
        """Note for each of the list which bins it takes, and its squared distance."""
        t, plan = self.target, self.plan
        with t.for_loop(0, many, LANES) as n:
            _, there, columns, seen = self._neighbors(i, n, many, p, me)
            visible = there & (seen.square <= reach) & in_view(view, me.heading, seen.offset, seen.distance)
            half = self.step.half_width(columns)
            first, count = bins_taken(plan.bins, me.heading, seen.offset, seen.distance, half)
            store(t, self.first, n, to_integer(first).code)
            store(t, self.count, n, to_integer(where(visible, count, 0.0)).code)
            store(t, self.squares, n, seen.square.code)

    def _look(self, many: Value, p: list[Record], me: Record, view: Any) -> None:
        """Fill the visual field with what is nearest, and count the bins in which each of the list is seen."""
        t, plan = self.target, self.plan
        far = t.spread(t.constant(NUMBER, FAR))
        for k in range(0, field_room(plan.bins) - LANES, LANES):
            store(t, self.field, k, far)
        if plan.has_obstacles:
            self._look_at_obstacles(p, me, view)
        with t.for_loop(0, many) as n:
            square = self._same(self.squares[n])

            def cover(place: Value, here: Value, square: Value = square) -> None:
                before = Value(t, NUMBER, self.field.load(place, LANES))
                store(t, self.field, place, where(here & (square < before), square, before).code)

            self._each_bin(n, cover)
        with t.for_loop(0, many) as n:
            square = self._same(self.squares[n])
            seen = t.cell(0)

            def count(place: Value, here: Value, square: Value = square, seen: Any = seen) -> None:
                free = here & (square <= Value(t, NUMBER, self.field.load(place, LANES)))
                seen.set(seen.get() + self._counted(free))

            self._each_bin(n, count)
            self.shown[n] = to_number(seen.get())

    def _each_bin(self, n: Value, visit: Any) -> None:
        """Visit the bins that somebody takes, sixteen at a time: visit(first of them, which lanes are its)."""
        t, bins = self.target, self.plan.bins
        place, left = t.cell(self.first[n]), t.cell(self.count[n])
        with t.while_loop(lambda: left.get() > 0):
            at = place.get()
            here = minimum(minimum(left.get(), LANES), bins - at)  # the field begins anew behind the last bin
            visit(at, self._lanes(0) < self._same(here))
            left.set(left.get() - here)
            place.set(where(at + here >= bins, 0, at + here))

    def _look_at_obstacles(self, p: list[Record], me: Record, view: Any) -> None:
        """Note the nearest obstacle on the ray through the middle of every bin that is in view."""
        t, plan, frame = self.target, self.plan, self.agents.frame
        width = len(plan.shape_layout)
        cosines, sines = self._tables(ray_table(plan.bins))
        with t.for_loop(0, frame.obstacle_count) as row:
            numbers = [self._same(frame.shapes[row * width + k]) for k in range(width)]
            shape = Record("shape", plan.shape_layout.collect(numbers))
            with t.for_loop(0, plan.bins, LANES) as k:
                bins = self._lanes(k)
                cosine, sine = look_up(cosines, bins), look_up(sines, bins)
                ray = me.heading * cosine + me.heading.left * sine
                distance = sighted(self.step.world, shape, me.position, ray)
                stops = (distance <= p[1].radius) & (cosine >= view) & (bins < plan.bins)
                before = Value(t, NUMBER, self.field.load(k, LANES))
                square = distance * distance
                store(t, self.field, k, where(stops & (square < before), square, before).code)

    def _tables(self, rows: Any) -> list[Any]:
        """Tables of a number for each bin, filled up to whole lanes."""
        room = -(-self.plan.bins // LANES) * LANES
        return [np.pad(row.astype(np.float32), (0, room - len(row))) for row in rows]

    def _note_eye(self, sums: Array, column: Value) -> None:
        """Write what covers the visual field into the rows behind the contributions."""
        t, bins = self.target, self.plan.bins
        rays, borders = self._tables(ray_table(bins)), self._tables(border_table(bins))
        row = self.agents.pair_rows
        words = sums.offset(column + (row + EYE_SUMS) * SUMS_PITCH)
        self.field[-1] = self.field[bins - 1]
        zero = t.number(0.0)

        def add(k: Value, held: list[Value]) -> list[Any]:
            places = self._lanes(k)
            inside = places < bins
            covered = inside & (Value(t, NUMBER, self.field.load(k, LANES)) < FAR)
            before = inside & (Value(t, NUMBER, self.field.load(k - 1, LANES)) < FAR)
            edge = covered ^ before
            bits = t.builder.bitcast(covered.code, ir.IntType(LANES))
            word = Value(t, NUMBER, t.builder.uitofp(bits, FLOAT))
            words[(k // LANES) * SUMS_PITCH] = word
            terms = [where(covered, look_up(table, places), 0.0) for table in rays]
            terms += [where(edge, look_up(table, places), 0.0) for table in borders]
            terms = [where(covered, 1.0, 0.0), *terms, where(edge, 1.0, 0.0)]
            return [a + b for a, b in zip(held, terms, strict=True)]

        held = t.loop(0, bins, LANES, [zero] * EYE_SUMS, add)
        scales = (1.0 / bins, area_of_bin(bins), area_of_bin(bins), 1.0, 1.0, 1.0)
        rows = [(row + n, x * scale) for n, (x, scale) in enumerate(zip(held, scales, strict=True))]
        fold_lanes(t, sums, SUMS_PITCH, column, rows, "sum")

    # Those who are seen

    def _keep_seen(self, many: Value) -> Value:
        """Take those who are hidden off the list; how many are left."""
        t = self.target
        kept = t.cell(0)
        with t.for_loop(0, many) as n:
            to, shown = kept.get(), self.shown[n]
            self.listed[to], self.shown[to], self.squares[to] = self.listed[n], shown, self.squares[n]
            kept.set(to + where(shown > 0.0, 1, 0))
        return kept.get()

    def _reach_of_nearest(self, many: Value, reach: Value) -> Value:
        """Squared distance to the k-th nearest of those who are seen, widened by the rounding: ties count."""
        t, nearest = self.target, self.agents.frame.nearest
        found = t.cell(0)
        with t.for_loop(0, many) as n:
            square, known = self.squares[n], found.get()
            worst = self.closest[where(known > 0, known - 1, 0)]
            wanted = (known < nearest) | (square < worst)
            with t.if_then((self.shown[n] > 0.0) & wanted):
                insert(t, self.closest, square, where(known < nearest, known, known - 1))
                found.set(minimum(known + 1, nearest))
        furthest = self.closest[nearest - 1] * (1.0 + TIE)
        everyone = Value(t, NUMBER, t.builder.extract_element(t.spread(reach.code), INT(0)))
        limited: Value = where(found.get() == nearest, furthest, everyone)
        return limited

    def _meet(self, i: Value, many: Value, p: list[Record], me: Record, reach: Any) -> Contributions:
        """What those of the list say to every rule, lane by lane."""
        t, step = self.target, self.step
        start = initial_contributions(t, self.agents.kept)

        def meet(n: Value, held: list[Value]) -> list[Any]:
            _, there, _, seen = self._neighbors(i, n, many, p, me)
            shown = Value(t, NUMBER, self.shown.load(n, LANES))
            near = there & (seen.square <= reach) if self.plan.topological else there
            visible = near & (shown > 0.0) if step.needs_unseen else near
            said = step.contribute(p, me, seen.updated({"visible": visible, "bins": shown}))
            return flatten(step.merge(unflatten(start, list(held)), said, near, visible))

        heard: Contributions = unflatten(start, t.loop(0, many, LANES, flatten(start), meet))
        return heard


def store(t: LlvmTarget, to: Array, place: Any, lanes: Any) -> None:
    """Write sixteen lanes next to each other."""
    pointer = t.builder.bitcast(to.at(place), lanes.type.as_pointer())
    t.builder.store(lanes, pointer, align=4)
