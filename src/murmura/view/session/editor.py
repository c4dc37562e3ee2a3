"""Applies the changes that pages ask for to a scene, each as soon as its kernel is compiled.

A changed rule waits while the flock continues as before. A new flock does not wait: it is shown at once at its start,
and begins to step when its kernel is ready.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from murmura.core.errors import MurmuraError, ScenarioError
from murmura.engine.simulation import Simulation
from murmura.view.session.command_queue import Refuse
from murmura.view.session.compile_queue import CompileQueue
from murmura.view.session.editing.changes import Change, change_of
from murmura.view.session.editing.withdrawal import Trace, trace_of, values_without
from murmura.view.session.scene import Scene

WITHDRAW = "withdraw"
MOST_TRACES = 400  # twice as many as a page remembers
LONGEST_KEY = 40


def key_of(message: dict[str, Any]) -> str:
    """The name that a page gives a change, to withdraw it later."""
    key = message.get("key")
    if not isinstance(key, str) or not 0 < len(key) <= LONGEST_KEY:
        raise ScenarioError(f"key must be a text of 1 to {LONGEST_KEY} characters, got {str(key)[:60]!r}")
    return key


@dataclass
class PendingChange:
    """A message whose change is applied when its kernel is ready."""

    message: dict[str, Any]
    refuse: Refuse
    loads: int  # how many scenarios had been loaded when it arrived


class Editor:
    """The changes of one scene.

    Args:
        scene: The scene to change.
        queue: Compiles what changes need.
        failed: Called with the reason if the kernel of the shown flock cannot be built.
    """

    def __init__(self, scene: Scene, queue: CompileQueue, failed: Callable[[MurmuraError], None]) -> None:
        self._scene, self._queue, self._failed = scene, queue, failed
        self._waiting: list[PendingChange] = []
        self._given_up = -1  # the count of changes when the build failed
        self._traces: OrderedDict[str, Trace] = OrderedDict()  # of changes that can be withdrawn

    @property
    def is_compiling(self) -> bool:
        return self._queue.is_busy or self._will_build

    @property
    def progress(self) -> str:
        """The progress of the shown flock's kernel as text; empty if it is there."""
        return self._queue.progress

    @property
    def _will_build(self) -> bool:
        return not self._scene.is_ready and self._given_up != self._scene.changes

    def build_if_needed(self) -> None:
        """Start to build the kernel of a flock that is not ready, unless the build is running or has failed."""
        scene = self._scene
        if self._queue.is_building or not self._will_build:
            return
        standing, changes = scene.simulation, scene.changes
        self._queue.build(
            scene.scenario,
            lambda announce: scene.build(standing, announce),
            lambda built: self._built(built, changes),
            lambda problem: self._build_failed(problem, changes),
        )

    def _built(self, simulation: Simulation, changes: int) -> None:
        """Start stepping; if the flock was changed in the meantime, build again, usually from the same kernel."""
        if self._scene.changes == changes:
            self._scene.replace_simulation(simulation)

    def _build_failed(self, problem: MurmuraError, changes: int) -> None:
        if self._scene.changes == changes:
            self._given_up = changes
            self._failed(problem)

    def change(self, message: dict[str, Any], refuse: Refuse) -> None:
        """Apply a change now if its kernel is compiled, otherwise as soon as it is."""
        if message.get("type") == WITHDRAW:
            self._withdraw(key_of(message), refuse)
            return
        scene = self._scene
        if message.get("key") is not None:
            key_of(message)
        change = change_of(scene, message)
        if message.get("type") == "set":
            self._supersede(message["values"])
        if not scene.is_ready or (change.loads and not scene.simulation.is_prepared(change.target)):
            self._apply(change, message)  # shown at once and built afterwards
            return
        self._apply_or_wait(change, PendingChange(message, refuse, scene.loads))

    def _supersede(self, values: dict[str, Any]) -> None:
        """Of two messages that set the same value, the later one wins, even if the earlier one compiles longer."""
        for one in self._waiting:
            if one.message.get("type") == "set":
                kept = {path: value for path, value in one.message["values"].items() if path not in values}
                one.message = {**one.message, "values": kept}

    def _apply_or_wait(self, change: Change, one: PendingChange) -> None:
        simulation, target = self._scene.simulation, change.target
        if simulation.is_prepared(target):
            self._apply(change, one.message)
            return
        self._waiting.append(one)

        def give_up(reason: str) -> None:
            self._forget(one)
            one.refuse(reason)

        self._queue.prepare(simulation, target, lambda: self._prepared(one), give_up)

    def _apply(self, change: Change, message: dict[str, Any]) -> None:
        before = self._scene.scenario
        self._scene.apply(change)
        if change.loads:
            self._traces.clear()
        if message.get("key") is not None:
            self._traces[key_of(message)] = trace_of(before, self._scene.scenario)
            if len(self._traces) > MOST_TRACES:
                self._traces.popitem(last=False)

    def _withdraw(self, key: str, refuse: Refuse) -> None:
        """Take back one change: forget it if it still waits, otherwise undo what it did."""
        waiting = next((one for one in self._waiting if one.message.get("key") == key), None)
        if waiting is not None:
            self._forget(waiting)
            return
        trace = self._traces.pop(key, None)
        values = {} if trace is None else values_without(self._scene.scenario, trace)
        if values:
            self.change({"type": "set", "values": values}, refuse)

    def _forget(self, one: PendingChange) -> None:
        self._waiting = [each for each in self._waiting if each is not one]

    def _prepared(self, one: PendingChange) -> None:
        if not any(each is one for each in self._waiting):
            return  # it was withdrawn
        self._forget(one)
        if one.loads != self._scene.loads:
            raise ScenarioError(
                "another scenario was loaded while this change was being compiled; it was meant for the previous one "
                "and was not applied"
            )
        if one.message.get("values") != {}:
            # The scenario, and with it the kernel, may have changed in the meantime: then wait again.
            self._apply_or_wait(change_of(self._scene, one.message), one)
