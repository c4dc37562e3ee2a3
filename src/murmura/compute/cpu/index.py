"""How the CPU kernel finds candidates: the flock sorted by place, with ghosts at the edges of a wrapping world.

The world is cut into rows at least as high as anybody sees, and each row into bins a quarter as wide. State is
physically sorted by (row, bin, x), so an agent's candidates are three contiguous runs. On a wrapping world a
halo of ghost copies around the edges replaces every modulo; each row ends in far-away sentinels, so that the
tiles of four candidates may read past a run's end. The order within a bin is by place, not by id or history:
a step is a function of the state alone, whatever the number of threads and whoever has which id.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from murmura.compute.cpu.frame import TOO_SMALL, Array, FrameCode
from murmura.compute.cpu.threads import put
from murmura.compute.plan import Plan
from murmura.compute.trace.llvm_target import INT, LlvmTarget
from murmura.core.algebra import INTEGER, Value, maximum, minimum, to_integer, to_number, where

ACROSS = 4  # bins per perception radius
PAD = 4  # sentinels at the end of each row
FAR = 1e18  # beyond any place a run may reach, and its square is still a float32
BLOCK = 128  # agents per task
MARGIN = 64  # elements behind the last one that lanes may read
AT_ONCE = 10
"""Columns that may travel together when agents are sorted. Agents with more bring place and velocity, and the others
follow one by one: a hundred streams at once are more than the processor's tables of pages hold."""


@dataclass
class Grid:
    """Rows and bins: how many, where the first begins, bins and rows for each unit of length."""

    columns: Value
    rows: Value
    x0: Value
    y0: Value
    per_x: Value
    per_y: Value

    @property
    def pitch(self) -> Value:
        return self.columns + 2 * ACROSS


