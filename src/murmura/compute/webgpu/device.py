"""A WebGPU device through the package wgpu: adapters, buffers, pipelines, submissions, copies to the host."""

from __future__ import annotations

import importlib.util
import os
import tempfile
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.compute.webgpu.program import Kernel, Program
from murmura.core.errors import BackendError, RunError
from murmura.core.extras import install_command

LIMITS = ("max-buffer-size", "max-storage-buffer-binding-size", "max-storage-buffers-per-shader-stage")
STORAGE_BUFFERS = 8
MOST_GROUPS = 65_535
"""Workgroups in one dimension of a dispatch."""
RANKS = {"DiscreteGPU": 0, "IntegratedGPU": 1, "Unknown": 2, "CPU": 3}


def missing() -> str:
    """Why WebGPU cannot be used here, with what to do; empty if it can."""
    if importlib.util.find_spec("wgpu") is None:
        return f"wgpu is not installed: {install_command('webgpu')}"
    try:
        found = adapters()
    except Exception as error:
        return f"wgpu cannot be loaded: {' '.join(str(error).split())}"
    if not found:
        return (
            "no adapter was found: install a driver for Vulkan (Linux, Windows) or use a Mac with Metal. On Debian, "
            "mesa-vulkan-drivers provides a software driver"
        )
    return ""


@lru_cache(1)
def adapters() -> tuple[Any, ...]:
    """The adapters that can compute, hardware GPUs first, the most powerful at the front."""
    # Without a desktop, libwayland complains on standard error that this is not set.
    os.environ.setdefault("XDG_RUNTIME_DIR", tempfile.gettempdir())
    import wgpu

    _leave_out_opengl()
    usable = [a for a in wgpu.gpu.enumerate_adapters_sync() if a.info["backend_type"] != "OpenGL"]
    return tuple(sorted(usable, key=lambda a: RANKS.get(a.info["adapter_type"], len(RANKS))))


def _leave_out_opengl() -> None:
    """Exclude OpenGL, which lacks required features and prints messages if there is no display."""
    try:
        from wgpu.backends.wgpu_native.extras import set_instance_extras

        set_instance_extras(backends=["Vulkan", "Metal", "DX12"])
    except Exception:  # adapters were requested before, or wgpu has another backend: both work
        return


def is_software(adapter: Any) -> bool:
    """Whether an adapter renders in software on the CPU."""
    return bool(adapter.info["adapter_type"] == "CPU")


def is_real_gpu() -> bool:
    """Whether there is a hardware GPU."""
    return not missing() and not is_software(adapters()[0])


def adapter_names() -> list[str]:
    """The names of the adapters."""
    return [
        f"{a.info['device']} ({a.info['backend_type']}{', in software' if is_software(a) else ''})"
        for a in adapters()
    ]


_device: list[WebgpuDevice] = []


def open_device() -> WebgpuDevice:
    """The one device of all backends, so that they share pipelines."""
    if not _device or _device[0].lost:
        _device[:] = [WebgpuDevice(adapters()[0])]
    return _device[0]


