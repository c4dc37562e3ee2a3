"""When a run is observed, measured and saved.

Outputs may depend only on the scenario, the seed and the step, never on the clock: equal runs must leave equal files.
So measures are thinned out by their known cost on a core of 2024, relative to the steps between two frames: the cheap
ones and the costly ones may each take a tenth of a run. Only checkpoints depend on the clock, because no output shows
when they were taken.
"""

from __future__ import annotations

import math
import re
import time
from dataclasses import dataclass

from murmura.core.errors import ScenarioError
from murmura.lab.runs.manifest import Recording
from murmura.measure import cheap_measures
from murmura.measure.catalog import GRAPH_SIZE
from murmura.measure.costs import FRAME, STEP, Budget, instants_apart

SHARE = 0.1
"""The share of a run's time that cheap measures may take; the same for costly ones."""
FREE = 0.1e6
"""[µs] that each may always take: a run needs a second to start anyway, and short runs need measures too."""
CHEAP_EVERY, ALL_EVERY = 800, 20_000
"""Least number of steps between measures of a large flock. For 100,000 agents, the cheap
ones cost about 16 steps, all of them 350: a fiftieth of the steps each."""
FOREVER = 2**62


class Cadence:
    """Which steps are recorded and what is measured then."""

    def __init__(self, recording: Recording, first: int, end: int) -> None:
        self._recording, self._first, self._end = recording, first, end

    def is_due(self, step: int) -> bool:
        """Whether a frame is due: at the start, at regular intervals, and at the end."""
        return step in (self._first, self._end) or step % self._recording.every == 0

    def left(self, step: int) -> int:
        """Steps until the next frame or the end."""
        every = self._recording.every
        return min(every - step % every, self._end - step)

    def measures(self, step: int, agents: int) -> list[str]:
        """The measures to take with the frame of this step, possibly none."""
        chosen, ends = self._recording.metrics_every, step in (self._first, self._end)
        if chosen is not None:
            return self._recording.measures if ends or step % chosen == 0 else []
        if self._recording.named:
            return self._recording.measures
        if agents <= GRAPH_SIZE:
            return self._affordable(step, agents, ends)
        cheap = cheap_measures(agents, self._recording.measures)
        if cheap == self._recording.measures or (step and step % self._multiple(ALL_EVERY) == 0):
            return self._recording.measures
        return cheap if ends or step % self._multiple(CHEAP_EVERY) == 0 else []

    def has_line(self, step: int, agents: int) -> bool:
        """Whether to write a line of metrics for this frame: always for small flocks, which cost nothing to count."""
        few = self._recording.metrics_every is None and agents <= GRAPH_SIZE
        return few or bool(self.measures(step, agents))

    def thinned(self, agents: int) -> tuple[list[str], int] | None:
        """The costly measures, and the steps between them at the end of the run; None if all are taken each time."""
        if self._recording.metrics_every or self._recording.named or agents > GRAPH_SIZE:
            return None
        budget = self._budget(agents)
        gap = self._gap(budget.costly_cost, self._end, budget.agents)
        return (budget.costly, gap * self._recording.every) if budget.costly and gap > 1 else None

    def _affordable(self, step: int, agents: int, ends: bool) -> list[str]:
        budget = self._budget(agents)
        number = self._number(step)
        cheap = number % self._gap(budget.cheap_cost, step, budget.agents) == 0
        costly = number % self._gap(budget.costly_cost, step, budget.agents) == 0
        taken = {*(budget.cheap if cheap or ends else ()), *(budget.costly if costly or ends else ())}
        return [name for name in self._recording.measures if name in taken]

    def _budget(self, agents: int) -> Budget:
        # In powers of two, so that the interval does not change with every birth and death.
        return Budget.of(self._recording.measures, 2 ** max(agents, 1).bit_length() - 1)

    def _number(self, step: int) -> int:
        """The number of frames before this step."""
        return step // self._recording.every - self._first // self._recording.every

    def _gap(self, cost: float, step: int, agents: int) -> int:
        """Frames between two measurements of this cost [µs]: a power of two, so that the intervals of measures align.

        It grows with the number of frames until the cost is within its share. It must not depend on the length of the
        run, because a run may be extended later.
        """
        between = self._recording.every * STEP(agents) + FRAME(agents)
        wished = min(instants_apart(cost, between, SHARE), max(1.0, self._number(step) * cost / FREE))
        return int(2 ** math.ceil(math.log2(wished)))

    def _multiple(self, least: int) -> int:
        every = self._recording.every
        return -(-least // every) * every


@dataclass
class CheckpointInterval:
    """Time between two checkpoints, in steps or in seconds."""

    steps: int = FOREVER
    seconds: float = float("inf")

    def restart(self, step: int) -> None:
        self._step, self._time = step, time.monotonic()

    def is_over(self, step: int) -> bool:
        return step - self._step >= self.steps or time.monotonic() - self._time >= self.seconds

    def left(self, step: int) -> int:
        """The greatest number of steps until then."""
        return max(1, self.steps - (step - self._step))


def parse_interval(text: str) -> CheckpointInterval:
    """Read "500" (steps), "30s", "2.5min" or "1h"."""
    found = re.fullmatch(r"\s*(?:(\d+)|(\d+(?:\.\d+)?)\s*(s|min|h))\s*", text)
    interval = CheckpointInterval()
    if found and found[1]:
        interval = CheckpointInterval(steps=int(found[1]))
    elif found:
        interval = CheckpointInterval(
            seconds=float(found[2]) * {"s": 1.0, "min": 60.0, "h": 3600.0}[found[3]]
        )
    if found is None or interval.steps < 1 or interval.seconds <= 0.0:
        raise ScenarioError(f"--checkpoint-every takes steps (500) or a time (30s, 5min, 1h), got {text!r}")
    return interval