class Index:
    """Writes the phases of the index for one plan."""

    def __init__(self, plan: Plan, target: LlvmTarget, frame: FrameCode) -> None:
        self.target, self.frame = target, frame
        self.wraps = plan.scenario.world.boundary == "wrap"
        self.has_lifecycle = plan.has_lifecycle
        self.width = 4 + len(plan.carried)
        self.at_once = self.width if self.width <= AT_ONCE else 4
        self.table, self.table_ids, self.source = frame.table, frame.table_ids, frame.source
        self.columns = [self.table.row(k) for k in range(self.width)]
        self.start = frame.start

    # Bins

    def find_bounds(self, begin: Value, end: Value, found: Array) -> None:
        """The least and the greatest place of some agents."""
        t, state = self.target, self.frame.state
        for axis in range(2):
            places = state.row(axis)
            least, most = t.cell(3.0e38), t.cell(-3.0e38)
            with t.looping(begin, end) as i:
                least.set(minimum(least.get(), places[i]))
                most.set(maximum(most.get(), places[i]))
            found[axis], found[2 + axis] = least.get(), most.get()

    def bounded_grid(self) -> Grid:
        """The grid of a world with edges, which the host has worked out."""
        f, zero = self.frame, self.target.number(0.0)
        return Grid(f.columns, f.rows, zero, zero, f.number("per_x"), f.number("per_y"))

    def open_grid(self, bounds: Array, team: Value, count: Value) -> Grid:
        """The grid around the flock in a world without edges."""
        t = self.target
        cells = [t.cell(3.0e38), t.cell(3.0e38), t.cell(-3.0e38), t.cell(-3.0e38)]
        with t.looping(0, team) as k:
            for n, cell in enumerate(cells):
                better = minimum if n < 2 else maximum
                cell.set(better(cell.get(), bounds[k * 4 + n]))
        nobody = count == 0
        x0, y0 = (where(nobody, 0.0, cell.get()) for cell in cells[:2])
        width, height = (
            where(nobody, 1.0, end.get() - start.get())
            for start, end in zip(cells[:2], cells[2:], strict=True)
        )
        most, least = self.frame.most_bins, self.frame.number("reach") * 1.00001
        rows = _few(height / least, most // (8 * ACROSS) - 2)
        columns = _few(width * ACROSS / least, most // (rows + 2) - 2 * ACROSS - 1)
        per_x = where(width > 0.0, to_number(columns) / width, 0.0)
        per_y = where(height > 0.0, to_number(rows) / height, 0.0)
        return Grid(columns, rows, x0, y0, per_x, per_y)

    def column_of(self, x: Value, grid: Grid) -> Value:
        """The bin along a row in which a place is."""
        return minimum(maximum(to_integer((x - grid.x0) * grid.per_x), 0), grid.columns - 1)

    def count_bins(self, counts: Array, begin: Value, end: Value, grid: Grid) -> None:
        """Each agent's bin, and how many agents there are in each; the dead belong nowhere."""
        t, f, keys = self.target, self.frame, self.frame.keys
        x, y, ids = f.state.row(0), f.state.row(1), f.ids
        with t.looping(0, grid.pitch * (grid.rows + 2)) as c:
            counts[c] = 0
        with t.looping(begin, end) as i:  # without the counting, so that it vectorises
            row = minimum(maximum(to_integer((y[i] - grid.y0) * grid.per_y), 0), grid.rows - 1)
            key = (row + 1) * grid.pitch + self.column_of(x[i], grid) + ACROSS
            keys[i] = where(ids[i] < 0, -1, key) if self.has_lifecycle else key
        with t.looping(begin, end) as i, t.provided(keys[i] >= 0 if self.has_lifecycle else True):
            counts[keys[i]] = counts[keys[i]] + 1

    def row_length(self, team: Value, base: Value, grid: Grid) -> Value:
        """Agents of a row, the ghosts at its ends, and the sentinels."""
        t, total = self.target, self.target.cell(PAD)
        with t.looping(0, team) as k:
            counts = self.frame.histogram.offset(k * self.frame.most_bins + base + ACROSS)
            with t.looping(0, grid.columns) as c:
                total.set(total.get() + counts[c])
            if self.wraps:
                with t.looping(0, ACROSS) as c:
                    total.set(total.get() + counts[c] + counts[grid.columns - 1 - c])
        return total.get()

    def start_rows(self, grid: Grid) -> None:
        """Where each row of the sorted flock begins; too little room is noted."""
        t, f, row_start, rows = self.target, self.frame, self.frame.row_start, grid.rows
        row_start[0] = row_start[rows] if self.wraps else PAD
        row_start[rows + 1] = row_start[1] if self.wraps else PAD
        total = t.cell(0)
        with t.looping(0, rows + 2) as r:
            length = row_start[r]
            row_start[r] = total.get()
            total.set(total.get() + length)
        row_start[rows + 2] = total.get()
        with t.provided(total.get() + MARGIN > f.table_pitch):
            put(t, f.status("trouble"), TOO_SMALL)
            put(t, f.status("needed"), total.get())

    def place_bins(self, team: Value, base: Value, run: Value, grid: Grid) -> None:
        """Where each bin of a row begins; the counts become write cursors."""
        t, first, at = self.target, self.start.offset(base), self.target.cell(run)
        histogram, most = self.frame.histogram.offset(base), self.frame.most_bins
        with t.looping(0, ACROSS) as c:
            first[c] = at.get()
            if self.wraps:
                with t.looping(0, team) as k:
                    at.set(at.get() + histogram[k * most + grid.columns + c])
        with t.looping(ACROSS, grid.columns + ACROSS) as c:
            first[c] = at.get()
            with t.looping(0, team) as k:
                count = histogram[k * most + c]
                histogram[k * most + c] = at.get()
                at.set(at.get() + count)
        with t.looping(0, ACROSS) as c:
            first[grid.columns + ACROSS + c] = at.get()
            if self.wraps:
                at.set(at.get() + first[c + (ACROSS + 1)] - first[c + ACROSS])

    def start_tasks(self, grid: Grid) -> None:
        """Where each row's agents begin among all, which tasks are its own, and the rows beyond the edges."""
        t, f, pitch = self.target, self.frame, grid.pitch
        row_start, row_first, first_task = f.row_start, f.row_first, f.first_task
        self.start[(grid.rows + 2) * pitch] = row_start[grid.rows + 2]
        agents, tasks = t.cell(0), t.cell(0)
        with t.looping(0, grid.rows) as r:
            base = (r + 1) * pitch + ACROSS
            row_first[r], first_task[r] = agents.get(), tasks.get()
            here = self.start[base + grid.columns] - self.start[base]
            agents.set(agents.get() + here)
            tasks.set(tasks.get() + (here + (BLOCK - 1)) // BLOCK)
        first_task[grid.rows] = tasks.get()
        for side in range(2):
            r = grid.rows + 1 if side else t.integer(0)
            opposite = (grid.rows if side == 0 else t.integer(1)) if self.wraps else r
            with t.looping(0, pitch) as c:
                moved = self.start[opposite * pitch + c] - row_start[opposite] if self.wraps else 0
                self.start[r * pitch + c] = row_start[r] + moved

    # The sorted flock

    def scatter(self, cursors: Array, begin: Value, end: Value) -> None:
        """Put agents into their bins."""
        t, f, keys = self.target, self.frame, self.frame.keys
        state = [f.state.row(k) for k in range(self.at_once)]
        ids = f.ids
        with t.looping(begin, end) as i, t.provided(keys[i] >= 0 if self.has_lifecycle else True):
            to = cursors[keys[i]]
            cursors[keys[i]] = to + 1
            for column, values in zip(self.columns, state, strict=False):
                column[to] = values[i]
            self.table_ids[to] = ids[i]
            if self.at_once < self.width:
                self.source[to] = i

    def _precedes(self, a: Value, b: Value) -> Value:
        """Whether agent a comes before agent b: by x, y, velocity, and id as the last resort."""
        first = self.table_ids[a] < self.table_ids[b]
        for column in reversed(self.columns[:4]):
            first = (column[a] < column[b]) | ((column[a] == column[b]) & first)
        return first

    def _sort_row(self, begin: Value, end: Value) -> None:
        """Sort a row by x. Its bins are in order and each was sorted a step ago, so insertion has little to do."""
        t, xs = self.target, self.columns[0]
        moving: list[Array] = [*self.columns[: self.at_once], self.table_ids]
        if self.at_once < self.width:
            moving.append(self.source)
        with t.looping(begin + 1, end) as d, t.provided(~(xs[d] > xs[d - 1])):
            k = t.cell(d)

            def unsorted() -> Value:
                here = k.get()
                return (here > begin) & self._precedes(here, where(here > begin, here - 1, here))

            with t.during(unsorted):
                here = k.get()
                for column in moving:
                    a, b = column[here], column[here - 1]
                    column[here], column[here - 1] = b, a
                k.set(here - 1)

    def _fetch_rest(self, begin: Value, end: Value) -> None:
        """Bring the other columns of a sorted row, one after the other."""
        t = self.target
        with t.looping(self.at_once, self.width) as k:
            to, column = self.table.row(k), self.frame.state.row(k)
            with t.looping(begin, end) as d:
                to[d] = column[self.source[d]]

    def _copy_ghosts(self, to: Value, begin: Value, count: Value, shift_x: Any, shift_y: Any) -> None:
        t = self.target
        with t.looping(0, count) as n:
            for column, shift in zip(self.columns, (shift_x, shift_y), strict=False):
                value = column[begin + n]
                column[to + n] = value if isinstance(shift, float) else value + shift
            self.table_ids[to + n] = self.table_ids[begin + n]
        with t.looping(2, self.width) as k:
            row = self.table.row(k)
            with t.looping(0, count) as n:
                row[to + n] = row[begin + n]

    def finish_row(self, base: Value, end: Value, grid: Grid) -> None:
        """Sort and complete a row, and add ghosts and sentinels."""
        start, columns = self.start, grid.columns
        begin, stop = start[base + ACROSS], start[base + columns + ACROSS]
        self._sort_row(begin, stop)
        self._fetch_rest(begin, stop)
        if self.wraps:
            width = self.frame.number("width")
            last = start[base + columns]
            self._copy_ghosts(start[base], last, stop - last, -width, 0.0)
            self._copy_ghosts(stop, begin, start[base + 2 * ACROSS] - begin, width, 0.0)
        self._put_sentinels(end - PAD, end)

    def _put_sentinels(self, begin: Value, end: Value) -> None:
        t = self.target
        with t.looping(begin, end) as d:
            self.columns[0][d], self.columns[1][d] = FAR, FAR
            self.table_ids[d] = -1
            with t.looping(2, self.width) as k:
                self.table.row(k)[d] = 0.0

    def fill_edge(self, side: Value, grid: Grid) -> None:
        """The row beyond the lower (0) or upper (1) edge: ghosts, or nobody."""
        row_start, height = self.frame.row_start, self.frame.number("height")
        r = side * (grid.rows + 1)
        begin, end = row_start[r], row_start[r + 1]
        if self.wraps:
            opposite = where(side == 0, grid.rows, 1)
            self._copy_ghosts(begin, row_start[opposite], end - begin, 0.0, where(side == 0, -height, height))
        else:
            self._put_sentinels(begin, end)

    # Agents that rules follow by name

    def forget_tracked(self, item_width: int, present: int) -> None:
        f = self.frame
        with self.target.looping(0, f.tracked_count) as k:
            f.items[f.tracked[2 * k + 1] * item_width + present] = 0.0

    def note_tracked(self, begin: Value, stop: Value, item_width: int) -> None:
        """Copy tracked agents of a row into their items: place, velocity, that they are here, their name."""
        t, f = self.target, self.frame
        with t.looping(0, f.tracked_count) as k, t.looping(begin, stop) as d:
            is_tracked = self.table_ids[d] == f.tracked[2 * k]
            with t.provided(is_tracked):
                row = f.tracked[2 * k + 1] * item_width
                for n in range(4):
                    f.items[row + n] = self.columns[n][d]
                f.items[row + 4] = 1.0
                f.items[row + 5] = to_number(f.tracked[2 * k])


def _few(number: Value, most: Value) -> Value:
    """The whole part of a number, at least 1 and at most so many."""
    return maximum(1, minimum(to_integer(minimum(number, 1.0e9)), most))


def thread_share(target: LlvmTarget, count: Value, k: Value, team: Value) -> Value:
    """count x k / team without overflow."""
    builder = target.builder
    from murmura.compute.trace.llvm_target import LONG

    wide = [builder.sext(x.code, LONG) for x in (count, k, team)]
    share = builder.sdiv(builder.mul(wide[0], wide[1]), wide[2])
    return Value(target, INTEGER, builder.trunc(share, INT))
