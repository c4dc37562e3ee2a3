"""Many worlds that share a kernel, stepped together: threads take whole worlds, so that no step has a barrier.

A counter hands out worlds. A thread puts the addresses of its own memory into the world's record and calls the kernel
for some steps, as one thread of a team of one. So a world has the bits of a flock that steps alone, and its agents
stay in the cache of one core.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import numpy as np
from llvmlite import ir
from numpy.typing import NDArray

from murmura.compute.cpu.build import kernel
from murmura.compute.cpu.flock import ERROR, FIRST_STEP, TIMES, FlockCpu
from murmura.compute.cpu.frame import FINE, PLACES, STATUS, TOO_SMALL, Array, lengths_of, owned_by
from murmura.compute.cpu.functions import Functions
from murmura.compute.cpu.index.rows import MARGIN
from murmura.compute.cpu.kernel import FRAME
from murmura.compute.cpu.threads import fetch_add
from murmura.compute.cpu.work import (
    index_arrays,
    more_room,
    sorted_arrays,
    sorted_room,
    times_of,
)
from murmura.compute.machine import available_cores
from murmura.compute.plan import Plan
from murmura.compute.schema import Owner
from murmura.compute.shapes import shapes_of
from murmura.compute.trace.llvm_target import FLOAT, INT, LONG, LlvmTarget
from murmura.core.algebra import INTEGER, Value
from murmura.core.errors import RunError
from murmura.core.events import EVENT_FIELDS

LONGEST_CALL = 0.1  # [s] longest native call, so that Ctrl-C and progress act soon
JOB = ("frames", "count", "next", "steps", "work", "kernel", "errors", "completed")
"""What the threads share: addresses, and the number of worlds."""
FRAME_SIZE, ALIVE = len(PLACES), STATUS.index("alive")
OF_WORK = (Owner.INDEX, Owner.SORTED)
WORK = owned_by(*OF_WORK)
"""The arrays that a thread lends to one world after the other."""
Progress = Callable[[int, int], None]
OVERHEAD = 12_000  # bytes of a world besides its agents
EVENT_BYTES = 8 * len(EVENT_FIELDS)


def flock_of(plan: Plan, seed: tuple[int, int], announce: Callable[[str], None] | None) -> FlockCpu:
    """The first of several worlds, whose kernel is loaded or compiled; the others are its twins."""
    shapes = shapes_of(plan)
    return FlockCpu(plan, shapes, kernel(plan, shapes, announce), seed)


def flock_size(plan: Plan) -> int:
    """About how many bytes one world takes."""
    agents = plan.capacity if plan.has_lifecycle else plan.scenario.agents
    rows = 2 * plan.dimension + len(plan.carried) + len(plan.force_columns)
    events = 2 * (2 + len(plan.rule_groups)) * EVENT_BYTES if plan.eventful else 0
    return OVERHEAD + (agents + MARGIN) * (4 * rows + 16 + events)


class Worlds:
    """Worlds with one kernel, each with its own flock.

    Args:
        flocks: The worlds, all twins of one, loaded.
        threads: How many threads; by default all cores. Bits do not depend on it.
    """

    def __init__(self, flocks: Sequence[FlockCpu], threads: int | None = None) -> None:
        self.flocks = list(flocks)
        self.threads = max(1, min(threads or available_cores(), len(self.flocks)))
        self._pool: ThreadPoolExecutor | None = None
        self._pool_of = 0  # the process that has its threads
        self._pace = LONGEST_CALL  # [s] recent time of a step of all worlds
        self._functions = {name: _FUNCTIONS[name] for name in SIGNATURES}
        self._frames = np.zeros((len(self.flocks), FRAME_SIZE), np.int64)
        self._is_known = np.zeros(len(self.flocks), bool)
        self._done = np.zeros(len(self.flocks), np.int64)
        self._job = np.zeros(len(JOB), np.int64)
        self._room = self._agents = self._items = -1
        self._fit()

    def _fit(self) -> None:
        """Make each thread's memory large enough for every world."""
        agents = max(flock.count for flock in self.flocks)
        items = max(len(flock.plan.items) for flock in self.flocks)
        room = max(sorted_room(f.plan.scenario.world, f.plan.reach, f.count) for f in self.flocks)
        if agents > self._agents or items > self._items or room > self._room:
            self._agents, self._items = agents, items
            self._allocate(max(room, self._room))

    def _allocate(self, room: int) -> None:
        """Each thread's memory, with room for the largest world."""
        largest = max(self.flocks, key=lambda flock: flock.count)
        richest = max(self.flocks, key=lambda flock: len(flock.plan.items))
        self._room = room
        self._work = [
            sorted_arrays(largest.plan, 1, room)
            | index_arrays(richest.plan, richest.shapes, largest.count, 1)
            for _ in range(self.threads)
        ]
        self._addresses = np.array(
            [[work[name].ctypes.data for name in WORK] for work in self._work], np.int64
        )
        self._is_known[:] = False

    def _refresh(self) -> None:
        """Copy the records of worlds whose arrays or numbers have changed."""
        changed = [k for k, flock in enumerate(self.flocks) if flock.is_changed or not self._is_known[k]]
        if not changed:
            return
        self._fit()
        for k in changed:
            self._frames[k], self._done[k] = self.flocks[k].frame(), self.flocks[k].completed
        shapes = {name: array.shape for name, array in self._work[0].items()}
        for name, pitch in lengths_of(shapes, *OF_WORK).items():
            self._frames[:, PLACES[name]] = pitch
        self._is_known[:] = True
        steps = [flock.time_step for flock in self.flocks]
        _, first, self._clock = np.unique(steps, return_index=True, return_inverse=True)
        self._clocks = [self.flocks[k].plan for k in first]
        self._is_empty = np.array([flock.count == 0 for flock in self.flocks])

    def advance(
        self, steps: Sequence[int], first_steps: Sequence[int], progress: Progress | None = None
    ) -> None:
        """Run whole steps in every world, in native calls short enough for Ctrl-C.

        Args:
            steps: How many in each world.
            first_steps: The step count of each world before.
            progress: Called with the steps that all worlds have done, and their number.

        Raises:
            RunError: If a world cannot go on; the others have finished the same call.
        """
        self._refresh()
        self._check()
        counts = np.array(steps, np.int64)
        goals = self._done + np.where(self._is_empty, 0, counts)
        offsets = np.asarray(first_steps, np.int64) - self._done
        while (left := goals - self._done).any():
            count = max(1, int(LONGEST_CALL / self._pace))
            begun = time.perf_counter()
            pieces = np.minimum(left, count).astype(np.int32)
            self._call(pieces, offsets + self._done)
            self._pace = (time.perf_counter() - begun) / int(pieces.max())
            if progress is not None:
                most = int(counts.max())
                progress(most - int((goals - self._done).max()), most)
        for k in np.flatnonzero(self._is_empty).tolist():
            self.flocks[k].skip(int(counts[k]))

    def _call(self, pieces: NDArray[np.int32], first_steps: NDArray[np.int64]) -> None:
        """Run so many steps in each world, or fewer where there is too little room."""
        self._refresh()
        times, before = self._fill_times(int(pieces.max()), first_steps), self._done.copy()
        errors, counter = np.zeros(len(self.flocks), np.int32), np.zeros(1, np.int32)
        run = self.flocks[0].kernel_address
        addresses = [
            x.ctypes.data for x in (self._frames, counter, pieces, self._addresses, errors, self._done)
        ]
        frames, following, steps, work, problems, completed = addresses
        self._job[:] = (frames, len(self.flocks), following, steps, work, run, problems, completed)
        take, job = self._functions["step_worlds"], self._job.ctypes.data
        others = [self._team.submit(take, job, me) for me in range(1, self.threads)]
        try:
            take(job, 0)
        finally:
            _wait_for(others)
        del times  # kept until no thread reads them any more
        if errors.any():
            self._recover(np.flatnonzero(errors).tolist(), first_steps - before)

    @property
    def _team(self) -> ThreadPoolExecutor:
        if self._pool is None or self._pool_of != os.getpid():
            self._pool = ThreadPoolExecutor(self.threads - 1, thread_name_prefix="murmura-worlds")
            self._pool_of = os.getpid()
        return self._pool

    def _fill_times(self, count: int, first_steps: NDArray[np.int64]) -> list[NDArray[np.float32]]:
        """Write the first step and the address of the times of the coming steps into each record."""
        self._frames[:, FIRST_STEP] = first_steps
        made = []
        for first in np.unique(first_steps).tolist():
            tables = [times_of(plan, first, count) for plan in self._clocks]
            addresses = np.array([table.ctypes.data for table in tables], np.int64)
            mine = first_steps == first
            self._frames[mine, TIMES] = addresses[self._clock[mine]]
            made += tables
        return made

    def _recover(self, stopped: list[int], offsets: NDArray[np.int64]) -> None:
        """Make room for the worlds that stopped; raise if one has broken."""
        needed = [self.flocks[k].needed for k in stopped if self.flocks[k].error == TOO_SMALL]
        if needed:
            most = max(needed)
            self._allocate(more_room(most, most))
        for k in stopped:
            with suppress(RunError):
                self.flocks[k].recover(self.flocks[k].completed + int(offsets[k]))
        self._check()

    def _check(self) -> None:
        """Raise if a world is broken."""
        broken = [k for k, flock in enumerate(self.flocks) if flock.is_broken]
        if broken:
            more = f" (and {len(broken) - 1} more worlds broke)" if len(broken) > 1 else ""
            try:
                self.flocks[broken[0]].check()
            except RunError as error:
                raise RunError(f"world {broken[0]}: {error}{more}") from None

    def replace(self, number: int, flock: FlockCpu) -> None:
        """Put another world, loaded, in the place of this one."""
        self.flocks[number] = flock

    def collect(self, rows: Sequence[int], agents: int) -> NDArray[np.float32]:
        """Columns of all worlds, shape (rows, worlds, agents), by id; NaN where nobody with that id lives.

        Args:
            rows: Numbers of `FlockCpu.row_names`.
            agents: Ids from 0 to agents - 1 are collected.
        """
        self._refresh()
        found = np.full((len(rows), len(self.flocks), agents), np.nan, np.float32)
        self._exchange("collect_worlds", rows, found)
        return found

    def assign(self, rows: Sequence[int], values: NDArray[np.float32]) -> None:
        """Write columns of all worlds, shape (rows, worlds, agents), by id; ids that nobody has are passed over."""
        self._refresh()
        self._exchange("assign_worlds", rows, np.ascontiguousarray(values, np.float32))

    def _exchange(self, function: str, rows: Sequence[int], values: NDArray[np.float32]) -> None:
        wanted, agents = np.array(rows, np.int32), values.shape[2]
        addresses = self._frames.ctypes.data, wanted.ctypes.data, values.ctypes.data
        frames, numbers, table = addresses
        self._functions[function](frames, len(self.flocks), numbers, len(wanted), agents, table)


