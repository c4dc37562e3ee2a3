"""Nothing that a page sends and no error of ours ends the session's thread (issue 29, point 20)."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from murmura.engine.simulation import Simulation
from murmura.view.session.scene import Scene
from murmura.view.session.session import Session
from murmura.view.session.subscriber import Subscriber
from tests.sizes import size
from tests.view.live import PATIENCE, flock, until

BUILD = Scene.build


class HeldBuild:
    """A kernel that is being compiled until `go` is set."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.go = threading.Event()

        def build(scene: Scene, standing: Simulation, announce: Any) -> Simulation:
            assert self.go.wait(PATIENCE)
            return BUILD(scene, standing, None)

        monkeypatch.setattr(Scene, "build", build)


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[HeldBuild]:
    found = HeldBuild(monkeypatch)
    yield found
    found.go.set()


@pytest.fixture
def compiling(held: HeldBuild) -> Iterator[Session]:
    """A session whose kernel is being compiled."""
    session = Session(flock(20), 1, "cpu", 1)
    session.running = False
    session.open()
    until(lambda: session.status and session.status["compiling"])
    yield session
    held.go.set()
    session.close()


def test_a_type_that_is_no_text_is_refused_also_while_the_kernel_compiles(
    compiling: Session, held: HeldBuild
):
    page = Subscriber(compiling, lambda: None)
    for message in ('{"type":"load","scenario":"midges"}', '{"type":"step","count":50}', '{"type":[]}'):
        page.receive(message)
    until(lambda: compiling.simulation.scenario.name == "midges")
    told = [json.loads(text) for text in page.updates() if isinstance(text, str)]
    assert [one["message"] for one in told if one["type"] == "error"] == [
        "type must be the name of a command, got list"
    ]
    held.go.set()
    until(lambda: compiling.status["step"] == 50)


KINDS: list[Any] = [
    "play", "pause", "step", "speed", "reset", "load", "set", "window", "pointer", "select", "pick", "extra", "look",
    "place", "erase", "move", "seek", "branch", "ready", "nonsense", None, True, 7, 1.5, [], {}, ["load"], {"load": []},
]  # fmt: skip
KEYS = [
    "count",
    "value",
    "seed",
    "scenario",
    "values",
    "x",
    "y",
    "z",
    "mode",
    "id",
    "column",
    "kind",
    "points",
]
PATHS = [
    "rules.cohesion.weight",
    "rules.cohesion.enabled",
    "rules.wind.enabled",
    "agents",
    "rules",
    "",
    "species.0.x",
]


def shape(random: Random, depth: int = 3) -> Any:
    """Any JSON value."""
    kind = random.randrange(9 if depth else 7)
    if kind == 7:
        return [shape(random, depth - 1) for _ in range(random.randrange(4))]
    if kind == 8:
        return {random.choice(KEYS + PATHS): shape(random, depth - 1) for _ in range(random.randrange(4))}
    return [None, True, random.randrange(-2, 30), random.random(), "midges", "classic", random.choice(KEYS)][
        kind
    ]


def test_messages_of_any_shape_leave_the_thread_alive(compiling: Session, held: HeldBuild):
    """While the kernel is compiled and afterwards, with steps between them."""
    random, page = Random(29), Subscriber(compiling, lambda: None)
    for k in range(size(300, 20_000)):
        if k == 200:
            held.go.set()
        keys = random.sample(KEYS, random.randrange(6))
        message = {key: shape(random) for key in keys} | {"type": random.choice(KINDS)}
        page.receive(json.dumps(message))
    compiling.ask(lambda: None).result(PATIENCE)
    assert compiling.alarm is None or compiling.alarm["about"] != "view"
    reasons: list[str] = []
    compiling.submit({"type": "load", "scenario": flock(5).model_dump(mode="json")}, reasons.append)
    compiling.submit({"type": "step", "count": 3}, reasons.append)
    until(lambda: (compiling.status["agents"], compiling.status["step"]) == (5, 3) or reasons)
    assert not reasons


def test_an_error_in_the_thread_is_told_to_the_pages_and_pauses(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    session = Session(flock(10), 1, "reference")
    page, heard = Subscriber(session, lambda: None), threading.Event()
    page.open()
    session.add_listener(heard.set)
    faults = iter(range(2))

    def observe(*_: Any) -> None:
        if next(faults, None) is not None:
            raise ZeroDivisionError("by accident")

    monkeypatch.setattr(session.watch.observer, "observe", observe)
    session.open()
    try:
        until(lambda: session.alarm is not None and not session.running)
        assert heard.is_set()
        told = [json.loads(text) for text in page.updates() if isinstance(text, str)]
        message = "the view made an error (ZeroDivisionError: by accident) and has paused"
        assert {"type": "error", "about": "view", "message": message} in told
        until(lambda: next(faults, None) is None)
        assert len([entry for entry in caplog.records if entry.exc_info]) == 1  # the same error once
        session.submit({"type": "step", "count": 4}, print)
        until(lambda: session.status.get("step", 0) >= 4)
    finally:
        session.close()
