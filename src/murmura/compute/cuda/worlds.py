"""Many worlds on a CUDA device: kernels get a table with the record of each world, and a block works in one."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.compute.cuda import device
from murmura.compute.cuda.launching import CLOCK_PLACES, Launches, arguments_of, text_of
from murmura.compute.gpu.arrays import plan_arrays, sizes_of, work_shapes
from murmura.compute.gpu.fields import record_type
from murmura.compute.gpu.worlds import FlockGpu, Work, WorldsGpu
from murmura.compute.plan import Plan
from murmura.compute.schema import Arrays
from murmura.core.errors import BackendError, RunError
from murmura.core.events import EVENT_FIELDS


def flock_of(plan: Plan, seed: tuple[int, int], announce: Callable[[str], None] | None) -> FlockGpu:
    """The first of several worlds, whose kernels are compiled; the others are its twins."""
    reason = device.missing()
    if reason:
        raise BackendError(f"the cuda backend cannot run: {reason}. backend='cpu' works everywhere")
    text, there = text_of(plan, many=True), device.open_device()
    if announce is not None and not there.has_compiled(text):
        announce("compiling the CUDA kernels for these rules (or loading them from disk)")
    there.program(text)
    return FlockGpu("cuda", plan, seed)


class WorldsCuda(WorldsGpu):
    """The worlds of an ensemble on a GPU, in single precision."""

    columns_name = "extras"

    def __init__(self, flocks: Sequence[FlockGpu]) -> None:
        super().__init__(flocks)
        plan = flocks[0].plan
        self._device = device.open_device()
        self._text = text_of(plan, many=True)
        self._launches = Launches(self._device, self._device.program(self._text), self._text, plan)
        self._eventful = plan.eventful
        self._tables: dict[bool, Any] = {}
        self._grid: tuple[int, int] = (0, 0)  # the largest room, and blocks of bins
        self._refresh()

    # Arrays

    def _contents(self, flock: FlockGpu) -> Arrays:
        assert flock.start is not None
        return {name: array.ravel() for name, array in flock.start.items()}

    def _layout_of(self, flock: FlockGpu, blocks: int) -> tuple[dict[str, Any], Work]:
        """The record `Sizes`, and the arrays that are zero at first."""
        sizes = sizes_of(flock.plan, flock.room)
        sizes["scan_blocks"] = max(blocks, sizes["scan_blocks"])
        shapes = work_shapes(flock.plan, sizes, self._text.report_width)
        work = {name: (kind, math.prod(shape)) for name, (kind, shape) in shapes.items()}
        return sizes | {"idle": flock.count == 0}, work | {"failed_step": (np.int64, 1)}

    def _work(self, flock: FlockGpu, blocks: int) -> Work:
        found: Work = self._layout(flock, blocks)[1]
        return found

    def _tuned(self, number: int) -> Arrays:
        flock = self.flocks[number]
        assert flock.tuned is not None
        clock = self._part("clock", number).copy()
        clock.view(np.float64)[CLOCK_PLACES["dt"]] = flock.plan.scenario.motion.time_step
        found = plan_arrays(flock.plan, flock.tuned, flock.seed)
        return {name: array.ravel() for name, array in found.items()} | {"clock": clock}

    def _scan_blocks(self, flock: FlockGpu) -> int:
        return int(self._layout(flock)[0]["scan_blocks"])

    def _put(self, name: str, array: NDArray[Any]) -> Any:
        return self._allocated(lambda: self._device.put(array), array.nbytes)

    def _zeros(self, name: str, kind: Any, count: int) -> Any:
        return self._allocated(lambda: self._device.zeros(count, kind), count * np.dtype(kind).itemsize)

    def _allocated(self, allocate: Callable[[], Any], size: int) -> Any:
        try:
            return allocate()
        except Exception as error:
            if type(error).__name__ != "OutOfMemoryError":
                raise
            raise BackendError(
                f"the device has too little memory for {len(self.flocks):,} worlds ({size:,} more bytes): {error}. "
                "Step them in parts, or with backend='cpu'"
            ) from None

    def _write(self, name: str, first: int, array: NDArray[Any]) -> None:
        self._device.set(self._there[name][first : first + len(array)], array)
        self._device.finish_uploads()

    def _fetch(self, name: str) -> NDArray[Any]:
        return np.array(self._device.get(self._there[name]))

    def _bind(self) -> None:
        each = [self._layout(flock, self._blocks)[0] for flock in self.flocks]
        sizes: dict[str, Any] = {name: [found[name] for found in each] for name in each[0]}
        for keep in (False, True):
            table = arguments_of(self._addresses, sizes | {"keep": keep}, len(self.flocks)).view(np.uint8)
            if keep in self._tables:
                self._device.set(self._tables[keep], table)
            else:
                self._tables[keep] = self._device.put(table)
        self._device.finish_uploads()
        grid = max(sizes["room"]), self._blocks
        if grid != self._grid:
            self._launches.aim(self._tables, *grid, len(self.flocks))
            self._grid = grid

    def _addresses(self, name: str) -> NDArray[np.int64]:
        """Where the part of each world begins."""
        there = self._there[name]
        return self._device.address(there) + self._first[name][:-1] * there.dtype.itemsize

    # Steps

    def _clocks(self) -> NDArray[Any]:
        """A copy of the clocks of all worlds."""
        return self._fetch("clock").view(record_type("Clock"))

    def _begin(self, count: int) -> None:
        if not self._is_told:
            clocks = self._clocks()
            clocks["step"] = self._steps
            self._write("clock", 0, clocks.view(np.int64))
            self._is_told = True

    def _launch(self, count: int) -> None:
        try:
            self._launches.run(count, self._drain)
            self._device.wait()
        except RunError:
            raise
        except Exception as error:
            raise RunError(
                f"the CUDA device failed: {type(error).__name__}: {error}. Start again from a file that was saved when "
                "the device works again, or with backend='cpu'"
            ) from error
        self._drain()

    def _steps_there(self) -> NDArray[np.int64]:
        found: NDArray[np.int64] = self._clocks()["step"]
        return found

    def _drain(self) -> None:
        """Copy events to the host before their lists are full."""
        if not self._eventful:
            return
        clocks = self._clocks()
        counts, width = clocks["events"].tolist(), len(EVENT_FIELDS)
        clocks["events"] = 0
        if any(counts):
            self._write("clock", 0, clocks.view(np.int64))
        for k in np.flatnonzero(counts).tolist():
            begin, end = self._first["events"][k : k + 2].tolist()
            self._check_events(k, counts[k], (end - begin) // width)
            words = self._device.get(self._there["events"][begin : begin + counts[k] * width])
            self.flocks[k].note(np.array(words).reshape(-1, width))

    def _failed_steps(self) -> dict[int, int]:
        steps = self._fetch("failed_step")
        found = {k: int(steps[k]) for k in np.flatnonzero(steps).tolist()}
        if found:
            self._write("failed_step", 0, np.zeros_like(steps))
        return found

    def instant(self, number: int) -> list[NDArray[Any]]:
        self._refresh()
        room, width = self.flocks[number].room, self.flocks[number].plan.item_width
        ids, places, velocities, extras, forces, clock, items = (
            self._part(name, number)
            for name in ("ids", "places", "velocities", "extras", "forces", "clock", "items")
        )
        quads = (array.reshape(-1, 4) for array in (places, velocities))
        columns = (array.reshape(-1, room) for array in (extras, forces))
        return [ids, *quads, *columns, clock, items.reshape(-1, width)]