def _wait_for(others: list[Future[Any]]) -> None:
    """Wait for threads that are inside the kernel, whatever happens: they write into our arrays."""
    interrupted: BaseException | None = None
    for other in others:
        while not other.done():
            try:
                other.exception()
            except KeyboardInterrupt as error:
                interrupted = error
    if interrupted is not None:
        raise interrupted
    for other in others:
        other.result()


# Native code

SIGNATURES: dict[str, list[Any]] = {
    "step_worlds": [FRAME, INT],
    "collect_worlds": [FRAME, INT, INT.as_pointer(), INT, INT, FLOAT.as_pointer()],
    "assign_worlds": [FRAME, INT, INT.as_pointer(), INT, INT, FLOAT.as_pointer()],
}


def _entry(t: LlvmTarget, record: Any, place: Any) -> Any:
    """The address of an entry of a record of long integers."""
    return t.builder.gep(record, [place], inbounds=True, source_etype=LONG)


def _loaded(t: LlvmTarget, record: Any, place: int) -> Any:
    return t.builder.load(_entry(t, record, LONG(place)), typ=LONG)


def _record(t: LlvmTarget, records: Any, number: Value, size: int) -> Any:
    """A record of a table of them."""
    row = t.builder.mul(t.builder.sext(number.code, LONG), LONG(size))
    return _entry(t, records, row)


