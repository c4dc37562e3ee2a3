"""Messages to a subscriber, and their order."""

from __future__ import annotations

import json
from collections.abc import Iterable

from murmura.view.session.session import Session
from murmura.view.session.subscriber import Subscriber
from tests.view.live import flock


def kinds(messages: Iterable[str | bytes]) -> list[str]:
    return ["frame" if isinstance(each, bytes) else json.loads(each)["type"] for each in messages]


def turn(session: Session) -> None:
    """One iteration of the session's thread."""
    session._run_commands()
    session._follow_scene()
    session._publish_frame()
    session._publish_status()


def test_whatever_comes_of_another_flock_its_hello_comes_first():
    """The session continues while messages are being sent, and may load a scenario between two of them."""
    session = Session(flock(10), 1, "reference")
    subscriber = Subscriber(session, lambda: None)
    turn(session)
    updates = subscriber.updates()
    assert kinds([next(updates)]) == ["hello"]
    session.submit({"type": "load", "scenario": flock(20).model_dump(mode="json")}, lambda reason: None)
    turn(session)
    assert kinds(updates) == []
    assert kinds(subscriber.updates()) == ["hello", "frame", "status"]
    assert kinds(subscriber.updates()) == []
