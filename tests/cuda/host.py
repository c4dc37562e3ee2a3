"""Runs the same C text without a GPU: compiled by the system's C compiler, with threads one after the other.

For tests: it computes what a GPU would, including atomics, but in one order of threads and without the kernels that
synchronise threads. Tests make `device.open_device` return it.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.compute.cuda.device import Blocks
from murmura.compute.cuda.program import Text
from murmura.compute.gpu.grid import SCAN_BLOCK
from murmura.compute.machine import cache_folder
from murmura.core.errors import BackendError

COMPILER = "cc"
FLAGS = (
    "-std=gnu11",
    "-O1",
    "-fwrapv",
    "-fno-strict-aliasing",
    "-ffp-contract=off",
    "-w",
    "-shared",
    "-fPIC",
)
HOST_HEADER = """
#include <math.h>
#include <stdbool.h>
#include <string.h>
#define __device__
#define __global__
#define __launch_bounds__(threads, ...)
#define __ldg(place) (*(place))
#define fminf(a, b) least(a, b)
#define fmaxf(a, b) greatest(a, b)
typedef struct { unsigned x, y; } Place;
static Place threadIdx, blockIdx, blockDim, gridDim;
typedef struct { float x, y; } float2;
typedef struct { float x, y, z, w; } float4;
static inline float2 make_float2(float x, float y) { return (float2){x, y}; }
static inline float4 make_float4(float x, float y, float z, float w) { return (float4){x, y, z, w}; }
static inline float least(float a, float b) { return a < b ? a : b; }
static inline float greatest(float a, float b) { return a > b ? a : b; }
static inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
static inline int __float_as_int(float x) { int i; memcpy(&i, &x, 4); return i; }
static inline float __int_as_float(int i) { float x; memcpy(&x, &i, 4); return x; }
#define EXCHANGED(place, value) ({ __typeof__(place) p_ = (place); __typeof__(*p_) old_ = *p_; *p_ = (value); old_; })
#define atomicAdd(place, value) EXCHANGED(place, *p_ + (value))
#define atomicExch(place, value) EXCHANGED(place, value)
#define atomicMin(place, value) EXCHANGED(place, *p_ < (value) ? *p_ : (value))
#define atomicMax(place, value) EXCHANGED(place, *p_ > (value) ? *p_ : (value))
"""
LAUNCHER = """
void launch_{name}(const Arguments* a, int blocks, int worlds, int threads) {{
    gridDim.x = blocks, blockDim.x = threads;
    for (blockIdx.y = 0; blockIdx.y < worlds; blockIdx.y++)
        for (blockIdx.x = 0; blockIdx.x < gridDim.x; blockIdx.x++)
            for (threadIdx.x = 0; threadIdx.x < blockDim.x; threadIdx.x++) {name}({argument});
}}
"""
SCAN = f"""
void scan(const Arguments* a, int blocks, int worlds) {{
    for (; worlds > 0; worlds--, a++)
        for (int k = 0, sum = 0; k < blocks * {SCAN_BLOCK}; k++) {{
            a->index.start[k] = sum;
            sum += a->index.counts[k];
            a->index.counts[k] = 0;
        }}
}}
"""


class HostDevice:
    """The host as a device; arrays are NumPy arrays."""

    def put(self, array: NDArray[Any]) -> NDArray[Any]:
        return np.array(array, order="C")

    def zeros(self, count: int, kind: Any) -> NDArray[Any]:
        return np.zeros(count, kind)

    def set(self, there: Any, array: NDArray[Any]) -> None:
        there[...] = array

    def write(self, there: Any, place: int, value: Any) -> None:
        there[place] = value

    def finish_uploads(self) -> None:
        """Nothing to do: assignments are synchronous."""

    def get(self, there: Any) -> NDArray[Any]:
        found: NDArray[Any] = there
        return found

    def address(self, there: Any) -> int:
        return int(there.ctypes.data)

    def shared_number(self) -> NDArray[np.int64]:
        return np.zeros(1, np.int64)

    def program(self, text: Text) -> HostProgram:
        if text.digest not in _programs:
            _programs[text.digest] = HostProgram(text)
        return _programs[text.digest]

    def has_compiled(self, text: Text) -> bool:
        return text.digest in _programs

    def graph(self, run: Callable[[], None]) -> HostGraph:
        return HostGraph(run)

    def wait(self) -> None:
        """Nothing to do: launches are synchronous."""

    def start_transfer(self, arrays: Sequence[Any]) -> HostTransfer:
        return HostTransfer(arrays)


class HostProgram:
    """A library from the C compiler, cached on disk by a hash of its text."""

    def __init__(self, text: Text) -> None:
        argument = "a" if text.many else "*a"
        launchers = "".join(LAUNCHER.format(name=name, argument=argument) for name in text.kernels)
        self._library = ctypes.CDLL(
            str(compiled(HOST_HEADER + text.plain.replace('extern "C" ', "") + launchers + SCAN))
        )

    def launch(self, name: str, blocks: Blocks, threads: int, arguments: Any) -> None:
        getattr(self._library, f"launch_{name}")(ctypes.c_void_p(arguments.ctypes.data), *blocks, threads)

    def scan(self, blocks: Blocks, arguments: Any) -> None:
        self._library.scan(ctypes.c_void_p(arguments.ctypes.data), *blocks)


_programs: dict[str, HostProgram] = {}


class HostGraph:
    """A function that runs at each launch."""

    def __init__(self, run: Callable[[], None]) -> None:
        self.launch = run


class HostTransfer:
    """Copies of arrays, complete immediately."""

    ready = True

    def __init__(self, arrays: Sequence[Any]) -> None:
        self._hosts = [np.array(array) for array in arrays]

    def wait(self) -> list[NDArray[Any]]:
        return self._hosts


def compiled(text: str) -> Path:
    """The library of a C text, compiled now or cached."""
    digest = hashlib.sha256("\0".join([text, COMPILER, *FLAGS]).encode()).hexdigest()[:24]
    folder = cache_folder() / "host"
    path = folder / f"{digest}.so"
    if path.exists():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        source, library = Path(scratch, "kernels.c"), Path(scratch, "kernels.so")
        source.write_text(text, encoding="utf-8")
        command = [COMPILER, *FLAGS, str(source), "-o", str(library), "-lm"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise BackendError(f"the C compiler refused the kernels' text: {done.stderr[:2000]}")
        os.replace(library, path)
    return path
