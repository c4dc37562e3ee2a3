"""Compiles kernels in background threads. What follows a kernel runs on the thread that asked for it."""

from __future__ import annotations

import threading
from collections.abc import Callable

from murmura.core.errors import MurmuraError, ScenarioError
from murmura.core.notices import in_notebook
from murmura.engine.compile_progress import CompileProgress
from murmura.engine.simulation import Simulation
from murmura.scenario import Scenario
from murmura.view.session.command_queue import Refuse
from murmura.view.wire.frames import load_packer

Announce = Callable[[str], None]


class CompileQueue:
    """The kernels that are being compiled.

    Args:
        later: Schedules a function on the caller's thread, with a callback for its error.
    """

    def __init__(self, later: Callable[[Callable[[], None], Refuse], None]) -> None:
        self._later = later
        self._count = 0
        self._progress: CompileProgress | None = None

    @property
    def is_busy(self) -> bool:
        return self._count > 0

    @property
    def is_building(self) -> bool:
        """Whether `build` is under way."""
        return self._progress is not None

    @property
    def progress(self) -> str:
        """The progress of `build` as text; empty if nothing is being built."""
        return self._progress.text if self._progress else ""

    def prepare(
        self, simulation: Simulation, target: Scenario, done: Callable[[], None], refuse: Refuse
    ) -> None:
        """Compile the kernel that this simulation needs for a scenario; then call `done`."""

        def work() -> None:
            problem = _problem_of(lambda: simulation.prepare(target))
            self._later(lambda: self._finish(problem, done), refuse)

        self._begin("murmura-compile", work)

    def build(
        self,
        scenario: Scenario,
        make: Callable[[Announce], Simulation],
        done: Callable[[Simulation], None],
        failed: Callable[[MurmuraError], None],
    ) -> None:
        """Make a simulation that can step, and show how far that is; then call `done` or `failed`."""
        progress = self._progress = CompileProgress(scenario)
        made: list[Simulation] = []

        def compile_all() -> None:
            load_packer()  # packing frames at full rate needs compiled code too
            # A notebook's page shows the progress itself.
            with progress.counted(is_shown=not in_notebook()) as announce:
                made.append(make(announce))

        def report(problem: MurmuraError | None) -> None:
            self._progress = None
            self._count -= 1
            if problem is None:
                done(made[0])
            else:
                failed(problem)

        def work() -> None:
            problem = _problem_of(compile_all)
            self._later(lambda: report(problem), lambda reason: None)

        self._begin("murmura-build", work)

    def _begin(self, name: str, work: Callable[[], None]) -> None:
        self._count += 1
        threading.Thread(target=work, name=name, daemon=True).start()

    def _finish(self, problem: MurmuraError | None, done: Callable[[], None]) -> None:
        self._count -= 1
        if problem is not None:
            raise problem
        done()


def _problem_of(work: Callable[[], None]) -> MurmuraError | None:
    """Do something; return what went wrong. Any error must be reported and end the wait."""
    try:
        work()
    except MurmuraError as error:
        return error
    except Exception as error:
        return ScenarioError(f"this change could not be compiled: {type(error).__name__}: {error}")
    return None
