"""A session without a server: forbidden changes, and what happens when a run fails."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import murmura as mm
from murmura.core.algebra import where
from murmura.core.rule import REGISTRY, register_rule
from murmura.view.playback.replay import read_record, replay
from murmura.view.session.session import Session
from murmura.view.session.subscriber import Subscriber
from tests.view.live import Frame, Live, flock, until


def obey(session: Session, *messages: dict[str, Any]) -> list[str]:
    """Execute commands at once; return the reasons of those that were refused."""
    reasons: list[str] = []
    for message in messages:
        session.submit(message, reasons.append)
    while session._run_commands():
        pass
    return reasons


def test_the_fast_backend_shows_the_same_bits_as_a_plain_run():
    session = Session(flock(100), 5, "cpu")
    assert obey(session, {"type": "step", "count": 30}) == []
    # The kernel is built by its own thread, which may have finished or not.
    until(lambda: obey(session) == [] and session.simulation.step_count == 30)
    plain = mm.Simulation(flock(100), 5, "cpu")
    plain.step(30)
    assert session.simulation.state_hash() == plain.state_hash()


def test_attractors_that_are_switched_off_stay_off():
    points = [{"x": 800.0, "y": 450.0, "strength": 5.0, "radius": 2000.0}]
    quiet = flock(60).with_values({"rules.attractors.points": points, "rules.attractors.enabled": False})
    for scenario in (quiet, quiet.with_values({"rules.attractors.enabled": True})):
        session = Session(scenario, 5, "reference")
        obey(session, {"type": "step", "count": 10})
        plain = mm.Simulation(scenario, 5, "reference")
        plain.step(10)
        assert session.simulation.state_hash() == plain.state_hash()


def test_a_selected_agent_that_dies_is_let_go():
    session = Session(flock(10), 1, "reference")
    obey(session, {"type": "select", "id": 4})
    session.watch.inspect(session.simulation)
    assert session.watch.inspection is not None and session.watch.inspection["id"] == 4
    session.simulation.remove_agents([4])
    session.watch.inspect(session.simulation)
    assert session.watch.inspection == {"type": "inspect", "id": None}


def test_picking_in_an_empty_world_picks_nobody():
    session = Session(flock(0), 1, "reference")
    assert obey(session, {"type": "pick", "x": 1, "y": 1}, {"type": "step", "count": 2}) == []
    session._publish_status()
    assert session.status["agents"] == 0
    assert session.watch.inspection is None


def test_a_frame_says_when_its_agents_are_others_than_before():
    """One agent dies and one is born: the count is the same, but agent k is another agent. The picture continues."""
    session = Session(flock(10), 1, "reference")

    def shown() -> tuple[int, int, int]:
        session._publish_frame()
        frame = Frame(session.frame)
        return frame.roster, frame.epoch, frame.count

    first = shown()
    obey(session, {"type": "step", "count": 5})
    assert shown() == first
    session.simulation.remove_agents([4])
    session.simulation.add_agents([[10.0, 10.0]], [[1.0, 0.0]])
    assert shown() == (first[0] + 1, first[1], 10)
    assert shown() == (first[0] + 1, first[1], 10)


def test_a_long_step_keeps_nobody_waiting():
    """Ten thousand steps are done in batches, with frames and Ctrl-C in between, and commands stay in order."""
    session = Session(flock(40), 1, "reference")
    session.submit({"type": "step", "count": 10_000}, print)
    session.submit({"type": "reset", "seed": 3}, print)
    try:
        session.open()
        until(lambda: session.status.get("step", 0) > 5)
        first = session.frame_number
        session.ask_frame()
        until(lambda: session.frame_number > first)
        assert session.simulation.seed == 1
    finally:
        session.close()
    assert not session._thread.is_alive() and 5 < session.simulation.step_count < 10_000


@pytest.fixture
def fuse() -> Iterator[None]:
    known = dict(REGISTRY)

    class Fuse(mm.Rule):
        """Valid for a while, then NaN."""

        burns_at: float = 20.0

        @staticmethod
        def steer(p: Any, me: Any, found: Any, world: Any) -> Any:
            return me.heading * where(world.step < p.burns_at, 0.0, float("nan"))

    register_rule("fuse")(Fuse)
    yield
    REGISTRY.clear()
    REGISTRY.update(known)


# R17
@pytest.mark.usefixtures("fuse", "built_page")
def test_a_flock_that_breaks_down_is_reported_and_begins_again():
    session = Session(flock(10).with_values({"rules.fuse.burns_at": 20.0}), 1, "reference")
    session.running = False  # kept until there is a page to report it to
    with Live(session) as live:
        with live.page() as page:
            page.wait("hello")
            page.send("play")
            error = page.wait("error")
            assert error["about"] == "run" and "step 21" in error["message"]
            status = page.status()
            assert (status["running"], status["step"]) == (False, 0)
            # The same after a restart by the user; the session survives.
            assert page.ask("step", count=20)["step"] == 20
            page.newest.pop("error")
            page.send("step", count=5)
            assert "step 21" in page.wait("error")["message"]
            assert page.ask("step", count=3)["step"] == 3
        until(lambda: not live.pages)
        with live.page() as late:
            late.status()
            assert "error" not in late.newest  # reported once, not to later pages


@pytest.mark.usefixtures("fuse")
def test_a_breakdown_can_be_replayed(tmp_path: Path):
    """After a restart, the recorded actions lead to the state after it."""
    session = Session(flock(10).with_values({"rules.fuse.burns_at": 20.0}), 1, "reference")
    obey(session, {"type": "step", "count": 30})
    assert session.alarm is not None and session.simulation.step_count == 0
    obey(session, {"type": "step", "count": 7})
    path = tmp_path / "actions.json"
    path.write_text(json.dumps(session.scene.record()))
    assert replay(read_record(path)).simulation.step_count == 7


def test_a_visitor_may_look_and_not_touch():
    session = Session(flock(8), 3, "reference")
    watcher = Subscriber(session, lambda: None, may_touch=False)
    watcher.receive('{"type": "ready"}')
    watcher.receive('{"type": "pause"}')
    told = [json.loads(message) for message in watcher.updates() if isinstance(message, str)]
    assert told[0]["visitor"] is True
    assert [message["message"] for message in told if message["type"] == "error"] == [
        "you are a visitor: you may watch but change nothing"
    ]
    assert session._queue.take() is None
    free = next(iter(Subscriber(session, lambda: None).updates()))
    assert "visitor" not in json.loads(free)
