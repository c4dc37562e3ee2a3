"""Many worlds that share their kernels, in the launches of one.

Each array of a flock is a part of one long array on the device, where the worlds follow each other. Kernels learn from
their world's record where its parts begin, and then do what they do for one flock. So a world has the bits of a flock
that steps alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.compute.gpu.arrays import plan_arrays, start_arrays
from murmura.compute.gpu.flock_transfer import Births, DeviceFlockTransfer, births_in, not_finite
from murmura.compute.plan import Plan
from murmura.compute.schema import Arrays
from murmura.core.errors import BackendError, RunError
from murmura.core.events import EVENT_FIELDS
from murmura.core.state import State, column_name

LONGEST_CALL = 0.1  # [s] longest work between two chances to interrupt or to report progress
MOST_STEPS = 512
"""Steps of one such call, at most."""
MOST_LAYOUTS = 256
"""Layouts that are remembered."""
MOST_WORLDS = 65_535
"""The most blocks of threads in one dimension of a launch."""
Progress = Callable[[int, int], None]
Work = dict[str, tuple[Any, int]]
"""The type and length of arrays, by name."""


class FlockGpu:
    """One world of an ensemble, as a backend that does not step itself."""

    piece = 1_000_000
    threads = 1

    def __init__(self, name: str, plan: Plan, seed: tuple[int, int]) -> None:
        self.name, self.plan, self.seed = name, plan, seed
        self.completed = 0
        self.broken = ""
        """Why the flock cannot go on."""
        self.start: Arrays | None = None
        """The arrays of a flock that is not on the device yet."""
        self.tuned: NDArray[np.float32] | None = None
        """The items after a change of numbers that the device has not heard of."""
        self._worlds: WorldsGpu | None = None
        self._number = 0

    def twin(self, plan: Plan, seed: tuple[int, int]) -> FlockGpu:
        """A world of its own for the same kernels; `load` must follow."""
        return FlockGpu(self.name, plan, seed)

    def join(self, worlds: WorldsGpu, number: int) -> None:
        """Be this world of an ensemble."""
        self._worlds, self._number = worlds, number

    @property
    def row_names(self) -> list[str]:
        """The columns that steps change."""
        names = (*self.plan.moving_columns, *self.plan.carried, *self.plan.force_columns)
        return [column_name(name) for name in names]

    def replan(self, plan: Plan) -> None:
        """Change to another plan of the same code; `load` must follow."""
        self.plan = plan

    def tune(self, plan: Plan, items: NDArray[np.float32]) -> None:
        """Change numbers and items; the flock stays."""
        self.plan, self.tuned = plan, items
        if self.start is not None:
            self.start |= plan_arrays(plan, items, self.seed)

    def load(self, state: State) -> None:
        """Copy the flock from a state; it gets to the device before the next step."""
        plan, n = self.plan, len(state)
        self.count = max(n, plan.capacity) if plan.has_lifecycle else n
        self.room = max(1, self.count)
        self.completed, self.broken, self.tuned = 0, "", None
        self.births: Births = []
        self._events: list[NDArray[np.float64]] = []
        self.start = start_arrays(plan, state, self.room, self.seed) | plan_arrays(
            plan, plan.item_table(state), self.seed
        )

    def store(self, state: State) -> None:
        """Write the flock into a state, in ascending id."""
        self._moment().store(state)

    def read_items(self) -> NDArray[np.float32]:
        """A copy of the items as they are now."""
        return np.array(self._here().instant(self._number)[-1][: len(self.plan.items)])

    def columns(self) -> tuple[NDArray[np.int32], dict[str, NDArray[np.float32]]]:
        """Ids (negative: dead) and the columns that steps change, in the order of the device."""
        return self._moment().rows()

    def _moment(self) -> DeviceFlockTransfer:
        instant = Instant(self._here().instant(self._number))
        return DeviceFlockTransfer(instant, self.count, self.plan, self.births)

    def _here(self) -> WorldsGpu:
        assert self._worlds is not None
        return self._worlds

    def note(self, events: NDArray[np.float64]) -> None:
        """Keep events until they are taken."""
        self._events.append(events)
        self.births += births_in(events)

    def take_events(self) -> NDArray[np.float64]:
        events, self._events = self._events, []
        return np.concatenate([np.zeros((0, len(EVENT_FIELDS))), *events])


class Instant:
    """The arrays of one world on the host, as a transfer that is complete."""

    ready = True

    def __init__(self, arrays: list[NDArray[Any]]) -> None:
        self._arrays = arrays

    def wait(self) -> list[NDArray[Any]]:
        return self._arrays


class WorldsGpu:
    """The worlds of an ensemble on a device.

    Args:
        flocks: The worlds, all twins of one, loaded.
    """

    threads = 1

    def __init__(self, flocks: Sequence[FlockGpu]) -> None:
        if len(flocks) > MOST_WORLDS:
            raise BackendError(
                f"the backend {flocks[0].name} steps at most {MOST_WORLDS:,} worlds at once, got {len(flocks):,}: step "
                "them in parts, or with backend='cpu'"
            )
        self.flocks = list(flocks)
        for number, flock in enumerate(self.flocks):
            flock.join(self, number)
        self._layouts: dict[tuple[Plan, int, int], Any] = {}
        self._pace = LONGEST_CALL  # [s] recent time of a step of all worlds
        self._there: dict[str, Any] = {}
        self._first: dict[str, NDArray[np.int64]] = {}  # where the part of each world begins, and the end
        self._read: dict[str, NDArray[Any]] = {}  # what has been copied to the host since the last step
        self._kept: list[str] = []  # the long arrays that are not zero at first
        self._blocks = 0  # blocks of bins of each world
        self._steps = np.zeros(len(self.flocks), np.int64)  # of each world
        self._is_told = False  # whether the device knows these

    # What each kind of device does in its own way

    columns_name: str
    """The long array that has the columns of rules."""

    def _layout_of(self, flock: FlockGpu, blocks: int) -> Any:
        """What the sizes of a world's arrays follow from."""
        raise NotImplementedError

    def _layout(self, flock: FlockGpu, blocks: int = 0) -> Any:
        """The same, worked out once for worlds that are alike."""
        key = flock.plan, flock.count, blocks
        if key not in self._layouts:
            if len(self._layouts) >= MOST_LAYOUTS:
                self._layouts.clear()
            self._layouts[key] = self._layout_of(flock, blocks)
        return self._layouts[key]

    def _contents(self, flock: FlockGpu) -> Arrays:
        """The arrays of a world at its start, flat."""
        raise NotImplementedError

    def _work(self, flock: FlockGpu, blocks: int) -> Work:
        """The arrays of a world that are zero at first."""
        raise NotImplementedError

    def _tuned(self, number: int) -> Arrays:
        """What changes on the device when a world's numbers and items do."""
        raise NotImplementedError

    def _scan_blocks(self, flock: FlockGpu) -> int:
        """Blocks of bins that a world needs."""
        raise NotImplementedError

    def _put(self, name: str, array: NDArray[Any]) -> Any:
        """A long array on the device."""
        raise NotImplementedError

    def _zeros(self, name: str, kind: Any, count: int) -> Any:
        """A long array of zeros on the device."""
        raise NotImplementedError

    def _write(self, name: str, first: int, array: NDArray[Any]) -> None:
        """Overwrite a part of a long array."""
        raise NotImplementedError

    def _fetch(self, name: str) -> NDArray[Any]:
        """A copy of a long array."""
        raise NotImplementedError

    def _bind(self) -> None:
        """Point the kernels to the arrays, after these or numbers have changed."""
        raise NotImplementedError

    def _begin(self, count: int) -> None:
        """Tell the device at which steps (`_steps`) the worlds are, unless it knows, before so many steps."""
        raise NotImplementedError

    def _launch(self, count: int) -> None:
        """Take so many steps, and wait for them."""
        raise NotImplementedError

    def _steps_there(self) -> NDArray[np.int64]:
        """How far the device has come in each world."""
        raise NotImplementedError

    def _failed_steps(self) -> dict[int, int]:
        """The first step after which something was not finite, by the number of the world; they are then forgotten."""
        raise NotImplementedError

    def instant(self, number: int) -> list[NDArray[Any]]:
        """Ids, places, velocities, extras, forces, clock and items of a world now."""
        raise NotImplementedError

    # Placing worlds on the device

    def replace(self, number: int, flock: FlockGpu) -> None:
        """Put another world, loaded, in the place of this one."""
        self.flocks[number] = flock
        flock.join(self, number)

    def _refresh(self) -> None:
        """Copy what has changed to the device: other flocks, other numbers."""
        loaded = [k for k, flock in enumerate(self.flocks) if flock.start is not None]
        tuned = [k for k, flock in enumerate(self.flocks) if flock.tuned is not None and flock.start is None]
        if not loaded and not tuned:
            return
        blocks = max(map(self._scan_blocks, self.flocks))
        fresh = {k: self._contents(self.flocks[k]) for k in loaded} | {k: self._tuned(k) for k in tuned}
        work = {k: self._work(self.flocks[k], blocks) for k in loaded}
        if blocks == self._blocks and self._fits(fresh, work):
            for k, arrays in fresh.items():
                cleared = {name: np.zeros(size, kind) for name, (kind, size) in work.get(k, {}).items()}
                for name, array in (arrays | cleared).items():
                    self._write(name, int(self._first[name][k]), array)
        else:
            self._place_all(fresh, blocks)
        for flock in self.flocks:
            flock.start = flock.tuned = None
        self._blocks, self._read, self._is_told = blocks, {}, False
        self._bind()

    def _fits(self, fresh: Mapping[int, Arrays], work: Mapping[int, Work]) -> bool:
        """Whether these arrays of some worlds are as long as those on the device."""
        sizes = [(name, k, len(array)) for k, arrays in fresh.items() for name, array in arrays.items()]
        sizes += [(name, k, size) for k, arrays in work.items() for name, (_, size) in arrays.items()]
        return all(self._first[name][k + 1] - self._first[name][k] == size for name, k, size in sizes)

    def _place_all(self, fresh: Mapping[int, Arrays], blocks: int) -> None:
        """Allocate all arrays; a world keeps those that are not fresh."""
        every = [
            {name: self._part(name, k) for name in self._kept if name not in fresh.get(k, {})}
            | fresh.get(k, {})
            for k in range(len(self.flocks))
        ]
        self._kept = list(every[0])
        for name in self._kept:
            pieces = [arrays[name] for arrays in every]
            self._first[name] = _firsts(map(len, pieces))
            self._there[name] = self._put(name, np.concatenate(pieces))
        work = [self._work(flock, blocks) for flock in self.flocks]
        for name, (kind, _) in work[0].items():
            self._first[name] = _firsts(sizes[name][1] for sizes in work)
            self._there[name] = self._zeros(name, kind, int(self._first[name][-1]))

    def _part(self, name: str, number: int) -> NDArray[Any]:
        """A world's part of a long array, on the host."""
        if name not in self._read:
            self._read[name] = self._fetch(name)
        begin, end = self._first[name][number : number + 2]
        return self._read[name][begin:end]

    # Steps

    def advance(
        self, steps: Sequence[int], first_steps: Sequence[int], progress: Progress | None = None
    ) -> None:
        """Run whole steps in every world, as many in each.

        Args:
            steps: How many in each world: the same number.
            first_steps: The step count of each world before.
            progress: Called with the steps that all worlds have done, and their number.

        Raises:
            RunError: If a world cannot go on; the others have finished the same call.
        """
        self._refresh()
        self._check()
        wanted, done = max(steps), 0
        self._steps[:] = first_steps
        while done < wanted:
            count = min(wanted - done, max(1, int(LONGEST_CALL / self._pace)), MOST_STEPS)
            begun = time.perf_counter()
            self._run(count)
            self._pace = (time.perf_counter() - begun) / count
            done += count
            if progress is not None:
                progress(done, wanted)

    def _run(self, count: int) -> None:
        """Run some steps; after an interrupt, the worlds have done as many as the device has."""
        self._read = {}
        before = self._steps.copy()
        lively = [k for k, flock in enumerate(self.flocks) if flock.count]
        try:
            if lively:
                self._begin(count)
                self._launch(count)
            self._steps += count
        except KeyboardInterrupt:
            self._steps += int(self._steps_there()[lively[0]] - before[lively[0]])
            raise
        finally:
            for flock, steps in zip(self.flocks, (self._steps - before).tolist(), strict=True):
                flock.completed += steps
            self._read = {}
        for k, step in self._failed_steps().items() if lively else ():
            ids, columns = self.flocks[k].columns()
            moving = [columns[name] for name in self.flocks[k].plan.moving_columns]
            self.flocks[k].broken = not_finite(step, ids, np.stack(moving, axis=1))
        self._check()

    def _check(self) -> None:
        """Raise if a world is broken."""
        broken = [k for k, flock in enumerate(self.flocks) if flock.broken]
        if broken:
            more = f" (and {len(broken) - 1} more worlds broke)" if len(broken) > 1 else ""
            raise RunError(f"world {broken[0]}: {self.flocks[broken[0]].broken}{more}")

    def _check_events(self, number: int, count: int, room: int) -> None:
        """Raise if a world has more events than there is room for on the device."""
        if count > room:
            raise RunError(
                f"world {number}: {count:,} events within a few steps are more than there is room for ({room:,}); use "
                "backend='cpu'"
            )

    # Reading and writing columns

    def collect(self, rows: Sequence[int], agents: int) -> NDArray[np.float32]:
        """Columns of all worlds, shape (rows, worlds, agents), by id; NaN where nobody with that id lives."""
        self._refresh()
        found = np.full((len(rows), len(self.flocks), agents), np.nan, np.float32)
        for k, flock in enumerate(self.flocks):
            ids, columns = flock.columns()
            here = (ids >= 0) & (ids < agents)
            for to, row in zip(found, rows, strict=True):
                to[k, ids[here]] = columns[flock.row_names[row]][here]
        return found

    def assign(self, rows: Sequence[int], values: NDArray[np.float32]) -> None:
        """Write columns of all worlds, shape (rows, worlds, agents), by id; ids that nobody has are passed over."""
        self._refresh()
        for k, flock in enumerate(self.flocks):
            ids, columns = flock.columns()
            here = (ids >= 0) & (ids < values.shape[2])
            for column, row in zip(values, rows, strict=True):
                columns[flock.row_names[row]][here] = column[k, ids[here]]
        self._write(self.columns_name, 0, self._read[self.columns_name])


def _firsts(sizes: Iterable[int]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum([*sizes])]).astype(np.int64)
