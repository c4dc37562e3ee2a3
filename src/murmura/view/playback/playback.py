"""A recorded run in the live view: frames are shown instead of steps computed, at any place of its time line.

What can be asked of a simulation can be asked of a recorded moment too: who sees whom, what each rule wants. What
would change it is refused, until somebody goes on live from there: then the flock is brought up to that very step
again and flies on as an ordinary live scene. The run itself comes from outside; this file reads no folder.
"""

from __future__ import annotations

import math
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from murmura.core.errors import MurmuraError, ScenarioError
from murmura.core.state import OWN_COLUMNS, State
from murmura.engine.clock import Clock
from murmura.engine.lineage import Lineage
from murmura.engine.simulation import Simulation
from murmura.scenario import Scenario
from murmura.view.session.compile_queue import Preparing
from murmura.view.session.scene import Change, Message, Scene, number_of
from murmura.view.session.session import Session
from murmura.view.wire.frames import EXTRAS

USUAL_SPEED, TOP_SPEED = 2.0, 16.0
MOST_ROWS = 2000  # of what was measured, told to a page
FRAMES_A_SECOND = 15.0  # what a sparsely recorded run is sped up to, or its flock would hop


class Frame(Protocol):
    """The flock at one step, in ascending id."""

    @property
    def step(self) -> int: ...
    @property
    def ids(self) -> NDArray[Any]: ...
    @property
    def species(self) -> NDArray[Any]: ...
    @property
    def positions(self) -> NDArray[Any]: ...
    @property
    def velocities(self) -> NDArray[Any]: ...
    @property
    def columns(self) -> Mapping[str, NDArray[Any]]: ...
    @property
    def items(self) -> Mapping[str, NDArray[Any]]: ...


class Recording(Protocol):
    """A recorded run, as `murmura.open_run` opens it, and how to live on from one of its steps."""

    scenario: Scenario
    seed: int
    name: str

    @property
    def steps(self) -> Sequence[int]:
        """The step of each frame."""

    def frame(self, number: int) -> Frame: ...

    def measures(self) -> Iterator[dict[str, Any]]:
        """What was measured on the way: rows with `step` and measures by name, None where there was nothing."""

    def relive(self, number: int) -> tuple[Simulation, str]:
        """A simulation at the step of a frame, and how it was come by, in words."""

    def lineage(self) -> Lineage:
        """Everybody who ever lived in the run."""


