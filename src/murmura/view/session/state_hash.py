"""The state hash for a status: taken once a moment, and of a large running flock not at all."""

from __future__ import annotations

from typing import Any

from murmura.view.session.source import Source

HASHED_WHILE_RUNNING = 20_000  # agents up to which a running flock is hashed for every status


class StateHash:
    """Remembers the last one."""

    def __init__(self) -> None:
        self._last: tuple[Any, str] = (None, "")

    def of(self, source: Source, running: bool) -> str:
        """The hash now; empty where it would take a step's time."""
        simulation = source.flock
        if running and simulation.agent_count > HASHED_WHILE_RUNNING:
            return ""
        moment = (source.epoch, simulation.step_count, simulation.scenario)
        if moment != self._last[0]:
            self._last = (moment, simulation.state_hash()[:12])
        return self._last[1]
