"""Kernels that are made in threads of their own, and the changes that wait for them.

A changed rule waits while the flock flies on as it was. A new flock does not: it is shown at once, standing at its
start, and flies when its kernel is there.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from murmura.core.errors import MurmuraError, ScenarioError
from murmura.engine.simulation import Simulation
from murmura.scenario import Scenario
from murmura.view.session.compile_progress import Making
from murmura.view.session.scene import Change, Scene

Refuse = Callable[[str], None]


@dataclass
class Waiting:
    """A message that will be carried out when its kernel is there."""

    message: dict[str, Any]
    refuse: Refuse
    loads: int  # how many scenarios had been loaded when it came


class Preparing:
    """Compiles what a change needs and then makes it.

    Args:
        scene: What is changed.
        later: Takes a function that the session's thread shall call, and whom to tell if it raises.
        failed: Told why a standing flock cannot fly.
    """

    def __init__(
        self,
        scene: Scene,
        later: Callable[[Callable[[], None], Refuse], None],
        failed: Callable[[MurmuraError], None],
    ) -> None:
        self._scene, self._later, self._failed = scene, later, failed
        self._waiting: list[Waiting] = []
        self._making: Making | None = None  # of the flock that stands
        self._given_up = -1  # the number of changes after which the scene could not be made to fly

    @property
    def is_busy(self) -> bool:
        return bool(self._waiting) or self._making is not None

    @property
    def progress(self) -> str:
        """How far the kernel is, in words; empty where nobody knows or nothing is made."""
        return self._making.text if self._making else ""

    def help_up(self) -> None:
        """Have a flock that stands made to fly, unless that is under way or has failed already."""
        scene = self._scene
        if scene.is_ready or self._making is not None or self._given_up == scene.changes:
            return
        self._making = Making(scene.scenario)
        threading.Thread(
            target=self._make, args=(self._making, scene.simulation, scene.changes), name="murmura-make", daemon=True
        ).start()  # fmt: skip

    def _make(self, making: Making, standing: Simulation, changes: int) -> None:
        try:
            made = making.run(lambda announce: self._scene.bring_up(standing, announce))
        except Exception as error:  # whatever it is, it must be told, and the wait must end
            problem = error if isinstance(error, MurmuraError) else _told(error)
            self._later(lambda: self._not_made(changes, problem), lambda reason: None)
        else:
            self._later(lambda: self._made(made, changes), lambda reason: None)

    def _made(self, made: Simulation, changes: int) -> None:
        """Fly, unless the flock has been changed meanwhile: then it is made again, mostly of the same kernel."""
        self._making = None
        if self._scene.changes == changes:
            self._scene.take_up(made)

    def _not_made(self, changes: int, problem: MurmuraError) -> None:
        self._making = None
        if self._scene.changes == changes:
            self._given_up = changes
            self._failed(problem)

    def change(self, message: dict[str, Any], refuse: Refuse) -> None:
        """Make a change, now if its kernel is here, else when it is."""
        change = self._scene.outcome(message)
        if message.get("type") == "set":
            self._supersede(message["values"])
        if not self._scene.is_ready or (change.loads and not self._scene.simulation.is_prepared(change.aim)):
            self._scene.make(change)  # it stands
            return
        self._make_or_wait(change, Waiting(message, refuse, self._scene.loads))

    def _supersede(self, values: dict[str, Any]) -> None:
        """Of two wishes for one value the later counts, though the earlier may take longer."""
        for one in self._waiting:
            if one.message.get("type") == "set":
                kept = {path: value for path, value in one.message["values"].items() if path not in values}
                one.message = {**one.message, "values": kept}

    def _make_or_wait(self, change: Change, one: Waiting) -> None:
        simulation, aim = self._scene.simulation, change.aim
        if simulation.is_prepared(aim):
            self._scene.make(change)
            return
        self._waiting.append(one)
        thread = threading.Thread(
            target=self._compile, args=(simulation, aim, one), name="murmura-compile", daemon=True
        )
        thread.start()

    def _compile(self, simulation: Simulation, aim: Scenario, one: Waiting) -> None:
        problem: Exception | None = None
        try:
            simulation.prepare(aim)
        except Exception as error:  # whatever it is, it must be told, and the wait must end
            problem = error if isinstance(error, MurmuraError) else _told(error)
        self._later(lambda: self._prepared(one, problem), one.refuse)

    def _prepared(self, one: Waiting, problem: Exception | None) -> None:
        self._waiting.remove(one)
        if problem is not None:
            raise problem
        if one.loads != self._scene.loads:
            raise ScenarioError(
                "another scenario was loaded while this change was being compiled; it was meant for the one before "
                "and was not made"
            )
        if one.message.get("values") != {}:
            # Others may have changed the scenario meanwhile, and with it the kernel: then wait once more.
            self._make_or_wait(self._scene.outcome(one.message), one)


def _told(error: Exception) -> ScenarioError:
    return ScenarioError(f"this change could not be compiled: {type(error).__name__}: {error}")
