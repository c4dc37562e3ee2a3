"""Checks the arguments of a simulation: seed, threads and backend, and what may change while it runs."""

from __future__ import annotations

import numpy as np

from murmura.compute import BACKENDS
from murmura.core.errors import BackendError, ScenarioError, nearest
from murmura.scenario import Scenario

LARGEST_SEED = 2**64 - 1
PORTABLE = ("auto", "cpu")
"""The backends that can be asked for portable arithmetic."""


def checked(seed: int, threads: int | None, backend: str, portable: bool = False) -> tuple[int, int | None]:
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or not 0 <= seed <= LARGEST_SEED:
        raise ScenarioError(f"seed must be a whole number from 0 to 2**64 - 1, got {seed!r}")
    if threads is not None and (
        isinstance(threads, bool) or not isinstance(threads, int | np.integer) or not 1 <= threads <= 256
    ):
        raise ScenarioError(f"threads must be a whole number from 1 to 256, got {threads!r}")
    if backend not in BACKENDS:
        raise BackendError(
            f"no backend is called {backend!r}{nearest(backend, BACKENDS)}; known: {', '.join(BACKENDS)}"
        )
    if portable and backend not in PORTABLE:
        raise BackendError(
            f"portable arithmetic is that of the cpu backend, expected one of {', '.join(PORTABLE)}, got {backend!r}: "
            f"leave portable out, or copy a portable simulation with simulation.on({backend!r})"
        )
    return int(seed), None if threads is None else int(threads)


def refuse_start_values(before: Scenario, now: Scenario) -> None:
    """Raise if a scenario differs in what only a start reads."""
    if now.agents != before.agents:
        raise ScenarioError(
            f"agents says how many agents start, {before.agents}, and has no effect on a running simulation: use "
            f"add_agents or remove_agents, or make a new simulation with {now.agents}"
        )
    if now.start != before.start:
        raise ScenarioError(
            "start.* says how agents start and has no effect on a running simulation: make a new one with these values"
        )
