"""Two flocks side by side under one clock, so that what differs is the flocks and not their time.

Each is an ordinary session, live or recorded, with a page of its own. The clock goes on only when both have arrived
at its time: the slower one sets the pace, and a pause finds both at the same moment. Playing, pausing, stepping,
speed, seed and place on the time line go to both; everything else to the one whose page asked.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from murmura.core.errors import RunError
from murmura.engine.clock import LONGEST_FRAME
from murmura.view.playback.playback import Playback
from murmura.view.session.scene import begins_anew, number_of
from murmura.view.session.session import FRAME_SECONDS, Session

SHARED = ("play", "pause", "step", "speed", "seek")
Refuse = Callable[[str], None]


class Beat:
    """The time [s] that both flocks are to reach."""

    def __init__(self) -> None:
        self.time = 0.0


class Twin(Session):
    """One of two sessions; before it is opened, `Pair` has joined it to the other."""

    beat: Beat
    partner: Twin
    leads: bool
    label: str | None = None
    _just = 0

    def hello(self) -> dict[str, Any]:
        return super().hello() | ({} if self.label is None else {"label": self.label})

    @property
    def position(self) -> int:
        """Steps done; of a recording, the place on its time line."""
        return self.simulation.step_count

    @property
    def due(self) -> int:
        """How many steps are missing to the common time."""
        return int(self.beat.time / self.scenario.motion.time_step + 1e-6) - self.position

    def submit(self, message: dict[str, Any], refuse: Refuse) -> None:
        kind, seed = message.get("type"), message.get("seed")
        if kind == "reset":
            message = {**message, "seed": self.simulation.seed if seed is None else seed}
        super().submit(message, refuse)
        if kind in SHARED or kind == "reset":
            self.partner.echo(message)
        elif kind == "load" or (kind == "set" and _restarts(message)):
            self.partner.echo({"type": "reset", "seed": self.simulation.seed})

    def echo(self, message: dict[str, Any]) -> None:
        """A command that was given to the other."""
        super().submit(message, lambda reason: None)

    def _carry_out(self, message: dict[str, Any], refuse: Refuse) -> None:
        if message.get("type") == "step":
            count = number_of(message, "count", 1, 10_000, 1)
            self.running = False
            if self.leads:
                self.beat.time += self._stride(int(count)) * self.scenario.motion.time_step
            return
        before = self.position
        super()._carry_out(message, refuse)
        if self.position != before:
            self._set_beat()

    def _stride(self, count: int) -> int:
        return count

    def _set_beat(self) -> None:
        self.beat.time = self.position * self.scenario.motion.time_step

    def _follow_scene(self) -> None:
        before = self.hello_number
        super()._follow_scene()
        if self.hello_number != before:
            self._set_beat()  # another flock, at another time

    def _advance(self, seconds: float) -> int:
        """Let time pass for both, if both are there; who is ahead after a jump waits."""
        if self.leads and self.due <= 0 and self.partner.due <= 0 and self.partner.scene.is_ready:
            self.beat.time += min(seconds, LONGEST_FRAME) * self.speed
        return self._just

    def _obey(self) -> bool:
        changed = super()._obey()
        self._just = self._catch_up()
        return changed

    def _catch_up(self) -> int:
        """Step towards the common time, but no longer than a frame may take."""
        due = self.due
        if due <= 0 or not self.scene.is_ready:
            return 0
        most = max(1, int(FRAME_SECONDS / self._step_seconds)) if self._step_seconds else 1
        count, begun, good = min(due, most), time.perf_counter(), self.position
        try:
            self.scene.step(count)
        except RunError as error:
            self._fail(error, good)
            return 0
        self._step_seconds = (time.perf_counter() - begun) / count
        if self.scene.has_ended and self.running:
            self.running = self.partner.running = False
            self._set_beat()
        return count


class PlayedTwin(Twin, Playback):
    """A recorded one of two."""

    @property
    def position(self) -> int:
        return self.simulation.step_count if self.is_live else self._recorded.played.cursor

    def _stride(self, count: int) -> int:
        """A single step shows the next frame."""
        return count if self.is_live else self._recorded.played.to_next_frame


class Pair:
    """Two sessions that share a clock."""

    def __init__(self, left: Twin, right: Twin) -> None:
        self.left, self.right = left, right
        beat = Beat()
        for one, other in ((left, right), (right, left)):
            one.beat, one.partner, one.leads = beat, other, one is left
        right.speed = left.speed
        for one in (left, right):
            one._asks_scenario = False  # one clock for both, whatever is loaded later
        # A recorded run may begin later than the other: both begin where the later one does.
        beat.time = max(one.position * one.scenario.motion.time_step for one in (left, right))

    @property
    def sides(self) -> dict[str, Twin]:
        return {"left": self.left, "right": self.right}

    def open(self) -> None:
        self.left.open()
        self.right.open()

    def close(self, patience: float = 30.0) -> None:
        self.left.close(patience)
        self.right.close(patience)


def _restarts(message: dict[str, Any]) -> bool:
    values = message.get("values")
    return isinstance(values, dict) and begins_anew(values)
