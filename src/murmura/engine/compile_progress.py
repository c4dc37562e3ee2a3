"""Progress of a kernel's compilation: a text for the page, a counting line on a terminal and in a notebook."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from murmura.core.notices import ChangingLine, print_notice
from murmura.engine.compile_times import expected_seconds, note_compilation
from murmura.scenario import Scenario

TICK = 0.5  # [s] between two updates

Announce = Callable[[str], None]


class CompileProgress:
    """One kernel being built; the time counts from the creation of this object."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self._begun = time.monotonic()
        self._expected: float | None = None  # [s]; known once the compiler starts
        self._done = threading.Event()
        self._counting: threading.Thread | None = None

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._begun

    @property
    def text(self) -> str:
        """The progress in one line."""
        if self._expected is None:
            return "loading the kernel"
        if self.seconds < self._expected:
            return f"compiling, {self.seconds:.0f} s of about {self._expected:.0f} s"
        return f"compiling, {self.seconds:.0f} s so far"

    @contextmanager
    def counted(self, is_shown: bool = True) -> Iterator[Announce]:
        """A function for the backend's announcements while it builds the kernel inside the `with` block."""
        line = ChangingLine() if is_shown else None
        try:
            yield lambda text: self._begin(text, line)
        finally:
            self._done.set()
            if self._counting is not None:
                self._counting.join()  # otherwise its last line might come after ours
        if self._expected is not None:
            note_compilation(self._scenario, self.seconds)
            if line is not None:
                line.end(f"the kernel of {self._scenario.name} is ready after {self.seconds:.1f} s")

    def _begin(self, text: str, line: ChangingLine | None) -> None:
        """Handle an announcement: the compiler starts, or there is other news about the kernel."""
        self._expected = self._expected or expected_seconds(self._scenario)
        if line is None:
            return
        line.end(text)
        if line.can_change and self._counting is None:
            self._counting = threading.Thread(
                target=self._count, args=(line,), name="murmura-count", daemon=True
            )
            self._counting.start()

    def _count(self, line: ChangingLine) -> None:
        while not self._done.wait(TICK):
            line.show(self.text)


@contextmanager
def announced(scenario: Scenario, announce: Announce | None) -> Iterator[Announce | None]:
    """The function for a simulation's announcements: the given one, or one that shows a counting line if possible."""
    if announce is not print_notice or not ChangingLine().can_change:
        yield announce
        return
    with CompileProgress(scenario).counted() as begin:
        yield begin
