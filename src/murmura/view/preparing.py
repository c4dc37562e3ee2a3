"""Changes that wait for their kernels, which are compiled in threads of their own while the flock flies on."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from murmura.core.errors import MurmuraError, ScenarioError
from murmura.engine.simulation import Simulation
from murmura.scenario import Scenario
from murmura.view.scene import Change, Scene

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
    """

    def __init__(self, scene: Scene, later: Callable[[Callable[[], None], Refuse], None]) -> None:
        self._scene, self._later = scene, later
        self._waiting: list[Waiting] = []

    @property
    def is_busy(self) -> bool:
        return bool(self._waiting)

    @property
    def is_holding(self) -> bool:
        """Whether commands must wait too: what comes after a new scenario is meant for that one."""
        return any(one.message.get("type") in ("load", "reset") for one in self._waiting)

    def change(self, message: dict[str, Any], refuse: Refuse) -> None:
        """Make a change, now if its kernel is here, else when it is."""
        change = self._scene.outcome(message)
        if message.get("type") == "set":
            self._supersede(message["values"])
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
