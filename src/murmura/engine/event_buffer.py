"""A bounded buffer of events that have not been read yet, as compact rows."""

from __future__ import annotations

import warnings
from collections import deque
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.core.events import EVENT_FIELDS, readable

MOST_EVENTS = 1_000_000
"""Limit of unread events: 72 MB. A program that never reads them must not fill the memory."""


class EventBuffer:
    """The newest unread events, oldest first; none if `most` is 0."""

    def __init__(self, most: int = MOST_EVENTS) -> None:
        self._most = most
        self._pieces: deque[NDArray[np.float64]] = deque()
        self._count = 0
        self._has_warned = False

    def add(self, rows: NDArray[np.float64]) -> None:
        """Keep rows of EVENT_FIELDS; drop the oldest above the limit."""
        if not len(rows) or not self._most:
            return
        self._pieces.append(rows)
        self._count += len(rows)
        while self._count > self._most and len(self._pieces) > 1:
            self._count -= len(self._pieces.popleft())
            self._warn()

    def _warn(self) -> None:
        if not self._has_warned:
            self._has_warned = True
            warnings.warn(
                f"more than {self._most:,} events were not taken: the oldest are dropped. Call sim.events() more "
                "often, or record a run, which writes them to a file",
                RuntimeWarning,
                stacklevel=4,
            )

    def take(self, dimension: int) -> list[dict[str, Any]]:
        """Return and forget all events since the last call, as dictionaries."""
        rows = np.concatenate([np.empty((0, len(EVENT_FIELDS))), *self._pieces])
        self._pieces.clear()
        self._count = 0
        return readable(rows, dimension)
