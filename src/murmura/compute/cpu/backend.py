"""The CPU backend: runs the kernel of a plan on a team of threads."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.compute.cpu.build import is_here, kernel
from murmura.compute.cpu.frame import FINE, MANY_EVENTS, NOT_FINITE, STATUS, TOO_SMALL, WORLD, frame_of
from murmura.compute.cpu.index.grid import ACROSS
from murmura.compute.cpu.index.rows import MARGIN
from murmura.compute.cpu.index.tiles import tile_room
from murmura.compute.cpu.kernel import GRID_NUMBERS
from murmura.compute.cpu.perception.agents import Agents
from murmura.compute.cpu.perception.lanes import SUMS_PITCH, laid_out
from murmura.compute.cpu.perception.nearest import MOST_NEAREST
from murmura.compute.cpu.perception.neighbor_list import INTEGER_ROWS, NUMBER_ROWS, list_pitch, list_table
from murmura.compute.cpu.perception.sight import field_room
from murmura.compute.cpu.scatter import put_column
from murmura.compute.cpu.threads import LINE, NEXT_TASK
from murmura.compute.machine import available_cores
from murmura.compute.newborns import Births
from murmura.compute.plan import AFFINITIES, Plan
from murmura.compute.shapes import shapes_of
from murmura.core.errors import RunError
from murmura.core.events import EVENT_FIELDS
from murmura.core.state import State, column_name

# One thread is best for small flocks, all threads for large ones. In between it depends on the load of the machine, so
# both are timed occasionally. Agents with many columns count for more than one.
SERIAL_BELOW, SHARED_FROM, LIGHT, TRY_EVERY = 4000, 20_000, 6, 64
LONGEST_CALL = 0.05  # [s] longest native call, so that Ctrl-C and progress act soon


class BackendCpu:
    """Runs a plan on CPU threads, in single precision."""

    name = "cpu"
    piece = 1_000_000  # `advance` itself keeps its native calls short

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
        self._arrays: dict[str, NDArray[Any]] = {}
        self._paces: dict[int, float] = {}  # [s] recent time of a step, by number of threads
        self._calls = 0
        self.replan(plan)

    def replan(self, plan: Plan) -> None:
        """Change to another plan; `load` must follow."""
        self._shapes = shapes_of(plan)
        self._kernel = kernel(plan, self._shapes, self._announce)
        self.tune(plan, plan.items)

    def prepare(self, plan: Plan) -> None:
        """Compile the kernel of a plan, or load it, for a later `replan`."""
        kernel(plan, shapes_of(plan), self._announce)

    def is_prepared(self, plan: Plan) -> bool:
        """Whether the kernel of a plan is in this process."""
        return is_here(plan)

    def read_items(self) -> NDArray[np.float32]:
        """A copy of the items as they are now."""
        items: NDArray[np.float32] = self._arrays["items"][: len(self._plan.items)].copy()
        return items

    def tune(self, plan: Plan, items: NDArray[np.float32]) -> None:
        """Change numbers and items; the kernel and the flock stay."""
        self._plan = plan
        self._arrays |= {
            "numbers": laid_out(plan.numbers.T),
            "affinities": laid_out(plan.affinities.reshape(-1, len(AFFINITIES)).T),
            "items": _at_least_one(items),
            "ranges": np.ascontiguousarray(plan.ranges, np.int32).reshape(-1),
            "item_ranges": np.ascontiguousarray(plan.item_ranges, np.float32),
            "tracked": np.ascontiguousarray(plan.tracked, np.int32).reshape(-1),
            "shapes": _at_least_one(plan.shapes),
        }
        self._frame: NDArray[np.int64] | None = None

    @property
    def threads(self) -> int:
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
        plan, n = self._plan, len(state)
        self._count = room = max(n, plan.capacity) if plan.has_lifecycle else n
        rows = 2 * plan.dimension + len(plan.carried)
        flock = np.zeros((rows + len(plan.force_columns), room + MARGIN), np.float32)
        ids = np.zeros(room + MARGIN, np.int32)
        # Sorted by position once here; from then on every step leaves it nearly sorted.
        order = np.lexsort([state[c] for c in ("id", *reversed(plan.moving_columns))])
        ids[:n] = state.ids[order]
        for row, name in enumerate(self._row_names()):
            flock[row, :n] = state[name][order]
        status = np.zeros(len(STATUS), np.int32)
        status[STATUS.index("next_id")], status[STATUS.index("alive")] = state.next_id, n
        self._births = Births(state)
        self._arrays |= {
            "state": flock,
            "ids": ids,
            "keys": np.zeros(room + MARGIN, np.int32),
            "items": _at_least_one(plan.item_table(state)),
            "status": status,
            "completed": np.zeros(1, np.int64),
        }
        self._sort_into(self._room())
        self._make_index()
        self._make_reports()

    def _make_index(self) -> None:
        """Allocate the index and each thread's work space."""
        plan, team = self._plan, self.threads
        self._team_size = team
        self._most_bins = most_bins = max(8192, self._count + self._count // 2)
        rows = np.zeros(most_bins // 16 + 8, np.int32)
        sums = max(1, Agents.rows_of(plan, self._shapes)) * SUMS_PITCH
        self._arrays |= {
            "start": np.zeros(most_bins + 1, np.int32),
            "histogram": np.zeros((team, most_bins), np.int32),
            "row_start": rows,
            "row_first": rows.copy(),
            "first_task": rows.copy(),
            "sync": np.zeros(NEXT_TASK + LINE * team, np.int32),
            "bounds": np.zeros(GRID_NUMBERS + 2 * plan.dimension * team, np.float32),
            "sums": np.zeros((team, sums), np.float32),
            "closest": np.zeros((team, MOST_NEAREST), np.float32),
            "chosen": np.zeros((team, max(1, len(plan.items))), np.int32),
            "near": np.zeros((team, 2 * max(1, len(plan.rule_groups))), np.int32),
        }

    def _make_reports(self) -> None:
        """Allocate tables for reports, events and newborns."""
        plan, n = self._plan, self._count
        width = max(1, self._shapes.report_width)
        # Twice the events that one step can produce.
        kinds = 2 + sum(1 for group in plan.rule_groups if group.functions.happens)
        self._arrays |= {
            "reports": np.zeros((self._team_size, max(1, plan.stateful_item_count) * width), np.int64),
            "target_reports": np.zeros((max(1, plan.stateful_item_count), 1 + plan.item_width), np.float32),
            "events": np.zeros((2 * kinds * n + 64 if plan.eventful else 0, len(EVENT_FIELDS)), np.float64),
            "young": np.zeros((n if plan.has_lifecycle else 0, 3), np.int32),
        }
        self._events_before: list[NDArray[np.float64]] = []

    def _status(self, name: str) -> int:
        return int(self._arrays["status"][STATUS.index(name)])

    def _set_status(self, name: str, value: int) -> None:
        self._arrays["status"][STATUS.index(name)] = value

    def take_events(self) -> NDArray[np.float64]:
        events = np.concatenate([*self._events_before, self._drained()])
        self._events_before = []
        return events

    def _drained(self) -> NDArray[np.float64]:
        count = self._status("events")
        self._set_status("events", 0)
        events: NDArray[np.float64] = self._arrays["events"][:count].copy()
        self._births.note(events)
        return events

    def store(self, state: State) -> None:
        """Write the flock into a state, in ascending id."""
        n = self._status("alive")
        ids = self._arrays["ids"][:n].astype(np.int64)
        if self._plan.has_lifecycle:
            self._events_before.append(self._drained())
            alive = np.sort(ids[ids >= 0]).astype(np.int32)
            self._births.settle(state, alive, self._status("next_id"))
        dense = n > 0 and len(state) == n and state.ids[-1] == n - 1
        places = ids if dense else np.searchsorted(state.ids, ids)
        if len(state) < n:
            places[ids < 0] = len(state)  # one row for all dead agents, cut off below
        rows, flock = places.astype(np.int32), self._arrays["state"]
        column = np.empty(n, np.float32)
        for k, name in enumerate(self._row_names()):
            put_column(rows, flock[k, :n], column)
            state[name][:] = column[: len(state)]
        if self._plan.stateful_items:
            self._plan.keep_items(state, self._arrays["items"])

    def start_transfer(self) -> None:
        """None: the flock is already in host memory."""

    def read_unordered(self) -> tuple[NDArray[np.int32], dict[str, NDArray[np.float32]]]:
        """Views of ids and moving columns, sorted by position."""
        n, flock = self._count, self._arrays["state"]
        return self._arrays["ids"][:n], {name: flock[row, :n] for row, name in enumerate(self._row_names())}

    @property
    def completed(self) -> int:
        """Whole steps since `load`. The kernel counts them itself, so the count is right even after an interrupt."""
        return int(self._arrays["completed"][0])

    def advance(self, steps: int, first_step: int) -> None:
        """Run whole steps, in native calls short enough for Ctrl-C."""
        if self._count == 0:
            self._arrays["completed"][0] += steps
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
        """The number of threads for the next steps, and for how long: the faster team, or sometimes the other one."""
        most = self._team_size
        if self._wanted is not None or most == 1 or self._work_load >= SHARED_FROM:
            return most, LONGEST_CALL
        self._calls += 1
        faster = min(self._paces, key=self._paces.__getitem__, default=most)
        if self._calls in (2, 4, 8) or self._calls % TRY_EVERY == 0:  # the first calls start the threads
            return (1 if faster == most else most), LONGEST_CALL / 8.0
        return faster, LONGEST_CALL

    def _call(self, team: int, steps: int, first_step: int) -> None:
        before = self.completed
        self._set_status("error", FINE)
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
        error = self._status("error")
        if error == TOO_SMALL:
            self._sort_into(int(self._status("needed") * 1.25) + 4096)
        elif error == MANY_EVENTS:
            self._events_before.append(self._drained())
        elif error == NOT_FINITE:
            raise RunError(self._diagnosis(first_step + self.completed - before))

    def _filled_frame(self, steps: int, first_step: int) -> int:
        """The address of the record that is passed to the kernel."""
        arrays = self._arrays
        arrays["times"] = np.array(
            [self._plan.time_at(step) for step in range(first_step, first_step + steps)], np.float32
        )
        world = self._plan.world_numbers(self._seed) | self._grid_numbers()
        arrays["world"] = np.array([world[name] for name in WORLD], np.float32)
        columns, rows, layers = self._grid_size()
        self._frame = frame_of(
            arrays,
            {
                "first_step": first_step,
                "seed_low": self._seed[0],
                "seed_high": self._seed[1],
                "nearest": self._plan.scenario.perception.nearest or 0,
                "state_pitch": arrays["state"].shape[1],
                "table_pitch": arrays["table"].shape[1],
                "most_bins": self._most_bins,
                "columns": columns,
                "rows": rows,
                "layers": layers,
                "shape_count": len(self._plan.shapes),
                "obstacle_count": self._plan.obstacle_count,
                "list_room": self._list_room,
                "tile_room": arrays["tiles"].shape[1],
                "table_width": len(arrays["table"]),
                "item_width": self._plan.item_width,
                "tracked_count": len(self._plan.tracked),
                "event_room": len(arrays["events"]),
                "young_room": len(arrays["young"]),
                "room": self._count,
                "report_pitch": arrays["reports"].shape[1],
                "item_count": arrays["chosen"].shape[1],
                **self._kernel.addresses,
            },
        )
        return int(self._frame.ctypes.data)

    def _grid_size(self) -> tuple[int, int, int]:
        """Bins along a row, rows, and in space layers of rows, of a world with edges."""
        world, least, most = self._plan.scenario.world, self._plan.reach * 1.00001, self._most_bins
        if world.depth is not None:
            lines = most // (8 * ACROSS)
            side = max(1, math.isqrt(lines) - 2)
            layers = max(1, min(int(world.depth / least), side))
            wide = side if world.boundary == "open" else max(side, lines // (layers + 2) - 2)
            rows = max(1, min(int(world.height / least), wide))
            room = most // ((rows + 2) * (layers + 2)) - 2 * ACROSS - 1
            return max(1, min(int(world.width * ACROSS / least), room)), rows, layers
        rows = max(1, min(int(world.height / least), most // (8 * ACROSS) - 2))
        return max(1, min(int(world.width * ACROSS / least), most // (rows + 2) - 2 * ACROSS - 1)), rows, 0

    def _grid_numbers(self) -> dict[str, float]:
        world = self._plan.scenario.world
        columns, rows, layers = self._grid_size()
        return {
            "reach": self._plan.reach,
            "per_x": columns / world.width,
            "per_y": rows / world.height,
            "per_z": layers / world.depth if world.depth else 0.0,
        }

    def _diagnosis(self, step: int) -> str:
        n = self._status("alive")
        flock = self._arrays["state"][: 2 * self._plan.dimension, :n]
        broken = ~np.isfinite(flock).all(axis=0) | (np.abs(flock) > 1e30).any(axis=0)
        some = ", ".join(str(k) for k in np.sort(self._arrays["ids"][:n][broken])[:5])
        return (
            f"step {step}: {int(broken.sum())} agents have no finite place or velocity (ids {some}); the run stopped "
            "there. A rule returned NaN or infinity: guard its divisions, or lower the weights"
        )

    def _team(self, team: int) -> ThreadPoolExecutor | None:
        """The worker threads of this backend. A shared pool could starve a barrier."""
        if team > 1 and self._pool is None:
            self._pool = ThreadPoolExecutor(team - 1, thread_name_prefix="murmura")
        return self._pool if team > 1 else None

    def _sort_into(self, room: int) -> None:
        """Allocate the sorted copy of the flock with its ghosts."""
        rows = 2 * self._plan.dimension + len(self._plan.carried)
        self._arrays |= {
            "table": np.zeros((rows, room), np.float32),
            "table_ids": np.zeros(room, np.int32),
            "source": np.zeros(room if self._plan.carried else 1, np.int32),
            "reaches": np.zeros(room if self._plan.topological else 1, np.float32),
            "tiles": np.zeros(
                (2 * self.threads, tile_room(room) if self._plan.dimension == 3 else 1), np.int32
            ),
        } | self._eyes(room)

    def _eyes(self, room: int) -> dict[str, NDArray[Any]]:
        """Memory of each thread where bodies hide each other: a list of an agent's neighbours, and its visual field."""
        team, plan = self.threads, self._plan
        self._list_room = list_pitch(room) if plan.occludes else 1
        shapes = {"listed": INTEGER_ROWS * team, "sighted": (NUMBER_ROWS + len(plan.carried)) * team}
        return {
            **{name: list_table(name, rows, self._list_room) for name, rows in shapes.items()},
            "field": np.zeros((team, field_room(plan.bins)), np.float32),
        }

    def _room(self) -> int:
        """Elements of the sorted flock: agents, their ghosts, and the sentinels of every line."""
        world, reach = self._plan.scenario.world, self._plan.reach
        ghosts = 1.0
        for side, edge in zip(world.sides, world.edges, strict=True):
            ghosts *= 1.0 + 2.5 * reach / side if edge == "wrap" else 1.0
        lines = math.prod(side / reach + 2.0 for side in world.sides[1:])
        lines = min(lines, max(8192, 1.5 * self._count) / 32)  # as many as the kernel's layout allows
        return int(self._count * ghosts * 1.05) + 4 * int(lines + 4) + 4096

    def _row_names(self) -> list[str]:
        return [
            column_name(c)
            for c in (*self._plan.moving_columns, *self._plan.carried, *self._plan.force_columns)
        ]


def _at_least_one(rows: NDArray[Any]) -> NDArray[np.float32]:
    """Rows of float32, or one row of zeros if there are none, so that the kernel gets a valid address."""
    return np.ascontiguousarray(rows if len(rows) else np.zeros((1, rows.shape[1])), np.float32)


def usual_threads(agents: int, spared: int = 0) -> int:
    """The default number of threads: one for small flocks, else all cores except the spared ones."""
    return max(1, available_cores() - spared) if agents >= SERIAL_BELOW else 1
