"""The frames of a run in the form that measures need."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from murmura.compute.plan import Plan
from murmura.measure import Flock

if TYPE_CHECKING:
    from murmura.engine.reading.frame import Frame
    from murmura.lab.runs.run import Run


def flocks_of(
    run: Run, every: int = 1, first: int = 0, count: int | None = None, columns: Collection[str] = ()
) -> Iterator[Flock]:
    """Every n-th frame of a run as flocks, in order. Newcomers are treated as flying straight.

    Args:
        run: The run.
        every: Which frames: 0, n, 2 n, ...
        first: How many of these to skip.
        count: How many there are, with those that are skipped; by default all.
        columns: Further columns of the agents that the flocks have.
    """
    scenario = run.scenario
    pace = scenario.motion.stride / scenario.motion.time_step
    world, radius = scenario.world, Plan(scenario).sight
    before: Frame | None = None
    for number in range(0, len(run.frames), every)[first:count]:
        frame = run.frames[number]
        known = None if before is None else _velocities_before(frame, before) * pace
        yield Flock(
            positions=frame.positions.astype(np.float64), velocities=frame.velocities * np.float64(pace), before=known,
            elapsed=1.0 if before is None else max(frame.time - before.time, 1e-12), width=world.width,
            height=world.height, wraps=world.boundary == "wrap", radius=radius, ids=frame.ids.astype(np.int64),
            species=frame.species.astype(np.int64), species_names=tuple(scenario.species_names()),
            depth=world.depth, wraps_y=world.edges[1] == "wrap", wraps_z=world.edges[-1] == "wrap",
            columns={name: frame.columns[name] for name in columns},
        )  # fmt: skip
        before = frame


def seconds_between(run: Run, every: int = 1) -> float:
    """The time between two frames of a run [s]: the median, because the last frame may be early."""
    times = run.frames.times[::every]
    return float(np.median(np.diff(times))) if len(times) > 1 else run.scenario.motion.time_step


def _velocities_before(frame: Frame, before: Frame) -> NDArray[np.float64]:
    if np.array_equal(frame.ids, before.ids):
        return before.velocities.astype(np.float64)
    found = frame.velocities.astype(np.float64)
    rows = np.searchsorted(before.ids, frame.ids)
    there = np.flatnonzero(rows < len(before.ids))
    there = there[before.ids[rows[there]] == frame.ids[there]]
    found[there] = before.velocities[rows[there]]
    return found
