"""Recent events of a watched flock, numbered, and how often each kind has happened so far.

A page that connects later gets the latest events. Nothing is queued for single pages; missed events are still counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from murmura.engine.reading.facts import Event

MOST_KEPT = 300
MOST_SENT = 60
"""Greatest number of events in a message; if there are more, only the newest are sent."""


class EventFeed:
    """The recent events of one epoch.

    The session adds events while servers read them in other threads: the stored tuple is replaced, never modified.
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

    def add(self, epoch: int, events: Sequence[Event]) -> None:
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

    def mark(self) -> Any:
        """What has happened so far, for `go_back`."""
        return self._kept, self._totals.copy()

    def go_back(self, epoch: int, mark: Any) -> None:
        """Forget what happened after a mark; the flock goes on from there in another epoch."""
        self._epoch, (self._kept, totals) = epoch, mark
        self._totals = totals.copy()

    def since(self, number: int) -> list[dict[str, Any]]:
        """The events after a sequence number, the newest last."""
        return [event for event in self._kept if event["number"] > number][-MOST_SENT:]
