"""Which neighbours an agent sees where bodies are opaque, and what they contribute, on sixteen lanes.

1. List the neighbours within the radius that may be in view.
2. Compute which bins of the visual field each of them takes; those not in view take none.
3. Count the bins in which each is nearest, by bits where there are few, else by a buffer of the nearest thing in every
   bin. Neighbours with none are hidden, and dropped from the list.
4. The agent meets the rest.

Only minima and comparisons of the same numbers decide, so the result does not depend on the order of the list.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from llvmlite import ir

from murmura.compute.cpu.frame import Array
from murmura.compute.cpu.index.grid import Grid
from murmura.compute.cpu.index.rows import Index
from murmura.compute.cpu.perception.lanes import SUMS_PITCH, fold_lanes
from murmura.compute.cpu.perception.listing import Listing
from murmura.compute.cpu.perception.nearest import insert
from murmura.compute.cpu.perception.neighbor_list import MOST_BITS, NeighborList, Visit, store
from murmura.compute.step import initial_contributions, placed
from murmura.compute.step_data import Contributions, Parameters
from murmura.compute.trace.llvm_target import FLOAT, INT, LANES
from murmura.core.algebra import NUMBER, Value, look_up, minimum, to_integer, to_number, where
from murmura.core.merging import FAR, flatten, unflatten
from murmura.core.rule_arguments import Neighbor
from murmura.core.tracing.record import Lazy, Record
from murmura.core.vec import Vec
from murmura.core.world.perception import MOST_NEAREST, TIE, in_view
from murmura.core.world.visual_field import area_of_bin, bins_taken, border_table, ray_table, word_count
from murmura.rules.environment.terrain import sighted

FEW = 64
"""Maximum number of neighbours that are compared by bits."""
FEW_ROWS = 8
"""If rules read no more numbers of neighbours than this, dropping hidden ones costs more than meeting them."""
EYE_SUMS = 6
"""Numbers of an eye besides its words: covered bins, area and edges (two each), number of edges."""


def eye_rows(plan: Any) -> int:
    """How many numbers of its visual field an agent keeps from meeting to moving."""
    return EYE_SUMS + word_count(plan.bins) if plan.uses_eye else 0


def field_room(bins: int) -> int:
    """Entries of a visual field in memory: one before the first bin, and those that lanes may touch after the last."""
    return 1 + (bins + LANES - 1) // LANES * LANES + LANES


class Sight:
    """Emits perception with occlusion for one plan; `thread` is the number of the thread that runs it."""

    def __init__(self, agents: Any, index: Index, grid: Grid, thread: Value) -> None:
        self.agents, self.index, self.grid = agents, index, grid
        self.plan, self.target, self.step = agents.plan, agents.target, agents.step
        frame = agents.frame
        self.memory = NeighborList.of_thread(self.target, frame, thread, len(self.plan.carried))
        self.list = self.memory
        self.field = frame.field.offset(thread * field_room(self.plan.bins) + 1)
        self.closest = frame.closest.offset(thread * MOST_NEAREST)
        needs_field = self.plan.has_obstacles or self.plan.uses_eye
        self.compares_bits = not needs_field and self.plan.bins <= MOST_BITS
        self.listing = Listing(self.target, index, grid, self.memory, self.step.needs_unseen)
        self.starts, self.counts = self.listing.starts, self.listing.counts

    def perceive(self, begin: Value, count: Value, base: Value, sums: Array) -> None:
        """Agents from row `begin` on, in the row of bins at `base`, meet those they see; results go to columns from 0.

        Each phase runs for several agents before the next: one agent's arithmetic is a long dependency chain, and a
        list that has just been written is slow to read.
        """
        t = self.target
        done = t.cell(0)
        with t.while_loop(lambda: done.get() < count):
            first = done.get()
            together, used = self.listing.list(begin + first, count - first, base, self._view_of)
            self._take_bins(used)
            behind = t.cell(used + LANES)  # writing the end of the last list may write beyond it
            with t.for_loop(0, together) as g:
                self.list = self.memory.beginning_at(self.starts[g])
                self._find_seen(begin + first + g, g, behind, sums, first + g)
            with t.for_loop(0, together) as g:
                self.list = self.memory.beginning_at(self.starts[g])
                self._meet_seen(begin + first + g, self.counts[g], sums, first + g)
            done.set(first + together)
        self.memory.forget_unasked()

    def _view_of(self, i: Value) -> tuple[Parameters, Record, Any, Any]:
        """An agent's numbers, the agent, the minimum cosine in its view and its squared reach.

        As scalars, which are broadcast where they meet lanes: a root and a division for one agent cost a sixteenth.
        """
        columns = self.plan.known([column[i] for column in self.index.columns])
        p, me = self.step.sense(columns, self.index.table_ids[i])
        return p, me, self.step.view(p, me), p.perception.radius * p.perception.radius

    def _find_seen(self, i: Value, g: Value, behind: Any, sums: Array, k: Value) -> None:
        """Count the bins in which each neighbour is seen; if it pays, copy those not hidden to a new list."""
        t, many = self.target, self.counts[g]
        if self.compares_bits:
            few = many <= FEW
            t.when(few, lambda: self.list.count_by_bits(many), lambda: self.list.count_by_buffer(many))
        else:
            p, me, view, _ = self._view_of(i)
            self._look(many, p, me, view)
        if self.plan.uses_eye:
            self._note_eye(sums, k)
        if not self.step.needs_unseen:
            worth = LANES if self.agents.pair_rows > FEW_ROWS else 2 * LANES
            with t.if_then(many > worth):
                left = self.list.copy_seen(many, self.memory.beginning_at(behind.get()))
                self.starts[g], self.counts[g] = behind.get(), left
                behind.set(behind.get() + left)

    def _meet_seen(self, i: Value, many: Value, sums: Array, k: Value) -> None:
        """The agent meets the neighbours it sees; the result goes to column k."""
        p, me, _, reach = self._view_of(i)
        if self.plan.topological:
            reach = self.list.same(self._reach_of_nearest(many, reach))
        self.agents.fold(self._meet(many, p, me, reach), sums, k, one=True)

    # Neighbours

    def _columns(self, n: Value, there: Value) -> dict[str, Any]:
        """The columns of sixteen neighbours from n on; those besides the velocity only if a rule reads them."""
        here, index = self.list, self.index
        columns: dict[str, Any] = {"velocity": Vec(*(here.at(column, n) for column in here.moving[2:]))}
        for k, name in enumerate(self.plan.carried):
            columns[name] = Lazy(partial(here.column, k, index.columns[4 + k], n, there))
        if self.plan.species_count > 1:
            columns["species"] = columns["species"].make()  # needed before any rule runs
        columns["position"] = Lazy(
            lambda: Vec(*(column[here.row_of(n, there)] for column in index.columns[:2]))
        )
        columns["id"] = Lazy(lambda: to_number(index.table_ids[here.row_of(n, there)]))
        return columns

    def _way(self, n: Value) -> Vec:
        """The offsets of sixteen neighbours from n on."""
        return Vec(*(self.list.at(column, n) for column in self.list.moving[:2]))

    # Bins

    def _take_bins(self, many: Value) -> None:
        """Store for each neighbour of all lists which bins it takes, and its squared and inverse distance."""
        t, plan = self.target, self.plan
        self.list = here = self.memory
        with t.for_loop(0, many, LANES) as n:
            there, seen = here.lanes(n) < here.same(many), Record(Neighbor, placed(self._way(n)))
            *ahead, view = (here.at(column, n) for column in here.eyes)
            heading, half_width = Vec(*ahead), self.step.half_width(self._columns(n, there))
            visible = there & in_view(view, heading, seen.offset, seen.distance)  # listed: within reach
            taken = bins_taken(plan.bins, heading, seen, half_width)
            first, count = (to_integer(where(visible, x, 0.0)) for x in taken)
            if not (self.compares_bits and plan.bins == MOST_BITS):
                first = where(first < 0, first + plan.bins, first)
            if self.compares_bits:
                here.take_bits(n, plan.bins, first, count)
            else:
                store(t, here.first, n, first.code)
                store(t, here.count, n, count.code)
            store(t, here.squares, n, seen.square.code)
            store(t, here.inverses, n, seen.inverse.code)

    def _look(self, many: Value, p: Parameters, me: Record, view: Any) -> None:
        """Fill the visual field with what is nearest, and count the bins in which each neighbour is seen."""
        t, plan, same = self.target, self.plan, self.list.same
        far = t.spread(t.constant(NUMBER, FAR))
        with t.for_loop(0, field_room(plan.bins) - LANES, LANES) as k:
            store(t, self.field, k, far)
        if plan.has_obstacles:
            self._look_at_obstacles(p, me, view)
        with t.for_loop(0, many) as n:
            square = same(self.list.squares[n])

            def cover(place: Value, here: Value, square: Value = square) -> None:
                before = self.list.at(self.field, place)
                store(t, self.field, place, where(here & (square < before), square, before).code)

            self._each_bin(n, cover)
        with t.for_loop(0, many) as n:
            square = same(self.list.squares[n])
            seen = t.cell(0)

            def count(place: Value, here: Value, square: Value = square, seen: Any = seen) -> None:
                free = here & (square <= self.list.at(self.field, place))
                seen.set(seen.get() + self.list.counted(free))

            self._each_bin(n, count)
            self.list.shown[n] = to_number(seen.get())

    def _each_bin(self, n: Value, visit: Visit) -> None:
        """Visit the bins that a body takes, sixteen at a time."""
        t, bins = self.target, self.plan.bins
        place, left = t.cell(self.list.first[n]), t.cell(self.list.count[n])
        with t.while_loop(lambda: left.get() > 0):
            at = place.get()
            here = minimum(minimum(left.get(), LANES), bins - at)  # the field wraps after the last bin
            visit(at, self.list.lanes(0) < self.list.same(here))
            left.set(left.get() - here)
            place.set(where(at + here >= bins, 0, at + here))

    def _look_at_obstacles(self, p: Parameters, me: Record, view: Any) -> None:
        """Store the nearest obstacle on the ray through the middle of every bin that is in view."""
        t, plan, frame = self.target, self.plan, self.agents.frame
        width = len(plan.shape_layout)
        cosines, sines = self._tables(ray_table(plan.bins))
        with t.for_loop(0, frame.obstacle_count) as row:
            numbers = [self.list.same(frame.shapes[row * width + k]) for k in range(width)]
            shape = Record("shape", plan.shape_layout.collect(numbers))
            with t.for_loop(0, plan.bins, LANES) as k:
                bins = self.list.lanes(k)
                cosine, sine = look_up(cosines, bins), look_up(sines, bins)
                ray = me.heading * cosine + me.heading.left * sine
                distance = sighted(self.step.world, shape, me.position, ray)
                stops = (distance <= p.perception.radius) & (cosine >= view) & (bins < plan.bins)
                before, square = self.list.at(self.field, k), distance * distance
                store(t, self.field, k, where(stops & (square < before), square, before).code)

    def _tables(self, rows: Any) -> list[Any]:
        """Tables with a number for each bin, padded to whole registers."""
        room = -(-self.plan.bins // LANES) * LANES
        return [np.pad(row.astype(np.float32), (0, room - len(row))) for row in rows]

    def _note_eye(self, sums: Array, column: Value) -> None:
        """Write what covers the visual field into the rows after the contributions."""
        t, bins = self.target, self.plan.bins
        rays, borders = self._tables(ray_table(bins)), self._tables(border_table(bins))
        row = self.agents.pair_rows
        words = sums.offset(column + (row + EYE_SUMS) * SUMS_PITCH)
        self.field[-1] = self.field[bins - 1]

        def add(k: Value, held: list[Value]) -> list[Any]:
            places = self.list.lanes(k)
            inside = places < bins
            covered = inside & (self.list.at(self.field, k) < FAR)
            edge = covered ^ (inside & (self.list.at(self.field, k - 1) < FAR))
            bits = t.builder.bitcast(covered.code, ir.IntType(LANES))
            words[(k // LANES) * SUMS_PITCH] = Value(t, NUMBER, t.builder.uitofp(bits, FLOAT))
            terms = [where(covered, look_up(table, places), 0.0) for table in rays]
            terms += [where(edge, look_up(table, places), 0.0) for table in borders]
            terms = [where(covered, 1.0, 0.0), *terms, where(edge, 1.0, 0.0)]
            return [a + b for a, b in zip(held, terms, strict=True)]

        held = t.loop(0, bins, LANES, [t.number(0.0)] * EYE_SUMS, add)
        scales = (1.0 / bins, area_of_bin(bins), area_of_bin(bins), 1.0, 1.0, 1.0)
        rows = [(row + n, x * scale) for n, (x, scale) in enumerate(zip(held, scales, strict=True))]
        fold_lanes(t, sums, SUMS_PITCH, column, rows, "sum")

    # Visible neighbours

    def _reach_of_nearest(self, many: Value, reach: Value) -> Value:
        """Squared distance to the k-th nearest visible neighbour, widened by rounding, so that ties count."""
        t, nearest = self.target, self.agents.frame.nearest
        found = t.cell(0)
        with t.for_loop(0, many) as n:
            square, known = self.list.squares[n], found.get()
            worst = self.closest[where(known > 0, known - 1, 0)]
            wanted = (known < nearest) | (square < worst)
            with t.if_then((self.list.shown[n] > 0.0) & wanted):
                insert(t, self.closest, square, where(known < nearest, known, known - 1))
                found.set(minimum(known + 1, nearest))
        furthest = self.closest[nearest - 1] * (1.0 + TIE)
        everyone = Value(t, NUMBER, t.builder.extract_element(t.spread(reach.code), INT(0)))
        limited: Value = where(found.get() == nearest, furthest, everyone)
        return limited

    def _meet(self, many: Value, p: Parameters, me: Record, reach: Any) -> Contributions:
        """What the listed neighbours contribute to every rule, lane by lane."""
        t, step = self.target, self.step
        start = initial_contributions(t, self.agents.kept)

        def meet(n: Value, held: list[Value]) -> list[Any]:
            there = self.list.lanes(n) < self.list.same(many)
            columns = self._columns(n, there)
            inverse, shown = (self.list.at(column, n) for column in (self.list.inverses, self.list.shown))
            seen = step.neighbor(p, me, columns, columns["id"], self._way(n), inverse)
            near = there & (seen.square <= reach) if self.plan.topological else there
            visible = near & (shown > 0.0)
            near = near if step.needs_unseen else visible
            contributions = step.contribute(p, me, seen.updated({"visible": visible, "bins": shown}))
            return flatten(step.merge(unflatten(start, list(held)), contributions, near, visible))

        found: Contributions = unflatten(start, t.loop(0, many, LANES, flatten(start), meet))
        return found
