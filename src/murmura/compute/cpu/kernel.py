"""The CPU kernel: index, perceive, decide and live, update items. All of it is traced.

`run` advances some steps as one thread of a team. Threads meet at barriers between the phases and share out blocks of
agents. A kernel never raises: it sets a status word and stops before or after a whole step.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from llvmlite import ir

from murmura.compute.cpu.frame import CALLED, FINE, MANY_EVENTS, NOT_FINITE, Array, FrameCode
from murmura.compute.cpu.index.cuts import Bins, cut_bins, lines_around
from murmura.compute.cpu.index.grid import ACROSS, Grid
from murmura.compute.cpu.index.rows import BLOCK, PAD, Index, thread_share
from murmura.compute.cpu.index.tiles import Tiles
from murmura.compute.cpu.items.item_updates import ItemUpdates, Newborns
from murmura.compute.cpu.perception.agents import Agents
from murmura.compute.cpu.perception.lanes import GROUP, SUMS_PITCH, is_culled, world_of
from murmura.compute.cpu.perception.nearest import reach_of_nearest
from murmura.compute.cpu.perception.sight import Sight
from murmura.compute.cpu.threads import LINE, NEXT_TASK, fetch_add, peek, put, wait_for_all
from murmura.compute.plan import Plan
from murmura.compute.shapes import Shapes
from murmura.compute.trace.llvm_target import BIT, INT, LANES, LONG, LlvmTarget
from murmura.core.algebra import INTEGER, Value, absolute, maximum, minimum, to_number, where
from murmura.core.layout import AXES, TRACKED_FIELDS, Layout
from murmura.core.world.perception import MOST_NEAREST

FRAME = LONG.as_pointer()
CACHE_LINE = 64  # bytes
GRID_NUMBERS = 16
"""Offset of the threads' bounds, after the grid of an open world."""


FUNCTIONS: dict[str, tuple[Any, int]] = {
    "run": (ir.VoidType(), 3),
    "steer": (BIT, 6),
    "finish": (ir.VoidType(), 3),
}
"""What each function of the kernel returns, and how many integers it takes after the frame."""


def _type_of(name: str) -> ir.FunctionType:
    result, count = FUNCTIONS[name]
    return ir.FunctionType(result, [FRAME, *[INT] * count])


