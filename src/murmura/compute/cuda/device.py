"""A CUDA device through CuPy: arrays, compiled programs, graphs, asynchronous copies; or why there is none."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from murmura.compute.cuda.index_text import SCAN_KERNELS
from murmura.compute.cuda.program import Text
from murmura.compute.gpu.flock_transfer import Transfer
from murmura.compute.gpu.grid import SCAN_THREADS
from murmura.core.compilations import compilation
from murmura.core.extras import install_command

_compiled: dict[str, dict[str, Any]] = {}
"""Kernels of texts that this process has compiled, by the text's digest."""
OPTIONS = ("--use_fast_math", "--diag-suppress=177,550")  # not every plan needs every function and variable


Blocks = tuple[int, int]
"""Blocks of threads for each world, and worlds."""


class Program(Protocol):
    """Compiled kernels."""

    def launch(self, name: str, blocks: Blocks, threads: int, arguments: Any) -> None: ...

    def scan(self, blocks: Blocks, arguments: Any) -> None:
        """Exclusive prefix sum in each world: start[k] = sum(counts[:k]); then counts = 0."""


class Graph(Protocol):
    """A recorded sequence of launches."""

    def launch(self) -> None: ...


class Device(Protocol):
    """The interface between a backend and the machine that runs its kernels."""

    def put(self, array: NDArray[Any]) -> Any:
        """Copy an array to new memory on the device."""

    def zeros(self, count: int, kind: Any) -> Any:
        """New memory on the device, all zeros."""

    def set(self, there: Any, array: NDArray[Any]) -> None:
        """Overwrite an array on the device; call `finish_uploads` before the next launch."""

    def write(self, there: Any, place: int, value: Any) -> None:
        """Overwrite one entry, in stream order."""

    def finish_uploads(self) -> None:
        """Wait until all uploads are complete."""

    def get(self, there: Any) -> NDArray[Any]: ...

    def address(self, there: Any) -> int: ...

    def shared_number(self) -> NDArray[np.int64]:
        """An integer in memory that host and device share at the same address."""

    def program(self, text: Text) -> Program:
        """The kernels of a text, compiled if necessary; from any thread."""

    def has_compiled(self, text: Text) -> bool: ...

    def graph(self, run: Callable[[], None]) -> Graph:
        """Record what `run` launches as a graph."""

    def wait(self) -> None: ...

    def start_transfer(self, arrays: Sequence[Any]) -> Transfer:
        """Start to copy arrays as they are now; later launches do not wait for it."""


def missing() -> str:
    """Why CUDA cannot be used here, with what to do; empty if it can."""
    if importlib.util.find_spec("cupy") is None:
        return f"CuPy is not installed: {install_command('cuda')}"
    try:
        import cupy

        cupy.cuda.runtime.getDeviceCount()
        cupy.cuda.Device().use()
        cupy.zeros(1)
    except Exception as error:
        return f"no CUDA device can be used: {' '.join(str(error).split())}. Check the driver with nvidia-smi"
    return ""


def device_name() -> str:
    """The name and memory of the device in use."""
    import cupy

    properties = cupy.cuda.runtime.getDeviceProperties(cupy.cuda.Device().id)
    return f"{properties['name'].decode()}, {properties['totalGlobalMem'] / 2**30:.0f} GiB"


def open_device() -> Device:
    """The device that backends run on."""
    return CupyDevice()


