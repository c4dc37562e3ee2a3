"""Progress of long tasks: a bar on a terminal or in a notebook, otherwise a plain line now and then.

The remaining time is estimated only after the first item, which includes compiling and loading and would be misleading.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from contextlib import contextmanager
from typing import Any

from murmura.core.notices import in_notebook, print_notice

LINE_SECONDS = 5.0  # seconds between plain lines
SURE_SECONDS = 1.0  # seconds of steady progress before the remaining time is estimated
WAIT_SECONDS = 2.0  # seconds without progress before the reason is shown

Report = Callable[[int, int], None]


class Progress:
    """Shows progress on standard error within a `with` block.

    Args:
        unit: What is counted.
        first: What takes time before the first of them is done.
        clock: Returns the current time [s].
    """

    def __init__(
        self, unit: str = "steps", first: str = "", clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._unit, self._first_takes, self._clock = unit, first, clock
        self._told = clock()
        self._begun: tuple[int, float] | None = None  # the number done at the first call, and its time
        self._alarm: threading.Timer | None = None
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> Progress:
        if self._first_takes:
            self._alarm = threading.Timer(WAIT_SECONDS, print_notice, [self._first_takes])
            self._alarm.daemon = True
            self._alarm.start()
        notebook = in_notebook()
        if notebook or sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, TextColumn
            from rich.progress import Progress as Bar

            self._bar = Bar(
                TextColumn(f"{{task.completed:,}}/{{task.total}} {self._unit}"), BarColumn(),
                TextColumn("{task.fields[pace]}"), console=Console(stderr=not notebook), transient=True,
            )  # fmt: skip
            self._bar.start()
            self._task = self._bar.add_task("", total=None, pace="")
        return self

    def update(self, done: int, end: int) -> None:
        """Show the progress. A task may be resumed anywhere, so the rate is measured from the first call."""
        if self._alarm is not None:
            self._alarm.cancel()
        now = self._clock()
        self._begun = self._begun or (done, now)
        pace = self._pace(done, end, now)
        if self._bar is not None:
            self._bar.update(self._task, completed=done, total=end, pace=pace)
        elif now - self._told > LINE_SECONDS:
            self._told = now
            line = f"{self._unit.removesuffix('s')} {done:,} of {end:,}"
            print_notice(f"{line}, {pace}" if pace else line)

    def _pace(self, done: int, end: int, now: float) -> str:
        """The rate and the remaining time; empty until they can be estimated."""
        first, begun = self._begun or (done, now)
        if done <= first or now - begun < SURE_SECONDS:
            return ""
        rate = (done - first) / (now - begun)
        shown = f"{rate:,.0f}" if rate >= 10.0 else f"{rate:.2g}"
        return f"{shown} {self._unit}/s, {(end - done) / rate:,.0f} s left"

    def __exit__(self, *_: object) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
        if self._bar is not None:
            self._bar.stop()


@contextmanager
def reported(progress: Report | None, unit: str) -> Any:
    """The given progress callback, or the default display."""
    if progress is not None:
        yield progress
        return
    with Progress(unit) as own:
        yield own.update
