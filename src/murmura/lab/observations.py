"""Observations: recorded runs, tracked animals and simulations, in the form that measures and summaries need."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from murmura.compute.plan import Plan
from murmura.measure import Flock
from murmura.measure.structure.neighbors import velocities_at

if TYPE_CHECKING:
    from murmura.engine.reading.frame import Frame
    from murmura.lab.runs.run import Run
    from murmura.lab.tracks.tracks import Tracks

Triple = tuple[Flock, Flock, Flock]
"""An instant, with the flock a moment before and a moment after it."""


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


def flocks_of_tracks(tracks: Tracks) -> Iterator[Flock]:
    """Every frame in the form that measures need; previous velocities are those of the previous frame."""
    before: NDArray[np.float64] | None = None
    for places, velocities in zip(tracks.positions, tracks.velocities, strict=True):
        here = np.isfinite(places[:, 0])
        known = None
        if before is not None:
            # Animals that were absent in the previous frame are treated as moving straight.
            known = np.where(np.isfinite(before[here]), before[here], velocities[here])
        yield Flock(
            positions=places[here], velocities=velocities[here], before=known, elapsed=1.0 / tracks.fps,
            width=tracks.width, height=tracks.height, wraps=False, radius=tracks.radius,
            ids=np.flatnonzero(here), depth=tracks.depth,
        )  # fmt: skip
        before = velocities


def triples_of(flocks: list[Flock], apart: int, interval: float, most: int) -> list[Triple]:
    """Evenly spaced instants of a recording, not many more than `most`, each with those `apart` frames away."""
    middles = range(apart, len(flocks) - apart)
    return [
        triple_of(flocks[k - apart], flocks[k], flocks[k + apart], interval, flocks[0].radius)
        for k in middles[:: max(1, len(middles) // most)]
    ]


def triples_of_worlds(
    step: Callable[[int], None], flocks: Callable[[], list[Flock]], middles: list[int], apart: int, later: int,
    interval: float, radius: float,
) -> list[list[Triple]]:  # fmt: skip
    """Step worlds to the last instant, and observe each of them, `apart` steps before it and `later` after it."""
    found: list[list[Triple]] = []
    seen: dict[int, list[Flock]] = {}
    now = 0
    for middle in middles:
        times = (middle - apart, middle, middle + later)
        for when in times:
            if when not in seen:
                step(when - now)
                now, seen[when] = when, flocks()
        worlds = [
            triple_of(before, flock, after, interval, radius)
            for before, flock, after in zip(*(seen[when] for when in times), strict=True)
        ]
        found = found or [[] for _ in worlds]
        for triples, triple in zip(found, worlds, strict=True):
            triples.append(triple)
        seen = {when: each for when, each in seen.items() if when >= middle}
    return found


def triple_of(before: Flock, now: Flock, after: Flock, interval: float, radius: float) -> Triple:
    """An instant with the velocities of the moment before, and neighbours up to a given distance."""
    earlier = velocities_at(now, before)
    known = np.where(np.isfinite(earlier), earlier, now.velocities)
    return before, replace(now, radius=radius, before=known, elapsed=interval), after
