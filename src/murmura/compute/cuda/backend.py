"""The CUDA backend: the step that all targets share, one thread for each agent, replayed as a graph.

Agents stay on the device; the host launches kernels and waits only for reads.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.compute.cuda import device
from murmura.compute.cuda.launching import CLOCK_PLACES, GRAPH_STEPS, Launches, arguments_of, text_of
from murmura.compute.cuda.program import Text
from murmura.compute.gpu import arrays
from murmura.compute.gpu.flock_transfer import Births, DeviceFlockTransfer, births_in, not_finite
from murmura.compute.plan import Plan
from murmura.compute.schema import Arrays
from murmura.core.errors import BackendError, RunError
from murmura.core.events import EVENT_FIELDS
from murmura.core.state import State


class BackendCuda:
    """Runs a plan on a GPU, in single precision."""

    name = "cuda"
    piece = 2048

    @property
    def threads(self) -> int:
        return 1

    def __init__(
        self, plan: Plan, seed: tuple[int, int], announce: Callable[[str], None] | None = None
    ) -> None:
        reason = device.missing()
        if reason:
            raise BackendError(f"the cuda backend cannot run: {reason}. backend='cpu' works everywhere")
        self._seed = seed
        self._announce = announce
        self._device = device.open_device()
        self._there: dict[str, Any] = {"failed_step": self._device.shared_number()}
        self._programs: dict[str, device.Program] = {}
        self._captured: dict[bool, bytes] = {}
        self.completed = 0
        self.replan(plan)

    # Plans

    def replan(self, plan: Plan) -> None:
        """Change to another plan; `load` must follow."""
        self._text = text_of(plan)
        self._program = self._program_of(self._text)
        self._plan = plan
        self._launches = Launches(self._device, self._program, self._text, plan)
        self._captured = {}

    def prepare(self, plan: Plan) -> None:
        """Compile the kernels of a plan for a later `replan`."""
        self._program_of(text_of(plan))

    def is_prepared(self, plan: Plan) -> bool:
        return self._device.has_compiled(text_of(plan))

    def is_current(self) -> bool:
        return text_of(self._plan).digest == self._text.digest

    def _program_of(self, text: Text) -> device.Program:
        if text.digest not in self._programs:
            if self._announce is not None and not self._device.has_compiled(text):
                self._announce("compiling the CUDA kernels for these rules (or loading them from disk)")
            self._programs[text.digest] = self._device.program(text)
        return self._programs[text.digest]

    def read_items(self) -> NDArray[np.float32]:
        """A copy of the items as they are now."""
        return np.array(self._device.get(self._there["items"])[: len(self._plan.items)])

    def tune(self, plan: Plan, items: NDArray[np.float32]) -> None:
        """Change numbers and items; the kernels, their graphs and the flock stay."""
        self._plan = plan
        self._place_all(arrays.plan_arrays(plan, items, self._seed))
        self._device.write(
            self._there["clock"].view(np.float64), CLOCK_PLACES["dt"], plan.scenario.motion.time_step
        )

    # The flock

    def load(self, state: State) -> None:
        """Copy the flock to the device."""
        self._device.wait()
        plan = self._plan
        self._count = max(len(state), plan.capacity) if plan.has_lifecycle else len(state)
        self._room = max(1, self._count)
        self._events: list[Any] = []
        self._births: Births = []
        self.completed = 0
        self._there["failed_step"][0] = 0
        try:
            flock = arrays.flock_arrays(plan, state, self._room, self._seed, self._text.report_width)
            self._place_all(flock | arrays.plan_arrays(plan, plan.item_table(state), self._seed))
        except Exception as error:
            if type(error).__name__ != "OutOfMemoryError":
                raise
            raise BackendError(
                f"the device has too little memory for {self._count:,} agents: {error}. Use fewer agents, or "
                "backend='cpu'"
            ) from None

    def _place_all(self, found: Arrays) -> None:
        """Copy arrays to the device. Graphs stay valid while addresses and sizes stay the same."""
        for name, array in found.items():
            old = self._there.get(name)
            if old is None or old.shape != array.shape:
                self._there[name] = self._device.put(array)
            else:
                self._device.set(old, array)
        self._device.finish_uploads()
        arguments = {keep: self._arguments_for(keep) for keep in (False, True)}
        captured = {keep: found.tobytes() for keep, found in arguments.items()}
        if captured != self._captured:
            self._captured = captured
            blocks = int(arguments[True]["sizes"]["scan_blocks"])
            self._launches.aim(arguments, self._room, blocks)

    def _arguments_for(self, keep: bool) -> NDArray[Any]:
        """The argument of every kernel; `keep`: store forces."""
        sizes = arrays.sizes_of(self._plan, self._room) | {"keep": keep}
        return arguments_of(lambda name: self._device.address(self._there[name]), sizes).reshape(())

    def store(self, state: State) -> None:
        """Copy the flock from the device, in ascending id."""
        self.start_transfer().store(state)

    def start_transfer(self) -> DeviceFlockTransfer:
        """Start to copy the flock as it is now; later steps do not wait for it."""
        names = ("ids", "places", "velocities", "extras", "forces", "clock", "items")
        transfer = self._device.start_transfer([self._there[name] for name in names])
        return DeviceFlockTransfer(transfer, self._count, self._plan, self._births)

    def read_unordered(self) -> None:
        """None: a copy from the device is no cheaper than `store`."""
        return

    # Steps

    def advance(self, steps: int, first_step: int) -> None:
        """Run whole steps."""
        if self._count == 0:
            self.completed += steps
            return
        before = self.completed
        self._there["failed_step"][0] = 0
        try:
            self._write_clock("step", first_step)
            self._launches.run(steps, self._drain)
            self._device.wait()
        except RunError:
            raise
        except Exception as error:
            raise RunError(
                f"the CUDA device failed after step {first_step}: {type(error).__name__}: {error}. Checkpoints written "
                "before are whole: continue from one when the device works again, or with backend='cpu'"
            ) from error
        except BaseException:
            # Ctrl-C: the clock on the device has the number of completed steps.
            self.completed = before + self._read_clock("step") - first_step
            raise
        self.completed = before + steps
        self._drain()
        when = int(self._there["failed_step"][0])
        if when:
            raise RunError(self._diagnosis(when))

    # The clock and what it counts

    def _write_clock(self, field: str, value: int) -> None:
        self._device.write(self._there["clock"], CLOCK_PLACES[field], value)

    def _read_clock(self, field: str) -> int:
        return int(self._device.get(self._there["clock"])[CLOCK_PLACES[field]])

    def _drain(self) -> None:
        """Copy events to the host before their list is full."""
        if not self._plan.eventful:
            return
        count, room = self._read_clock("events"), len(self._there["events"])
        if count > room:
            raise RunError(
                f"{count:,} events within {GRAPH_STEPS} steps are more than there is room for ({room:,}); use "
                "backend='cpu'"
            )
        if count:
            events = np.array(self._device.get(self._there["events"][:count]))
            self._write_clock("events", 0)
            self._events.append(events)
            self._births += births_in(events)

    def take_events(self) -> NDArray[np.float64]:
        events, self._events = self._events, []
        return np.concatenate([np.zeros((0, len(EVENT_FIELDS))), *events])

    def _diagnosis(self, step: int) -> str:
        n = self._read_clock("alive")
        places = ["places", "velocities"] if self._plan.dimension == 3 else ["places"]
        ids, *quads = (self._device.get(self._there[name])[:n] for name in ("ids", *places))
        return not_finite(step, ids, np.concatenate(quads, axis=1))
