"""Recent events of a watched flock, numbered, and how often each kind has happened so far.

A page that connects later gets the latest events. Nothing is queued for single pages; missed events are still counted.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

MOST_KEPT = 300
MOST_SENT = 60
"""Events in one message; where more happened at once, the newest."""


class EventFeed:
    """Starts again with each epoch.

    The session adds while servers read, each in its own thread: the stored tuple is replaced, never changed.
    """

    def __init__(self) -> None:
        self._epoch = -1
        self._kept: tuple[dict[str, Any], ...] = ()
        self._totals: Counter[str] = Counter()
        self.newest = 0

    @property
    def totals(self) -> dict[str, int]:
        """How often each kind of event has happened since the flock began."""
        return dict(self._totals)

    def add(self, epoch: int, events: list[dict[str, Any]]) -> None:
        if epoch != self._epoch:
            self._epoch = epoch
            self._kept = ()
            self._totals.clear()
        if not events:
            return
        self._totals.update(event["kind"] for event in events)
        new = ({"number": number, **event} for number, event in enumerate(events, self.newest + 1))
        self._kept = (*self._kept, *new)[-MOST_KEPT:]
        self.newest += len(events)

    def since(self, number: int) -> list[dict[str, Any]]:
        """The events after a number, the newest last."""
        return [event for event in self._kept if event["number"] > number][-MOST_SENT:]
