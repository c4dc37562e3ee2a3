"""Brings a flock from the device while the device goes on: a copy on the device, then a copy to the host aside.

The copy on the device is queued between two steps, so it is of one instant and takes only memory bandwidth.
The slow way to the host runs on a stream of its own, which no step waits for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


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
