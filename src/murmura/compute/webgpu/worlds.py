"""Many worlds on a WebGPU device: the third number of a workgroup is its world, which has a head of its own.

The head says where the world's part of each buffer begins.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.compute.gpu.arrays import plan_arrays
from murmura.compute.gpu.fields import record_type
from murmura.compute.gpu.flock_transfer import Transfer
from murmura.compute.gpu.worlds import MOST_STEPS, FlockGpu, Instant, Work, WorldsGpu
from murmura.compute.plan import Plan
from murmura.compute.schema import Arrays
from murmura.compute.webgpu import device
from murmura.compute.webgpu.arrays import Layout, bits_of, head_words, readable_events, times
from murmura.compute.webgpu.backend import BATCH, EVENT_BATCH, Columns, traced
from murmura.compute.webgpu.program import THREADS
from murmura.compute.webgpu.records import (
    BUFFERS,
    CLOCK,
    EVENT_WORDS,
    EVENTS,
    FAILED_STEP,
    HEAD_IN_MANY,
    NO_STEP,
)
from murmura.core.errors import BackendError, RunError

PLACES = {name: k for k, (_, name) in enumerate(HEAD_IN_MANY)}
WORDS = {"vec2f": 2, "vec2i": 2, "vec4f": 4}
"""The words of an element of a buffer, if they are several."""
ROUND = 2 * MOST_STEPS
"""The words of the times of a call."""


def flock_of(plan: Plan, seed: tuple[int, int], announce: Callable[[str], None] | None) -> FlockGpu:
    """The first of several worlds, whose kernels are compiled; the others are its twins."""
    reason = device.missing()
    if reason:
        raise BackendError(f"the webgpu backend cannot run: {reason}. backend='cpu' works everywhere")
    there, needed = device.open_device(), device.STORAGE_BUFFERS + 1
    if there.most_buffers < needed:
        raise BackendError(
            f"ensembles on webgpu need {needed} storage buffers for each shader, {there.name} has "
            f"{there.most_buffers}: use backend='cpu'"
        )
    program = traced(plan, many=True)
    if announce is not None and not there.has_compiled(program):
        announce("compiling the WebGPU kernels for these rules")
    there.compile(program)
    return FlockGpu("webgpu", plan, seed)


class WorldsWebgpu(WorldsGpu):
    """The worlds of an ensemble on a GPU of any vendor, in single precision."""

    columns_name = "columns"

    def __init__(self, flocks: Sequence[FlockGpu]) -> None:
        super().__init__(flocks)
        plan = flocks[0].plan
        self._device = device.open_device()
        self._program = traced(plan, many=True)
        self._batch, self._eventful = (EVENT_BATCH if plan.eventful else BATCH), plan.eventful
        self._refresh()

    def _layout_of(self, flock: FlockGpu, blocks: int) -> Layout:
        return Layout(flock.plan, self._program, flock.count, blocks)

    # Buffers

    def _contents(self, flock: FlockGpu) -> Arrays:
        assert flock.start is not None
        clock = flock.start["clock"].view(record_type("Clock"))[0]
        layout = self._layout(flock)
        return layout.flock(flock.start) | self._numbers(
            flock, layout, flock.start, int(clock["alive"]), int(clock["next_id"])
        )

    def _numbers(self, flock: FlockGpu, layout: Layout, numbers: Arrays, alive: int, next_id: int) -> Arrays:
        """The buffers of everything that a change of numbers changes, and the head."""
        if not flock.count:  # nobody is there and nobody will come: its items do not move either
            numbers = numbers | {"ranges": np.zeros_like(numbers["ranges"])}
        tables, starts = layout.tables(numbers)
        fields = layout.head(alive, next_id, flock.seed, starts)
        return {"tables": tables, "head": head_words(fields, len(HEAD_IN_MANY))}

    def _tuned(self, number: int) -> Arrays:
        flock = self.flocks[number]
        assert flock.tuned is not None
        now = self._part("head", number)
        numbers = plan_arrays(flock.plan, flock.tuned, flock.seed)
        found = self._numbers(flock, self._layout(flock), numbers, 0, 0)
        clock = [PLACES[f"clock_{name}"] for name in CLOCK]
        found["head"][clock] = now[clock]
        return found

    def _work(self, flock: FlockGpu, blocks: int) -> Work:
        sizes = self._layout(flock, blocks).sizes
        return {
            name: (np.int32, words)
            for name, words in sizes.items()
            if name not in ("head", "places", "columns")
        }

    def _scan_blocks(self, flock: FlockGpu) -> int:
        return int(self._layout(flock).blocks)

    def _put(self, name: str, array: NDArray[Any]) -> Any:
        found = self._zeros(name, np.int32, len(array))
        self._device.write(found, 0, bits_of(array))
        return found

    def _zeros(self, name: str, kind: Any, count: int) -> Any:
        if 4 * count > self._device.most_bytes:
            raise BackendError(
                f"{self._device.name} has buffers of at most {self._device.most_bytes:,} bytes, and {name} of "
                f"{len(self.flocks):,} worlds takes {4 * count:,}: step them in parts, or with backend='cpu'"
            )
        return self._device.buffer(name, count)

    def _write(self, name: str, first: int, array: NDArray[Any]) -> None:
        self._device.write(self._there[name], first, bits_of(array))

    def _fetch(self, name: str) -> NDArray[Any]:
        [found] = self._words([(self._there[name], 0, int(self._first[name][-1]))])
        return found

    def _words(self, pieces: list[tuple[Any, int, int]]) -> list[NDArray[np.int32]]:
        return [words.copy() for words in self._device.start_transfer(pieces).wait()]

    def _heads(self) -> NDArray[np.int32]:
        """The heads of all worlds, a row each."""
        return self._fetch("head").reshape(len(self.flocks), -1)

    def _bind(self) -> None:
        heads = self._heads()
        for name, kind in BUFFERS.items():
            if name != "times":
                heads[:, PLACES[f"first_{name}"]] = self._first[name][:-1] // WORDS.get(kind, 1)
        heads[:, PLACES["sizes_scan_blocks"]] = self._blocks
        self._write("head", 0, heads.ravel())
        for first in self._first["outputs"][:-1].tolist():
            self._device.write(self._there["outputs"], first + FAILED_STEP, np.array([NO_STEP], np.int32))
        self._bind_kernels(1)

    def _bind_kernels(self, clocks: int) -> None:
        """Bind the kernels to the buffers, with room for the times of so many clocks."""
        old = self._there.get("times")
        if old is None or old.size < 4 * ROUND * clocks:
            self._there["times"] = self._device.buffer("times", ROUND * clocks)
        largest = self._layout(max(self.flocks, key=lambda flock: flock.room), self._blocks)
        bound = self._device.bound(self._program, self._there)
        self._launches = [
            (pipeline, group, largest.groups(kernel.groups, THREADS))
            for kernel, (pipeline, group) in zip(self._program.kernels, bound, strict=True)
        ]

    # Steps

    def _begin(self, count: int) -> None:
        clocks: dict[tuple[float, int], int] = {}
        plans = [flock.plan for flock in self.flocks]
        keys = [
            (plan.scenario.motion.time_step, step)
            for plan, step in zip(plans, self._steps.tolist(), strict=True)
        ]
        for key in keys:
            clocks.setdefault(key, len(clocks))
        if self._there["times"].size < 4 * ROUND * len(clocks):
            self._bind_kernels(len(clocks))
        for key, number in clocks.items():
            table = times(plans[keys.index(key)], key[1], count)
            self._device.write(self._there["times"], ROUND * number, table)
        heads = self._heads()
        heads[:, PLACES["clock_step"]] = heads[:, PLACES["clock_first_step"]] = self._steps
        if not plans[
            0
        ].has_lifecycle:  # forces are stored in the last step only, after which they may be read
            heads[:, PLACES["clock_keep_from"]] = self._steps + count
        heads[:, PLACES["first_times"]] = [clocks[key] * MOST_STEPS for key in keys]
        self._write("head", 0, heads.ravel())

    def _launch(self, count: int) -> None:
        try:
            while count:
                steps = min(count, self._batch)
                self._device.submit(steps, self._launches, len(self.flocks))
                count -= steps
                if self._eventful:
                    self._drain()
            self._words([(self._there["head"], 0, 1)])
        except (RunError, BackendError):
            raise
        except Exception as error:
            raise self._device.failure(error, int(self._steps.max())) from error

    def _steps_there(self) -> NDArray[np.int64]:
        return self._heads()[:, PLACES["clock_step"]].astype(np.int64)

    def _outputs(self, word: int) -> list[int]:
        """A word of the outputs of each world."""
        firsts = self._first["outputs"][:-1].tolist()
        return [
            int(found[0]) for found in self._words([(self._there["outputs"], k + word, 1) for k in firsts])
        ]

    def _set_output(self, number: int, word: int, value: int) -> None:
        self._write("outputs", int(self._first["outputs"][number]) + word, np.array([value], np.int32))

    def _drain(self) -> None:
        """Copy events to the host before their lists are full."""
        counts = self._outputs(EVENTS)
        for k in np.flatnonzero(counts).tolist():
            self._set_output(k, EVENTS, 0)
            layout, first = self._layout(self.flocks[k]), int(self._first["outputs"][k])
            self._check_events(k, counts[k], layout.event_room)
            piece = (self._there["outputs"], first + layout.first_event, counts[k] * EVENT_WORDS)
            self.flocks[k].note(readable_events(self._words([piece])[0]))

    def _failed_steps(self) -> dict[int, int]:
        found = {k: step for k, step in enumerate(self._outputs(FAILED_STEP)) if step != NO_STEP}
        for k in found:
            self._set_output(k, FAILED_STEP, NO_STEP)
        return found

    def instant(self, number: int) -> list[NDArray[Any]]:
        self._refresh()
        flock = self.flocks[number]
        columns, places, head, tables = (
            self._part(name, number) for name in ("columns", "places", "head", "tables")
        )
        first = int(head[PLACES["at_items"]])
        words: Transfer = Instant([columns, places, head, tables[first : first + flock.plan.items.size]])
        return Columns(words, self._layout(flock)).wait()
