"""How much of an inference is done, so that the remaining time can be told truly.

Work is counted in predicted frames, which all take about the same time. Each stage says how many it expects; what it
really took replaces that when it ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Report = Callable[[int, int], None]


class Work:
    """The stages of an inference.

    Args:
        report: Called with what is done and the whole, in predicted frames.
    """

    def __init__(self, report: Report | None = None) -> None:
        self._report = report
        self._expected: dict[str, int] = {}
        self._stage = ""
        self._left = 0
        self.done = 0

    def expect(self, stage: str, frames: int) -> None:
        """Say how many frames a later stage will predict."""
        self._expected[stage] = frames

    @contextmanager
    def doing(self, stage: str) -> Iterator[None]:
        """The stage that the frames within the block belong to."""
        self._stage, self._left = stage, self._expected.pop(stage, 0)
        yield
        self._stage, self._left = "", 0

    @property
    def whole(self) -> int:
        return self.done + self._left + sum(self._expected.values())

    def add(self, frames: int) -> None:
        """Count predicted frames."""
        self.done += frames
        self._left = max(0, self._left - frames)
        if self._report is not None:
            self._report(self.done, self.whole)
