"""A kernel on its way, as those who wait for it are told: in the page a text, on the terminal a line that counts."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable

from murmura.core.saying import say
from murmura.engine.compile_times import expected_seconds, note_compilation
from murmura.engine.simulation import Simulation
from murmura.scenario import Scenario
from murmura.view.wire.frames import load_packer

TICK = 0.5  # [s] between two looks of a terminal at the time


class Making:
    """One kernel being made; begun when the object is."""

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

    def run(self, make: Callable[[Callable[[str], None]], Simulation]) -> Simulation:
        """Make the simulation, which takes long, and tell the terminal about it meanwhile."""
        over = threading.Event()
        try:
            load_packer()  # frames need a compiler too, as soon as they follow each other
            made = make(lambda said: self._announce(said, over))
        finally:
            over.set()
        if self._expected is not None:
            note_compilation(self._scenario, self.seconds)
            say(f"the kernel of {self._scenario.name} is ready after {self.seconds:.1f} s")
        return made

    def _announce(self, said: str, over: threading.Event) -> None:
        """The compiler begins: it is not on disk."""
        self._expected = expected_seconds(self._scenario)
        say(said)
        if sys.stderr.isatty():
            threading.Thread(target=self._count, args=(over,), name="murmura-count", daemon=True).start()

    def _count(self, over: threading.Event) -> None:
        while not over.wait(TICK):
            print(f"\rmurmura: {self.text} ", end="", file=sys.stderr, flush=True)
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
