"""The interface between an ensemble and the code that steps many worlds together, and which code does it where."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from murmura.compute.plan import Plan

BACKENDS = ("auto", "cpu", "cuda", "webgpu")
"""The backends that step many worlds together; `auto` is `cpu`."""


class Worlds(Protocol):
    """Worlds that share their kernels. Each is a backend that does not step itself."""

    flocks: list[Any]
    threads: int

    def advance(
        self,
        steps: Sequence[int],
        first_steps: Sequence[int],
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        """Run so many steps in each world, whose step counts are these; report those done and their number."""

    def replace(self, number: int, flock: Any) -> None:
        """Put another world, loaded, in the place of this one."""

    def collect(self, rows: Sequence[int], agents: int) -> NDArray[np.float32]:
        """Rows of all worlds (numbers of a flock's `row_names`), shape (rows, worlds, agents), by id; NaN: nobody."""

    def assign(self, rows: Sequence[int], values: NDArray[np.float32]) -> None:
        """Write rows of all worlds, as `collect` returns them; ids that nobody has are passed over."""


def first_flock(
    backend: str, plan: Plan, seed: tuple[int, int], announce: Callable[[str], None] | None
) -> Any:
    """A world whose kernels are compiled; its method `twin` makes the others."""
    if backend == "cuda":
        from murmura.compute.cuda.worlds import flock_of as flock_on_cuda

        return flock_on_cuda(plan, seed, announce)
    if backend == "webgpu":
        from murmura.compute.webgpu.worlds import flock_of as flock_on_webgpu

        return flock_on_webgpu(plan, seed, announce)
    from murmura.compute.cpu.worlds import flock_of

    return flock_of(plan, seed, announce)


def worlds_of(backend: str, flocks: Sequence[Any], threads: int | None) -> Worlds:
    """Loaded worlds, together."""
    if backend == "cuda":
        from murmura.compute.cuda.worlds import WorldsCuda

        return WorldsCuda(flocks)
    if backend == "webgpu":
        from murmura.compute.webgpu.worlds import WorldsWebgpu

        return WorldsWebgpu(flocks)
    from murmura.compute.cpu.worlds import Worlds as WorldsCpu

    return WorldsCpu(flocks, threads)
