"""Compiles kernels in background threads, and applies the changes that wait for them.

A changed rule waits while the flock continues as before. A new flock does not wait: it is shown at once at its start,
and begins to step when its kernel is ready.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from murmura.core.errors import MurmuraError, ScenarioError
from murmura.core.notices import in_notebook
from murmura.engine.compile_progress import CompileProgress
from murmura.engine.simulation import Simulation
from murmura.scenario import Scenario
from murmura.view.session.command_queue import Refuse
from murmura.view.session.editing.changes import Change
from murmura.view.session.scene import Scene
from murmura.view.wire.frames import load_packer


@dataclass
class PendingChange:
    """A message that is applied when its kernel is ready."""

    message: dict[str, Any]
    refuse: Refuse
    loads: int  # how many scenarios had been loaded when it arrived


class CompileQueue:
    """Compiles what a change needs, then applies the change.

    Args:
        scene: The scene to change.
        later: Schedules a function on the session's thread, with a callback for its error.
        failed: Called with the reason if the kernel of the shown flock cannot be built.
    """

    def __init__(
        self,
        scene: Scene,
        later: Callable[[Callable[[], None], Refuse], None],
        failed: Callable[[MurmuraError], None],
    ) -> None:
        self._scene, self._later, self._failed = scene, later, failed
        self._waiting: list[PendingChange] = []
        self._progress: CompileProgress | None = None  # of the shown flock, if it is not ready
        self._given_up = -1  # the count of changes when the build failed

    @property
    def is_busy(self) -> bool:
        return bool(self._waiting) or self._progress is not None or self._will_build

    @property
    def progress(self) -> str:
        """The progress of the build as text; empty if nothing is being built."""
        return self._progress.text if self._progress else ""

    @property
    def _will_build(self) -> bool:
        return not self._scene.is_ready and self._given_up != self._scene.changes

    def build_if_needed(self) -> None:
        """Start to build the kernel of a flock that is not ready, unless the build is running or has failed."""
        scene = self._scene
        if self._progress is not None or not self._will_build:
            return
        self._progress = CompileProgress(scene.scenario)
        threading.Thread(
            target=self._build, name="murmura-build", daemon=True,
            args=(self._progress, scene.simulation, scene.changes),
        ).start()  # fmt: skip

    def _build(self, progress: CompileProgress, standing: Simulation, changes: int) -> None:
        try:
            load_packer()  # packing frames at full rate needs compiled code too
            # A notebook's page shows the progress itself.
            with progress.counted(is_shown=not in_notebook()) as announce:
                built = self._scene.build(standing, announce)
        except Exception as error:  # any error must be reported and end the wait
            problem = error if isinstance(error, MurmuraError) else _compile_error(error)
            self._later(lambda: self._build_failed(changes, problem), lambda reason: None)
        else:
            self._later(lambda: self._built(built, changes), lambda reason: None)

    def _built(self, simulation: Simulation, changes: int) -> None:
        """Start stepping; if the flock was changed in the meantime, build again, usually from the same kernel."""
        self._progress = None
        if self._scene.changes == changes:
            self._scene.replace_simulation(simulation)

    def _build_failed(self, changes: int, problem: MurmuraError) -> None:
        self._progress = None
        if self._scene.changes == changes:
            self._given_up = changes
            self._failed(problem)

    def change(self, message: dict[str, Any], refuse: Refuse) -> None:
        """Apply a change now if its kernel is compiled, otherwise as soon as it is."""
        change = self._scene.outcome(message)
        if message.get("type") == "set":
            self._supersede(message["values"])
        if not self._scene.is_ready or (change.loads and not self._scene.simulation.is_prepared(change.aim)):
            self._scene.apply(change)  # shown at once and built afterwards
            return
        self._apply_or_wait(change, PendingChange(message, refuse, self._scene.loads))

    def _supersede(self, values: dict[str, Any]) -> None:
        """Of two messages that set the same value, the later one wins, even if the earlier one compiles longer."""
        for one in self._waiting:
            if one.message.get("type") == "set":
                kept = {path: value for path, value in one.message["values"].items() if path not in values}
                one.message = {**one.message, "values": kept}

    def _apply_or_wait(self, change: Change, one: PendingChange) -> None:
        simulation, aim = self._scene.simulation, change.aim
        if simulation.is_prepared(aim):
            self._scene.apply(change)
            return
        self._waiting.append(one)
        thread = threading.Thread(
            target=self._compile, args=(simulation, aim, one), name="murmura-compile", daemon=True
        )
        thread.start()

    def _compile(self, simulation: Simulation, aim: Scenario, one: PendingChange) -> None:
        problem: Exception | None = None
        try:
            simulation.prepare(aim)
        except Exception as error:  # any error must be reported and end the wait
            problem = error if isinstance(error, MurmuraError) else _compile_error(error)
        self._later(lambda: self._prepared(one, problem), one.refuse)

    def _prepared(self, one: PendingChange, problem: Exception | None) -> None:
        self._waiting.remove(one)
        if problem is not None:
            raise problem
        if one.loads != self._scene.loads:
            raise ScenarioError(
                "another scenario was loaded while this change was being compiled; it was meant for the previous one "
                "and was not applied"
            )
        if one.message.get("values") != {}:
            # The scenario, and with it the kernel, may have changed in the meantime: then wait again.
            self._apply_or_wait(self._scene.outcome(one.message), one)


def _compile_error(error: Exception) -> ScenarioError:
    return ScenarioError(f"this change could not be compiled: {type(error).__name__}: {error}")
