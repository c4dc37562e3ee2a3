"""One who watches a session, whatever carries the messages: what is new for them, and what they say.

Latest wins: nothing is queued for a watcher. They get a frame when they have asked for one, and of everything else
the newest.
"""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from murmura.view.session.bodies import NOBODY_SEEN
from murmura.view.session.session import Session
from murmura.view.wire.scenery import NOTHING

MESSAGES_PER_SECOND = 120
LARGEST_MESSAGE = 64 * 1024
MOST_ERRORS = 20  # kept for a watcher who does not listen


class Watcher:
    """What one page has seen and is owed.

    Args:
        session: What is watched.
        wake: Called from any thread when `news` may have something for this watcher alone.
        may_touch: Whether commands are carried out; a visitor may only look.
    """

    def __init__(self, session: Session, wake: Callable[[], None], may_touch: bool = True) -> None:
        self._session, self._wake, self._may_touch = session, wake, may_touch
        self._is_ready = True
        self._frame = self._hello = self._scenario = -1
        self._status: Any = None
        self._event = 0  # the number of the last event that was told
        self._inspection: Any = None
        self._things: Any = NOTHING
        self._bodies: Any = NOBODY_SEEN
        self._alarm: Any = session.alarm
        self._errors: deque[dict[str, Any]] = deque()
        self._times: deque[float] = deque(maxlen=MESSAGES_PER_SECOND)

    def open(self) -> None:
        """Ask for the first frame. Whoever calls `news` must be told by the session that there is something."""
        self._session.ask_frame()
        self._wake()

    def news(self) -> Iterator[str | bytes]:
        """Everything that is new, each thing as it is when it is taken."""
        session = self._session
        if self._hello != session.hello_number:
            self._hello, self._scenario = session.hello_number, session.scenario_number
            self._event = 0
            self._things = NOTHING  # with a hello a page forgets what stood in the world before
            yield json.dumps(session.hello() | ({} if self._may_touch else {"visitor": True}))
        if self._scenario != session.scenario_number:
            self._scenario = session.scenario_number
            yield json.dumps({"type": "scenario", "scenario": session.scenario.model_dump(mode="json")})
        if session.alarm is not self._alarm:
            self._alarm = session.alarm
            yield json.dumps(self._alarm)
        while self._errors:
            yield json.dumps(self._errors.popleft())
        if self._is_ready and session.frame and session.frame_number != self._frame:
            self._frame = session.frame_number
            self._is_ready = False
            yield session.frame
        if session.things is not self._things:
            self._things = session.things
            yield json.dumps(self._things)
        if session.status and session.status is not self._status:
            self._status = session.status
            yield json.dumps(self._status)
            events = session.feed.since(self._event)
            if events:
                self._event = events[-1]["number"]
                yield json.dumps({"type": "events", "events": events})
        if session.lookout.seen is not self._bodies:
            self._bodies = session.lookout.seen
            yield json.dumps(self._bodies)
        if session.inspection is not self._inspection:
            self._inspection = session.inspection
            yield json.dumps(self._inspection)

    def take(self, text: str) -> None:
        """What the watcher says: asks for a frame, or commands."""
        try:
            message = json.loads(text, parse_constant=_no_constant)
        except (ValueError, RecursionError):
            self._refuse("", "expected a JSON object")
            return
        if not isinstance(message, dict):
            self._refuse("", f"expected a JSON object, got {type(message).__name__}")
            return
        if message.get("type") == "ready":
            self._is_ready = True
            self._session.ask_frame()
            self._wake()
            return
        kind = str(message.get("type"))[:40]
        if not self._may_touch:
            self._refuse(kind, "you are a visitor: you may look and not touch")
            return
        self._session.submit(message, lambda reason: self._refuse(kind, reason))

    def says_too_much(self) -> bool:
        """Count a message; whether more came within the last second than anybody may send."""
        now = time.monotonic()
        flood = len(self._times) == MESSAGES_PER_SECOND and now - self._times[0] < 1.0
        self._times.append(now)
        return flood

    def _refuse(self, kind: str, reason: str) -> None:
        if len(self._errors) < MOST_ERRORS:
            self._errors.append({"type": "error", "about": kind, "message": reason[:2000]})
        self._wake()


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number")
