"""The spatial index of the CPU kernel: the flock sorted by position, with ghosts at the edges of a wrapping world.

The world is divided into rows at least as high as the greatest perception radius, and each row into bins a quarter as
wide. State is physically sorted by (row, bin, x), so an agent's candidates are three contiguous runs. On a wrapping
world a halo of ghost copies around the edges replaces every modulo; each row ends in far-away sentinels, so that tiles
of four candidates may read past a run's end. In space rows form layers along z, and an agent's candidates are nine
runs. The order within a bin is by position, not by id or history, so a step depends on the state alone and not on
threads or ids.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from murmura.compute.cpu.frame import TOO_SMALL, Array, FrameCode
from murmura.compute.cpu.index.grid import ACROSS, Grid
from murmura.compute.cpu.threads import put
from murmura.compute.plan import Plan
from murmura.compute.trace.llvm_target import INT, LlvmTarget
from murmura.core.algebra import INTEGER, Value, maximum, minimum, sqrt, to_integer, to_number, where

PAD = 4  # sentinels at the end of each row
FAR = 1e18  # farther than any run reaches, and its square is still a finite float32
BLOCK = 128  # agents per task
MARGIN = 64  # elements after the last one that lanes may read
AT_ONCE, FOLLOWING = 10, 4
"""The most columns that are moved together in the sort. With more, only position and velocity are, and the others
follow a few at a time: a hundred streams at once overflow the TLB."""


class Index:
    """Emits the phases of the index for one plan; or only what agents need of it, with `columns` of the whole table.

    What sorts depends on few properties of a plan, so that most kernels share it: it takes LLVM longer than all rules.
    """

    def __init__(self, plan: Plan, target: LlvmTarget, frame: FrameCode, sorts: bool = False) -> None:
        self.target, self.frame = target, frame
        self.dimension, edges = plan.dimension, plan.scenario.world.edges
        self.wraps = edges[0] == "wrap"
        self.wraps_y, self.wraps_z = edges[1] == "wrap", edges[-1] == "wrap"
        self.open = edges[0] == "open"
        self.open_z = self.open and edges[-1] == "open"
        self.has_lifecycle = plan.has_lifecycle
        self.moving = 2 * plan.dimension
        width = self.moving + len(plan.carried)
        self.at_once = width if width <= AT_ONCE else self.moving
        self.has_rest = self.at_once < width
        self.table, self.table_ids, self.source = frame.table, frame.table_ids, frame.source
        self.columns = [self.table.row(k) for k in range(self.at_once if sorts else width)]
        self.start = frame.start

    # Bins

    def find_bounds(self, begin: Value, end: Value, found: Array) -> None:
        """The bounds of some agents."""
        t, state = self.target, self.frame.state
        for axis in range(self.dimension):
            places = state.row(axis)
            least, most = t.cell(3.0e38), t.cell(-3.0e38)
            with t.for_loop(begin, end) as i:
                least.set(minimum(least.get(), places[i]))
                most.set(maximum(most.get(), places[i]))
            found[axis], found[self.dimension + axis] = least.get(), most.get()

    def bounded_grid(self) -> Grid:
        """The grid of a world with edges, computed by the host."""
        f, zero = self.frame, self.target.number(0.0)
        grid = Grid(f.columns, f.rows, zero, zero, f.number("per_x"), f.number("per_y"))
        if self.dimension == 3:
            grid.layers, grid.z0, grid.per_z = f.layers, zero, f.number("per_z")
        return grid

    def open_grid(self, bounds: Array, team: Value, count: Value) -> Grid:
        """The grid around the flock in a world without edges."""
        t, d = self.target, self.dimension
        cells = [t.cell(3.0e38) for _ in range(d)] + [t.cell(-3.0e38) for _ in range(d)]
        with t.for_loop(0, team) as k:
            for n, cell in enumerate(cells):
                better = minimum if n < d else maximum
                cell.set(better(cell.get(), bounds[k * (2 * d) + n]))
        nobody = count == 0
        x0, y0, *low = (where(nobody, 0.0, cell.get()) for cell in cells[:d])
        width, height, *depth = (
            where(nobody, 1.0, end.get() - start.get())
            for start, end in zip(cells[:d], cells[d:], strict=True)
        )
        most, least = self.frame.most_bins, self.frame.number("reach") * 1.00001
        if d == 3:
            return self._open_space((x0, y0, *low), (width, height, *depth), most, least)
        rows = _few(height / least, most // (8 * ACROSS) - 2)
        columns = _few(width * ACROSS / least, most // (rows + 2) - 2 * ACROSS - 1)
        per_x = where(width > 0.0, to_number(columns) / width, 0.0)
        per_y = where(height > 0.0, to_number(rows) / height, 0.0)
        return Grid(columns, rows, x0, y0, per_x, per_y)

    def _open_space(self, low: tuple[Value, ...], size: tuple[Value, ...], most: Value, least: Value) -> Grid:
        """The grid around a flock in space; if only the third axis has edges, the host computes its layers."""
        side = to_integer(sqrt(to_number(most // (8 * ACROSS)))) - 2
        rows = _few(size[1] / least, side)
        layers = _few(size[2] / least, side) if self.open_z else self.frame.layers
        columns = _few(size[0] * ACROSS / least, most // ((rows + 2) * (layers + 2)) - 2 * ACROSS - 1)
        per = [
            where(width > 0.0, to_number(count) / width, 0.0)
            for width, count in zip(size, (columns, rows, layers), strict=True)
        ]
        z0, per_z = (low[2], per[2]) if self.open_z else (self.target.number(0.0), self.frame.number("per_z"))
        return Grid(columns, rows, low[0], low[1], per[0], per[1], layers, z0, per_z)

    def line_of(self, i: Value, grid: Grid) -> Value:
        """The line of an agent of the unsorted flock."""
        state = self.frame.state
        row = _place(state.row(1)[i], grid.y0, grid.per_y, grid.rows)
        if grid.layers is None:
            return row + 1
        layer = _place(state.row(2)[i], grid.z0, grid.per_z, grid.layers)
        return (layer + 1) * grid.across + row + 1

    def column_of(self, x: Value, grid: Grid) -> Value:
        """The bin of a coordinate along a row."""
        return minimum(maximum(to_integer((x - grid.x0) * grid.per_x), 0), grid.columns - 1)

    def count_bins(self, counts: Array, begin: Value, end: Value, grid: Grid) -> None:
        """Compute each agent's bin and count the agents in each; the dead have none."""
        t, f, keys = self.target, self.frame, self.frame.keys
        x, ids = f.state.row(0), f.ids
        with t.for_loop(0, grid.pitch * grid.line_count) as c:
            counts[c] = 0
        with t.for_loop(begin, end) as i:  # without the counting, so that it vectorises
            key = self.line_of(i, grid) * grid.pitch + self.column_of(x[i], grid) + ACROSS
            keys[i] = where(ids[i] < 0, -1, key) if self.has_lifecycle else key
        with t.for_loop(begin, end) as i, t.if_then(keys[i] >= 0 if self.has_lifecycle else True):
            counts[keys[i]] = counts[keys[i]] + 1

    def row_length(self, team: Value, base: Value, grid: Grid) -> Value:
        """Agents of a row, the ghosts at its ends, and the sentinels."""
        t, total = self.target, self.target.cell(PAD)
        with t.for_loop(0, team) as k:
            counts = self.frame.histogram.offset(k * self.frame.most_bins + base + ACROSS)
            with t.for_loop(0, grid.columns) as c:
                total.set(total.get() + counts[c])
            if self.wraps:
                with t.for_loop(0, ACROSS) as c:
                    total.set(total.get() + counts[c] + counts[grid.columns - 1 - c])
        return total.get()

    def start_rows(self, grid: Grid) -> None:
        """Compute where each row of the sorted flock begins; flag a lack of room."""
        t, f, row_start = self.target, self.frame, self.frame.row_start
        with self._rim(grid) as (line, opposite, has_ghosts):
            row_start[line] = where(has_ghosts, row_start[opposite], PAD)
        total = t.cell(0)
        with t.for_loop(0, grid.line_count) as r:
            length = row_start[r]
            row_start[r] = total.get()
            total.set(total.get() + length)
        row_start[grid.line_count] = total.get()
        with t.if_then(total.get() + MARGIN > f.table_pitch):
            put(t, f.status("error"), TOO_SMALL)
            put(t, f.status("needed"), total.get())

    @contextmanager
    def _rim(self, grid: Grid) -> Iterator[tuple[Value, Value, Value]]:
        """For each line around the rows: itself, the row at the opposite side, whether it shows that row's ghosts."""
        t = self.target
        if grid.layers is None:
            with t.for_loop(0, 2) as side:
                ghosts = t.integer(0) == (0 if self.wraps_y else 1)
                yield side * (grid.rows + 1), where(side == 0, grid.rows, 1), ghosts
            return
        with t.for_loop(0, grid.line_count) as line:
            y, z = line % grid.across, line // grid.across
            beyond_y, beyond_z = (y == 0) | (y > grid.rows), (z == 0) | (z > grid.layers)
            with t.if_then(beyond_y | beyond_z):
                there_y = where(y == 0, grid.rows, where(y > grid.rows, 1, y))
                there_z = where(z == 0, grid.layers, where(z > grid.layers, 1, z))
                ghosts = (~beyond_y | self._always(self.wraps_y)) & (~beyond_z | self._always(self.wraps_z))
                yield line, there_z * grid.across + there_y, ghosts

    def _always(self, truth: bool) -> Value:
        return self.target.integer(0) == (0 if truth else 1)

    def place_bins(self, team: Value, base: Value, run: Value, grid: Grid) -> None:
        """Compute where each bin of a row begins; counts become write cursors."""
        t, first, at = self.target, self.start.offset(base), self.target.cell(run)
        histogram, most = self.frame.histogram.offset(base), self.frame.most_bins
        with t.for_loop(0, ACROSS) as c:
            first[c] = at.get()
            if self.wraps:
                with t.for_loop(0, team) as k:
                    at.set(at.get() + histogram[k * most + grid.columns + c])
        with t.for_loop(ACROSS, grid.columns + ACROSS) as c:
            first[c] = at.get()
            with t.for_loop(0, team) as k:
                count = histogram[k * most + c]
                histogram[k * most + c] = at.get()
                at.set(at.get() + count)
        with t.for_loop(0, ACROSS) as c:
            first[grid.columns + ACROSS + c] = at.get()
            if self.wraps:
                at.set(at.get() + first[c + (ACROSS + 1)] - first[c + ACROSS])

    def start_tasks(self, grid: Grid) -> None:
        """Compute where each row's agents begin, its tasks, and the rows beyond the edges."""
        t, f, pitch = self.target, self.frame, grid.pitch
        row_start, row_first, first_task = f.row_start, f.row_first, f.first_task
        self.start[grid.line_count * pitch] = row_start[grid.line_count]
        agents, tasks = t.cell(0), t.cell(0)
        with t.for_loop(0, grid.row_count) as r:
            base = grid.line(r) * pitch + ACROSS
            row_first[r], first_task[r] = agents.get(), tasks.get()
            here = self.start[base + grid.columns] - self.start[base]
            agents.set(agents.get() + here)
            tasks.set(tasks.get() + (here + (BLOCK - 1)) // BLOCK)
        first_task[grid.row_count] = tasks.get()
        with self._rim(grid) as (line, opposite, has_ghosts), t.for_loop(0, pitch) as c:
            moved = where(has_ghosts, self.start[opposite * pitch + c] - row_start[opposite], 0)
            self.start[line * pitch + c] = row_start[line] + moved

    # The sorted flock

    def scatter(self, cursors: Array, begin: Value, end: Value) -> None:
        """Put agents into their bins."""
        t, f, keys = self.target, self.frame, self.frame.keys
        state = [f.state.row(k) for k in range(self.at_once)]
        ids = f.ids
        with t.for_loop(begin, end) as i, t.if_then(keys[i] >= 0 if self.has_lifecycle else True):
            to = cursors[keys[i]]
            cursors[keys[i]] = to + 1
            for column, values in zip(self.columns, state, strict=False):
                column[to] = values[i]
            self.table_ids[to] = ids[i]
            if self.has_rest:
                self.source[to] = i

    def _precedes(self, a: Value, b: Value) -> Value:
        """Whether agent a precedes agent b: by position, velocity, and finally id."""
        first = self.table_ids[a] < self.table_ids[b]
        for column in reversed(self.columns[: self.moving]):
            first = (column[a] < column[b]) | ((column[a] == column[b]) & first)
        return first

    def _sort_row(self, begin: Value, end: Value) -> None:
        """Sort a row by x. Its bins are in order and each was sorted a step ago, so insertion has little to do."""
        t, xs = self.target, self.columns[0]
        moving: list[Array] = [*self.columns[: self.at_once], self.table_ids]
        if self.has_rest:
            moving.append(self.source)
        with t.for_loop(begin + 1, end) as d, t.if_then(~(xs[d] > xs[d - 1])):
            k = t.cell(d)

            def unsorted() -> Value:
                here = k.get()
                return (here > begin) & self._precedes(here, where(here > begin, here - 1, here))

            with t.while_loop(unsorted):
                here = k.get()
                for column in moving:
                    a, b = column[here], column[here - 1]
                    column[here], column[here - 1] = b, a
                k.set(here - 1)

    def _fetch_rest(self, begin: Value, end: Value) -> None:
        """Copy the other columns of a sorted row, a few at a time, the last one perhaps more than once."""
        t, state, width = self.target, self.frame.state, self.frame.table_width
        with t.for_loop(self.at_once, width, FOLLOWING) as k:
            rows = [minimum(k + n, width - 1) for n in range(FOLLOWING)]
            few = [(self.table.row(row), state.row(row)) for row in rows]
            with t.for_loop(begin, end) as d:
                source = self.source[d]
                for to, column in few:
                    to[d] = column[source]

    def _copy_ghosts(self, to: Value, begin: Value, count: Value, *shifts: Any) -> None:
        """Copy agents as ghosts, shifted along the axes."""
        t = self.target
        with t.for_loop(0, count) as n:
            for column, shift in zip(self.columns, shifts, strict=False):
                value = column[begin + n]
                column[to + n] = value if isinstance(shift, float) else value + shift
            self.table_ids[to + n] = self.table_ids[begin + n]
        with t.for_loop(self.dimension, self.frame.table_width) as k:
            row = self.table.row(k)
            with t.for_loop(0, count) as n:
                row[to + n] = row[begin + n]

    def finish_row(self, base: Value, end: Value, grid: Grid) -> None:
        """Sort and complete a row, and add ghosts and sentinels."""
        start, columns = self.start, grid.columns
        begin, stop = start[base + ACROSS], start[base + columns + ACROSS]
        self._sort_row(begin, stop)
        if self.has_rest:
            self._fetch_rest(begin, stop)
        if self.wraps:
            width = self.frame.number("width")
            last, still = start[base + columns], [0.0] * (self.dimension - 1)
            self._copy_ghosts(start[base], last, stop - last, -width, *still)
            self._copy_ghosts(stop, begin, start[base + 2 * ACROSS] - begin, width, *still)
        self._put_sentinels(end - PAD, end)

    def _put_sentinels(self, begin: Value, end: Value) -> None:
        t = self.target
        with t.for_loop(begin, end) as d:
            for column in self.columns[: self.dimension]:
                column[d] = FAR
            self.table_ids[d] = -1
            with t.for_loop(self.dimension, self.frame.table_width) as k:
                self.table.row(k)[d] = 0.0

    def fill_edges(self, me: Value, team: Value, grid: Grid) -> None:
        """Fill a thread's share of the border lines: with ghosts of the opposite side, or with nothing."""
        t, f, row_start = self.target, self.frame, self.frame.row_start
        with self._rim(grid) as (line, opposite, has_ghosts), t.if_then(line % team == me):
            begin, end = row_start[line], row_start[line + 1]
            if self.wraps_y or self.wraps_z:
                with t.if_then(has_ghosts):
                    self._copy_ghosts(
                        begin, row_start[opposite], end - begin, 0.0, *self._shifts(line, grid, f)
                    )
            if not (self.wraps_y and self.wraps_z):
                with t.if_then(~has_ghosts):
                    self._put_sentinels(begin, end)

    def _shifts(self, line: Value, grid: Grid, frame: FrameCode) -> list[Value]:
        """How far from their rows a line shows ghosts, along y and z."""
        height = frame.number("height")
        if grid.layers is None:
            return [where(line == 0, -height, height)]
        depth, y, z = frame.number("depth"), line % grid.across, line // grid.across
        return [
            where(y == 0, -height, where(y > grid.rows, height, 0.0)),
            where(z == 0, -depth, where(z > grid.layers, depth, 0.0)),
        ]

    # Agents that rules follow by id

    def forget_tracked(self, present: int) -> None:
        f = self.frame
        with self.target.for_loop(0, f.tracked_count) as k:
            f.items[f.tracked[2 * k + 1] * f.item_width + present] = 0.0

    def note_tracked(self, begin: Value, stop: Value) -> None:
        """Copy tracked agents of a row into their items: position, velocity, a flag, and the id."""
        t, f = self.target, self.frame
        with t.for_loop(0, f.tracked_count) as k, t.for_loop(begin, stop) as d:
            is_tracked = self.table_ids[d] == f.tracked[2 * k]
            with t.if_then(is_tracked):
                row = f.tracked[2 * k + 1] * f.item_width
                for n in range(self.moving):
                    f.items[row + n] = self.columns[n][d]
                f.items[row + self.moving] = 1.0
                f.items[row + self.moving + 1] = to_number(f.tracked[2 * k])


def _place(x: Value, start: Any, per: Any, count: Any) -> Value:
    """The row, or layer, of a coordinate."""
    return minimum(maximum(to_integer((x - start) * per), 0), count - 1)


def _few(number: Value, most: Value) -> Value:
    """The integer part of a number, clamped to 1 .. most."""
    return maximum(1, minimum(to_integer(minimum(number, 1.0e9)), most))


def thread_share(target: LlvmTarget, count: Value, k: Value, team: Value) -> Value:
    """count x k / team without overflow."""
    builder = target.builder
    from murmura.compute.trace.llvm_target import LONG

    wide = [builder.sext(x.code, LONG) for x in (count, k, team)]
    share = builder.sdiv(builder.mul(wide[0], wide[1]), wide[2])
    return Value(target, INTEGER, builder.trunc(share, INT))