@dataclass
class Kernel:
    """Emits the functions of the kernel of one plan. `wide`, `portable` and `compact`: see `LlvmTarget`."""

    plan: Plan
    shapes: Shapes
    wide: bool
    portable: bool = False
    compact: bool = False

    def modules(self) -> Iterator[tuple[str, ir.Module]]:
        """The functions by name, each in its own module, so that kernels can share them.

        `run` sorts the flock and depends on the columns and the edges only, `finish` on the items and on births: a
        rule that is switched on changes `steer`, and often nothing else.
        """
        for name in FUNCTIONS:
            module = ir.Module("murmura")
            getattr(self, f"_{name}")(module)
            yield name, module

    def _function(self, module: ir.Module, name: str) -> tuple[Any, ...]:
        """A new function: its target, its frame and its other arguments, which are integers."""
        function = ir.Function(module, _type_of(name), name)
        # Spilled registers must not straddle cache lines; LLVM would align the stack to 16 bytes only.
        function.attributes.add("nounwind")
        function.attributes.alignstack = CACHE_LINE
        builder = ir.IRBuilder(function.append_basic_block("entry"))
        target = LlvmTarget(builder, self.wide, self.portable, self.compact)
        frame, *rest = function.args
        return target, FrameCode(target, frame), [Value(target, INTEGER, x) for x in rest]

    # Agents

    def _steer(self, module: ir.Module) -> None:
        """Perceive, decide and move the agents of one task: neighbours in a row of bins."""
        t, frame, (done, me, row, begin, count, to) = self._function(module, "steer")
        index = Index(self.plan, t, frame)
        agents = Agents(self.plan, self.shapes, t, frame, world_of(self.plan, t, frame, done))
        grid = self._grid(index, t, frame)
        sums = frame.sums.offset(me * (max(1, Agents.rows_of(self.plan, self.shapes)) * SUMS_PITCH))
        self._perceive(agents, index, grid, row, begin, count, sums, me)
        chosen = frame.chosen.offset(me * frame.item_count)
        near = frame.near.offset(me * (2 * max(1, len(self.plan.rule_groups))))
        agents.memory.use_block(chosen, near)
        self._choose(t, frame, index, grid, row, begin, count, chosen, near, agents.step.world)
        fine = t.cell(t.integer(0) == 0)
        reports = Array(t, frame.reports.at(me * frame.report_pitch), LONG)
        with t.for_loop(0, count, LANES) as k:
            step_number = self._step_number(t, frame, done)
            whole = agents.move(begin + k, sums, k, count - k, to + k, step_number, reports)
            fine.set(fine.get() & whole)
        t.builder.ret(fine.get().code)

    def _step_number(self, t: LlvmTarget, frame: FrameCode, done: Value) -> Any:
        """The number of the current step, as a long integer, for events of long runs."""
        first = frame._entry("first_step")
        return t.builder.add(first, t.builder.sext((done + 1).code, LONG))

    def _grid(self, index: Index, t: LlvmTarget, frame: FrameCode) -> Grid:
        """The grid of this step; in an open world the first thread has stored it."""
        if self.plan.scenario.world.boundary != "open":
            return index.bounded_grid()
        numbers = frame.bounds.offset(0)

        def whole(k: int) -> Value:
            return Value(t, INTEGER, t.builder.fptosi(numbers[k].code, INT))

        grid = Grid(whole(0), whole(1), numbers[2], numbers[3], numbers[4], numbers[5])
        if self.plan.dimension == 3:
            grid.layers, grid.z0, grid.per_z = whole(6), numbers[7], numbers[8]
        return grid

    def _perceive(
        self, agents: Agents, index: Index, grid: Grid, row: Value, begin: Value, count: Value, sums: Array, me: Value
    ) -> None:  # fmt: skip
        t, start, pitch = agents.target, index.start, grid.pitch
        xs, base, reaches = index.columns[0], row * grid.pitch, agents.frame.reaches
        if self.plan.occludes:
            Sight(agents, index, grid, me).perceive(begin, count, base, sums)
            return
        if self.plan.topological:
            closest = agents.frame.closest.offset(me * MOST_NEAREST)
            with t.for_loop(begin, begin + count) as i:
                column = index.column_of(xs[i], grid)
                reaches[i] = reach_of_nearest(agents, index, base + column, grid, i, closest)
        around = None if grid.layers is None else lines_around(t, grid, row)
        tiles = None if grid.layers is None else Tiles(t, agents.flock, agents.frame, me)
        with t.for_loop(0, count, 4) as k:
            i = begin + k
            last = begin + minimum(k + 4, count) - 1
            c0 = index.column_of(xs[i], grid)
            c1 = index.column_of(xs[last], grid) + (2 * ACROSS + 1)
            # A row's sentinels follow its last bin. If the run included them, its last tile would reach into
            # the next row, whose agents would then be met twice.
            over = where(c1 == pitch, PAD, 0)

            def run(beside: Any, c0: Value = c0, c1: Value = c1, over: Value = over) -> tuple[Value, Value]:
                first = base + pitch * beside
                return start[first + c0], start[first + c1] - over

            if around is None or tiles is None:
                runs = [(*run(beside), beside == 0) for beside in (-1, 0, 1)]
                agents.perceive(i, runs, reaches, sums, k)
            else:
                own = run(0)
                cut = cut_bins(agents, index, grid, row, i, last, c0, c1, own[1] - own[0])

                def other(number: Value, cut: Bins = cut, c0: Value = c0) -> tuple[Value, Value]:
                    first, (low, high) = around[number], cut(number)
                    uncut = start[first + c0]
                    begin = uncut + (start[first + low] - uncut) // GROUP * GROUP
                    return begin, start[first + high] - where(high == pitch, PAD, 0)

                tiles.find(other)
                agents.perceive(i, [(*own, True)], reaches, sums, k, tiles)

    def _choose(
        self, t: LlvmTarget, frame: FrameCode, index: Index, grid: Grid, row: Value, begin: Value, count: Value,
        chosen: Array, near: Array, world: Any,
    ) -> None:  # fmt: skip
        """List the items that may matter to agents in a block, for rules whose items have a range."""
        culled = [
            (k, g) for k, g in enumerate(self.plan.rule_groups) if g.functions.item and is_culled(g.rule)
        ]
        if not culled:
            return
        xs, edges = index.columns[0], self.plan.scenario.world.edges
        half_x = (xs[begin + count - 1] - xs[begin]) * 0.5
        middle, half = [xs[begin] + half_x], [half_x * 1.001]
        lines: list[tuple[Any, Any, Any]] = [(row, grid.y0, grid.per_y)]
        if grid.layers is not None:
            lines = [(row % grid.across, grid.y0, grid.per_y), (row // grid.across, grid.z0, grid.per_z)]
        for number, start, per in lines:
            size = where(per > 0.0, 1.0 / per, 0.0)
            middle.append(start + (to_number(number) - 0.5) * size)
            half.append(size * 0.5 * 1.001 + 0.01)
        if grid.layers is not None and edges[2] == "open" != edges[0]:
            half[2] = t.number(
                1e18
            )  # above the ceiling agents lie in the highest rows, however high they are
        listed = t.cell(0)
        for k, group in culled:
            places = [group.known.place[name] for name in AXES[: self.plan.dimension]]
            near[2 * k] = listed.get()
            with t.for_loop(frame.ranges[2 * k], frame.ranges[2 * k + 1]) as item:
                square: Any = 0.0
                for axis, place in enumerate(places):
                    gap = absolute(frame.items[item * self.plan.item_width + place] - middle[axis])
                    if edges[axis] == "wrap":
                        gap = minimum(gap, list(world.size)[axis] - gap)
                    gap = maximum(gap - half[axis], 0.0)
                    square = gap * gap + square
                reach = frame.item_ranges[k]
                with t.if_then(square <= reach * reach * 1.001):
                    chosen[listed.get()] = item
                    listed.set(listed.get() + 1)
            near[2 * k + 1] = listed.get()

    # After the agents

    def _finish(self, module: ir.Module) -> None:
        """After all agents have moved: update items, add newborns and immigrants."""
        t, frame, (done, team, alive) = self._function(module, "finish")
        world = world_of(self.plan, t, frame, done)
        number = self._step_number(t, frame, done)
        if self.plan.stateful_items:
            ItemUpdates(self.plan, self.shapes, t, frame, world).update_items(team)
        if self.plan.has_lifecycle:
            newborns = Newborns(self.plan, t, frame, world)
            alive = newborns.add_newborns(alive, number)
            alive = newborns.add_arrivals(alive, number)
            put(t, frame.status("alive"), alive)
        if self.plan.eventful:
            with t.if_then(peek(t, frame.status("events")) * 2 > frame.event_room):
                put(t, frame.status("error"), MANY_EVENTS)
        at = frame.completed.at(0)
        t.builder.store(t.builder.add(t.builder.load(at, typ=LONG), LONG(1)), at)
        t.builder.ret_void()

    # The whole step

    def _run(self, module: ir.Module) -> None:
        """Advance `steps` steps as thread `me` of `team`."""
        t, frame, (me, team, steps) = self._function(module, "run")
        steer, finish = (frame.function(name, _type_of(name)) for name in CALLED)
        sync = frame.sync
        done = t.cell(0)
        going = t.cell(t.integer(0) == 0)
        with t.while_loop(lambda: going.get() & (done.get() < steps)):
            index = Index(self.plan, t, frame, sorts=True)
            grid = self._sort(index, t, frame, me, team, sync, going)
            with t.if_then(going.get()):
                self._share_out(t, frame, index, grid, steer, me, team, done.get())
                wait_for_all(t, sync, team)
                with t.if_then(me == 0):
                    last = grid.line(grid.row_count - 1) * grid.pitch + ACROSS
                    agents = index.start[last + grid.columns] - index.start[last]
                    alive = frame.row_first[grid.row_count - 1] + agents
                    arguments = [frame._pointer, done.get().code, team.code, alive.code]
                    t.builder.call(finish, arguments)
                wait_for_all(t, sync, team)
                going.set(peek(t, frame.status("error")) == FINE)
            done.set(done.get() + 1)
        t.builder.ret_void()

    def _sort(
        self, index: Index, t: LlvmTarget, frame: FrameCode, me: Value, team: Value, sync: Array, going: Any
    ) -> Grid:
        """Sort the flock into rows and bins; stops if there is too little room."""
        n = peek(t, frame.status("alive"))
        begin, end = (thread_share(t, n, me + k, team) for k in (0, 1))
        grid = self._shared_grid(index, t, frame, me, team, sync, n, begin, end)
        counts = frame.histogram.offset(me * frame.most_bins)
        index.count_bins(counts, begin, end, grid)
        wait_for_all(t, sync, team)
        first_row, last_row = (thread_share(t, grid.row_count, me + k, team) for k in (0, 1))
        with t.for_loop(first_row, last_row) as r:
            frame.row_start[grid.line(r)] = index.row_length(team, grid.line(r) * grid.pitch, grid)
        wait_for_all(t, sync, team)
        present = Layout(TRACKED_FIELDS, self.plan.dimension).place["present"]
        with t.if_then(me == 0):
            index.start_rows(grid)
            index.forget_tracked(present)
            with t.for_loop(0, team) as k:
                put(t, sync.at(k * LINE + NEXT_TASK), 0)
        wait_for_all(t, sync, team)
        going.set(peek(t, frame.status("error")) == FINE)
        with t.if_then(going.get()):
            with t.for_loop(first_row, last_row) as r:
                index.place_bins(team, grid.line(r) * grid.pitch, frame.row_start[grid.line(r)], grid)
            wait_for_all(t, sync, team)
            with t.if_then(me == 0):
                index.start_tasks(grid)
            index.scatter(counts, begin, end)
            wait_for_all(t, sync, team)
            with t.for_loop(first_row, last_row) as r:
                base = grid.line(r) * grid.pitch
                index.finish_row(base, frame.row_start[grid.line(r) + 1], grid)
                first = base + ACROSS
                index.note_tracked(index.start[first], index.start[first + grid.columns])
            wait_for_all(t, sync, team)
            index.fill_edges(me, team, grid)
            wait_for_all(t, sync, team)
        return grid

    def _shared_grid(
        self, index: Index, t: LlvmTarget, frame: FrameCode, me: Value, team: Value, sync: Array, n: Value,
        begin: Value, end: Value,
    ) -> Grid:  # fmt: skip
        if self.plan.scenario.world.boundary != "open":
            return index.bounded_grid()
        found = frame.bounds.offset(GRID_NUMBERS)
        index.find_bounds(begin, end, found.offset(me * (2 * self.plan.dimension)))
        wait_for_all(t, sync, team)
        with t.if_then(me == 0):
            grid = index.open_grid(found, team, n)
            values = [to_number(grid.columns), to_number(grid.rows), grid.x0, grid.y0, grid.per_x, grid.per_y]
            if grid.layers is not None:
                values += [to_number(grid.layers), grid.z0, grid.per_z]
            for k, value in enumerate(values):
                frame.bounds[k] = value
        wait_for_all(t, sync, team)
        return self._grid(index, t, frame)

    def _share_out(
        self, t: LlvmTarget, frame: FrameCode, index: Index, grid: Grid, steer: Any, me: Value, team: Value,
        done: Value,
    ) -> None:  # fmt: skip
        """Process tasks: first those whose agents this thread has just sorted, then the rest of other threads'."""
        tasks = frame.first_task[grid.row_count]
        with t.for_loop(0, team) as turn:
            whose = (me + turn) % team
            first, last = (thread_share(t, tasks, whose + k, team) for k in (0, 1))
            counter = frame.sync.at(whose * LINE + NEXT_TASK)
            task = t.cell(first + fetch_add(t, counter, 1))
            with t.while_loop(lambda: task.get() < last):
                row = self._row_of_task(t, frame, grid, task.get())
                base = grid.line(row) * grid.pitch + ACROSS
                offset = (task.get() - frame.first_task[row]) * BLOCK
                begin = index.start[base] + offset
                count = minimum(BLOCK, index.start[base + grid.columns] - begin)
                to = frame.row_first[row] + offset
                numbers = [x.code for x in (done, me, grid.line(row), begin, count, to)]
                fine = t.builder.call(steer, [frame._pointer, *numbers])
                with t.if_then(~Value(t, "condition", fine)):
                    put(t, frame.status("error"), NOT_FINITE)
                task.set(first + fetch_add(t, counter, 1))

    def _row_of_task(self, t: LlvmTarget, frame: FrameCode, grid: Grid, task: Value) -> Value:
        low, high = t.cell(0), t.cell(grid.row_count)
        with t.while_loop(lambda: high.get() - low.get() > 1):
            middle = (low.get() + high.get()) // 2
            below = frame.first_task[middle] <= task
            low.set(where(below, middle, low.get()))
            high.set(where(below, high.get(), middle))
        return low.get()
