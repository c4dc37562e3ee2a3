"""A subscriber of a session, over a WebSocket or a widget: the updates it needs, and the messages it sends.

Nothing is queued. A subscriber gets a frame when it requests one, and the latest version of everything else.
"""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from murmura.view.session.observing.bodies import NOBODY_SEEN
from murmura.view.session.session import Session
from murmura.view.wire.scenery import NO_SCENERY

MESSAGES_PER_SECOND = 120
LARGEST_MESSAGE = 64 * 1024
MOST_ERRORS = 20  # refusals kept for a subscriber that does not read


class Subscriber:
    """One page, and what it has received so far.

    Args:
        session: The session to follow.
        wake: Called from any thread when `updates` may have something for this subscriber alone.
        may_touch: Whether commands are executed; a visitor may only watch.
    """

    def __init__(self, session: Session, wake: Callable[[], None], may_touch: bool = True) -> None:
        self._session, self._wake, self._may_touch = session, wake, may_touch
        self._is_ready = True
        self._frame = self._hello = self._scenario = -1
        self._effects: dict[str, Any] = {"switched_on": []}
        self._status: Any = None
        self._inspection: Any = None
        self._scenery: Any = NO_SCENERY
        self._bodies: Any = NOBODY_SEEN
        self._event = 0  # the sequence number of the last event that was sent
        self._alarm: Any = session.alarm
        self._errors: deque[dict[str, Any]] = deque()
        self._times: deque[float] = deque(maxlen=MESSAGES_PER_SECOND)

    def open(self) -> None:
        """Request the first frame. Call `updates` whenever the session notifies its listeners."""
        self._session.ask_frame()
        self._wake()

    def updates(self) -> Iterator[str | bytes]:
        """All messages that are new, each in its latest version.

        The session continues meanwhile. Messages about a flock whose hello is not yet sent wait for the next call.
        """
        session = self._session
        if self._hello != session.hello_number:
            self._hello, self._scenario = session.hello_number, session.scenario_log.number
            self._scenery = NO_SCENERY  # a page drops all scenery when it gets a hello
            self._event = 0
            hello = session.hello()
            self._effects["idle"] = hello["idle"]
            yield json.dumps(hello | ({} if self._may_touch else {"visitor": True}))
        if self._scenario != session.scenario_log.number:
            yield json.dumps(self._scenario_news())
        if session.alarm is not self._alarm:
            self._alarm = session.alarm
            yield json.dumps(self._alarm)
        while self._errors:
            yield json.dumps(self._errors.popleft())
        # The order matters: in this one, the worst case is a newer frame that is sent twice.
        number, frame = session.frame_number, session.frame
        if self._is_ready and frame and number != self._frame and self._has_hello:
            self._frame = number
            self._is_ready = False
            yield frame
        scenery = session.scenery
        if scenery is not self._scenery and self._has_hello:
            self._scenery = scenery
            yield json.dumps(scenery)
        status = session.status
        if status and status is not self._status and self._has_hello:
            self._status = status
            yield json.dumps(status)
            events = session.watch.feed.since(self._event)
            if events:
                self._event = events[-1]["number"]
                yield json.dumps({"type": "events", "events": events})
        bodies = session.watch.bodies.seen
        if bodies is not self._bodies and self._has_hello:
            self._bodies = bodies
            yield json.dumps(bodies)
        inspection = session.watch.inspection
        if inspection is not self._inspection and self._has_hello:
            self._inspection = inspection
            yield json.dumps(inspection)

    def _scenario_news(self) -> dict[str, Any]:
        """The values that changed, or the whole scenario if this subscriber is far behind."""
        log = self._session.scenario_log
        news = log.since(self._scenario)
        told: dict[str, Any]
        if news is None:
            self._scenario = log.number
            told = {"type": "scenario", "scenario": self._session.scenario.model_dump(mode="json")}
        else:
            self._scenario, values = news
            told = {"type": "values", "values": values}
        news_of_rules = {name: now for name, now in log.effects.items() if now != self._effects.get(name)}
        self._effects |= news_of_rules
        return told | news_of_rules

    @property
    def _has_hello(self) -> bool:
        """Whether the hello of the newest flock was sent. A session counts a flock before publishing anything of it."""
        return self._hello == self._session.hello_number

    def receive(self, text: str) -> None:
        """Handle a message of the subscriber: a command or a request for a frame."""
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
            self._session.first_picture.painted(self._frame)
            self._session.ask_frame()
            self._wake()
            return
        kind = str(message.get("type"))[:40]
        if not self._may_touch:
            self._refuse(kind, "you are a visitor: you may watch but change nothing")
            return
        self._session.submit(message, lambda reason: self._refuse(kind, reason))

    def exceeds_rate(self) -> bool:
        """Count a message; return whether too many arrived within the last second."""
        now = time.monotonic()
        is_flood = len(self._times) == MESSAGES_PER_SECOND and now - self._times[0] < 1.0
        self._times.append(now)
        return is_flood

    def _refuse(self, kind: str, reason: str) -> None:
        if len(self._errors) < MOST_ERRORS:
            self._errors.append({"type": "error", "about": kind, "message": reason[:2000]})
        self._wake()


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number")
