"""Two flocks side by side, always at the same simulated time.

Each is an ordinary session, live or recorded, with its own page. The shared time advances only when both have
reached it: the slower one sets the pace, and both pause together. Play, pause, step, speed, seed and
seek commands go to both; every other command goes to the session whose page sent it.
"""

from __future__ import annotations

from typing import Any

from murmura.core.errors import RunError, ScenarioError
from murmura.engine.clock import LONGEST_FRAME
from murmura.scenario import load_scenario, scenario_names
from murmura.view.playback.playback import Playback
from murmura.view.session.command_queue import Refuse
from murmura.view.session.editing.changes import needs_restart
from murmura.view.session.editing.messages import FARTHEST, number_of
from murmura.view.session.session import Session

SHARED = ("play", "pause", "step", "speed", "seek")


class SharedTime:
    """The time [s] that both flocks should reach."""

    def __init__(self) -> None:
        self.time = 0.0


class SyncedSession(Session):
    """One of two sessions. `Pair` connects them before they are opened."""

    shared: SharedTime
    partner: SyncedSession
    leads: bool
    keeps_past = False  # the other side would have to go back with it
    label: str | None = None
    _steps_done = 0  # by the last call of `_catch_up`

    def hello(self) -> dict[str, Any]:
        return super().hello() | ({} if self.label is None else {"label": self.label})

    @property
    def position(self) -> int:
        """Steps done; for a recording, the step on its time line."""
        return self.simulation.step_count

    @property
    def due(self) -> int:
        """Steps left to reach the shared time."""
        return int(self.shared.time / self.scenario.motion.time_step + 1e-6) - self.position

    def submit(self, message: dict[str, Any], refuse: Refuse) -> None:
        kind, seed = message.get("type"), message.get("seed")
        if kind == "reset":
            message = {**message, "seed": self.simulation.seed if seed is None else seed}
        other = self.partner.scenario.world.depth
        depth = _depth_asked_for(message, self.scenario.world.depth)
        if (depth is None) != (other is None):
            refuse(_unlike("this side", "the other side", depth, other))
            return
        super().submit(message, refuse)
        if kind in SHARED or kind == "reset":
            self.partner.mirror(message)
        elif kind == "load" or (kind == "set" and _restarts(message)):
            self.partner.mirror({"type": "reset", "seed": self.simulation.seed})

    def mirror(self, message: dict[str, Any]) -> None:
        """Apply a command of the other session."""
        super().submit(message, lambda reason: None)

    def _carry_out(self, message: dict[str, Any], refuse: Refuse) -> None:
        if message.get("type") == "step":
            count = number_of(message, "count", 1, 10_000, 1)
            self.running = False
            if self.leads:
                self.shared.time += self._stride(int(count)) * self.scenario.motion.time_step
            return
        before = self.position
        super()._carry_out(message, refuse)
        if self.position != before:
            self._set_shared_time()

    def _stride(self, count: int) -> int:
        return count

    def _set_shared_time(self) -> None:
        self.shared.time = self.position * self.scenario.motion.time_step

    def _follow_scene(self) -> None:
        before = self.hello_number
        super()._follow_scene()
        if self.hello_number != before:
            self._set_shared_time()  # a new flock starts at another time

    def _advance(self, seconds: float) -> int:
        """Advance the shared time if both have reached it; after a jump, the one ahead waits."""
        if self.leads and self.due <= 0 and self.partner.due <= 0 and self.partner.source.is_ready:
            self.shared.time += min(seconds, LONGEST_FRAME) * self.speed
        return self._steps_done

    def _run_commands(self) -> bool:
        changed = super()._run_commands()
        self._steps_done = self._catch_up()
        return changed

    def _catch_up(self) -> int:
        """Step towards the shared time, for at most the time of a frame."""
        due = self.due
        if due <= 0 or not self.source.is_ready:
            return 0
        count, good = min(due, self.pacing.most_steps), self.position
        try:
            self.pacing.step(count)
        except RunError as error:
            self._fail(error, good)
            return 0
        if self.source.has_ended and self.running:
            self.running = self.partner.running = False
            self._set_shared_time()
        return count


class SyncedPlayback(SyncedSession, Playback):
    """A recorded run as one of two sessions."""

    @property
    def position(self) -> int:
        return self.simulation.step_count if self.is_live else self._recorded.cursor

    def _stride(self, count: int) -> int:
        """A single step shows the next frame."""
        return count if self.is_live else self._recorded.to_next_frame


class Pair:
    """Two sessions that share a clock."""

    def __init__(self, left: SyncedSession, right: SyncedSession) -> None:
        self.left, self.right = left, right
        depths = [side.scenario.world.depth for side in (left, right)]
        if (depths[0] is None) != (depths[1] is None):
            raise ScenarioError(_unlike("the left side", "the right side", *depths))
        shared = SharedTime()
        for one, other in ((left, right), (right, left)):
            one.shared, one.partner, one.leads = shared, other, one is left
            one.first_picture.others = (other.first_picture,)
        right.speed = left.speed
        left.running = right.running = left.running and right.running  # a recording waits for whoever watches
        for one in (left, right):
            one._asks_scenario = False  # the same time for both, whatever is loaded later
        # A recorded run may start later: both start at the later time.
        shared.time = max(one.position * one.scenario.motion.time_step for one in (left, right))

    @property
    def sides(self) -> dict[str, SyncedSession]:
        return {"left": self.left, "right": self.right}

    def open(self) -> None:
        self.left.open()
        self.right.open()

    def close(self, patience: float = 30.0) -> None:
        self.left.close(patience)
        self.right.close(patience)


def _unlike(one: str, other: str, depth: float | None, others: float | None) -> str:
    flat, deep = (one, other) if depth is None else (other, one)
    return (
        f"{flat} is a plane and {deep} has a depth of {depth or others:g} u: compare two planes or two "
        "3-D worlds; set world.depth in the first scenario, or remove it from the other"
    )


def _depth_asked_for(message: dict[str, Any], now: float | None) -> float | None:
    """The depth of a side's world after a command; errors in the command itself are reported later."""
    values, wanted = message.get("values"), message.get("scenario")
    if message.get("type") == "set" and isinstance(values, dict) and "world.depth" in values:
        asked = values["world.depth"]
    elif message.get("type") == "load" and isinstance(wanted, dict):
        world = wanted.get("world")
        asked = world.get("depth") if isinstance(world, dict) else None
    elif message.get("type") == "load" and wanted in scenario_names():
        return load_scenario(str(wanted)).world.depth
    else:
        return now
    is_number = isinstance(asked, int | float) and not isinstance(asked, bool) and abs(asked) < FARTHEST
    return float(asked) if is_number else None


def _restarts(message: dict[str, Any]) -> bool:
    values = message.get("values")
    return isinstance(values, dict) and needs_restart(values)