class PlayedSimulation(Simulation):
    """Stands at a recorded frame; a step leads to the frame of that time, and nothing is computed."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self._steps = np.asarray(recording.steps)
        if not len(self._steps):
            raise ScenarioError(f"{recording.name} holds no frame yet: there is nothing to show")
        self.row = 0
        self.cursor = int(self._steps[0])
        first = recording.frame(0)
        self.columns = tuple(first.columns)
        # The reference needs no compiler, and nobody will ask it for a step.
        self._begin(recording.scenario, recording.seed, "reference", None, state_of(first), self.cursor, None)

    @property
    def first(self) -> int:
        return int(self._steps[0])

    @property
    def last(self) -> int:
        return int(self._steps[-1])

    @property
    def has_ended(self) -> bool:
        return self.cursor >= self.last

    def step(self, count: int = 1) -> None:
        self.seek(self.cursor + count)

    keeps_lineage = True

    def lineage(self) -> Lineage:
        """That of the whole run: what comes later is in it too."""
        return self._lineage

    @cached_property
    def _lineage(self) -> Lineage:
        return self.recording.lineage()

    def _meet(self, state: State) -> None:
        """Nothing: who comes and goes from frame to frame is told by the run."""

    def seek(self, step: int) -> None:
        """Show the last frame recorded at or before a step."""
        self.cursor = min(max(int(step), self.first), self.last)
        row = int(np.searchsorted(self._steps, self.cursor, "right")) - 1
        if row != self.row:
            frame = self.recording.frame(row)
            self.row, self._step_count = row, int(frame.step)
            self.load_state(state_of(frame))

    def adopt(self, scenario: Scenario) -> None:
        """Nothing: what was recorded cannot be changed, not even by the idle hand that sessions put into a scenario."""

    @property
    def to_next_frame(self) -> int:
        """Steps until the next frame is reached; 0 at the end."""
        return int(self._steps[min(self.row + 1, len(self._steps) - 1)]) - self.cursor


def state_of(frame: Frame) -> State:
    """A frame as columns; what was not recorded is at its default, and a heading follows the velocity."""
    state = State(len(frame.ids), [name for name in frame.columns if name in OWN_COLUMNS])
    columns = state.columns
    columns["id"][:] = frame.ids
    columns["species_id"][:] = frame.species
    columns["position_x"][:], columns["position_y"][:] = frame.positions.T
    columns["velocity_x"][:], columns["velocity_y"][:] = frame.velocities.T
    columns["heading"][:] = np.arctan2(columns["velocity_y"], columns["velocity_x"])
    for name, column in frame.columns.items():
        if name in columns:
            columns[name][:] = column
    state.items = {name: np.array(rows, np.float32) for name, rows in frame.items.items()}
    state.next_id = int(frame.ids.max()) + 1 if len(frame.ids) else 0
    return state


class RecordedScene(Scene):
    """A scene that nobody can change."""

    def __init__(self, played: PlayedSimulation) -> None:
        self.played = self.simulation = played
        self.scenario = self.loaded = played.scenario
        self.hand = None
        self.actions, self.coming = [], deque()
        self.epoch, self.loads = 0, 0
        self.is_exact = False

    def step(self, count: int = 1) -> None:
        self.played.step(count)

    @property
    def has_ended(self) -> bool:
        return self.played.has_ended

    def record(self) -> dict[str, Any]:
        raise ScenarioError("this is a recording: it has a run folder, and no actions")

    def outcome(self, message: Message) -> Change:
        raise ScenarioError("this is a recording, which nobody can change: go on live from here first")


class Playback(Session):
    """A recorded run with any number of watchers, who may go on live from any of its frames and come back."""

    def __init__(self, recording: Recording, speed: float | None = None) -> None:
        played = PlayedSimulation(recording)
        super().__init__(played, speed=usual_speed(recording) if speed is None else speed)
        self._recorded = RecordedScene(played)
        self._told = ""
        self._is_reliving = False
        self._followed: Scene | None = None
        self._waits, self.running = True, False  # at the first frame, until somebody watches
        self._show(self._recorded)
        self._shown = (self.scene.epoch, self.scene.scenario)

    @property
    def is_live(self) -> bool:
        return self.scene is not self._recorded

    def _show(self, scene: Scene) -> None:
        """Watch another scene from now on; pages hear of it by its epoch."""
        scene.epoch = self.scene.epoch + 1
        self.scene = scene
        self._clock = Clock(scene, self.speed)
        self._preparing = Preparing(scene, self._soon, self._not_made)

    def time_line(self) -> dict[str, Any]:
        """What a page needs to draw the time line."""
        played = self._recorded.played
        return {
            "name": played.recording.name,
            "first": played.first,
            "last": played.last,
            "frames": len(played.recording.steps),
            "at": self.simulation.step_count if self.is_live else played.cursor,
            "live": self.is_live,
            "waiting": self._is_reliving,
            "told": self._told,
        }

    def hello(self) -> dict[str, Any]:
        found = super().hello() | {"playback": self.time_line()}
        if not self.is_live:
            recorded = self._recorded.played.columns
            found["columns"] = [name for name in found["columns"] if EXTRAS[name][1] in recorded]
            found["history"] = self._history
        return found

    @cached_property
    def _history(self) -> dict[str, Any]:
        """All that was measured in the run, for the charts."""
        played = self._recorded.played
        return history(list(played.recording.measures()), played.scenario.motion.time_step)

    def ask_frame(self) -> None:
        """The first one who watches sets it going: what nobody sees shall not be over when somebody comes."""
        if self._waits:
            self._waits, self.running = False, True
        super().ask_frame()

    def _publish_status(self) -> None:
        super()._publish_status()
        self.status = {**self.status, "playback": self.time_line()}

    def _state_hash(self) -> str:
        """None of a recorded moment: it holds some columns only."""
        return super()._state_hash() if self.is_live else ""

    def _carry_out(self, message: dict[str, Any], refuse: Callable[[str], None]) -> None:
        kind = str(message.get("type"))
        if kind in self._TIME_LINE and not (kind == "reset" and self.is_live):
            self._TIME_LINE[kind](self, message)
        else:
            super()._carry_out(message, refuse)

    def _rewind(self, message: dict[str, Any]) -> None:
        self._recorded.played.seek(self._recorded.played.first)

    def _play_on(self, message: dict[str, Any]) -> None:
        played = self._recorded.played
        if not self.is_live and played.has_ended:
            played.seek(played.first)
        self.running = True

    def _step_frame(self, message: dict[str, Any]) -> None:
        """A single step shows the next frame."""
        if self.is_live:
            self._step(message)
            return
        self.running = False
        self._recorded.played.step(self._recorded.played.to_next_frame)

    def _seek(self, message: dict[str, Any]) -> None:
        step = number_of(message, "step", 0, 2**53)
        if self.is_live:
            raise ScenarioError("this flock flies live, and only forwards: go back to the recording first")
        played = self._recorded.played
        before = played.row
        played.seek(int(step))
        if not 0 <= played.row - before <= 1:
            self._recorded.epoch += 1  # a jump: pages shall not draw a way from there to here

    def _follow_scene(self) -> None:
        """A jump within the recording is no news but for the frames that show it."""
        if self._followed is self.scene is self._recorded:
            self._shown = (self.scene.epoch, self.scene.scenario)
        self._followed = self.scene
        super()._follow_scene()

    def _branch(self, message: dict[str, Any]) -> None:
        """Go on live from the frame that is shown, as soon as the flock has been brought up to it."""
        if self.is_live or self._is_reliving:
            raise ScenarioError(
                "this flock flies live already" if self.is_live else "it is on its way: a moment"
            )
        self._is_reliving, self.running = True, False
        played = self._recorded.played

        def work(row: int = played.row) -> None:
            try:
                simulation, told = played.recording.relive(row)
                scene = Scene(simulation, at_once=True)
            except MurmuraError as error:
                problem = str(error)
                self._soon(lambda: self._not_branched(problem), lambda reason: None)
            else:
                self._soon(lambda: self._branched(scene, told), lambda reason: None)

        threading.Thread(target=work, name="murmura-relive", daemon=True).start()

    def _branched(self, scene: Scene, told: str) -> None:
        self._is_reliving, self._told = False, told
        self._show(scene)
        self.running = True

    def _not_branched(self, problem: str) -> None:
        self._is_reliving = False
        self.alarm = {"type": "error", "about": "branch", "message": problem}

    def _go_back(self, message: dict[str, Any]) -> None:
        if not self.is_live:
            raise ScenarioError("this is the recording")
        self._told = ""
        self.running = False
        self._show(self._recorded)

    _TIME_LINE: dict[str, Callable[[Playback, dict[str, Any]], None]] = {
        "play": _play_on,
        "step": _step_frame,
        "reset": _rewind,
        "seek": _seek,
        "branch": _branch,
        "return": _go_back,
    }


def history(rows: Sequence[Mapping[str, Any]], time_step: float) -> dict[str, Any]:
    """Measured rows as columns for a page: `times` [s] and `columns`; of very many rows some."""
    some = rows[:: max(1, -(-len(rows) // MOST_ROWS))]
    names = dict.fromkeys(name for row in some for name in row if name not in ("step", "time"))

    def number(value: Any) -> float | None:
        return float(value) if isinstance(value, int | float) and math.isfinite(value) else None

    return {
        "times": [row["step"] * time_step for row in some],
        "columns": {name: [number(row.get(name)) for row in some] for name in names},
    }


def usual_speed(recording: Recording) -> float:
    """So fast that frames follow each other quickly enough to be a film."""
    gaps = np.diff(np.asarray(recording.steps)[:1000])
    seconds = float(np.median(gaps)) * recording.scenario.motion.time_step if len(gaps) else 0.0
    return min(max(USUAL_SPEED, seconds * FRAMES_A_SECOND), TOP_SPEED)
