"""A new flock is shown at once at its start, and steps when its kernel is ready."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import numpy as np
import pytest

import murmura as mm
from murmura.core.errors import BackendError, MurmuraError
from murmura.engine import compile_times
from murmura.engine.simulation import Simulation
from murmura.view.compare import Pair, SyncedSession
from murmura.view.session.scene import Scene
from murmura.view.session.session import Session
from murmura.view.wire.frames import encode, pack_with_numpy
from tests.view.live import PATIENCE, Frame, flock, until

MADE = Scene.build


class ControlledBuild:
    """Replaces the building of simulations, and finishes one on request."""

    def __init__(self) -> None:
        self.problem: Exception | None = None
        self.begun: list[str] = []
        self._go = threading.Semaphore(0)

    def build(self, scene: Scene, standing: Simulation, announce: Callable[[str], None]) -> Simulation:
        self.begun.append(standing.scenario.name)
        announce("compiling")
        assert self._go.acquire(timeout=PATIENCE)
        if self.problem:
            raise self.problem
        return MADE(scene, standing, None)

    def finish(self, session: Session) -> None:
        self._go.release()
        until(lambda: session._queue.is_urgent)
        obey(session)


def obey(session: Session, *messages: dict[str, Any]) -> list[str]:
    reasons: list[str] = []
    for message in messages:
        session.submit(message, reasons.append)
    while session._run_commands():
        pass
    session._publish_status()
    return reasons


@pytest.fixture
def build(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> Iterator[ControlledBuild]:
    found = ControlledBuild()
    monkeypatch.setattr(Scene, "build", lambda *words: found.build(*words))
    monkeypatch.setattr(compile_times, "cache_folder", lambda: tmp_path)
    yield found
    for _ in range(9):
        found._go.release()


def load(scenario: mm.Scenario) -> dict[str, Any]:
    return {"type": "load", "scenario": scenario.model_dump(mode="json")}


def step(count: int) -> dict[str, Any]:
    return {"type": "step", "count": count}


def set_to(**values: Any) -> dict[str, Any]:
    return {"type": "set", "values": {path.replace("__", "."): value for path, value in values.items()}}


def hash_of(scenario: mm.Scenario, steps: int, seed: int = 5, **values: Any) -> str:
    simulation = Simulation(scenario, seed, "cpu", 1, announce=None)
    if values:
        simulation.retune({path.replace("__", "."): value for path, value in values.items()})
    simulation.step(steps)
    return simulation.state_hash()


def test_a_new_session_shows_its_flock_before_there_is_a_kernel(build: ControlledBuild):
    session = Session(flock(40), 5, "cpu", 1)
    assert obey(session, step(3)) == []
    session._publish_frame()
    assert (Frame(session.frame).count, Frame(session.frame).step) == (40, 0)
    assert session.status["compiling"] and session.status["step"] == 0
    until(lambda: re.fullmatch(r"compiling, \d+ s (of about \d+ s|so far)", session._editor.progress))
    build.finish(session)
    assert not session.status["compiling"] and session.status["progress"] == ""
    assert session.simulation.backend == "cpu"
    assert session.simulation.state_hash() == hash_of(flock(40), 3)


def test_what_is_changed_while_it_stands_acts_at_once_and_flies_with_it(build: ControlledBuild):
    """S4-20: an option that also needs another kernel: then the flock is built again."""
    session = Session(flock(40), 5, "cpu", 1)
    obey(session, set_to(rules__alignment__weight=2.0, rules__cohesion__enabled=False))
    assert session.scenario.rules.alignment.weight == 2.0 and not session.scenario.rules.cohesion.enabled
    build.finish(session)  # built from the previous flock, and as useless as its kernel
    if not session.scene.is_ready:
        build.finish(session)
    obey(session, step(4))
    wanted = hash_of(flock(40), 4, rules__alignment__weight=2.0, rules__cohesion__enabled=False)
    assert session.simulation.state_hash() == wanted
    assert [action["type"] for action in session.scene.actions] == ["load", "set"]


def test_another_scenario_stands_at_once_where_it_needs_a_kernel(build: ControlledBuild):
    session = Session(flock(20), 1, "cpu", 1)
    obey(session)
    build.finish(session)
    other = mm.load_scenario("couzin").with_values({"agents": 30})
    weight = set_to(rules__zones__noise=0.125)
    assert obey(session, load(other), step(4), weight) == []
    assert session.simulation.agent_count == 30 and session.status["compiling"]
    assert session.scenario.rules.zones.noise != 0.125  # it follows the steps
    build.finish(session)
    assert session.simulation.step_count == 4 and session.scenario.rules.zones.noise == 0.125
    assert session.scene.actions[-1]["step"] == 4


def test_nobody_waits_for_a_flock_that_was_left(build: ControlledBuild):
    """A load while another flock waits for its kernel and has pending steps."""
    session = Session(flock(20), 1, "cpu", 1)
    obey(session, step(9), {"type": "pause"}, load(flock(33)))
    assert session.simulation.agent_count == 33 and session.simulation.step_count == 0
    build.finish(session)
    build.finish(session)
    assert session.scene.is_ready and session.simulation.agent_count == 33
    assert session.simulation.step_count == 0


def test_a_first_flock_that_can_never_fly_is_told_to_whoever_serves_it(build: ControlledBuild):
    session, told = Session(flock(20), 1, "cpu", 1), list[MurmuraError]()
    session.on_build_failure = told.append
    build.problem = BackendError("no such device")
    obey(session)
    build.finish(session)
    assert [str(problem) for problem in told] == ["no such device"]
    assert session.alarm is not None and "no such device" in session.alarm["message"]
    assert not session.status["compiling"] and len(build.begun) == 1  # it is not retried
    build.problem = None
    assert obey(session, load(flock(25))) == []
    build.finish(session)
    assert session.scene.is_ready and session.simulation.agent_count == 25


def test_of_two_flocks_the_one_that_is_ready_waits_for_the_other(build: ControlledBuild):
    ready = SyncedSession(flock(20), 5, "reference")
    pair = Pair(ready, SyncedSession(flock(20), 5, "cpu", 1))
    for _ in range(20):
        for one in (pair.left, pair.right):
            one._run_commands()
            if one.running and one.scene.is_ready:
                one._advance(0.02)
    assert pair.left.position == pair.right.position == 0
    build.finish(pair.right)
    assert pair.right.scene.is_ready


def test_a_recorded_switch_is_played_without_a_freeze(build: ControlledBuild):
    """A replayed action at step 3 needs another kernel: the flock waits there until it is built."""
    session = Session(flock(20), 5, "cpu", 1)
    obey(session)
    build.finish(session)
    off = {**set_to(rules__separation__enabled=False, rules__wind__enabled=True), "step": 3}
    session.scene.play([off, {"type": "end", "step": 9}])
    session.scene.step(6)
    assert session.simulation.step_count == 3 and not session.scene.is_ready
    obey(session)
    build.finish(session)
    session.scene.step(6)
    plain = Simulation(flock(20), 5, "cpu", 1, announce=None)
    plain.step(3)
    plain.retune(off["values"])
    plain.step(6)
    assert session.simulation.state_hash() == plain.state_hash()


def test_the_plain_way_to_pack_agents_writes_the_same_bytes(monkeypatch: pytest.MonkeyPatch):
    from murmura.compute.cpu.scatter import pack

    for name, agents in (("mixed", 500), ("starlings", 403)):
        simulation = mm.Simulation(mm.load_scenario(name).with_values({"agents": agents}), 3, "reference")
        simulation.step(2)
        frames = []
        for way in (pack, pack_with_numpy):
            monkeypatch.setattr("murmura.view.wire.frames._packer", lambda way=way: way)
            monkeypatch.setattr("murmura.view.wire.frames.MOST_SENT", 200)
            frames.append(encode(simulation, 1))
        np.testing.assert_array_equal(*(np.frombuffer(frame, np.uint8) for frame in frames))


def test_a_machine_is_expected_to_be_as_fast_as_it_was(monkeypatch: pytest.MonkeyPatch, tmp_path: Any):
    monkeypatch.setattr(compile_times, "cache_folder", lambda: tmp_path)
    small, large = mm.load_scenario("classic"), mm.load_scenario("ecosystem")
    before = compile_times.expected_seconds(small)
    assert 1.0 < before < compile_times.expected_seconds(large)
    for _ in range(3):
        compile_times.note_compilation(large, 2.0 * compile_times.expected_seconds(large))
    assert compile_times.expected_seconds(small) > 1.9 * before
    (tmp_path / "seconds-per-rule.json").write_text("what is this")
    assert compile_times.expected_seconds(small) == before


def test_what_a_page_is_sent_first_is_made_before_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tracing a kernel keeps Python busy, which would delay a page that waits for its hello by half a second."""
    order: list[str] = []
    monkeypatch.setattr(Session, "hello", lambda session: order.append("hello"))
    built = threading.Event()

    def build(scene: Scene, standing: Simulation, announce: Callable[[str], None]) -> Simulation:
        order.append("kernel")
        built.set()
        raise BackendError("none is needed")

    monkeypatch.setattr(Scene, "build", build)
    session = Session(flock(3))
    session.open()
    with closing(session):
        assert built.wait(PATIENCE)
    assert order == ["hello", "kernel"]
