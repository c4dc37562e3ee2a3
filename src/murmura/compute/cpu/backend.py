"""The CPU backend: runs the kernel of a plan on a team of threads."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from murmura.compute.cpu.build import kernel, kernel_here
from murmura.compute.cpu.flock import ERROR, FIRST_STEP, TIMES, FlockCpu
from murmura.compute.cpu.frame import FINE, TOO_SMALL
from murmura.compute.cpu.work import index_arrays, more_room, sorted_arrays, sorted_room, times_of
from murmura.compute.machine import available_cores
from murmura.compute.plan import Plan
from murmura.compute.shapes import shapes_of
from murmura.core.state import State

# One thread is best for small flocks, all threads for large ones. In between it depends on the load of the machine, so
# both are timed occasionally. Agents with many columns count for more than one.
SERIAL_BELOW, SHARED_FROM, LIGHT, TRY_EVERY = 4000, 20_000, 6, 64
LONGEST_CALL = 0.05  # [s] longest native call, so that Ctrl-C and progress act soon
TIMES_AHEAD = 64  # steps whose times are computed at once


class BackendCpu(FlockCpu):
    """Runs a plan on CPU threads, in single precision. `portable`: with the bits that WebAssembly can have, too."""

    def __init__(
        self,
        plan: Plan,
        seed: tuple[int, int],
        threads: int | None,
        announce: Callable[[str], None] | None = None,
        portable: bool = False,
    ) -> None:
        self.portable = portable
        self._wanted = threads
        self._announce = announce
        self._pool: ThreadPoolExecutor | None = None
        self._pool_of = 0  # the process that has its threads
        self._paces: dict[int, float] = {}  # [s] recent time of a step, by number of threads
        self._calls = 0
        shapes = shapes_of(plan)
        super().__init__(plan, shapes, kernel(plan, shapes, announce, portable), seed)

    def replan(self, plan: Plan) -> None:
        """Change to another plan; `load` must follow."""
        self._shapes = shapes_of(plan)
        self._kernel = kernel(plan, self._shapes, self._announce, self.portable)
        self.tune(plan, plan.items)

    def prepare(self, plan: Plan) -> None:
        """Compile the kernel of a plan, or load it, for a later `replan`."""
        kernel(plan, shapes_of(plan), self._announce, self.portable)

    def is_prepared(self, plan: Plan) -> bool:
        """Whether the kernel of a plan is in this process."""
        return kernel_here(plan, self.portable) is not None

    def is_current(self) -> bool:
        return kernel_here(self._plan, self.portable) is self._kernel

    def tune(self, plan: Plan, items: NDArray[np.float32]) -> None:
        """Change numbers and items; the kernel and the flock stay."""
        super().tune(plan, items)
        self._times, self._times_from = np.empty((0, 2), np.float32), 0

    @property
    def threads(self) -> int:  # type: ignore[override]
        """Threads in use: as requested, or all cores for large flocks and one for small ones."""
        if self._wanted is not None:
            return self._wanted
        return usual_threads(self._work_load)

    @property
    def _work_load(self) -> int:
        """The size of the flock in light agents."""
        return int(self._count * max(1.0, len(self._plan.carried) / LIGHT))

    def load(self, state: State) -> None:
        """Copy the flock from a state."""
        super().load(state)
        self._team_size = team = self.threads
        self._keep(
            sorted_arrays(
                self._plan, team, sorted_room(self._plan.scenario.world, self._plan.reach, self._count)
            )
        )
        self._keep(index_arrays(self._plan, self._shapes, self._count, team))
        self._make_reports(team)

    def start_transfer(self) -> None:
        """None: the flock is already in host memory."""

    def advance(self, steps: int, first_step: int) -> None:
        """Run whole steps, in native calls short enough for Ctrl-C."""
        if self._count == 0:
            self.skip(steps)
            return
        self.check()
        done = self.completed
        goal, offset = done + steps, first_step - done
        while done < goal:
            team, longest = self._next_team()
            pace = self._paces.get(team, LONGEST_CALL)
            count = min(goal - done, max(2, int(longest / pace)))
            begun = time.perf_counter()
            done = self._call(team, count, offset + done)
            self._paces[team] = (time.perf_counter() - begun) / count

    def _next_team(self) -> tuple[int, float]:
        """The number of threads for the next steps, and for how long: the faster team, or sometimes the other one."""
        most = self._team_size
        if self._wanted is not None or most == 1 or self._work_load >= SHARED_FROM:
            return most, LONGEST_CALL
        self._calls += 1
        faster = min(self._paces, key=self._paces.__getitem__, default=most)
        if self._calls in (2, 4, 8) or self._calls % TRY_EVERY == 0:  # the first calls start the threads
            return (1 if faster == most else most), LONGEST_CALL / 8.0
        return faster, LONGEST_CALL

    def _call(self, team: int, steps: int, first_step: int) -> int:
        """Run some steps, or fewer if the kernel stops for lack of room; return the steps completed since `load`."""
        before, status = self.completed, self._arrays["status"]
        status[ERROR] = FINE
        frame = self._filled_frame(steps, first_step)
        pool = self._team(team)
        others = (
            [pool.submit(self._kernel.run, frame, k, team, steps) for k in range(1, team)] if pool else []
        )
        try:
            self._kernel.run(frame, 0, team, steps)
        finally:
            for other in others:
                other.result()
        done = self.completed
        if status[ERROR] != FINE:
            self._make_room(first_step + done - before)
        return done

    def _make_room(self, step: int) -> None:
        """Allocate what the kernel lacked after this step, or raise."""
        if self.error == TOO_SMALL:
            room = more_room(self._status("needed"), self._count)
            self._keep(sorted_arrays(self._plan, self._team_size, room))
        self.recover(step)

    def _filled_frame(self, steps: int, first_step: int) -> int:
        """The address of the record that is passed to the kernel."""
        if self._frame is None:
            self._address = self.frame().ctypes.data
        assert self._frame is not None
        ahead = first_step - self._times_from
        if not 0 <= ahead <= len(self._times) - steps:
            self._times_from, ahead = first_step, 0
            self._times = times_of(self._plan, first_step, max(steps, TIMES_AHEAD))
            self._times_at = self._times.ctypes.data
        self._frame[FIRST_STEP] = first_step
        self._frame[TIMES] = self._times_at + self._times.strides[0] * ahead
        return self._address

    def _team(self, team: int) -> ThreadPoolExecutor | None:
        """The worker threads of this backend: a shared pool could starve a barrier. A forked process has none yet."""
        if team == 1:
            return None
        if self._pool is None or self._pool_of != os.getpid():
            self._pool = ThreadPoolExecutor(team - 1, thread_name_prefix="murmura")
            self._pool_of = os.getpid()
        return self._pool


def usual_threads(agents: int, spared: int = 0) -> int:
    """The default number of threads: one for small flocks, else all cores except the spared ones."""
    return max(1, available_cores() - spared) if agents >= SERIAL_BELOW else 1
