"""A recorded run in the live view, with a time line; it can continue live from any frame.

A recording cannot be changed. Continuing live recomputes the flock of that step, which then runs as an ordinary live
scene.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from murmura.core.errors import MurmuraError, ScenarioError
from murmura.view.playback.recorded import RecordedSource, Recording
from murmura.view.session.commands import COMMANDS
from murmura.view.session.editing.messages import number_of
from murmura.view.session.scene import Scene
from murmura.view.session.session import Session
from murmura.view.session.source import Source
from murmura.view.wire.frames import EXTRAS

TOP_SPEED = 16.0
MOST_ROWS = 2000  # rows of measurements that are sent to a page
FRAMES_A_SECOND = 15.0  # sparsely recorded runs are sped up to this; otherwise the flock would jump


class Playback(Session):
    """A recorded run with any number of subscribers; it can continue live from any frame and return."""

    def __init__(self, recording: Recording, speed: float | None = None) -> None:
        self._recorded = RecordedSource(recording)
        super().__init__(self._recorded, speed=usual_speed(recording) if speed is None else speed)
        self._branch_origin = ""  # describes how the live flock was obtained
        self._is_branching = False
        self._followed: Source | None = None
        self.running = False  # waits at its first frame for whoever watches to play it

    def _switch_to(self, source: Source) -> None:
        """Show another source; pages notice by its epoch."""
        source.epoch = self.source.epoch + 1
        self._show(source)

    def time_line(self) -> dict[str, Any]:
        """What a page needs to draw the time line."""
        recorded = self._recorded
        return {
            "name": recorded.recording.name,
            "first": recorded.first,
            "last": recorded.last,
            "frames": len(recorded.recording.steps),
            "at": self.simulation.step_count if self.is_live else recorded.cursor,
            "live": self.is_live,
            "waiting": self._is_branching,
            "told": self._branch_origin,
        }

    def hello(self) -> dict[str, Any]:
        found = super().hello() | {"playback": self.time_line()}
        if not self.is_live:
            columns = self._recorded.columns
            found["columns"] = [name for name in found["columns"] if EXTRAS[name][1] in columns]
            found["history"] = self._history
        return found

    @cached_property
    def _history(self) -> dict[str, Any]:
        """All measurements of the run, for the charts."""
        recording = self._recorded.recording
        return history(list(recording.measures()), recording.scenario.motion.time_step)

    def _publish_status(self) -> None:
        super()._publish_status()
        self.status = {**self.status, "playback": self.time_line()}

    def _state_hash(self) -> str:
        """Empty for a recorded frame, which does not contain all columns."""
        return super()._state_hash() if self.is_live else ""

    def _carry_out(self, message: dict[str, Any], refuse: Callable[[str], None]) -> None:
        kind = str(message.get("type"))
        if kind in self._TIME_LINE and not (kind == "reset" and self.is_live):
            self._TIME_LINE[kind](self, message)
        else:
            super()._carry_out(message, refuse)

    def _rewind(self, message: dict[str, Any]) -> None:
        self._recorded.seek(self._recorded.first)

    def _play_on(self, message: dict[str, Any]) -> None:
        if not self.is_live and self._recorded.has_ended:
            self._recorded.seek(self._recorded.first)
        self.running = True

    def _step_frame(self, message: dict[str, Any]) -> None:
        """A single step shows the next frame."""
        if self.is_live:
            COMMANDS["step"](self, message)
            return
        self.running = False
        self._recorded.step(self._recorded.to_next_frame)

    def _seek(self, message: dict[str, Any]) -> None:
        step = number_of(message, "step", 0, 2**53)
        if self.is_live:
            COMMANDS["seek"](self, message)
            return
        before = self._recorded.row
        self._recorded.seek(int(step))
        if not 0 <= self._recorded.row - before <= 1:
            self._recorded.epoch += 1  # a jump: pages must not interpolate across it

    def _follow_scene(self) -> None:
        """A jump within the recording needs no new hello, only the frames that show it."""
        if self._followed is self.source is self._recorded:
            self._shown = (self.source.epoch, self.scenario)
        self._followed = self.source
        super()._follow_scene()

    def _branch(self, message: dict[str, Any]) -> None:
        """Continue live from the shown frame, as soon as its simulation has been computed."""
        if self.is_live or self._is_branching:
            raise ScenarioError(
                "this flock is already live"
                if self.is_live
                else "the live flock is being computed: please wait"
            )
        self._is_branching, self.running = True, False
        recorded = self._recorded

        def work(row: int = recorded.row) -> None:
            try:
                simulation, origin = recorded.recording.branch(row)
                scene = Scene(simulation, defer_build=True)
            except MurmuraError as error:
                problem = str(error)
                self._soon(lambda: self._branch_failed(problem), lambda reason: None)
            else:
                self._soon(lambda: self._branched(scene, origin), lambda reason: None)

        threading.Thread(target=work, name="murmura-branch", daemon=True).start()

    def _branched(self, scene: Scene, origin: str) -> None:
        self._is_branching, self._branch_origin = False, origin
        self._switch_to(scene)
        self.running = True

    def _branch_failed(self, problem: str) -> None:
        self._is_branching = False
        self._tell_of_problem("branch", problem)

    def _go_back(self, message: dict[str, Any]) -> None:
        if not self.is_live:
            raise ScenarioError("this is already the recording")
        self._branch_origin = ""
        self.running = False
        self._switch_to(self._recorded)

    _TIME_LINE: dict[str, Callable[[Playback, dict[str, Any]], None]] = {
        "play": _play_on,
        "step": _step_frame,
        "reset": _rewind,
        "seek": _seek,
        "branch": _branch,
        "return": _go_back,
    }


def history(rows: Sequence[Mapping[str, Any]], time_step: float) -> dict[str, Any]:
    """Measured rows as columns for a page: `times` [s] and `columns`; a sample if there are very many."""
    some = rows[:: max(1, -(-len(rows) // MOST_ROWS))]
    names = dict.fromkeys(name for row in some for name in row if name not in ("step", "time"))

    def number(value: Any) -> float | None:
        return float(value) if isinstance(value, int | float) and math.isfinite(value) else None

    return {
        "times": [row["step"] * time_step for row in some],
        "columns": {name: [number(row.get(name)) for row in some] for name in names},
    }


def usual_speed(recording: Recording) -> float:
    """A speed at which frames follow each other quickly enough to look like motion."""
    gaps = np.diff(np.asarray(recording.steps)[:1000])
    seconds = float(np.median(gaps)) * recording.scenario.motion.time_step if len(gaps) else 0.0
    return min(max(recording.scenario.display.speed, seconds * FRAMES_A_SECOND), TOP_SPEED)
