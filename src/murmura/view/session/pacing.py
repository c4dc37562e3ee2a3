"""How many steps fit between two frames, and the steps that a "step" command still has to take."""

from __future__ import annotations

import time

from murmura.engine.clock import Clock
from murmura.view.session.source import Source

FRAME_SECONDS = 1.0 / 60.0


class Pacing:
    """Advances a source in real time, or by whole steps, in pieces no longer than a frame.

    Args:
        source: What to advance.
        speed: Simulated seconds per second.
    """

    def __init__(self, source: Source, speed: float) -> None:
        self.left = 0  # remaining steps of a "step" command
        self.rate = 0.0  # steps per second, lately
        self._step_seconds = 0.0  # recent time per step
        self._speed = speed
        self.show(source)

    def show(self, source: Source) -> None:
        """Switch to another source."""
        self._source = source
        self._clock = Clock(source, self._speed)

    @property
    def speed(self) -> float:
        """Simulated seconds per second."""
        return self._speed

    @speed.setter
    def speed(self, speed: float) -> None:
        self._speed = self._clock.speed = speed

    @property
    def most_steps(self) -> int:
        """How many steps fit into one frame."""
        return max(1, int(FRAME_SECONDS / self._step_seconds)) if self._step_seconds else 1

    def advance(self, seconds: float) -> int:
        """Advance the clock by at most as many steps as fit into one frame; return how many were taken."""
        begun = time.perf_counter()
        most = max(1.0, FRAME_SECONDS / self._step_seconds) if self._step_seconds else 1.0
        affordable = most * self._source.scenario.motion.time_step / max(self._speed, 1e-9)
        steps = self._clock.advance(min(seconds, affordable))
        if steps:
            self._step_seconds = (time.perf_counter() - begun) / steps
        return steps

    def step(self, count: int) -> None:
        """Take whole steps."""
        begun = time.perf_counter()
        self._source.step(count)
        self._step_seconds = (time.perf_counter() - begun) / count

    def step_on(self) -> None:
        """Do a part of a "step" command: many steps of a large flock must not delay Ctrl-C or frames."""
        piece = min(self.left, self.most_steps)
        self.left -= piece
        self.step(piece)

    def count(self, steps: int, seconds: float) -> None:
        """Note how many steps were taken in this time, for the rate."""
        self.rate += 0.05 * (steps / max(seconds, 1e-6) - self.rate)
