"""How a step is computed. The only room that imports a compiler. Knows nothing of runs, files or views."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from murmura.compute.plan import Plan
from murmura.core.state import State

BACKENDS = ("auto", "reference", "cpu", "cuda", "webgpu")
CUDA_FROM = 50_000  # agents from which a GPU gains, where there is one
WEBGPU_FROM = 100_000  # the same through WebGPU, whose kernels take longer to begin


class FlockTransfer(Protocol):
    """A flock on its way from the backend."""

    @property
    def ready(self) -> bool: ...

    def store(self, state: State) -> None:
        """Write it into the columns, in ascending id; waits until it is here."""

    def read_unordered(self) -> tuple[NDArray[np.int32], dict[str, NDArray[np.float32]]] | None:
        """As of a backend; waits until it is here."""


class Backend(Protocol):
    """What the engine asks of whoever computes steps."""

    name: str
    piece: int
    """How many steps to ask for at once, so that an interrupt is not kept waiting."""

    @property
    def threads(self) -> int: ...

    def replan(self, plan: Plan) -> None:
        """Take up a changed scenario; `load` follows."""

    def prepare(self, plan: Plan) -> None:
        """Compile what `replan` will need, from any thread."""

    def is_prepared(self, plan: Plan) -> bool:
        """Whether `replan` would find its kernel in this process."""

    def tune(self, plan: Plan) -> None:
        """Take up changed numbers and items of a plan with the same signature and world; the flock stays."""

    def load(self, state: State) -> None:
        """Take the flock over, in whatever order is best."""

    @property
    def completed(self) -> int:
        """Whole steps done since `load`: right even when an interrupt or an error ended `advance` early."""

    def advance(self, steps: int, first_step: int) -> None:
        """Run whole steps."""

    def store(self, state: State) -> None:
        """Write the flock back, in ascending id."""

    def take_events(self) -> NDArray[np.float64]:
        """Rows of EVENT_FIELDS that have come together since this was last asked, in any order."""

    def start_transfer(self) -> FlockTransfer | None:
        """Send the flock as it is now, without waiting; None where `store` costs nothing to speak of."""

    def read_unordered(self) -> tuple[NDArray[np.int32], dict[str, NDArray[np.float32]]] | None:
        """Ids and moving columns in the backend's own order, as views; None where that is no cheaper than `store`."""


def make_backend(
    name: str, plan: Plan, seed: tuple[int, int], threads: int | None, announce: Callable[[str], None] | None
) -> Backend:
    """A backend by name; `auto` takes the fastest that works here."""
    if name == "reference":
        from murmura.compute.reference import BackendReference

        return BackendReference(plan, seed)
    if name == "cuda" or (name == "auto" and plan.scenario.agents >= CUDA_FROM and _cuda_works()):
        from murmura.compute.cuda import BackendCuda

        return BackendCuda(plan, seed, announce)
    suits = plan.dimension == 2 and plan.scenario.agents >= WEBGPU_FROM
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
