"""The CPU backend: runs the kernel of a plan on a team of threads."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from murmura.backends import hearing, teamwork, turns
from murmura.backends.cpu_build import is_here, kernel_module
from murmura.backends.kernels import available_cores
from murmura.backends.plan import KIN_FIELDS, Plan
from murmura.backends.tables import laid_out
from murmura.backends.unsorting import unsort
from murmura.core.errors import RunError
from murmura.core.events import EVENT_FIELDS
from murmura.core.state import State, column_name

# Below so many agents one thread is best, from so many on all are. In between it depends on what else the machine does,
# so both are tried now and then. An agent counts for more where it has more columns than a light one.
SERIAL_BELOW, SHARED_FROM, LIGHT, TRY_EVERY = 4000, 20_000, 6, 64
LONGEST_CALL = 0.05  # [s] native calls are kept this short, so that Ctrl-C and progress are not kept waiting


class BackendCpu:
    """Runs a plan on CPU threads, in single precision."""

    name = "cpu"
    piece = 1_000_000  # `advance` keeps its native calls short by itself

    def __init__(
        self,
        plan: Plan,
        seed: tuple[int, int],
        threads: int | None,
        announce: Callable[[str], None] | None = None,
    ) -> None:
        self._seed = seed
        self._wanted = threads
        self._announce = announce
        self._pool: ThreadPoolExecutor | None = None
        self._paces: dict[int, float] = {}  # [s] what a step took lately, by number of threads
        self._calls = 0
        self.replan(plan)

    def replan(self, plan: Plan) -> None:
        """Take up a changed scenario; the state must be loaded anew."""
        self._module = kernel_module(plan, self._announce)
        self._turns = turns.addresses(plan)
        self.tune(plan)

    def prepare(self, plan: Plan) -> None:
        """Compile the kernel of a plan, or load it, for a later `replan`."""
        kernel_module(plan, self._announce)
        turns.addresses(plan)

    def is_prepared(self, plan: Plan) -> bool:
        """Whether the kernel of a plan is in this process."""
        return is_here(plan)

    def tune(self, plan: Plan) -> None:
        """Take up changed numbers and items; the kernel and the flock stay."""
        self._plan = plan
        world = plan.world(0, self._seed)
        self._world = np.array(
            [
                world.width,
                world.height,
                world.dt,
                world.thrust,
                world.stride,
                world.pace,
                world.skin,
                world.noise_x,
                world.noise_y,
            ]
        )
        self._numbers = laid_out(plan.numbers.T)
        self._kin = laid_out(plan.kin.reshape(-1, len(KIN_FIELDS)).T)
        self._items = np.ascontiguousarray(plan.items)

    @property
    def threads(self) -> int:
        """Threads in use: those asked for, or all cores for large flocks and one for small ones."""
        if self._wanted is not None:
            return self._wanted
        return usual_threads(self._work_load)

    @property
    def _work_load(self) -> int:
        """The flock, counted in light agents."""
        return int(self._count * max(1.0, len(self._plan.carried) / LIGHT))

    def load(self, state: State) -> None:
        """Take the flock over."""
        plan, n = self._plan, len(state)
        self._count = room = max(n, plan.capacity) if plan.mortal else n
        self._status = np.zeros(8, np.int64)
        self._status[hearing.NEXT_ID], self._status[hearing.ALIVE] = state.next_id, n
        rows = 4 + len(plan.carried)
        self._state = np.zeros((rows + 3, room + 64), np.float32)
        self._ids = np.zeros(room + 64, np.int32)
        # Sorted by place once here; from then on every step leaves it nearly sorted.
        order = np.lexsort([state[c] for c in ("id", "velocity_y", "velocity_x", "position_y", "position_x")])
        self._ids[:n] = state.ids[order]
        for row, name in enumerate(self._row_names()):
            self._state[row, :n] = state[name][order]
        self._items = np.ascontiguousarray(plan.item_table(state))
        n = room
        self._key = np.zeros(n, np.int32)
        self._sort_into(self._room())
        most_bins = max(8192, n + n // 2)
        team = self.threads
        self._start = np.zeros(most_bins + 1, np.int32)
        self._hist = np.zeros((team, most_bins), np.int32)
        self._row_start = np.zeros(most_bins // 16 + 8, np.int64)
        self._row_first = np.zeros_like(self._row_start)
        self._first_task = np.zeros_like(self._row_start)
        self._sync = np.zeros(teamwork.NEXT_TASK + 16 * team, np.int64)
        self._bounds = np.zeros((team, 4), np.float64)
        self._make_ears(team)

    def _make_ears(self, team: int) -> None:
        """Room for what agents tell items, for events and for young."""
        plan, n = self._plan, self._count
        items = plan.listeners
        self._told = np.zeros((team, items, max(1, plan.told_width)), np.int64)
        self._news = np.zeros((items, 1 + plan.item_width), np.float32)
        self._heard = np.zeros(max(1, plan.told_width), np.float32)
        # So many that half of it holds whatever one step may bring.
        kinds = 2 + sum(1 for group in plan.rule_groups if group.kind.happens)
        self._events = np.zeros((2 * kinds * n + 64 if plan.eventful else 0, len(EVENT_FIELDS)), np.float64)
        self._young = np.zeros((n if plan.mortal else 0, 3), np.int64)
        self._told_before: list[NDArray[np.float64]] = []

    def take_events(self) -> NDArray[np.float64]:
        told = np.concatenate([*self._told_before, self._drained()])
        self._told_before = []
        return told

    def _drained(self) -> NDArray[np.float64]:
        count = int(self._status[hearing.EVENTS])
        self._status[hearing.EVENTS] = 0
        return self._events[:count].copy()

    def store(self, state: State) -> None:
        """Give the flock back, in ascending id."""
        n = int(self._status[hearing.ALIVE])
        ids = self._ids[:n].astype(np.int64)
        if self._plan.mortal:
            alive = ids[ids >= 0]
            state.settle(np.sort(alive).astype(np.int32), int(self._status[hearing.NEXT_ID]))
        dense = n > 0 and len(state) == n and state.ids[-1] == n - 1
        places = ids if dense else np.searchsorted(state.ids, ids)
        if len(state) < n:
            places[ids < 0] = len(state)  # a row for all the dead, cut off below
        names = self._row_names()
        rows = np.empty((len(names), n), np.float32)
        unsort(self._state, places, n, rows)
        for row, name in zip(rows, names, strict=True):
            state[name][:] = row[: len(state)]
        if self._plan.lasting:
            self._plan.keep_items(state, self._items)

    def send(self) -> None:
        """The flock is here already."""

    def glance(self) -> tuple[NDArray[np.int32], dict[str, NDArray[np.float32]]]:
        """Ids and moving columns as they lie, sorted by place."""
        n = self._count
        return self._ids[:n], {name: self._state[row, :n] for row, name in enumerate(self._row_names())}

    @property
    def completed(self) -> int:
        """Whole steps since `load`. The kernel counts them itself, so no interrupt can come in between."""
        return int(self._status[1])

    def advance(self, steps: int, first_step: int) -> None:
        """Run whole steps, in native calls short enough for Ctrl-C."""
        if self._count == 0:
            self._status[1] += steps
            return
        goal, offset = self.completed + steps, first_step - self.completed
        while self.completed < goal:
            team, longest = self._next_team()
            pace = self._paces.get(team, LONGEST_CALL)
            count = min(goal - self.completed, max(2, int(longest / pace)))
            begun = time.perf_counter()
            self._call(team, count, offset + self.completed)
            self._paces[team] = (time.perf_counter() - begun) / count

    def _next_team(self) -> tuple[int, float]:
        """How many threads take the next steps, and for how long: the faster team, or now and then the other."""
        most = len(self._hist)
        if self._wanted is not None or most == 1 or self._work_load >= SHARED_FROM:
            return most, LONGEST_CALL
        self._calls += 1
        faster = min(self._paces, key=self._paces.__getitem__, default=most)
        if self._calls in (2, 4, 8) or self._calls % TRY_EVERY == 0:  # the first calls wake the threads up
            return (1 if faster == most else most), LONGEST_CALL / 8.0
        return faster, LONGEST_CALL

    def _call(self, team: int, steps: int, first_step: int) -> None:
        status, before = self._status, self.completed
        status[0] = self._module.FINE
        pool = self._team(team)
        others = (
            [pool.submit(self._work, k, team, steps, first_step, status) for k in range(1, team)]
            if pool
            else []
        )
        try:
            self._work(0, team, steps, first_step, status)
        finally:
            for other in others:
                other.result()
        if status[0] == self._module.TOO_SMALL:
            self._sort_into(int(status[2] * 1.25) + 4096)
        elif status[0] == self._module.MUCH_TO_TELL:
            self._told_before.append(self._drained())
        elif status[0] == self._module.NOT_FINITE:
            raise RunError(self._diagnosis(first_step + self.completed - before))

    def _work(self, me: int, team: int, steps: int, first_step: int, status: NDArray[np.int64]) -> None:
        plan = self._plan
        self._module.run(
            steps, me, team, first_step, *self._seed, self._world, plan.reach,
            plan.scenario.perception.nearest or 0, self._sync, status, self._bounds, self._state, self._ids, self._key,
            self._table, self._table_ids, self._source, self._start, self._hist, self._row_start, self._row_first,
            self._first_task, self._reaches, self._numbers, self._kin, self._items, plan.ranges, plan.item_ranges,
            plan.tracked,
            plan.shapes, self._turns, self._told, self._news, self._heard, self._events, self._young,
        )  # fmt: skip

    def _diagnosis(self, step: int) -> str:
        n = int(self._status[hearing.ALIVE])
        broken = ~np.isfinite(self._state[:4, :n]).all(axis=0) | (np.abs(self._state[:4, :n]) > 1e30).any(
            axis=0
        )
        some = ", ".join(str(k) for k in np.sort(self._ids[:n][broken])[:5])
        return (
            f"step {step}: {int(broken.sum())} agents have no finite place or velocity (ids {some}); the run stopped "
            "there. A rule returned NaN or infinity: guard its divisions, or lower the weights"
        )

    def _team(self, team: int) -> ThreadPoolExecutor | None:
        """The helpers of the calling thread. Each backend has its own: a shared pool could starve a barrier."""
        if team > 1 and self._pool is None:
            self._pool = ThreadPoolExecutor(team - 1, thread_name_prefix="murmura")
        return self._pool if team > 1 else None

    def _sort_into(self, room: int) -> None:
        """Allocate the sorted copy of the flock with its ghosts."""
        rows = 4 + len(self._plan.carried)
        self._table = np.zeros((rows, room), np.float32)
        self._table_ids = np.zeros(room, np.int32)
        self._source = np.zeros(room if self._plan.carried else 1, np.int32)
        self._reaches = np.zeros(room if self._plan.topological else 1, np.float32)

    def _room(self) -> int:
        world, reach = self._plan.scenario.world, self._plan.reach
        ghosts = (
            (1.0 + 2.5 * reach / world.width) * (1.0 + 2.5 * reach / world.height)
            if world.boundary == "wrap"
            else 1.0
        )
        rows = min(
            world.height / reach, max(8192, 1.5 * self._count) / 32
        )  # as many as the kernel's layout allows
        return int(self._count * ghosts * 1.05) + 4 * int(rows + 4) + 4096

    def _row_names(self) -> list[str]:
        names = ["position_x", "position_y", "velocity_x", "velocity_y", *self._plan.carried]
        return [column_name(c) for c in [*names, "acceleration_x", "acceleration_y", "local_density"]]


def usual_threads(agents: int, spared: int = 0) -> int:
    """Threads for so many agents where nobody chose: one for small flocks, else all cores but the spared ones."""
    return max(1, available_cores() - spared) if agents >= SERIAL_BELOW else 1