def _step_worlds(t: LlvmTarget, job: Any, me: Any) -> None:
    """Take worlds as long as there are any, and step each."""
    b = t.builder
    shared = {name: _loaded(t, job, k) for k, name in enumerate(JOB)}
    frames, work = (b.inttoptr(shared[name], FRAME) for name in ("frames", "work"))
    counter, steps, errors = (
        b.inttoptr(shared[name], INT.as_pointer()) for name in ("next", "steps", "errors")
    )
    completed = b.inttoptr(shared["completed"], FRAME)
    kind = ir.FunctionType(ir.VoidType(), [FRAME, INT, INT, INT])
    run = b.inttoptr(shared["kernel"], kind.as_pointer())
    count = Value(t, INTEGER, b.trunc(shared["count"], INT))
    mine = _record(t, work, Value(t, INTEGER, me), len(WORK))
    world = t.cell(fetch_add(t, counter, 1))
    with t.while_loop(lambda: world.get() < count):
        k = world.get()
        todo = Array(t, steps, INT)[k]
        with t.if_then(todo > 0):
            frame = _record(t, frames, k, FRAME_SIZE)
            for place, name in enumerate(WORK):
                b.store(_loaded(t, mine, place), _entry(t, frame, LONG(PLACES[name])))
            status = Array(t, b.inttoptr(_loaded(t, frame, PLACES["status"]), INT.as_pointer()), INT)
            status[ERROR] = FINE
            b.call(run, [frame, INT(0), INT(1), todo.code])
            Array(t, errors, INT)[k] = status[ERROR]
            done = b.load(b.inttoptr(_loaded(t, frame, PLACES["completed"]), FRAME), typ=LONG)
            b.store(done, _record(t, completed, k, 1))
        world.set(fetch_add(t, counter, 1))


