"""How far a kernel is: a text for the page, a counting line on the terminal."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable

from murmura.core.notices import print_notice
from murmura.engine.compile_times import expected_seconds, note_compilation
from murmura.engine.simulation import Simulation
from murmura.scenario import Scenario
from murmura.view.wire.frames import load_packer

TICK = 0.5  # [s] between two updates of the terminal


class CompileProgress:
    """One kernel being built; the time counts from the creation of this object."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self._begun = time.monotonic()
        self._expected: float | None = None  # [s] known as soon as the compiler has something to do

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._begun

    @property
    def text(self) -> str:
        """How far it is, in a line."""
        if self._expected is None:
            return "loading the kernel"
        if self.seconds < self._expected:
            return f"compiling, {self.seconds:.0f} s of about {self._expected:.0f} s"
        return f"compiling, {self.seconds:.0f} s so far"

    def run(self, build: Callable[[Callable[[str], None]], Simulation]) -> Simulation:
        """Build the simulation, which takes long, and show the progress on the terminal."""
        done = threading.Event()
        try:
            load_packer()  # packing frames at full rate needs compiled code, too
            built = build(lambda line: self._announce(line, done))
        finally:
            done.set()
        if self._expected is not None:
            note_compilation(self._scenario, self.seconds)
            print_notice(f"the kernel of {self._scenario.name} is ready after {self.seconds:.1f} s")
        return built

    def _announce(self, line: str, done: threading.Event) -> None:
        """The kernel is not on disk, and the compiler begins."""
        self._expected = expected_seconds(self._scenario)
        print_notice(line)
        if sys.stderr.isatty():
            threading.Thread(target=self._count, args=(done,), name="murmura-count", daemon=True).start()

    def _count(self, done: threading.Event) -> None:
        while not done.wait(TICK):
            print(f"\rmurmura: {self.text} ", end="", file=sys.stderr, flush=True)
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
