"""The step on CPU cores, from start to end: index, perceive, decide and live, items' turns. All of it is traced.

`run` advances some steps as one thread of a team. Threads meet at barriers between the phases and share out blocks of
agents. A kernel never raises: it notes what is wrong and stops before or after a whole step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from llvmlite import ir

from murmura.compute.cpu.agents import SUMS_PITCH, Agents
from murmura.compute.cpu.frame import FINE, MANY_EVENTS, NOT_FINITE, Array, FrameCode
from murmura.compute.cpu.index import ACROSS, BLOCK, PAD, Grid, Index, thread_share
from murmura.compute.cpu.item_updates import ItemUpdates, Newborns
from murmura.compute.cpu.lanes import is_culled, world_of
from murmura.compute.cpu.nearest import reach_of_nearest
from murmura.compute.cpu.threads import LINE, NEXT_TASK, fetch_add, peek, put, wait_for_all
from murmura.compute.plan import Plan
from murmura.compute.shapes import Shapes
from murmura.compute.trace.llvm_target import BIT, INT, LANES, LONG, LlvmTarget
from murmura.core.algebra import INTEGER, Value, absolute, maximum, minimum, to_number, where
from murmura.core.layout import TRACKED_FIELDS, Layout

FRAME = LONG.as_pointer()
MOST_NEAREST = 64
"""Neighbours that may count as nearest, at most."""


@dataclass
class Kernel:
    """Writes the functions of the kernel of one plan into a module. `wide`: see `LlvmTarget`."""

    plan: Plan
    shapes: Shapes
    wide: bool

    def module(self) -> ir.Module:
        module = ir.Module("murmura")
        steer = self._steer(module)
        finish = self._finish(module)
        self._run(module, steer, finish)
        return module

    def _function(self, module: ir.Module, name: str, result: Any, arguments: list[Any]) -> tuple[Any, ...]:
        """A new function: its target, its frame and its other arguments, which are integers."""
        function = ir.Function(module, ir.FunctionType(result, [FRAME, *arguments]), name)
        target = LlvmTarget(ir.IRBuilder(function.append_basic_block("entry")), self.wide)
        frame, *rest = function.args
        return function, target, FrameCode(target, frame), [Value(target, INTEGER, x) for x in rest]

    # Agents

    def _steer(self, module: ir.Module) -> Any:
        """Perceive, decide and move the agents of one task: neighbours in a row of bins."""
        function, t, frame, arguments = self._function(module, "steer", BIT, [INT] * 6)
        function.linkage = "internal"
        done, me, row, begin, count, to = arguments
        index = Index(self.plan, t, frame)
        agents = Agents(self.plan, self.shapes, t, frame, world_of(self.plan, t, frame, done))
        grid = self._grid(index, t, frame)
        sums = frame.sums.offset(me * (max(1, agents.sum_rows) * SUMS_PITCH))
        self._perceive(agents, index, grid, row, begin, count, sums, me)
        chosen = frame.chosen.offset(me * frame.item_count)
        near = frame.near.offset(me * (2 * max(1, len(self.plan.rule_groups))))
        agents.memory.use_block(chosen, near)
        self._choose(t, frame, index, grid, row, begin, count, chosen, near, agents.step.world)
        fine = t.cell(t.integer(0) == 0)
        told = Array(t, frame.told.at(me * frame.told_pitch), LONG)
        with t.looping(0, count, LANES) as k:
            step_number = self._step_number(t, frame, done)
            whole = agents.move(begin + k, sums, k, count - k, to + k, step_number, told)
            fine.set(fine.get() & whole)
        t.builder.ret(fine.get().code)
        return function

    def _step_number(self, t: LlvmTarget, frame: FrameCode, done: Value) -> Any:
        """The number of the step that is being made, as a long integer: events may come late in long runs."""
        first = frame._entry("first_step")
        return t.builder.add(first, t.builder.sext((done + 1).code, LONG))

    def _grid(self, index: Index, t: LlvmTarget, frame: FrameCode) -> Grid:
        """The grid of this step; in an open world the first thread has written it down."""
        if self.plan.scenario.world.boundary != "open":
            return index.bounded_grid()
        numbers = frame.bounds.offset(0)
        columns, rows = (Value(t, INTEGER, t.builder.fptosi(numbers[k].code, INT)) for k in (0, 1))
        return Grid(columns, rows, numbers[2], numbers[3], numbers[4], numbers[5])

    def _perceive(
        self, agents: Agents, index: Index, grid: Grid, row: Value, begin: Value, count: Value, sums: Array, me: Value
    ) -> None:  # fmt: skip
        t, start, pitch = agents.target, index.start, grid.pitch
        xs, base, reaches = index.columns[0], row * grid.pitch, agents.frame.reaches
        if self.plan.topological:
            closest = agents.frame.closest.offset(me * MOST_NEAREST)
            with t.looping(begin, begin + count) as i:
                column = index.column_of(xs[i], grid)
                reaches[i] = reach_of_nearest(agents, index, base + column, pitch, i, closest)
        with t.looping(0, count, 4) as k:
            i = begin + k
            last = begin + minimum(k + 4, count) - 1
            c0 = index.column_of(xs[i], grid)
            c1 = index.column_of(xs[last], grid) + (2 * ACROSS + 1)
            # Past a row's last bin lie its sentinels. A run that took them in would let its last tile reach into
            # the next row, whose agents would then be met twice.
            over = where(c1 == pitch, PAD, 0)
            runs = []
            for beside in (-1, 0, 1):
                first = base + pitch * beside
                runs.append((start[first + c0], start[first + c1] - over, beside == 0))
            agents.perceive(i, runs, reaches, sums, k)

    def _choose(
        self, t: LlvmTarget, frame: FrameCode, index: Index, grid: Grid, row: Value, begin: Value, count: Value,
        chosen: Array, near: Array, world: Any,
    ) -> None:  # fmt: skip
        """List the items that may matter to agents in a block, for rules whose items have a range."""
        culled = [(k, g) for k, g in enumerate(self.plan.rule_groups) if g.kind.item and is_culled(g.rule)]
        if not culled:
            return
        xs = index.columns[0]
        height = where(grid.per_y > 0.0, 1.0 / grid.per_y, 0.0)
        half_x, half_y = (xs[begin + count - 1] - xs[begin]) * 0.5, height * 0.5
        middle = xs[begin] + half_x, grid.y0 + (to_number(row) - 0.5) * height
        half = half_x * 1.001, half_y * 1.001 + 0.01
        listed = t.cell(0)
        for k, group in culled:
            places = [group.known.place[name] for name in ("x", "y")]
            near[2 * k] = listed.get()
            with t.looping(frame.ranges[2 * k], frame.ranges[2 * k + 1]) as item:
                square: Any = 0.0
                for axis, place in enumerate(places):
                    gap = absolute(frame.items[item * self.plan.item_width + place] - middle[axis])
                    if world.wraps:
                        gap = minimum(gap, list(world.size)[axis] - gap)
                    gap = maximum(gap - half[axis], 0.0)
                    square = gap * gap + square
                reach = frame.item_ranges[k]
                with t.provided(square <= reach * reach * 1.001):
                    chosen[listed.get()] = item
                    listed.set(listed.get() + 1)
            near[2 * k + 1] = listed.get()

    # After the agents

    def _finish(self, module: ir.Module) -> Any:
        """What happens when all have moved: items take their turns, the young are born, newcomers arrive."""
        function, t, frame, (done, team, alive) = self._function(module, "finish", ir.VoidType(), [INT] * 3)
        function.linkage = "internal"
        world = world_of(self.plan, t, frame, done)
        number = self._step_number(t, frame, done)
        if self.plan.lasting:
            ItemUpdates(self.plan, self.shapes, t, frame, world).take_turns(team)
        if self.plan.has_lifecycle:
            newborns = Newborns(self.plan, t, frame, world)
            alive = newborns.let_be_born(alive, number)
            alive = newborns.welcome(alive, number)
            put(t, frame.status("alive"), alive)
        if self.plan.eventful:
            with t.provided(peek(t, frame.status("events")) * 2 > frame.event_room):
                put(t, frame.status("trouble"), MANY_EVENTS)
        at = frame.completed.at(0)
        t.builder.store(t.builder.add(t.builder.load(at, typ=LONG), LONG(1)), at)
        t.builder.ret_void()
        return function

    # The whole step

    def _run(self, module: ir.Module, steer: Any, finish: Any) -> None:
        """Advance `steps` steps as thread `me` of `team`."""
        _, t, frame, (me, team, steps) = self._function(module, "run", ir.VoidType(), [INT] * 3)
        sync = frame.sync
        done = t.cell(0)
        going = t.cell(t.integer(0) == 0)
        with t.during(lambda: going.get() & (done.get() < steps)):
            index = Index(self.plan, t, frame)
            grid = self._sort(index, t, frame, me, team, sync, going)
            with t.provided(going.get()):
                self._share_out(t, frame, index, grid, steer, me, team, done.get())
                wait_for_all(t, sync, team)
                with t.provided(me == 0):
                    last = grid.rows * grid.pitch + ACROSS
                    agents = index.start[last + grid.columns] - index.start[last]
                    alive = frame.row_first[grid.rows - 1] + agents
                    arguments = [frame._pointer, done.get().code, team.code, alive.code]
                    t.builder.call(finish, arguments)
                wait_for_all(t, sync, team)
                going.set(peek(t, frame.status("trouble")) == FINE)
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
        first_row, last_row = (thread_share(t, grid.rows, me + k, team) for k in (0, 1))
        with t.looping(first_row, last_row) as r:
            frame.row_start[r + 1] = index.row_length(team, (r + 1) * grid.pitch, grid)
        wait_for_all(t, sync, team)
        present = Layout(TRACKED_FIELDS).place["present"]
        with t.provided(me == 0):
            index.start_rows(grid)
            index.forget_tracked(self.plan.item_width, present)
            with t.looping(0, team) as k:
                put(t, sync.at(k * LINE + NEXT_TASK), 0)
        wait_for_all(t, sync, team)
        going.set(peek(t, frame.status("trouble")) == FINE)
        with t.provided(going.get()):
            with t.looping(first_row, last_row) as r:
                index.place_bins(team, (r + 1) * grid.pitch, frame.row_start[r + 1], grid)
            wait_for_all(t, sync, team)
            with t.provided(me == 0):
                index.start_tasks(grid)
            index.scatter(counts, begin, end)
            wait_for_all(t, sync, team)
            with t.looping(first_row, last_row) as r:
                base = (r + 1) * grid.pitch
                index.finish_row(base, frame.row_start[r + 2], grid)
                first = base + ACROSS
                index.note_tracked(
                    index.start[first], index.start[first + grid.columns], self.plan.item_width
                )
            wait_for_all(t, sync, team)
            with t.looping(0, 2) as side, t.provided(side % team == me):
                index.fill_edge(side, grid)
            wait_for_all(t, sync, team)
        return grid

    def _shared_grid(
        self, index: Index, t: LlvmTarget, frame: FrameCode, me: Value, team: Value, sync: Array, n: Value,
        begin: Value, end: Value,
    ) -> Grid:  # fmt: skip
        if self.plan.scenario.world.boundary != "open":
            return index.bounded_grid()
        found = frame.bounds.offset(8)
        index.find_bounds(begin, end, found.offset(me * 4))
        wait_for_all(t, sync, team)
        with t.provided(me == 0):
            grid = index.open_grid(found, team, n)
            values = (to_number(grid.columns), to_number(grid.rows), grid.x0, grid.y0, grid.per_x, grid.per_y)
            for k, value in enumerate(values):
                frame.bounds[k] = value
        wait_for_all(t, sync, team)
        return self._grid(index, t, frame)

    def _share_out(
        self, t: LlvmTarget, frame: FrameCode, index: Index, grid: Grid, steer: Any, me: Value, team: Value,
        done: Value,
    ) -> None:  # fmt: skip
        """Work off tasks: first those whose agents this thread has just sorted, then what others have not got to."""
        tasks = frame.first_task[grid.rows]
        with t.looping(0, team) as turn:
            whose = (me + turn) % team
            first, last = (thread_share(t, tasks, whose + k, team) for k in (0, 1))
            counter = frame.sync.at(whose * LINE + NEXT_TASK)
            task = t.cell(first + fetch_add(t, counter, 1))
            with t.during(lambda: task.get() < last):
                row = self._row_of_task(t, frame, grid, task.get())
                base = (row + 1) * grid.pitch + ACROSS
                offset = (task.get() - frame.first_task[row]) * BLOCK
                begin = index.start[base] + offset
                count = minimum(BLOCK, index.start[base + grid.columns] - begin)
                to = frame.row_first[row] + offset
                numbers = [x.code for x in (done, me, row + 1, begin, count, to)]
                fine = t.builder.call(steer, [frame._pointer, *numbers])
                with t.provided(~Value(t, "condition", fine)):
                    put(t, frame.status("trouble"), NOT_FINITE)
                task.set(first + fetch_add(t, counter, 1))

    def _row_of_task(self, t: LlvmTarget, frame: FrameCode, grid: Grid, task: Value) -> Value:
        low, high = t.cell(0), t.cell(grid.rows)
        with t.during(lambda: high.get() - low.get() > 1):
            middle = (low.get() + high.get()) // 2
            below = frame.first_task[middle] <= task
            low.set(where(below, middle, low.get()))
            high.set(where(below, high.get(), middle))
        return low.get()
