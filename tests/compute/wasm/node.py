"""Steps a flock under Node: its arrays, laid out in the memory of a WebAssembly module."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import murmura as mm
from murmura.compute.cpu.backend import BackendCpu
from murmura.compute.cpu.flock import OF_FLOCK
from murmura.compute.cpu.frame import ARRAYS, CALLED, PLACES
from murmura.compute.wasm.module import STACK, module_of

RUN = Path(__file__).with_name("run.cjs")


def stepped(sim: mm.Simulation, steps: int, folder: Path, timed: int = 0) -> float:
    """Step a simulation of `cpu` as WebAssembly, whose results it then has.

    It takes fewer steps if the kernel stops for lack of room. Returns milliseconds a step.
    """
    node = shutil.which("node")
    if node is None:
        pytest.fail(
            "these tests run WebAssembly in Node: `apt-get install nodejs` (or run scripts/test as root)"
        )
    backend = sim._backend
    assert isinstance(backend, BackendCpu)
    backend._filled_frame(steps + timed, backend.completed)
    times = backend._times[backend.completed - backend._times_from :]
    arrays = backend._arrays | {"times": times}
    frame, at, memory = np.array(backend.frame()), STACK, bytearray()
    for name in ARRAYS:
        frame[PLACES[name]] = at
        data = np.ascontiguousarray(arrays[name]).tobytes()
        data += bytes(-len(data) % 64 + 64)
        memory += data
        at += len(data)
    for number, name in enumerate(CALLED, 1):
        frame[PLACES[name]] = number
    memory += frame.tobytes()
    task = {
        "frame": at,
        "stack": STACK,
        "steps": steps,
        "timed": timed,
        "pages": (at + frame.nbytes >> 16) + 1,
    }
    (folder / "kernel.wasm").write_bytes(module_of(backend.plan, backend.shapes))
    (folder / "memory.bin").write_bytes(memory)
    (folder / "task.json").write_text(json.dumps(task))
    done = subprocess.run([node, str(RUN), str(folder)], check=True, capture_output=True, text=True)
    after = (folder / "after.bin").read_bytes()
    for name in (*OF_FLOCK, "events", "completed"):
        array: Any = arrays[name]
        begin = int(frame[PLACES[name]]) - STACK
        array[...] = np.frombuffer(after, array.dtype, array.size, begin).reshape(array.shape)
    return float(done.stdout or 0.0)
