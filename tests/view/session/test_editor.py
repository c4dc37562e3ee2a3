"""Changes that need another kernel apply when it is ready, in order, and never to the wrong scenario."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from murmura.view.session.session import Session
from tests.view.live import PATIENCE, flock, until

OFF = {"type": "set", "values": {"rules.cohesion.enabled": False}}
ON = {"type": "set", "values": {"rules.cohesion.enabled": True}}


def kernel_of(scenario: Any) -> tuple[bool, ...]:
    """What the kernel of a scenario depends on, as far as these tests change it."""
    rules = scenario.rules
    return rules.cohesion.enabled, rules.wind.enabled, rules.predators.enabled, bool(scenario.obstacles)


class ControlledCompiler:
    """Replaces the compiler, and finishes on request."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.reasons: list[str] = []
        self.problem: Exception | None = None
        self._made: set[Any] = set()
        self._go = threading.Semaphore(0)

    def is_prepared(self, scenario: Any) -> bool:
        return kernel_of(scenario) in self._made

    def prepare(self, scenario: Any) -> None:
        assert self._go.acquire(timeout=PATIENCE)
        if self.problem:
            raise self.problem
        self._made.add(kernel_of(scenario))

    def finish(self) -> None:
        """Finish one kernel, and apply what waited for it."""
        self._go.release()
        until(lambda: self.session._queue.is_urgent)
        self.obey()

    def obey(self) -> None:
        while self.session._run_commands():
            pass
        self.session._publish_status()

    def send(self, *messages: dict[str, Any]) -> None:
        for message in messages:
            self.session.submit(message, self.reasons.append)
        self.obey()

    @property
    def is_compiling(self) -> bool:
        return bool(self.session.status["compiling"])

    @property
    def cohesion(self) -> bool:
        return self.session.scenario.rules.cohesion.enabled


@pytest.fixture
def compiler(monkeypatch: pytest.MonkeyPatch) -> Iterator[ControlledCompiler]:
    session = Session(flock(20), 1, "reference")
    found = ControlledCompiler(session)
    found._made = {kernel_of(session.scenario)}
    monkeypatch.setattr("murmura.engine.simulation.Simulation.is_prepared", lambda _, s: found.is_prepared(s))
    monkeypatch.setattr("murmura.engine.simulation.Simulation.prepare", lambda _, s: found.prepare(s))
    return found


def test_a_rule_is_switched_off_when_its_kernel_is_there(compiler: ControlledCompiler):
    compiler.send(OFF, {"type": "step", "count": 3})
    assert compiler.cohesion and compiler.is_compiling and compiler.session.simulation.step_count == 3
    compiler.finish()
    assert not compiler.cohesion and not compiler.is_compiling
    assert compiler.session.scene.actions[-1] == {"step": 3, **OFF}
    compiler.send(ON)  # this one was never disabled
    assert compiler.cohesion and not compiler.is_compiling and compiler.reasons == []


@pytest.mark.parametrize("problem", [MemoryError("no room"), KeyError("x"), RuntimeError("compiler crashed")])
def test_any_failure_of_the_compiler_is_reported_and_ends_the_wait(
    problem: Exception, compiler: ControlledCompiler
):
    compiler.problem = problem
    compiler.send(OFF)
    compiler.finish()
    assert compiler.cohesion and not compiler.is_compiling
    assert len(compiler.reasons) == 1 and type(problem).__name__ in compiler.reasons[0]
    compiler.problem = None
    compiler.send(OFF)
    compiler.finish()
    assert not compiler.cohesion


def test_a_change_meant_for_another_scenario_is_not_made(compiler: ControlledCompiler):
    compiler.send(OFF, {"type": "load", "scenario": flock(30).model_dump(mode="json")})
    assert compiler.session.simulation.agent_count == 30 and compiler.is_compiling
    compiler.finish()
    assert compiler.cohesion and not compiler.is_compiling
    assert "another scenario was loaded" in compiler.reasons[0]


def test_a_reset_keeps_what_is_on_its_way(compiler: ControlledCompiler):
    compiler.send(OFF, {"type": "reset", "seed": 5})
    compiler.finish()
    assert not compiler.cohesion and compiler.session.simulation.seed == 5 and compiler.reasons == []


def test_of_two_wishes_the_later_counts(compiler: ControlledCompiler):
    """Disabling takes long to compile and enabling takes no time, but enabling came later."""
    compiler.send(OFF, ON)
    compiler.finish()
    assert compiler.cohesion and not compiler.is_compiling and compiler.reasons == []


def test_two_rules_at_once_need_the_kernel_of_both(compiler: ControlledCompiler):
    compiler.send(OFF, {"type": "set", "values": {"rules.wind.enabled": True}})
    compiler.finish()
    compiler.finish()
    assert compiler.is_compiling  # the kernel for both changes
    compiler.finish()
    rules = compiler.session.scenario.rules
    assert (rules.cohesion.enabled, rules.wind.enabled) == (False, True) and not compiler.is_compiling


HAWK = {"type": "place", "kind": "predator", "x": 200.0, "y": 200.0, "species": "hawk"}


def _stone(x: float) -> dict[str, Any]:
    return {"type": "place", "kind": "circle", "x": x, "y": 300.0, "radius": 20.0}


def _undo(key: str) -> dict[str, Any]:
    return {"type": "withdraw", "key": key}


def _things(compiler: ControlledCompiler) -> tuple[list[float], list[float]]:
    scenario = compiler.session.scenario
    return [shape.x for shape in scenario.obstacles], [h.x for h in scenario.rules.predators.hunters]


def test_each_thing_is_taken_back_by_itself_while_its_kernel_compiles(compiler: ControlledCompiler):
    """A hunter and two stones are placed; one undo takes back the second stone, and only that."""
    compiler.send(HAWK | {"key": "a"}, _stone(100.0) | {"key": "b"}, _stone(500.0) | {"key": "c"}, _undo("c"))
    while compiler.is_compiling:
        compiler.finish()
    assert _things(compiler) == ([100.0], [200.0])
    compiler.send(_undo("b"))
    while compiler.is_compiling:
        compiler.finish()
    assert _things(compiler) == ([], [200.0])
    compiler.send(_undo("a"), _undo("a"), _undo("c"))  # and what is gone stays gone
    assert _things(compiler) == ([], [])
    rules = compiler.session.scenario.rules
    assert not rules.predators.enabled and not rules.fear.enabled and compiler.reasons == []


def test_things_are_taken_back_in_any_order_and_the_record_repeats_it(compiler: ControlledCompiler):
    compiler._made |= {(True, False, False, True)}
    compiler.send(*({**_stone(x), "key": str(x)} for x in (100.0, 300.0, 500.0)), _undo("300.0"))
    assert _things(compiler)[0] == [100.0, 500.0]
    compiler.send({"type": "erase", "kind": "circle", "x": 100.0, "y": 300.0, "key": "away"})
    assert _things(compiler)[0] == [500.0]
    compiler.send(_undo("away"))
    assert sorted(_things(compiler)[0]) == [100.0, 500.0]
    assert {action["type"] for action in compiler.session.scene.actions} == {"load", "place", "erase", "set"}
    compiler.send(_undo(""), HAWK | {"key": 5})
    assert len(compiler.reasons) == 2 and all("1 to 40 characters" in reason for reason in compiler.reasons)
