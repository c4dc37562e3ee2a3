"""The WebGPU backend: the step that all targets share, an invocation for each agent, many steps in one submission.

Agents stay on the device. What a step needs from the host (the time, in double precision) is uploaded for all steps
of a submission beforehand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.compute.foreign_code import has_foreign_code
from murmura.compute.gpu.arrays import plan_arrays, start_arrays
from murmura.compute.gpu.fields import record_type
from murmura.compute.gpu.flock_transfer import Births, DeviceFlockTransfer, Transfer, births_in, not_finite
from murmura.compute.plan import Plan
from murmura.compute.refusals import refuse_many_bins
from murmura.compute.webgpu import device
from murmura.compute.webgpu.arrays import Layout, head_words, readable_events, times
from murmura.compute.webgpu.program import THREADS, Program, program_of
from murmura.compute.webgpu.records import (
    EVENT_WORDS,
    EVENTS,
    FAILED_STEP,
    HEAD_PLACES,
    NO_STEP,
    OUTPUTS_HEAD,
)
from murmura.core.errors import BackendError, RunError
from murmura.core.events import EVENT_FIELDS
from murmura.core.state import State

MOST_PROGRAMS = 32
BATCH = 64
"""Steps per submission; fewer with events, which must fit into their list."""
EVENT_BATCH = 8
_programs: dict[Any, Program] = {}


def traced(plan: Plan, many: bool = False) -> Program:
    """The kernels of a plan, traced once for all plans that differ in numbers only; foreign code each time."""
    refuse_many_bins(plan)
    if has_foreign_code(plan):
        return program_of(plan, many)
    kinds = tuple(group.rule.kinds_present() for group in plan.rule_groups if group.rule is not None)
    key = plan.signature, tuple(group.functions for group in plan.rule_groups), kinds, many
    if key not in _programs:
        while len(_programs) >= MOST_PROGRAMS:
            del _programs[next(iter(_programs))]
        _programs[key] = program_of(plan, many)
    return _programs[key]


class BackendWebgpu:
    """Runs a plan on a GPU of any vendor, in single precision."""

    name = "webgpu"
    piece = 2048

    @property
    def threads(self) -> int:
        return 1

    def __init__(
        self, plan: Plan, seed: tuple[int, int], announce: Callable[[str], None] | None = None
    ) -> None:
        reason = device.missing()
        if reason:
            raise BackendError(f"the webgpu backend cannot run: {reason}. backend='cpu' works everywhere")
        self._seed, self._announce = seed, announce
        self._device = device.open_device()
        self._buffers: dict[str, Any] = {}
        self.completed = 0
        self.replan(plan)

    @property
    def adapter(self) -> str:
        """The name of the device: bits are the same on one adapter, and may differ on another."""
        return self._device.name

    # Plans

    def replan(self, plan: Plan) -> None:
        """Change to another plan; `load` must follow."""
        self._program, self._plan = self._compiled(plan), plan

    def prepare(self, plan: Plan) -> None:
        """Compile the kernels of a plan for a later `replan`."""
        self._compiled(plan)

    def _compiled(self, plan: Plan) -> Program:
        program = traced(plan)
        if self._announce is not None and not self._device.has_compiled(program):
            self._announce("compiling the WebGPU kernels for these rules")
        self._device.compile(program)
        return program

    def is_prepared(self, plan: Plan) -> bool:
        return self._device.has_compiled(traced(plan))

    def is_current(self) -> bool:
        return traced(self._plan).digest == self._program.digest

    def read_items(self) -> NDArray[np.float32]:
        """A copy of the items as they are now."""
        shape = self._plan.items.shape
        piece = (self._buffers["tables"], self._items_at, self._plan.items.size)
        [words] = self._device.start_transfer([piece]).wait()
        return words.view(np.float32).reshape(shape).copy()

    def tune(self, plan: Plan, items: NDArray[np.float32]) -> None:
        """Change numbers and items; the kernels and the flock stay."""
        self._plan = self._layout.plan = plan
        now = self._read_head()
        alive, next_id = (int(now[HEAD_PLACES[f"clock_{name}"]]) for name in ("alive", "next_id"))
        self._place_plan(items, alive, next_id)
        for name in ("clock_step", "clock_first_step"):
            self._write_head(name, int(now[HEAD_PLACES[name]]))

    # The flock

    def load(self, state: State) -> None:
        """Copy the flock to the device."""
        self._layout = layout = Layout(self._plan, self._program, len(state))
        self._count = len(state)
        self._events: list[NDArray[np.float64]] = []
        self._births: Births = []
        self.completed = 0
        sizes = layout.sizes | {"times": 2 * self.piece}
        for name, words in sizes.items():
            old = self._buffers.get(name)
            # `counts` and `outputs` must start at zero, also after a failed run.
            if old is None or old.size != 4 * max(4, words) or name in ("counts", "outputs"):
                self._buffers[name] = self._device.buffer(name, words)
        for name, words_of in layout.flock(start_arrays(self._plan, state, layout.room, self._seed)).items():
            self._device.write(self._buffers[name], 0, words_of)
        self._device.write(self._buffers["outputs"], FAILED_STEP, np.array([NO_STEP], np.int32))
        self._place_plan(self._plan.item_table(state), len(state), state.next_id)

    def _place_plan(self, items: NDArray[np.float32], alive: int, next_id: int) -> None:
        """Write all numbers of the plan, and bind the kernels to the buffers as they are now."""
        layout = self._layout
        words, starts = layout.tables(plan_arrays(self._plan, items, self._seed))
        old = self._buffers.get("tables")
        if old is None or old.size != 4 * max(4, len(words)):
            self._buffers["tables"] = self._device.buffer("tables", len(words))
        self._device.write(self._buffers["tables"], 0, words)
        self._items_at = starts["items"]
        fields = layout.head(alive, next_id, self._seed, starts)
        self._device.write(self._buffers["head"], 0, head_words(fields, layout.sizes["head"]))
        bound = self._device.bound(self._program, self._buffers)
        self._launches = [
            (pipeline, group, layout.groups(kernel.groups, THREADS))
            for kernel, (pipeline, group) in zip(self._program.kernels, bound, strict=True)
        ]

    def _write_head(self, name: str, value: int) -> None:
        self._device.write(self._buffers["head"], HEAD_PLACES[name], np.array([value], np.int32))

    def _read_head(self) -> NDArray[np.int32]:
        [words] = self._device.start_transfer([(self._buffers["head"], 0, self._layout.sizes["head"])]).wait()
        return words

    def store(self, state: State) -> None:
        """Copy the flock from the device, in ascending id."""
        self.start_transfer().store(state)

    def start_transfer(self) -> DeviceFlockTransfer:
        """Start to copy the flock as it is now; later steps do not wait for it."""
        layout, there = self._layout, self._buffers
        pieces = [
            (there["columns"], 0, layout.width * layout.room),
            (there["places"], 0, 4 * layout.quads),
            (there["head"], 0, layout.sizes["head"]),
            (there["tables"], self._items_at, self._plan.items.size),
        ]
        transfer = Columns(self._device.start_transfer(pieces), layout)
        return DeviceFlockTransfer(transfer, self._count, self._plan, self._births)

    def read_unordered(self) -> None:
        """None: a copy from the device is no cheaper than `store`."""
        return

    # Steps

    def advance(self, steps: int, first_step: int) -> None:
        """Run whole steps."""
        if self._layout.count == 0:
            self.completed += steps
            return
        try:
            self._write_head("clock_step", first_step)
            self._write_head("clock_first_step", first_step)
            if (
                not self._plan.has_lifecycle
            ):  # forces are stored in the last step only, after which they may be read
                self._write_head("clock_keep_from", first_step + steps)
            self._device.write(self._buffers["times"], 0, times(self._plan, first_step, steps))
            self._submit_all(steps)
        except (RunError, BackendError):
            raise
        except Exception as error:
            raise self._device.failure(error, first_step) from error

    def _submit_all(self, steps: int) -> None:
        batch = EVENT_BATCH if self._plan.eventful else BATCH
        left, failed_step = steps, NO_STEP
        while left:
            count = min(left, batch)
            self._device.submit(count, self._launches)
            left -= count
            if self._plan.eventful or not left:
                [words] = self._device.start_transfer([(self._buffers["outputs"], 0, OUTPUTS_HEAD)]).wait()
                failed_step = min(failed_step, int(words[FAILED_STEP]))
                self._drain(int(words[EVENTS]))
            self.completed += count
        if failed_step != NO_STEP:
            self._device.write(self._buffers["outputs"], FAILED_STEP, np.array([NO_STEP], np.int32))
            raise RunError(self._diagnosis(failed_step))

    def _drain(self, count: int) -> None:
        """Copy events to the host before their list is full."""
        if not self._plan.eventful or not count:
            return
        room = self._layout.event_room
        if count > room:
            raise RunError(
                f"{count:,} events within {EVENT_BATCH} steps are more than there is room for ({room:,}); use "
                "backend='cpu'"
            )
        first = self._layout.first_event
        [words] = self._device.start_transfer([(self._buffers["outputs"], first, count * EVENT_WORDS)]).wait()
        self._device.write(self._buffers["outputs"], EVENTS, np.zeros(1, np.int32))
        events = readable_events(words)
        self._events.append(events)
        self._births += births_in(events)

    def take_events(self) -> NDArray[np.float64]:
        events, self._events = self._events, []
        return np.concatenate([np.zeros((0, len(EVENT_FIELDS))), *events])

    def _diagnosis(self, step: int) -> str:
        head, ids, places = self._device.start_transfer(
            [
                (self._buffers["head"], 0, self._layout.sizes["head"]),
                (self._buffers["columns"], 0, self._layout.room),
                (self._buffers["places"], 0, 4 * self._layout.quads),
            ]
        ).wait()
        n = int(head[HEAD_PLACES["clock_alive"]])
        quads = places.view(np.float32).reshape(-1, self._layout.room, 4)[:, :n]
        return not_finite(step, ids[:n], np.concatenate([*quads], axis=1))


class Columns:
    """A transfer whose words are read as the arrays of a `DeviceFlockTransfer`."""

    def __init__(self, transfer: Transfer, layout: Layout) -> None:
        self._transfer, self._layout = transfer, layout

    @property
    def ready(self) -> bool:
        return self._transfer.ready

    def wait(self) -> list[NDArray[Any]]:
        columns, places, head, items = self._transfer.wait()
        plan, room = self._layout.plan, self._layout.room
        table = columns.reshape(-1, room)
        numbers, quads = table.view(np.float32), places.view(np.float32).reshape(-1, 4)
        carried = len(plan.carried)
        clock = np.zeros(1, record_type("Clock"))
        for name in ("alive", "next_id"):
            clock[name] = head[HEAD_PLACES[f"clock_{name}"]]
        return [
            table[0],
            quads[:room],
            quads[room:],
            numbers[1 : 1 + carried],
            numbers[1 + carried :],
            clock.view(np.int64),
            items.view(np.float32).reshape(plan.items.shape),
        ]
