"""The CUDA backend: the same fused rules as on the CPU, one thread for each agent, a step captured as a graph.

Agents stay on the device; the host launches and waits only when somebody reads. Under Numba's CUDA simulator
(NUMBA_ENABLE_CUDASIM=1) the same kernels run as plain Python on NumPy arrays, for tests without a GPU.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.backends.cuda_build import import_numba_cuda, kernel_module, missing, simulated
from murmura.backends.cuda_transfer import ALIVE, EVENTS, FELT, Arrived, FlockParcel, Transfer
from murmura.backends.plan import KIN_FIELDS, PLACES, Plan
from murmura.backends.tables import laid_out
from murmura.core.errors import BackendError, RunError
from murmura.core.events import EVENT_FIELDS
from murmura.core.state import State, column_name

THREADS = 8 if simulated() else 128  # of a block; the simulator starts one of Python's threads for each
GRAPH_STEPS, BIRTH_BLOCKS = 8, 64


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
        reason = missing()
        if reason:
            raise BackendError(f"the cuda backend cannot run: {reason}. backend='cpu' works everywhere")
        import_numba_cuda()
        from numba import cuda
        from numba.core import config

        config.CUDA_LOW_OCCUPANCY_WARNINGS = 0  # small flocks leave a large device idle; that is no mistake
        self._cuda = cuda
        self._seed = seed
        self._announce = announce
        # Arrays on the device, by name; what went wrong is told in memory of the host, where looking at it needs
        # no copy that would queue behind a snapshot's.
        self._device: Any = SimpleNamespace(
            trouble=np.zeros(1, np.int64) if simulated() else cuda.mapped_array(1, np.int64)
        )
        if simulated():
            self._xp: Any = np
            self._stream: Any = None
            self._copying: Any = None
        else:
            import cupy

            self._xp = cupy
            self._stream = cupy.cuda.Stream(non_blocking=True)
            self._copying = cupy.cuda.Stream(non_blocking=True)
            self._workspace = cupy.cuda.MemoryPool()
        self.replan(plan)

    def replan(self, plan: Plan) -> None:
        """Take up a changed scenario; the state must be loaded anew."""
        self._module = kernel_module(plan, self._announce)
        self._plan = plan
        self._graphs: dict[int, Any] = {}

    def load(self, state: State) -> None:
        """Take the flock over to the device."""
        self._wait()
        plan = self._plan
        self._count = max(len(state), plan.capacity) if plan.mortal else len(state)
        self.completed = 0
        try:
            self._allocate(state)
        except Exception as error:
            if type(error).__name__ != "OutOfMemoryError":
                raise
            raise BackendError(
                f"the device has too little memory for {self._count:,} agents: {error}. Use fewer agents, or "
                "backend='cpu'"
            ) from None

    def _allocate(self, state: State) -> None:
        room, plan, n = max(self._count, 1), self._plan, len(state)
        carried = [column_name(c) for c in plan.carried]
        quads = np.zeros((room, 4), np.float32)
        for k, name in enumerate(PLACES.values()):
            quads[:n, k] = state[name]
        extras = np.zeros((len(carried), room), np.float32)
        for k, name in enumerate(carried):
            extras[k, :n] = state[name]
        felt = np.zeros((3, room), np.float32)
        for k, name in enumerate(FELT):
            felt[k, :n] = state[name]
        ids = np.zeros(room, np.int32)
        ids[:n] = state.ids
        counts, numbers, self._bins = self._layout()
        bins, someone = np.zeros(self._bins + 1, np.int32), np.zeros(room, np.int32)
        arrays = {
            "state": quads, "extras": extras, "felt": felt, "ids": ids, "table": np.zeros_like(quads),
            "table_extras": np.zeros_like(extras), "table_ids": someone, "keys": someone, "ranks": someone,
            "counts": bins, "start": bins, "layout_counts": counts, "layout_numbers": numbers,
            "bounds": np.zeros(4, np.float32), "clock": np.array([0, *self._seed, n, state.next_id, 0, 0], np.int64),
            "told": np.zeros((max(1, plan.listeners), max(1, plan.told_width)), np.int64),
            "news": np.zeros((max(1, plan.listeners), 1 + plan.item_width), np.float32),
            "heard": np.zeros(max(1, plan.told_width), np.float32),
            "events": np.zeros((max(4096, 2 * room) if plan.eventful else 1, len(EVENT_FIELDS)), np.float64),
            "young": np.zeros((room if plan.mortal else 1, 5), np.int64),
        }  # fmt: skip
        for name, array in arrays.items():
            self._place(name, array)
        self._events: list[Any] = []
        self._device.trouble[0] = 0
        self._put_plan(plan, plan.item_table(state))

    def _place(self, name: str, array: Any) -> None:
        """Put an array on the device; where one of its shape is there already, graphs go on using it."""
        old = getattr(self._device, name, None)
        if old is None or old.shape != array.shape:
            self._graphs = {}
            setattr(self._device, name, self._put(array))
        elif simulated():
            old[...] = array
        else:
            old.owner.set(np.ascontiguousarray(array))

    def prepare(self, plan: Plan) -> None:
        """Make the kernels of a plan for a later `replan`; they are compiled when they are first launched."""
        kernel_module(plan, self._announce)

    def is_prepared(self, plan: Plan) -> bool:
        """Always: compiling waits for the first launch, so nothing is gained by preparing in another thread."""
        return True

    def glance(self) -> None:
        """The flock is on the device: bringing it back is what `store` does."""
        return

    def tune(self, plan: Plan) -> None:
        """Take up changed numbers and items; the kernels and the flock stay."""
        self._plan = plan
        self._graphs = {}
        self._put_plan(plan, plan.items)

    def _put_plan(self, plan: Plan, items: Any) -> None:
        world = plan.world(0, self._seed)
        fields = ("width", "height", "dt", "thrust", "stride", "pace", "skin", "noise_x", "noise_y")
        self._place("world", np.array([getattr(world, field) for field in fields]))
        self._place("numbers", laid_out(plan.numbers.T))
        self._place("kin", laid_out(plan.kin.reshape(-1, len(KIN_FIELDS)).T))
        self._place("items", items if len(items) else np.zeros((1, plan.item_width), np.float32))
        self._place("ranges", plan.ranges if len(plan.ranges) else np.zeros((1, 2), np.int64))
        self._place("tracked", plan.tracked if len(plan.tracked) else np.full((1, 2), -1, np.int64))
        self._place("shapes", plan.shapes if len(plan.shapes) else np.zeros((1, 5), np.float32))
        if not simulated():
            # Copies to the device may return before they have arrived, and the steps' stream does not wait for them.
            self._xp.cuda.Device().synchronize()

    def _put(self, array: Any) -> Any:
        """An array on the device, as kernels take it; CuPy's view of it is kept for scans and copies."""
        array = np.ascontiguousarray(array)
        if simulated():
            return array.copy()
        owner = self._xp.asarray(array)
        view = self._cuda.as_cuda_array(owner)
        view.owner = owner
        return view

    def _layout(self) -> tuple[Any, Any, int]:
        """Rows and bins of a bounded world; of an open one only how many there may be."""
        world, reach = self._plan.scenario.world, self._plan.reach * 1.00001
        # The simulator starts a Python thread for every bin.
        most = max(256 if simulated() else 8192, 2 * self._count)
        rows = max(1, min(int(world.height / reach), most // 32))
        columns = max(1, min(int(world.width * 4 / reach), most // rows))
        numbers = np.array(
            [0.0, 0.0, columns / world.width, rows / world.height, world.height / rows], np.float32
        )
        return (
            np.array([columns, rows], np.int32),
            numbers,
            most if world.boundary == "open" else rows * columns,
        )

    def store(self, state: State) -> None:
        """Bring the flock back, in ascending id."""
        self.send().unpack(state)

    def send(self) -> FlockParcel:
        """Send the flock as it is now; steps that follow do not wait for it."""
        d = self._device
        arrays = (d.ids, d.state, d.extras, d.felt, d.clock, d.items)
        transfer = Arrived(arrays) if simulated() else Transfer(arrays, self._stream, self._copying)
        return FlockParcel(transfer, self._count, self._plan)

    def _get(self, array: Any) -> Any:
        self._wait()
        return array if simulated() else self._xp.asnumpy(array.owner)

    def advance(self, steps: int, first_step: int) -> None:
        """Run whole steps."""
        if self._count == 0:
            self.completed += steps
            return
        before = self.completed
        self._device.trouble[0] = 0
        try:
            self._write_clock(0, first_step)
            self._launch_all(steps)
            self._wait()
        except Exception as error:
            raise RunError(
                f"the CUDA device failed after step {first_step}: {type(error).__name__}: {error}. Checkpoints written "
                "before are whole: go on from one when the device works again, or with backend='cpu'"
            ) from error
        except BaseException:
            # Ctrl-C: the clock on the device knows how far it came.
            self.completed = before + int(self._get(self._device.clock)[0]) - first_step
            raise
        self.completed = before + steps
        self._drain()
        when = int(self._device.trouble[0])
        if when:
            raise RunError(self._diagnosis(when))

    def _drain(self) -> None:
        """Bring events home, before there is no room for more."""
        if not self._plan.eventful:
            return
        count = int(self._get(self._device.clock)[EVENTS])
        if count > len(self._device.events):
            raise RunError(
                f"{count:,} events within {GRAPH_STEPS} steps are more than there is room for "
                f"({len(self._device.events):,}); use backend='cpu'"
            )
        if count:
            self._events.append(np.array(self._get(self._device.events)[:count]))
            self._write_clock(EVENTS, 0)

    def take_events(self) -> NDArray[np.float64]:
        told, self._events = self._events, []
        return np.concatenate([np.zeros((0, len(EVENT_FIELDS))), *told])

    def _wait(self) -> None:
        if not simulated():
            self._stream.synchronize()

    def _launch_all(self, steps: int) -> None:
        if simulated():
            for _ in range(steps):
                self._launch(True)
                self._drain()
        else:
            # Forces are written in the last step only, where somebody may read them.
            batches = max(0, steps - 1) // GRAPH_STEPS
            for _ in range(batches):
                self._graph(GRAPH_STEPS, self._plan.mortal).launch(self._stream)
                self._drain()
            for _ in range(steps - batches * GRAPH_STEPS):
                self._graph(1, True).launch(self._stream)

    def _write_clock(self, place: int, value: int) -> None:
        if simulated():
            self._device.clock[place] = value
            return
        with self._stream:
            self._device.clock.owner[place] = value

    def _graph(self, steps: int, keep: bool) -> Any:
        """So many steps as one CUDA graph: the cost of a launch is paid once for all of them."""
        if steps not in self._graphs:
            self._stream.synchronize()
            # Once without capturing: compiles the kernels and fills CuPy's memory pool. The state is put back.
            with self._stream:
                saved = [(array, array.owner.copy()) for array in self._changing()]
                # A graph writes into the memory it was captured with for ever. From a pool of its own nobody else
                # gets that memory: a snapshot on its way to the host would be overwritten in it.
                with self._xp.cuda.using_allocator(self._workspace.malloc):
                    self._launch(keep)
                    for array, copy in saved:
                        array.owner[...] = copy
                    self._stream.synchronize()
                    self._stream.begin_capture()
                    for _ in range(steps):
                        self._launch(keep)
                    self._graphs[steps] = self._stream.end_capture()
        return self._graphs[steps]

    def _changing(self) -> tuple[Any, ...]:
        return (
            self._device.state,
            self._device.extras,
            self._device.ids,
            self._device.felt,
            self._device.clock,
            self._device.items,
        )

    def _launch(self, keep: bool) -> None:
        """One step as a row of kernels; `keep`: write down the forces."""
        m, n, d = self._module, self._count, self._device
        stream = 0 if simulated() else self._cuda.external_stream(self._stream.ptr)
        blocks = math.ceil(n / THREADS)
        if self._plan.scenario.world.boundary == "open":
            m.reset_bounds[1, 1, stream](d.bounds)
            m.find_bounds[blocks, THREADS, stream](d.state, d.bounds, n, d.clock)
            m.make_layout[1, 1, stream](
                d.bounds, self._plan.reach, self._bins, d.layout_counts, d.layout_numbers
            )
        if len(self._plan.tracked):
            m.forget_tracked[1, 32, stream](d.tracked, d.items)
        self._clear_counts()
        m.count_bins[blocks, THREADS, stream](
            d.state, d.ids, n, d.layout_counts, d.layout_numbers, d.keys, d.ranks, d.counts, d.clock
        )
        self._add_up_counts()
        m.scatter[blocks, THREADS, stream](
            d.state,
            d.extras,
            d.ids,
            n,
            d.keys,
            d.ranks,
            d.start,
            d.table,
            d.table_extras,
            d.table_ids,
            d.clock,
        )
        m.sort_bins[math.ceil(self._bins / THREADS), THREADS, stream](
            d.table, d.table_extras, d.table_ids, d.start, self._bins, d.tracked, d.items
        )
        m.steer[blocks, THREADS, stream](
            d.table, d.table_extras, d.table_ids, n, d.start, self._bins, d.layout_counts, d.layout_numbers, d.world,
            d.clock, d.numbers, d.kin, d.items, d.ranges, d.shapes, self._plan.scenario.perception.nearest or 0,
            d.state, d.extras, d.ids, d.felt, int(keep), d.trouble, d.told, d.news, d.events, d.young,
        )  # fmt: skip
        if self._plan.mortal:
            m.find_fathers[blocks, THREADS, stream](d.ids, d.start, self._bins, d.clock, d.young)
            m.be_born[min(blocks, BIRTH_BLOCKS), THREADS, stream](
                d.numbers, d.world, d.clock, d.start, self._bins, d.state, d.extras, d.felt, d.ids, self._count,
                d.events, d.young,
            )  # fmt: skip
        if self._plan.mortal or self._plan.lasting:
            m.afterwards[1, 1, stream](
                d.numbers, d.items, d.ranges, d.told, d.news, d.heard, d.world, d.clock, d.start, self._bins, d.state,
                d.extras, d.felt, d.ids, self._count, d.events, d.young,
            )  # fmt: skip

    def _clear_counts(self) -> None:
        if simulated():
            self._device.counts[:] = 0
        else:
            self._device.counts.owner.fill(0)

    def _add_up_counts(self) -> None:
        if simulated():
            np.cumsum(self._device.counts, out=self._device.start)
        else:
            self._xp.cumsum(self._device.counts.owner, out=self._device.start.owner)

    def _diagnosis(self, step: int) -> str:
        n = int(self._get(self._device.clock)[ALIVE]) if self._plan.mortal else self._count
        quads, ids = self._get(self._device.state)[:n], self._get(self._device.ids)[:n]
        broken = ~(np.abs(quads) < 1e30).all(axis=1)
        some = ", ".join(str(k) for k in np.sort(ids[broken])[:5])
        return (
            f"step {step}: {int(broken.sum())} agents have no finite place or velocity (ids {some}). A rule returned "
            "NaN or infinity: guard its divisions, or lower the weights"
        )
