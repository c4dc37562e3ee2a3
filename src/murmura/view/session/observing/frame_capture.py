"""Captures the frames that a session publishes. A frame may need time to arrive from a device."""

from __future__ import annotations

from typing import Any

import numpy as np

from murmura.engine.reading.reader import Reader
from murmura.view.session.source import Source
from murmura.view.wire.frames import encode
from murmura.view.wire.scenery import scenery_message


class FrameCapture:
    """Takes one frame at a time, and counts how often the set of agents changed."""

    def __init__(self) -> None:
        self._arriving: tuple[int, Reader] | None = None
        self._alive: Any = None  # ids in the previous frame
        self._roster = 0  # incremented whenever they change

    def take(self, source: Source, extra: str) -> tuple[dict[str, Any], bytes] | None:
        """The scenery and a frame of the flock; None until they have arrived."""
        if self._arriving is None or self._arriving[0] != source.epoch:
            self._arriving = (source.epoch, source.flock.reader())
        seen = self._arriving[1]
        if not seen.ready:
            return None
        self._arriving = None
        return scenery_message(seen), encode(seen, source.epoch, extra, self._count(seen.roster))

    def _count(self, alive: Any) -> int:
        if alive is not self._alive and not np.array_equal(alive, self._alive):
            self._roster += 1
        self._alive = alive
        return self._roster
