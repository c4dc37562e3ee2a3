"""The frames of a recorded run as a read-only source that a session can show at any step.

A recorded frame can be inspected like a live flock: neighbours, forces, measures. The run itself is passed in; this
module reads no folder.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, NoReturn, Protocol

import numpy as np

from murmura.compute.plan import Plan
from murmura.core.errors import ScenarioError
from murmura.core.layout import AXES
from murmura.core.state import OWN_COLUMNS, SPACE_COLUMNS, State
from murmura.engine.initial import set_items
from murmura.engine.lineage import Lineage
from murmura.engine.reading.facts import Event
from murmura.engine.reading.frame import Frame
from murmura.engine.reading.reader import Reader
from murmura.engine.simulation import Simulation
from murmura.scenario import Scenario


class Recording(Protocol):
    """A recorded run that can be continued live from any of its frames."""

    scenario: Scenario
    seed: int
    name: str

    @property
    def steps(self) -> Sequence[int]:
        """The step of each frame."""

    def frame(self, number: int) -> Frame: ...

    def measures(self) -> Iterator[dict[str, Any]]:
        """The measurements of the run: rows with `step` and measures by name, None for missing values."""

    def branch(self, number: int) -> tuple[Simulation, str]:
        """A simulation at the step of a frame, and a description of how it was obtained."""

    def lineage(self) -> Lineage:
        """All agents that ever lived in the run."""


class RecordedFlock(Reader):
    """The flock of one recorded frame."""

    keeps_lineage = True

    def __init__(self, recording: Recording) -> None:
        self._plan, self._seed = Plan(recording.scenario), recording.seed
        self._recording = recording

    def show(self, frame: Frame) -> None:
        """Switch to this frame."""
        state = state_of(frame)
        if set(state.own_columns) != set(self._plan.state_columns):
            state = state.with_columns(self._plan.state_columns)
        set_items(self.scenario, state, self._seed)
        self._state, self._step_count = state, int(frame.step)

    @property
    def step_count(self) -> int:
        return self._step_count

    @property
    def state(self) -> State:
        return self._state

    def events(self) -> list[Event]:
        """Always empty: a frame has no events of its own, and the run's table has all of them."""
        return []

    def reader(self, measured: bool = False) -> RecordedFlock:
        return self

    def lineage(self) -> Lineage:
        """The family tree of the whole run, later frames included."""
        return self._lineage

    @cached_property
    def _lineage(self) -> Lineage:
        return self._recording.lineage()


class RecordedSource:
    """A recorded run as a source of frames: a step moves to the frame of that time, and nothing is computed."""

    is_ready = True

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self._steps = np.asarray(recording.steps)
        if not len(self._steps):
            raise ScenarioError(f"{recording.name} has no frames yet: there is nothing to show")
        self.scenario = self.loaded = recording.scenario
        self.epoch = 0
        self.row, self.cursor = 0, self.first
        first = recording.frame(0)
        self.columns = tuple(first.columns)
        self.flock = RecordedFlock(recording)
        self.flock.show(first)

    @property
    def first(self) -> int:
        return int(self._steps[0])

    @property
    def last(self) -> int:
        return int(self._steps[-1])

    @property
    def has_ended(self) -> bool:
        return self.cursor >= self.last

    @property
    def to_next_frame(self) -> int:
        """Steps until the next frame is reached; 0 at the end."""
        return int(self._steps[min(self.row + 1, len(self._steps) - 1)]) - self.cursor

    def step(self, count: int = 1) -> None:
        self.seek(self.cursor + count)

    def seek(self, step: int) -> None:
        """Show the last frame recorded at or before a step."""
        self.cursor = min(max(int(step), self.first), self.last)
        row = int(np.searchsorted(self._steps, self.cursor, "right")) - 1
        if row != self.row:
            self.row = row
            self.flock.show(self.recording.frame(row))

    def record(self) -> NoReturn:
        raise ScenarioError("this is a recording: it has a run folder and no actions")


def state_of(frame: Frame) -> State:
    """A frame as columns. Columns that were not recorded get their defaults; headings are derived from velocities."""
    space = SPACE_COLUMNS if frame.positions.shape[1] == 3 else ()
    state = State(len(frame.ids), {*space, *(name for name in frame.columns if name in OWN_COLUMNS)})
    columns = state.columns
    columns["id"][:] = frame.ids
    columns["species_id"][:] = frame.species
    for axis, place, velocity in zip(AXES, frame.positions.T, frame.velocities.T, strict=False):
        columns[f"position_{axis}"][:], columns[f"velocity_{axis}"][:] = place, velocity
    columns["heading"][:] = np.arctan2(columns["velocity_y"], columns["velocity_x"])
    for name, column in frame.columns.items():
        if name in columns:
            columns[name][:] = column
    state.items = {name: np.array(rows, np.float32) for name, rows in frame.items.items()}
    state.next_id = int(frame.ids.max()) + 1 if len(frame.ids) else 0
    return state
