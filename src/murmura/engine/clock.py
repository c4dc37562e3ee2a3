"""Converts real time into whole steps (S0-32) by accumulating frame times."""

from __future__ import annotations

from typing import Protocol

from murmura.core.errors import ScenarioError
from murmura.scenario import Scenario

LONGEST_FRAME = (
    0.1  # [s] longer frames count as this long, so that a slow machine does not fall behind without bound
)

FASTEST = 1e6  # at a higher speed a frame would never end


class Steps(Protocol):
    """A simulation, or something that steps one."""

    @property
    def scenario(self) -> Scenario: ...

    def step(self, count: int = 1) -> None: ...


class Clock:
    """Turns the time between two frames into a number of fixed steps.

    Args:
        simulation: What to advance.
        speed: Simulated seconds per second of real time.
    """

    def __init__(self, simulation: Steps, speed: float = 1.0) -> None:
        self.simulation = simulation
        self.speed = speed
        self._owed = 0.0

    def advance(self, frame_seconds: float) -> int:
        """Advance by the time of a frame; return the number of steps."""
        if not frame_seconds >= 0.0:
            raise ScenarioError(f"a frame lasts 0 seconds or more, got {frame_seconds!r}")
        if not 0.0 <= self.speed <= FASTEST:
            raise ScenarioError(f"speed must be a number from 0 to {FASTEST:g}, got {self.speed!r}")
        step = self.simulation.scenario.motion.time_step
        self._owed += min(frame_seconds, LONGEST_FRAME) * self.speed
        # A small tolerance: sixty frames of 1/60 s are sixty steps, whatever the rounding of their sum.
        count = int(self._owed / step + 1e-9)
        self._owed = max(0.0, self._owed - count * step)
        self.simulation.step(count)
        return count
