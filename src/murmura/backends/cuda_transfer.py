"""Brings a flock from the device while the device goes on: a copy on the device, then a copy to the host aside.

The copy on the device is queued between two steps, so it is of one instant and takes only memory bandwidth.
The slow way to the host runs on a stream of its own, which no step waits for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.backends.plan import PLACES, Plan
from murmura.core.state import State, column_name

FELT = ("acceleration_x", "acceleration_y", "local_density")
ALIVE, NEXT_ID, EVENTS = 3, 4, 5  # places in the clock, as in `cuda_telling`, which only a kernel may import


class Transfer:
    """Device arrays on their way to the host."""

    def __init__(self, arrays: Sequence[Any], computing: Any, copying: Any) -> None:
        import cupy
        import cupyx

        with computing:
            self._twins = [array.owner.copy() for array in arrays]
        copying.wait_event(computing.record())
        self._hosts = [cupyx.empty_pinned(twin.shape, twin.dtype) for twin in self._twins]
        for twin, host in zip(self._twins, self._hosts, strict=True):
            cupy.cuda.runtime.memcpyAsync(
                host.ctypes.data,
                twin.data.ptr,
                twin.nbytes,
                cupy.cuda.runtime.memcpyDeviceToHost,
                copying.ptr,
            )
        self._done = copying.record()

    @property
    def ready(self) -> bool:
        return bool(self._done.done)

    def wait(self) -> list[NDArray[Any]]:
        """The arrays, once they are here."""
        self._done.synchronize()
        self._twins = []
        return self._hosts


class Arrived:
    """The same under the simulator, where the device is the host."""

    ready = True

    def __init__(self, arrays: Sequence[NDArray[Any]]) -> None:
        self._hosts = [np.array(array) for array in arrays]

    def wait(self) -> list[NDArray[Any]]:
        return self._hosts


class FlockParcel:
    """A flock on its way to the host, in the device's order."""

    def __init__(self, transfer: Transfer | Arrived, count: int, plan: Plan) -> None:
        self._transfer = transfer
        self._count = count
        self._plan = plan

    @property
    def ready(self) -> bool:
        return self._transfer.ready

    def unpack(self, state: State) -> None:
        """Write it into the columns, in ascending id."""
        ids, _, _, _, clock, items = self._transfer.wait()
        n = int(clock[ALIVE]) if self._plan.mortal else self._count
        here: Any = slice(n)
        if self._plan.mortal:
            here = np.flatnonzero(ids[:n] >= 0)
            state.settle(np.sort(ids[here]), int(clock[NEXT_ID]))
        is_dense = len(state) > 0 and state.ids[-1] == len(state) - 1
        rows = ids[here] if is_dense else np.searchsorted(state.ids, ids[here])
        for name, values in self._moving().items():
            column = state[name]
            column[rows] = values[here].astype(column.dtype, copy=False)
        if self._plan.lasting:
            self._plan.keep_items(state, items)

    def glance(self) -> tuple[NDArray[np.int32], dict[str, NDArray[np.float32]]] | None:
        """Ids and moving columns in the device's order; none where the dead lie among the living."""
        if self._plan.mortal:
            return None
        ids, *_ = self._transfer.wait()
        n = self._count
        # Kernels take columns that lie by themselves; places and velocities do not.
        return ids[:n], {name: np.ascontiguousarray(column[:n]) for name, column in self._moving().items()}

    def _moving(self) -> dict[str, NDArray[np.float32]]:
        """The columns that steps change, in the device's order."""
        _, quads, extras, felt, _, _ = self._transfer.wait()
        names = [*PLACES.values(), *map(column_name, self._plan.carried), *FELT]
        return dict(zip(names, (*quads.T, *extras, *felt), strict=True))
