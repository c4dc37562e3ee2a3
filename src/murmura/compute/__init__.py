"""How a step is computed. The only package that imports a compiler. Knows nothing of runs, files or views."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from murmura.compute.plan import Plan
from murmura.compute.refusals import MOST_BINS
from murmura.core.state import State

BACKENDS = ("auto", "reference", "cpu", "cuda", "webgpu")
CUDA_FROM = 50_000  # flocks from this size on run faster on a CUDA device
WEBGPU_FROM = 100_000  # the same for WebGPU, whose launches cost more


class FlockTransfer(Protocol):
    """A copy of the flock that is being transferred from the backend."""

    @property
    def ready(self) -> bool: ...

    def store(self, state: State) -> None:
        """Wait for the transfer and write it into the state, in ascending id."""

    def read_unordered(self) -> tuple[NDArray[np.int32], dict[str, NDArray[np.float32]]] | None:
        """Wait for the transfer and return what `Backend.read_unordered` does."""


class Backend(Protocol):
    """The interface between the engine and the code that computes steps."""

    name: str
    piece: int
    """Steps per call of `advance`: few enough that an interrupt acts soon."""

    @property
    def threads(self) -> int: ...

    def replan(self, plan: Plan) -> None:
        """Change to another plan; the caller then calls `load`."""

    def prepare(self, plan: Plan) -> None:
        """Compile the kernel that `replan` will need; from any thread."""

    def is_prepared(self, plan: Plan) -> bool:
        """Whether this process already has the kernel that `replan` needs."""

    def is_current(self) -> bool:
        """Whether the kernel in use is what the rules are traced to now."""

    def read_items(self) -> NDArray[np.float32]:
        """A copy of all items as they are now, a row of `Plan.items` each."""

    def tune(self, plan: Plan, items: NDArray[np.float32]) -> None:
        """Change the numbers and items to those of a plan with the same kernel; the flock and all kernels stay."""

    def load(self, state: State) -> None:
        """Copy the flock from a state, into the backend's own order."""

    @property
    def completed(self) -> int:
        """Whole steps done since `load`, also when an interrupt or an error ended `advance` early."""

    def advance(self, steps: int, first_step: int) -> None:
        """Run whole steps."""

    def store(self, state: State) -> None:
        """Write the flock into a state, in ascending id."""

    def take_events(self) -> NDArray[np.float64]:
        """Return and forget the events since the last call: rows of EVENT_FIELDS, in any order."""

    def start_transfer(self) -> FlockTransfer | None:
        """Start to copy the flock as it is now, without waiting. None if `store` is cheap."""

    def read_unordered(self) -> tuple[NDArray[np.int32], dict[str, NDArray[np.float32]]] | None:
        """Views of ids and moving columns in the backend's order. None if that is no cheaper than `store`."""


def make_backend(
    name: str,
    plan: Plan,
    seed: tuple[int, int],
    threads: int | None,
    announce: Callable[[str], None] | None,
    portable: bool = False,
) -> Backend:
    """Create a backend by name; `auto` selects the fastest one that works here. Only `cpu` is portable."""
    if portable:
        from murmura.compute.cpu import BackendCpu

        return BackendCpu(plan, seed, threads, announce, portable=True)
    if name == "reference":
        from murmura.compute.reference import BackendReference

        return BackendReference(plan, seed)
    if name == "cuda" or (name == "auto" and plan.scenario.agents >= CUDA_FROM and _cuda_works()):
        from murmura.compute.cuda import BackendCuda

        return BackendCuda(plan, seed, announce)
    suits = plan.bins <= MOST_BINS and plan.dimension == 2 and plan.scenario.agents >= WEBGPU_FROM
    if name == "webgpu" or (name == "auto" and suits and _webgpu_works()):
        from murmura.compute.webgpu import BackendWebgpu

        return BackendWebgpu(plan, seed, announce)
    from murmura.compute.cpu import BackendCpu

    return BackendCpu(plan, seed, threads, announce)


def _cuda_works() -> bool:
    from murmura.compute.cuda.device import missing

    return not missing()


def _webgpu_works() -> bool:
    from murmura.compute.webgpu.device import is_real_gpu

    return is_real_gpu()
