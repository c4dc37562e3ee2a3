"""When a run is observed, measured and saved.

What is written may depend on the scenario, the seed and the step only, never on the clock: two runs that are the
same must leave the same files. So measures are thinned by the number of agents. Checkpoints alone go by the clock,
since no output shows when they were taken.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass

from murmura.core.errors import ScenarioError
from murmura.lab.manifest import Recording
from murmura.measure import cheap_measures

CHEAP_EVERY, ALL_EVERY = 800, 20_000
"""At least so many steps between measures of a flock that is too large for some of them. Of 100,000 agents the cheap
ones cost about 16 steps, all of them 350: a fiftieth of the steps each."""
FOREVER = 2**62


class Cadence:
    """Which steps are recorded and what is measured then."""

    def __init__(self, recording: Recording, first: int, end: int) -> None:
        self._recording, self._first, self._end = recording, first, end

    def is_due(self, step: int) -> bool:
        """Whether a frame is taken: at the start, every so many steps, and at the end."""
        return step in (self._first, self._end) or step % self._recording.every == 0

    def left(self, step: int) -> int:
        """Steps until the next frame or the end."""
        every = self._recording.every
        return min(every - step % every, self._end - step)

    def measures(self, step: int, agents: int) -> list[str]:
        """Which measures are taken with the frame of this step; maybe none."""
        chosen, ends = self._recording.metrics_every, step in (self._first, self._end)
        if chosen is not None:
            return self._recording.measures if ends or step % chosen == 0 else []
        cheap = cheap_measures(agents, self._recording.measures)
        if cheap == self._recording.measures or (step and step % self._multiple(ALL_EVERY) == 0):
            return self._recording.measures
        return cheap if ends or step % self._multiple(CHEAP_EVERY) == 0 else []

    def _multiple(self, least: int) -> int:
        every = self._recording.every
        return -(-least // every) * every


@dataclass
class Pause:
    """Time between two checkpoints, in steps or in seconds."""

    steps: int = FOREVER
    seconds: float = float("inf")

    def restart(self, step: int) -> None:
        self._step, self._time = step, time.monotonic()

    def is_over(self, step: int) -> bool:
        return step - self._step >= self.steps or time.monotonic() - self._time >= self.seconds

    def left(self, step: int) -> int:
        """Steps that may be taken at most until then."""
        return max(1, self.steps - (step - self._step))


def parse_pause(text: str) -> Pause:
    """Read "500" (steps), "30s", "2.5min" or "1h"."""
    found = re.fullmatch(r"\s*(?:(\d+)|(\d+(?:\.\d+)?)\s*(s|min|h))\s*", text)
    pause = Pause()
    if found and found[1]:
        pause = Pause(steps=int(found[1]))
    elif found:
        pause = Pause(seconds=float(found[2]) * {"s": 1.0, "min": 60.0, "h": 3600.0}[found[3]])
    if found is None or pause.steps < 1 or pause.seconds <= 0.0:
        raise ScenarioError(
            f"checkpoints come every so many steps, as 500, or after a time, as 30s, 5min or 1h; got {text!r}"
        )
    return pause