class CupyDevice:
    """The current CUDA device, with a stream for steps and one for copies to the host."""

    def __init__(self) -> None:
        import cupy

        self._cupy = cupy
        self._stream = cupy.cuda.Stream(non_blocking=True)
        self._copying = cupy.cuda.Stream(non_blocking=True)

    def put(self, array: NDArray[Any]) -> Any:
        return self._cupy.asarray(np.ascontiguousarray(array))

    def zeros(self, count: int, kind: Any) -> Any:
        return self._cupy.zeros(count, kind)

    def set(self, there: Any, array: NDArray[Any]) -> None:
        there.set(np.ascontiguousarray(array))

    def write(self, there: Any, place: int, value: Any) -> None:
        with self._stream:
            there[place] = value

    def finish_uploads(self) -> None:
        # Copies to the device are asynchronous, and the stream of steps does not wait for them.
        self._cupy.cuda.Device().synchronize()

    def get(self, there: Any) -> NDArray[Any]:
        self.wait()
        found: NDArray[Any] = self._cupy.asnumpy(there)
        return found

    def address(self, there: Any) -> int:
        return int(there.ctypes.data if isinstance(there, np.ndarray) else there.data.ptr)

    def shared_number(self) -> NDArray[np.int64]:
        # Pinned host memory has one address for both sides, and reading it does not queue behind a snapshot.
        found = _pinned(self._cupy, (1,), np.dtype(np.int64))
        found[0] = 0
        return found

    def program(self, text: Text) -> CupyProgram:
        if text.digest not in _compiled:
            _compiled[text.digest] = _compile(self._cupy, text)
        return CupyProgram(self._stream, _compiled[text.digest])

    def has_compiled(self, text: Text) -> bool:
        return text.digest in _compiled

    def graph(self, run: Callable[[], None]) -> CupyGraph:
        self._stream.synchronize()
        with self._stream:
            self._stream.begin_capture()
            run()
            return CupyGraph(self._stream.end_capture(), self._stream)

    def wait(self) -> None:
        self._stream.synchronize()

    def start_transfer(self, arrays: Sequence[Any]) -> CupyTransfer:
        return CupyTransfer(arrays, self._stream, self._copying)


def _compile(cupy: Any, text: Text) -> dict[str, Any]:
    """Compile kernels with NVRTC, by name; CuPy caches compiled code on disk by a hash of the text."""
    from murmura.compute.gpu.fields import record_type

    here = cupy.cuda.Device().id  # the current device is a property of each thread

    def make(part: tuple[str, tuple[str, ...]]) -> dict[str, Any]:
        code, names = part
        with cupy.cuda.Device(here), compilation():
            module = cupy.RawModule(code=code, options=OPTIONS)
            return {name: module.get_function(name) for name in names}

    parts = text.cuda_modules()
    with ThreadPoolExecutor(len(parts)) as pool:
        kernels = {name: kernel for made in pool.map(make, parts) for name, kernel in made.items()}
    # Launch each once without effect: kernels cannot be loaded while a graph is captured.
    idle: Any = np.zeros((), record_type("Arguments"))
    idle["sizes"]["idle"] = 1
    if text.many:
        idle = cupy.asarray(idle.reshape(1).view(np.uint8))
    with cupy.cuda.Stream(non_blocking=True) as stream:
        for name, kernel in kernels.items():
            kernel((1,), (SCAN_THREADS if name in SCAN_KERNELS else 1,), (idle,))
        stream.synchronize()
    return kernels


def _pinned(cupy: Any, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
    """An array in page-locked memory. CuPy's own function for it is in a package that takes 0.3 s to import."""
    memory = cupy.cuda.alloc_pinned_memory(max(1, math.prod(shape) * dtype.itemsize))
    return np.ndarray(shape, dtype, memory)


class CupyProgram:
    """Compiled kernels, launched on a backend's own stream."""

    def __init__(self, stream: Any, kernels: dict[str, Any]) -> None:
        self._stream, self._kernels = stream, kernels

    def launch(self, name: str, blocks: Blocks, threads: int, arguments: Any) -> None:
        with self._stream:
            self._kernels[name](blocks, (threads,), (arguments,))

    def scan(self, blocks: Blocks, arguments: Any) -> None:
        for name in SCAN_KERNELS:
            self.launch(name, blocks, SCAN_THREADS, arguments)


class CupyGraph:
    """A captured graph: one launch for all its kernels."""

    def __init__(self, graph: Any, stream: Any) -> None:
        self._graph, self._stream = graph, stream

    def launch(self) -> None:
        self._graph.launch(self._stream)


class CupyTransfer:
    """A copy on the device, queued between two steps, then a copy to the host on a second stream."""

    def __init__(self, arrays: Sequence[Any], computing: Any, copying: Any) -> None:
        import cupy

        with computing:
            self._twins = [array.copy() for array in arrays]
        copying.wait_event(computing.record())
        self._hosts = [_pinned(cupy, twin.shape, twin.dtype) for twin in self._twins]
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
        self._done.synchronize()
        self._twins = []
        return self._hosts
