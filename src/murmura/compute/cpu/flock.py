"""One world in the arrays of a compiled kernel: the numbers of its plan, its flock, and what happened to it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.compute.cpu.build import CompiledKernel
from murmura.compute.cpu.frame import (
    ALLOCATED,
    ARRAYS,
    FINE,
    MANY_EVENTS,
    NOT_FINITE,
    PLACES,
    STATUS,
    WORLD,
    frame_of,
    lengths_of,
    owned_by,
)
from murmura.compute.cpu.perception.lanes import laid_out
from murmura.compute.cpu.scatter import put_column
from murmura.compute.cpu.work import (
    allocated,
    flock_sizes,
    grid_numbers,
    grid_size,
    most_bins,
    plan_integers,
    report_sizes,
)
from murmura.compute.newborns import Births
from murmura.compute.plan import AFFINITIES, Plan
from murmura.compute.schema import Owner, as_declared, plan_contents
from murmura.compute.shapes import Shapes
from murmura.core.errors import RunError
from murmura.core.state import State, column_name

ERROR, FIRST_STEP, TIMES = STATUS.index("error"), PLACES["first_step"], PLACES["times"]
OF_PLAN, OF_FLOCK = owned_by(Owner.PLAN), owned_by(Owner.FLOCK, Owner.ITEMS)
NOWHERE = dict.fromkeys(ARRAYS, 0)


class FlockCpu:
    """The flock of one world, and everything that a kernel needs besides the memory to work in (see `work`)."""

    name = "cpu"
    piece = 1_000_000
    threads = 1

    def __init__(self, plan: Plan, shapes: Shapes, kernel: CompiledKernel, seed: tuple[int, int]) -> None:
        self._seed = seed
        self._shapes, self._kernel = shapes, kernel
        self._arrays: dict[str, NDArray[Any]] = {}
        self._addresses: dict[str, int] = {}  # of arrays; reading one takes a microsecond
        self._frame: NDArray[np.int64] | None = None
        self.tune(plan, plan.items)

    def twin(self, plan: Plan, seed: tuple[int, int]) -> FlockCpu:
        """A world of its own for the same kernel; `load` must follow."""
        if plan is not self._plan:
            return FlockCpu(plan, self._shapes, self._kernel, seed)
        twin = FlockCpu.__new__(FlockCpu)
        twin._seed, twin._plan, twin._shapes, twin._kernel = seed, plan, self._shapes, self._kernel
        twin._arrays = {name: self._arrays[name] for name in OF_PLAN}
        twin._addresses = {name: self._addresses[name] for name in OF_PLAN if name in self._addresses}
        return twin

    @property
    def plan(self) -> Plan:
        return self._plan

    @property
    def shapes(self) -> Shapes:
        return self._shapes

    @property
    def bytes(self) -> int:
        """The memory of this world alone."""
        return sum(array.nbytes for name, array in self._arrays.items() if name not in OF_PLAN)

    @property
    def kernel_address(self) -> int:
        """The address of the kernel's function `run`."""
        return self._kernel.address

    @property
    def time_step(self) -> float:
        """Seconds per step."""
        return self._plan.scenario.motion.time_step

    @property
    def row_names(self) -> list[str]:
        """The columns of the flock that the kernel keeps, in the order of its rows."""
        names = (*self._plan.moving_columns, *self._plan.carried, *self._plan.force_columns)
        return [column_name(name) for name in names]

    @property
    def needed(self) -> int:
        """How many elements of the sorted flock the kernel asked for when it stopped."""
        return self._status("needed")

    @property
    def count(self) -> int:
        """Agents for which there is room: all that may ever live at the same time."""
        return self._count

    def read_items(self) -> NDArray[np.float32]:
        """A copy of the items as they are now."""
        items: NDArray[np.float32] = self._arrays["items"][: len(self._plan.items)].copy()
        return items

    def tune(self, plan: Plan, items: NDArray[np.float32]) -> None:
        """Change numbers and items; the kernel and the flock stay."""
        self._plan = plan
        self._keep(as_declared(ARRAYS, plan_contents(plan, items) | _tables(plan)))

    def replan(self, plan: Plan) -> None:
        """Change to another plan of the same code; `load` must follow."""
        self.tune(plan, plan.items)

    def overwrite(self, plan: Plan) -> None:
        """Write other numbers over those of the plan, for this flock and its twins; see `Plan.fits_in_place`."""
        self._plan = plan
        for name, array in (_tables(plan) | {"item_ranges": plan.item_ranges}).items():
            self._arrays[name][...] = array

    def share(self, other: FlockCpu) -> None:
        """Take the plan and the numbers of a twin."""
        self._plan = other._plan
        if any(self._arrays[name] is not other._arrays[name] for name in OF_PLAN):
            self._keep({name: other._arrays[name] for name in OF_PLAN})

    def mark(self) -> None:
        """Keep the flock as it is, for `rewind`."""
        self._marked = {name: self._arrays[name].copy() for name in OF_FLOCK}

    def rewind(self) -> None:
        """Return to the flock that was marked."""
        for name, array in self._marked.items():
            self._arrays[name][...] = array

    def _keep(self, arrays: dict[str, NDArray[Any]]) -> None:
        """Replace arrays; the next call gets a new frame."""
        self._arrays |= arrays
        for name in arrays:
            self._addresses.pop(name, None)
        self._frame = None

    def load(self, state: State) -> None:
        """Copy the flock from a state."""
        plan, n = self._plan, len(state)
        self._count = room = max(n, plan.capacity) if plan.has_lifecycle else n
        arrays = allocated(flock_sizes(plan, room), Owner.FLOCK, Owner.COUNT)
        flock, ids, status = (arrays[name] for name in ("state", "ids", "status"))
        # Sorted by position once here; from then on every step leaves it nearly sorted.
        order = np.lexsort([state[c] for c in ("id", *reversed(plan.moving_columns))])
        ids[:n] = state.ids[order]
        for row, name in enumerate(self.row_names):
            flock[row, :n] = state[name][order]
        status[STATUS.index("next_id")], status[STATUS.index("alive")] = state.next_id, n
        self._births = Births(state) if plan.has_lifecycle else None
        self._broken = ""
        self._keep(arrays | as_declared(ARRAYS, {"items": plan.item_table(state)}))
        self._make_reports(1)

    def _make_reports(self, team: int) -> None:
        """Allocate tables for reports, events and newborns."""
        plan = self._plan
        sizes = report_sizes(plan, self._shapes, self._count, plan.stateful_item_count, team)
        self._keep(allocated(sizes, Owner.REPORTS))
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
        if self._births is not None:
            self._births.note(events)
        return events

    def store(self, state: State) -> None:
        """Write the flock into a state, in ascending id."""
        n = self._status("alive")
        ids = self._arrays["ids"][:n].astype(np.int64)
        if self._births is not None:
            self._events_before.append(self._drained())
            alive = np.sort(ids[ids >= 0]).astype(np.int32)
            self._births.settle(state, alive, self._status("next_id"))
        dense = n > 0 and len(state) == n and state.ids[-1] == n - 1
        places = ids if dense else np.searchsorted(state.ids, ids)
        if len(state) < n:
            places[ids < 0] = len(state)  # one row for all dead agents, cut off below
        rows, flock = places.astype(np.int32), self._arrays["state"]
        column = np.empty(n, np.float32)
        for k, name in enumerate(self.row_names):
            put_column(rows, flock[k, :n], column)
            state[name][:] = column[: len(state)]
        if self._plan.stateful_items:
            self._plan.keep_items(state, self._arrays["items"])

    def read_unordered(self) -> tuple[NDArray[np.int32], dict[str, NDArray[np.float32]]]:
        """Views of ids and moving columns, sorted by position."""
        n, flock = self._count, self._arrays["state"]
        return self._arrays["ids"][:n], {name: flock[row, :n] for row, name in enumerate(self.row_names)}

    @property
    def completed(self) -> int:
        """Whole steps since `load`. The kernel counts them itself, so the count is right even after an interrupt."""
        return int(self._arrays["completed"][0])

    def skip(self, steps: int) -> None:
        """Advance by steps in which nothing can happen, because nobody is there and nobody will come."""
        self._arrays["completed"][0] += steps

    @property
    def is_changed(self) -> bool:
        """Whether arrays or numbers were replaced since the last `frame`."""
        return self._frame is None

    @property
    def is_broken(self) -> bool:
        """Whether some agent is at no finite place, so that the flock cannot go on."""
        return bool(self._broken)

    @property
    def error(self) -> int:
        """Why the kernel stopped: one of the codes of `frame`."""
        return int(self._arrays["status"][ERROR])

    def recover(self, step: int) -> None:
        """Make room for more events if that is why the kernel stopped after this step, or say what is wrong."""
        if self.error == MANY_EVENTS:
            self._events_before.append(self._drained())
        elif self.error == NOT_FINITE:
            self._broken = self._diagnosis(step)
        self._arrays["status"][ERROR] = FINE
        self.check()

    def check(self) -> None:
        """Raise if the flock is broken: tables must not be looked up at places that are not finite."""
        if self._broken:
            raise RunError(self._broken)

    def frame(self) -> NDArray[np.int64]:
        """The record that is passed to the kernel: the same until an array is replaced.

        Who runs the kernel fills in the first step, the times, and the memory to work in unless this flock has its own.
        """
        if self._frame is None:
            self._frame = self._new_frame()
        return self._frame

    def _new_frame(self) -> NDArray[np.int64]:
        plan, bins, arrays = self._plan, most_bins(self._count), self._arrays
        space = plan.scenario.world
        columns, rows, layers = size = grid_size(space, plan.reach, bins)
        world = plan.world_numbers(self._seed) | grid_numbers(space, plan.reach, *size)
        self._keep({"world": np.array([world[name] for name in WORLD], np.float32)})
        for name in arrays.keys() - self._addresses:
            self._addresses[name] = arrays[name].ctypes.data
        shapes = {name: array.shape for name, array in arrays.items()}
        return frame_of(
            NOWHERE | self._addresses,
            {
                "first_step": 0,
                "seed_low": self._seed[0],
                "seed_high": self._seed[1],
                "most_bins": bins,
                "columns": columns,
                "rows": rows,
                "layers": layers,
                "room": self._count,
                **lengths_of(shapes, *ALLOCATED),
                **plan_integers(plan),
                **self._kernel.addresses,
            },
        )

    def _diagnosis(self, step: int) -> str:
        n = self._status("alive")
        flock = self._arrays["state"][: 2 * self._plan.dimension, :n]
        broken = ~np.isfinite(flock).all(axis=0) | (np.abs(flock) > 1e30).any(axis=0)
        some = ", ".join(str(k) for k in np.sort(self._arrays["ids"][:n][broken])[:5])
        return (
            f"step {step}: {int(broken.sum())} agents have no finite place or velocity (ids {some}); the run stopped "
            "there. A rule returned NaN or infinity: guard its divisions, or lower the weights"
        )


def _tables(plan: Plan) -> dict[str, NDArray[np.float32]]:
    """Tables by species as lanes look them up: one after the other, each with room for whole registers."""
    affinities = plan.affinities.reshape(-1, len(AFFINITIES))
    return {"numbers": laid_out(plan.numbers.T), "affinities": laid_out(affinities.T)}