class WebgpuDevice:
    """A device with its queue. All buffers are arrays of words of 32 bits."""

    def __init__(self, adapter: Any) -> None:
        import wgpu

        limits = adapter.limits
        if limits["max-storage-buffers-per-shader-stage"] < STORAGE_BUFFERS:
            raise BackendError(
                f"the webgpu backend needs {STORAGE_BUFFERS} storage buffers for each shader, {adapter.info['device']} "
                f"has {limits['max-storage-buffers-per-shader-stage']}: use backend='cpu'"
            )
        self._wgpu = wgpu
        self.name = f"{adapter.info['device']} ({adapter.info['backend_type']})"
        self._device = adapter.request_device_sync(required_limits={name: limits[name] for name in LIMITS})
        self.most_bytes = int(min(limits["max-buffer-size"], limits["max-storage-buffer-binding-size"]))
        self.most_buffers = int(limits["max-storage-buffers-per-shader-stage"])
        self._programs: dict[str, list[Any]] = {}
        self.lost = False

    # Buffers

    def buffer(self, name: str, words: int) -> Any:
        """A new buffer, all zeros."""
        size = 4 * max(4, words)
        if size > self.most_bytes:
            raise BackendError(
                f"{self.name} has buffers of at most {self.most_bytes:,} bytes, and {name} of this flock takes "
                f"{size:,}: use fewer agents (or fewer hunters), or backend='cpu'"
            )
        usage = self._wgpu.BufferUsage
        wanted = usage.STORAGE | usage.COPY_SRC | usage.COPY_DST | (usage.UNIFORM if name == "head" else 0)
        try:
            return self._device.create_buffer(size=size, usage=wanted, label=name)
        except Exception as error:
            raise BackendError(
                f"{self.name} has too little memory for {name} of this flock, {size:,} bytes: {_one_line(error)}. Use "
                "fewer agents, or backend='cpu'"
            ) from None

    def write(self, buffer: Any, first_word: int, words: NDArray[Any]) -> None:
        """Overwrite words, in the order of submissions."""
        self._device.queue.write_buffer(buffer, 4 * first_word, np.ascontiguousarray(words))

    # Programs

    def has_compiled(self, program: Program) -> bool:
        return program.digest in self._programs

    def compile(self, program: Program) -> None:
        """Create the pipelines of a program, unless they exist."""
        if program.digest not in self._programs:
            self._programs[program.digest] = [self._pipeline(kernel) for kernel in program.kernels]

    def _pipeline(self, kernel: Kernel) -> tuple[Any, Any]:
        kinds = {"uniform": "uniform", "read": "read-only-storage", "read_write": "storage"}
        entries = [
            {
                "binding": k,
                "visibility": self._wgpu.ShaderStage.COMPUTE,
                "buffer": {"type": kinds[access]},
            }
            for k, (_, access) in enumerate(kernel.bindings)
        ]
        device = self._device
        try:
            groups = device.create_bind_group_layout(entries=entries)
            layout = device.create_pipeline_layout(bind_group_layouts=[groups])
            module = device.create_shader_module(code=kernel.code, label=kernel.name)
            compute = {"module": module, "entry_point": "main"}
            return device.create_compute_pipeline(layout=layout, compute=compute, label=kernel.name), groups
        except Exception as error:
            raise BackendError(
                f"{self.name} refused the kernel {kernel.name!r}: {str(error)[:2000]}. Use backend='cpu', and please "
                "report this"
            ) from None

    def bound(self, program: Program, buffers: dict[str, Any]) -> list[tuple[Any, Any]]:
        """Pipelines with the buffers they work on."""
        found = []
        for kernel, (pipeline, layout) in zip(program.kernels, self._programs[program.digest], strict=True):
            entries = [
                {
                    "binding": k,
                    "resource": {"buffer": buffers[name], "offset": 0, "size": buffers[name].size},
                }
                for k, (name, _) in enumerate(kernel.bindings)
            ]
            found.append((pipeline, self._device.create_bind_group(layout=layout, entries=entries)))
        return found

    # Work

    def submit(self, steps: int, launches: Sequence[tuple[Any, Any, int]], worlds: int = 1) -> None:
        """Submit this many rounds of launches, without waiting."""
        encoder = self._device.create_command_encoder()
        work = encoder.begin_compute_pass()
        calls = [(pipeline, group, *_rows(groups)) for pipeline, group, groups in launches if groups]
        set_pipeline, set_group, dispatch = work.set_pipeline, work.set_bind_group, work.dispatch_workgroups
        for _ in range(steps):
            for pipeline, group, across, down in calls:
                set_pipeline(pipeline)
                set_group(0, group)
                dispatch(across, down, worlds)
        work.end()
        self._device.queue.submit([encoder.finish()])

    def start_transfer(self, pieces: Iterable[tuple[Any, int, int]]) -> Transfer:
        """Copy words of buffers (buffer, first word, words) as they are now; what is submitted later does not wait."""
        return Transfer(self._wgpu, self._device, list(pieces))

    def failure(self, error: BaseException, step: int) -> RunError:
        """The error for a device that stops answering."""
        self.lost = True
        return RunError(
            f"the WebGPU device {self.name} failed after step {step}: {_one_line(error)}. Checkpoints written before "
            "are whole: continue from one when the device works again, or with backend='cpu'"
        )


def _rows(groups: int) -> tuple[int, int]:
    """At least this many workgroups, as a rectangle within the limit of each dimension."""
    down = -(-groups // MOST_GROUPS)
    return -(-groups // down), down


class Transfer:
    """An asynchronous copy to the host: a copy on the device, then a mapping."""

    def __init__(self, wgpu: Any, device: Any, pieces: list[tuple[Any, int, int]]) -> None:
        usage = wgpu.BufferUsage
        self._sizes = [words for _, _, words in pieces]
        total = 4 * max(2, sum(words + words % 2 for words in self._sizes))
        self._home = device.create_buffer(size=total, usage=usage.COPY_DST | usage.MAP_READ)
        encoder = device.create_command_encoder()
        place = 0
        for buffer, first, words in pieces:
            if words:
                encoder.copy_buffer_to_buffer(buffer, 4 * first, self._home, place, 4 * words)
            place += 4 * (words + words % 2)
        device.queue.submit([encoder.finish()])
        self._promise = self._home.map_async("READ")
        self._found: list[NDArray[np.int32]] | None = None

    @property
    def ready(self) -> bool:
        return self._found is not None or self._promise._state != "pending"

    def wait(self) -> list[NDArray[np.int32]]:
        """The words of each piece."""
        if self._found is None:
            self._promise.sync_wait()
            words = np.frombuffer(self._home.read_mapped(), np.int32)
            self._found, place = [], 0
            for size in self._sizes:
                self._found.append(words[place : place + size])
                place += size + size % 2
            self._home.unmap()
            self._home.destroy()
        return self._found


def _one_line(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())[:500]}"