def _collect_worlds(
    t: LlvmTarget, frames: Any, count: Any, rows: Any, row_count: Any, agents: Any, out: Any
) -> None:
    """out[row, world, id] = the state of each world, for some rows."""
    for to, place, source, n in _cells(t, frames, count, rows, row_count, agents, out):
        to[place] = source[n]


def _assign_worlds(
    t: LlvmTarget, frames: Any, count: Any, rows: Any, row_count: Any, agents: Any, values: Any
) -> None:
    """The state of each world = values[row, world, id], for some rows."""
    for source, place, to, n in _cells(t, frames, count, rows, row_count, agents, values):
        to[n] = source[place]


def _cells(
    t: LlvmTarget, frames: Any, count: Any, rows: Any, row_count: Any, agents: Any, table: Any
) -> Iterator[tuple[Array, Value, Array, Value]]:
    """The body of a loop over rows, worlds and agents.

    It gets a row of the table, the place of an id in it, the same row of the state and the place of that agent in it.
    """
    b = t.builder
    worlds, wanted, size = (Value(t, INTEGER, x) for x in (count, row_count, agents))
    numbers = Array(t, rows, INT)
    with t.for_loop(0, worlds) as k:
        frame = _record(t, frames, k, FRAME_SIZE)
        ids, status = (
            Array(t, b.inttoptr(_loaded(t, frame, PLACES[name]), INT.as_pointer()), INT)
            for name in ("ids", "status")
        )
        state = b.inttoptr(_loaded(t, frame, PLACES["state"]), FLOAT.as_pointer())
        pitch = Value(t, INTEGER, b.trunc(_loaded(t, frame, PLACES["state_pitch"]), INT))
        with t.for_loop(0, wanted) as row:
            mine = Array(t, state, FLOAT).offset(numbers[row] * pitch)
            place = b.add(b.mul(b.sext(row.code, LONG), b.sext(worlds.code, LONG)), b.sext(k.code, LONG))
            first = b.mul(place, b.sext(size.code, LONG))
            cells = Array(t, b.gep(table, [first], inbounds=True, source_etype=FLOAT), FLOAT)
            with t.for_loop(0, status[ALIVE]) as n:
                name = ids[n]  # negative: it has died in the last step
                with t.if_then((name >= 0) & (name < size)):
                    yield cells, name, mine, n


_FUNCTIONS = Functions("worlds", SIGNATURES, lambda name: globals()[f"_{name}"])
