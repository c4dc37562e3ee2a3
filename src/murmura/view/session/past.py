"""Back in time: moments of a live flock, kept every few seconds, and exact steps from there to any step in between.

Going back replays the recorded actions from the nearest earlier moment, so the flock is the one that was there.
Playing on replays them too, up to where the user was. A change on the way starts a branch, and what was left can be
brought back.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any

from murmura.core.errors import ScenarioError
from murmura.core.state import State
from murmura.engine.reading.snapshot import Snapshot
from murmura.scenario import Scenario
from murmura.view.session.editing.changes import change_of
from murmura.view.session.editing.tools import Pointer
from murmura.view.session.observing.event_feed import EventFeed
from murmura.view.session.scene import Scene

MEMORY = 64 * 2**20  # bytes of all moments
REACH = 300.0  # [s] of watching that should fit
SPACING = (
    2.0,
    10.0,
)  # [s] between two moments: small flocks, and at most; a jump computes no more than this again


@dataclass(frozen=True)
class Moment:
    """A scene at one step, and how many of its actions had been applied."""

    snapshot: Snapshot
    scenario: Scenario
    pointer: Pointer | None
    actions: int
    events: Any
    bytes: int

    @property
    def step(self) -> int:
        return self.snapshot.step_count


@dataclass(frozen=True)
class Branch:
    """Where another course of events had come to, with all of its actions and the step at which it separated."""

    tip: Moment
    log: list[dict[str, Any]]
    since: int


class Past:
    """The moments of one scene.

    Args:
        scene: The scene; its actions must be complete.
        feed: The events that pages are told, which go back too.
        memory: Greatest size of all moments [bytes].
    """

    def __init__(self, scene: Scene, feed: EventFeed, memory: int = MEMORY) -> None:
        self._scene, self._feed, self._memory = scene, feed, memory
        self._forget()

    def _forget(self) -> None:
        self._moments: deque[Moment] = deque()
        self._present: Moment | None = None  # where the user was before going back
        self._left: Branch | None = None
        self._begun, self._edits, self._last = self._scene.begun, self._scene.edits, 0.0

    @property
    def is_back(self) -> bool:
        """Whether an earlier step is shown than the user had reached."""
        return self._present is not None

    def keep(self, now: float) -> None:
        """Note where the scene is: called after steps and changes."""
        scene = self._scene
        if scene.begun != self._begun or scene.is_full:
            self._forget()
        if scene.is_full or not scene.is_ready:
            return
        if self._present is not None:
            self._follow(self._present)
        elif self._is_due(now):
            self._moments.append(self._moment())
            self._last = now
            while self._size() > self._memory and len(self._moments) > 1:
                self._moments.popleft()

    def _follow(self, present: Moment) -> None:
        """Notice that the present is reached again, or that a change has started a branch."""
        scene = self._scene
        if scene.edits != self._edits:
            self._leave(present)
        elif scene.simulation.step_count >= present.step and not scene.coming:
            self._present = None

    def _leave(self, present: Moment) -> None:
        scene = self._scene
        step = scene.simulation.step_count
        self._left = Branch(present, self._log, step)
        self._present, self._edits = None, scene.edits
        self._drop_after(step)
        was_held = scene.pointer is not None and scene.actions[-1]["type"] != "pointer"
        if was_held:  # whoever held it then let go long ago
            scene.apply(change_of(scene, {"type": "pointer", "x": 0.0, "y": 0.0, "mode": "none"}))
            self._edits = scene.edits

    def _drop_after(self, step: int) -> None:
        while self._moments and self._moments[-1].step > step:
            self._moments.pop()

    def _is_due(self, now: float) -> bool:
        if not self._moments:
            return True
        fits = max(1.0, self._memory / max(1, self._moments[-1].bytes))
        spacing = min(max(REACH / fits, SPACING[0]), SPACING[1])
        return now - self._last >= spacing and self._moments[-1].step < self._scene.simulation.step_count

    def _size(self) -> int:
        others = [self._present, self._left and self._left.tip]
        return sum(each.bytes for each in (*self._moments, *others) if each)

    def _moment(self) -> Moment:
        scene = self._scene
        size = size_of(scene.simulation.state)  # reading it completes a transfer from a device
        return Moment(
            scene.simulation.snapshot(),
            scene.scenario,
            scene.pointer,
            len(scene.actions),
            self._feed.mark(),
            size,
        )

    def seek(self, step: int) -> int:
        """Show the flock near a step; return how many steps are left to it."""
        scene = self._scene
        if not self._moments or not scene.is_ready:
            raise ScenarioError(
                "there is nothing to go back to yet: let the flock fly for some seconds first"
            )
        here = scene.simulation.step_count
        if self._present is None:
            self._present, self._edits = self._moment(), scene.edits
        self._log = [*scene.actions, *scene.coming]
        step = min(max(step, self._moments[0].step), self._present.step)
        if step == self._present.step:
            self._show(self._present, self._log)
            self._present = None
            return 0
        best = next(each for each in reversed(self._moments) if each.step <= step)
        if not best.step <= here <= step:
            self._show(best, self._log)
        return step - scene.simulation.step_count

    def turn_back(self) -> None:
        """Go to where the user was: before going back or, after a branch, before the branch."""
        if self._present is not None:
            self.seek(self._present.step)
            return
        if self._left is None:
            raise ScenarioError("this is the present already")
        left, scene = self._left, self._scene
        self._left = Branch(self._moment(), [*scene.actions, *scene.coming], left.since)
        self._drop_after(left.since)
        self._show(left.tip, left.log)

    def _show(self, moment: Moment, log: list[dict[str, Any]]) -> None:
        self._scene.return_to(moment.snapshot, moment.scenario, moment.pointer, log, moment.actions)
        self._feed.go_back(self._scene.epoch, moment.events)
        self._edits = self._scene.edits

    def time_line(self) -> dict[str, Any]:
        """What a page needs to draw it: steps, whether an earlier one is shown, and whether a branch was left."""
        at = self._scene.simulation.step_count
        last = at if self._present is None else self._present.step
        first = self._moments[0].step if self._moments else at
        return {"first": first, "last": last, "at": at, "back": self.is_back, "left": self._left is not None}


def size_of(state: State) -> int:
    """The bytes of a flock's columns and items."""
    return sum(array.nbytes for array in (*state.columns.values(), *state.items.values()))
