"""The frames of a film: the flock at one step, and which steps become pictures.

Frames come from a recorded run or from a simulation that is stepped while it is filmed.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from murmura.core.errors import ScenarioError
from murmura.engine.reading.frame import Frame
from murmura.engine.simulation import Simulation
from murmura.rules.predators.row import layout_of
from murmura.scenario import Scenario

Array = NDArray[Any]
MOST_PICTURES = (
    1_000_000  # nine hours of film; for a longer one, the list of pictures alone would fill the memory
)


def frame_of(simulation: Simulation) -> Frame:
    """The current state of a simulation, with every column."""
    state = simulation.state
    return Frame(
        simulation.step_count,
        simulation.time,
        simulation.ids,
        simulation.column("species_id"),
        simulation.positions,
        simulation.velocities,
        {name: column.copy() for name, column in state.columns.items()},
        {name: rows.copy() for name, rows in state.items.items()},
    )


class Reel(Protocol):
    """A sequence of frames to film, in order of their steps."""

    scenario: Scenario
    seed: int

    @property
    def steps(self) -> Sequence[int]:
        """The step of each frame."""

    def __getitem__(self, k: int) -> Frame: ...


class RecordedReel:
    """The frames of a recorded run."""

    def __init__(self, scenario: Scenario, seed: int, frames: Any) -> None:
        self.scenario, self.seed = scenario, seed
        self._frames = frames
        self.steps: list[int] = [int(step) for step in frames.steps]

    def __getitem__(self, k: int) -> Frame:
        found: Frame = self._frames[k]
        return found


class SimulatedReel:
    """A simulation that is stepped while it is filmed, every `every` steps; frames can only be taken in order."""

    def __init__(self, simulation: Simulation, steps: int, every: int) -> None:
        if steps < 0 or every < 1:
            raise ScenarioError(
                f"expected at least 0 steps and at least 1 between pictures, got {steps} and {every}"
            )
        if steps // every >= MOST_PICTURES:
            raise ScenarioError(
                f"a film has at most {MOST_PICTURES:,} pictures, got {steps // every + 1:,}: use fewer --steps, or a "
                "greater --speed"
            )
        self.scenario, self.seed = simulation.scenario, simulation.seed
        self._simulation = simulation
        first = simulation.step_count
        self.steps: Sequence[int] = range(first, first + steps + 1, every)
        self._last: tuple[int, Frame] | None = None

    def __getitem__(self, k: int) -> Frame:
        if self._last is None or self._last[0] != k:
            self._simulation.step(self.steps[k] - self._simulation.step_count)
            self._last = (k, frame_of(self._simulation))
        return self._last[1]


@dataclass(frozen=True)
class Shot:
    """One picture of a film: the frame before it, and how far it is to the next. Exactly a frame if `part` is 0."""

    first: int
    second: int
    part: float = 0.0


def part_of(steps: Sequence[int], begin: int | None, end: int | None) -> range:
    """The frames from step `begin` to step `end`, both included."""
    if not len(steps):
        raise ScenarioError("nothing was recorded: there are no frames to show")
    if begin is not None and end is not None and begin > end:
        raise ScenarioError(f"--from must not be after --to, got {begin} and {end}")
    first = 0 if begin is None else bisect_left(steps, begin)
    last = len(steps) if end is None else bisect_right(steps, end)
    if first >= last:
        raise ScenarioError(
            f"no frame was recorded from step {begin} to {end}; recorded: {len(steps):,} frames from step "
            f"{steps[0]:,} to {steps[-1]:,}"
        )
    return range(first, last)


def shots(steps: Sequence[int], part: range, per_picture: float | None, smooth: bool) -> list[Shot]:
    """The pictures of a film.

    Without `per_picture` (steps from one picture to the next) every recorded frame is one picture. With it, a picture
    shows the last frame recorded at or before its time, or with `smooth` interpolates between the two around it.
    """
    if per_picture is None:
        return [Shot(k, k) for k in part]
    known = np.asarray(steps)[part.start : part.stop]
    count = int((known[-1] - known[0]) / per_picture + 1e-9) + 1
    wanted = known[0] + per_picture * np.arange(count)
    before = np.searchsorted(known, wanted + 1e-6, "right") - 1
    found = []
    for at, k in zip(wanted.tolist(), before.tolist(), strict=True):
        after = min(k + 1, len(known) - 1)
        gap = known[after] - known[k]
        share = float((at - known[k]) / gap) if smooth and gap else 0.0
        share = share if 1e-6 < share < 1.0 - 1e-6 else 0.0
        found.append(Shot(part.start + k, part.start + (after if share else k), share))
    return found


def taken(reel: Reel, shot: Shot) -> Frame:
    """The frame of a shot."""
    first = reel[shot.first]
    return mixed(first, reel[shot.second], shot.part, reel.scenario) if shot.part else first


def mixed(a: Frame, b: Frame, part: float, scenario: Scenario) -> Frame:
    """Interpolate between two frames: agents in both move in a straight line, the shorter way round a torus; agents
    only in the first stay where they are; agents only in the second are not there yet."""
    rows = np.searchsorted(b.ids, a.ids)
    rows = np.minimum(rows, max(len(b.ids) - 1, 0))
    lives = b.ids[rows] == a.ids if len(b.ids) else np.zeros(len(a.ids), bool)
    share = np.where(lives, part, 0.0)[:, None].astype(np.float32)
    goal = b.positions[rows] if len(b.ids) else a.positions
    positions = _moved(a.positions, goal, share, scenario)
    other = b.velocities[rows] if len(b.ids) else a.velocities
    velocities = a.velocities + (other - a.velocities) * share
    columns = {name: column for name, column in a.columns.items() if name != "heading"}
    items = dict(a.items)
    if "predators" in a.items and "predators" in b.items:
        items["predators"] = _hunters_between(a.items["predators"], b.items["predators"], part, scenario)
    step, time = a.step + part * (b.step - a.step), a.time + part * (b.time - a.time)
    # Nothing but a film has a fraction of a step.
    return Frame(cast(int, step), time, a.ids, a.species, positions, velocities, columns, items)


def _moved(start: Array, goal: Array, share: Any, scenario: Scenario) -> Any:
    """Positions between start and goal, the shorter way round a torus."""
    world, way = scenario.world, goal - start
    found = start + way * share
    for axis, (side, edge) in enumerate(zip(world.sides, world.edges, strict=True)):
        if edge == "wrap" and axis < start.shape[1]:
            along = way[:, axis : axis + 1]
            short = (
                start[:, axis : axis + 1]
                + (along - np.float32(side) * np.round(along / np.float32(side))) * share
            )
            found[:, axis : axis + 1] = short % np.float32(side)
    return found


def _hunters_between(a: Array, b: Array, part: float, scenario: Scenario) -> Array:
    """Interpolate hunters; a row belongs to the same hunter as long as it lives."""
    rows, layout = a.copy(), layout_of(a.shape[1])
    alive, place, velocity = (list(layout.columns_of(field)) for field in ("alive", "position", "velocity"))
    lives = (a[:, alive] > 0.0) & (b[:, alive] > 0.0)
    share = np.where(lives, np.float32(part), np.float32(0.0))
    rows[:, place] = _moved(a[:, place], b[:, place], share, scenario)
    rows[:, velocity] = a[:, velocity] + (b[:, velocity] - a[:, velocity]) * share
    return rows


def nearest(steps: Sequence[int], step: int) -> Shot:
    """The frame of a step, or the one that was recorded nearest to it."""
    if not len(steps):
        raise ScenarioError("nothing was recorded: there are no frames to show")
    row = int(np.argmin(np.abs(np.asarray(steps) - step)))
    return Shot(row, row)
