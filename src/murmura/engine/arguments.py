"""Checks the arguments of a simulation: seed, threads and backend."""

from __future__ import annotations

import numpy as np

from murmura.compute import BACKENDS
from murmura.core.errors import BackendError, ScenarioError, nearest

LARGEST_SEED = 2**64 - 1


def checked(seed: int, threads: int | None, backend: str) -> tuple[int, int | None]:
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or not 0 <= seed <= LARGEST_SEED:
        raise ScenarioError(f"seed must be a whole number from 0 to 2**64 - 1, got {seed!r}")
    if threads is not None and (
        isinstance(threads, bool) or not isinstance(threads, int) or not 1 <= threads <= 256
    ):
        raise ScenarioError(f"threads must be a whole number from 1 to 256, got {threads!r}")
    if backend not in BACKENDS:
        raise BackendError(
            f"no backend is called {backend!r}{nearest(backend, BACKENDS)}; known: {', '.join(BACKENDS)}"
        )
    return int(seed), threads
