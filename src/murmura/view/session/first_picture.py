"""Leaves the processor to a page until it has painted a new flock.

Compilation, and measures with their large imports, can wait until then.
"""

from __future__ import annotations

import time
from collections.abc import Callable

PAINT_SECONDS = 1.5  # a page that opens at once has painted its flock by then


class FirstPicture:
    """Whether the first picture of the shown flock is still to be painted."""

    patience = 0.0  # [s] by default there is no wait

    others: tuple[FirstPicture, ...] = ()  # other flocks shown beside it, which are awaited too

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._epoch = -1
        self._since = 0.0
        self._first: int | None = None  # the sequence number of the flock's first frame
        self._painted = -1

    def is_awaited(self, epoch: int) -> bool:
        """Whether to wait; a new epoch is a new flock."""
        if epoch != self._epoch:
            self._epoch, self._since, self._first = epoch, self._clock(), None
        return self._is_awaited or any(other._is_awaited for other in self.others)

    @property
    def _is_awaited(self) -> bool:
        is_painted = self._first is not None and self._painted >= self._first
        return not is_painted and self._clock() - self._since < self.patience

    def published(self, number: int) -> None:
        """A frame of the flock was published."""
        if self._first is None:
            self._first = number

    def painted(self, number: int) -> None:
        """A page has painted this frame; may be called from any thread."""
        self._painted = max(self._painted, number)
