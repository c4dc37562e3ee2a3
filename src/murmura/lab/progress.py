"""How far something long is: a bar on a terminal or in a notebook, elsewhere a plain line now and then.

The time that is left is told when there is something to tell it from: the first thing done includes whatever had to be
compiled and loaded, and would promise hours.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from contextlib import contextmanager
from typing import Any

from murmura.core.saying import say

LINE_SECONDS = 5.0  # between two plain lines
SURE_SECONDS = 1.0  # of steady work, after which the pace says something about the rest
WAIT_SECONDS = 2.0  # without anything done, after which the reason is told

Report = Callable[[int, int], None]


class Progress:
    """Tells how far it is on standard error, between `with` and its end.

    Args:
        things: What is counted.
        first: What takes so long if the first of them is not done soon.
        clock: Seconds that pass.
    """

    def __init__(
        self, things: str = "steps", first: str = "", clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._things, self._first_takes, self._clock = things, first, clock
        self._told = clock()
        self._begun: tuple[int, float] | None = None  # how many were done at the first call, and when
        self._alarm: threading.Timer | None = None
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> Progress:
        if self._first_takes:
            self._alarm = threading.Timer(WAIT_SECONDS, say, [self._first_takes])
            self._alarm.daemon = True
            self._alarm.start()
        notebook = "ipykernel" in sys.modules
        if notebook or sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, TextColumn
            from rich.progress import Progress as Bar

            self._bar = Bar(
                TextColumn(f"{{task.completed:,}}/{{task.total}} {self._things}"), BarColumn(),
                TextColumn("{task.fields[pace]}"), console=Console(stderr=not notebook), transient=True,
            )  # fmt: skip
            self._bar.start()
            self._task = self._bar.add_task("", total=None, pace="")
        return self

    def update(self, done: int, end: int) -> None:
        """Say how far it is. A run may begin or go on anywhere: its pace is that since the first call."""
        if self._alarm is not None:
            self._alarm.cancel()
        now = self._clock()
        self._begun = self._begun or (done, now)
        pace = self._pace(done, end, now)
        if self._bar is not None:
            self._bar.update(self._task, completed=done, total=end, pace=pace)
        elif now - self._told > LINE_SECONDS:
            self._told = now
            line = f"{self._things.removesuffix('s')} {done:,} of {end:,}"
            say(f"{line}, {pace}" if pace else line)

    def _pace(self, done: int, end: int, now: float) -> str:
        """The pace and what it leaves to wait; empty while nobody can know."""
        first, begun = self._begun or (done, now)
        if done <= first or now - begun < SURE_SECONDS:
            return ""
        rate = (done - first) / (now - begun)
        shown = f"{rate:,.0f}" if rate >= 10.0 else f"{rate:.2g}"
        return f"{shown} {self._things}/s, {(end - done) / rate:,.0f} s left"

    def __exit__(self, *_: object) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
        if self._bar is not None:
            self._bar.stop()


@contextmanager
def reported(progress: Report | None, things: str) -> Any:
    """The given way to tell progress, or the usual one."""
    if progress is not None:
        yield progress
        return
    with Progress(things) as own:
        yield own.update
