"""A session over a real socket, saved and replayed: the same bits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from murmura.core.errors import RunError, ScenarioError
from murmura.view.playback.replay import read_record, replay, replay_session
from murmura.view.session.scene import Scene
from murmura.view.session.session import Session
from tests.view.live import Live, Page, flock, until


def saved(live: Live, folder: Path) -> Path:
    """The file that the page's "Save the actions" downloads."""
    status, headers, body = live.get("/api/actions", Cookie=live.cookie)
    assert status == 200 and headers["content-type"] == "application/json"
    path = folder / "actions.json"
    path.write_bytes(body)
    return path


@pytest.fixture(scope="module")
def record(live: Live, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Everything a user can do, some of it while the flock runs; return the file, and the hash on the page."""
    with live.page() as page:
        page.still(flock(60))
        page.send("play")
        page.wait("status", lambda status: status["step"] > 5)
        page.send("set", values={"rules.alignment.weight": 2.5, "perception.radius": 60})
        page.send("pointer", x=300, y=300, mode="attract")
        page.wait("frame", lambda frame: frame.step > 20)
        page.send("pointer", x=320, y=310, mode="scare")
        page.send("set", values={"rules.cohesion.enabled": False})
        page.send("place", kind="circle", x=500, y=300, radius=60)
        page.send("place", kind="wall", points=[[100, 700], [900, 700]])
        page.wait("frame", lambda frame: frame.step > 40)
        page.send("pointer", x=0, y=0, mode="none")
        page.send("erase", x=500, y=300)
        page.send("reset", seed=31)
        page.send("step", count=7)
        page.send("set", values={"agents": 45})
        page.send("play")
        page.wait("status", lambda status: status["agents"] == 45 and status["step"] > 10)
        page.send("speed", value=4)
        page.send("load", scenario="fish")
        page.send("set", values={"agents": 50})
        page.wait("status", lambda status: status["agents"] == 50 and status["step"] > 10)
        page.send("set", values={"rules.alignment.weight": 0.1})
        page.send("step", count=20)
        hashed = page.status()["hash"]
        return saved(live, tmp_path_factory.mktemp("record")), hashed


def test_a_session_is_played_again_to_the_same_bits(record: tuple[Path, str]):
    path, on_the_page = record
    told = read_record(path)
    assert told.end_hash[:12] == on_the_page
    kinds = {action["type"] for action in told.actions}
    assert kinds == {"set", "pointer", "place", "erase", "reset", "load"}
    done: list[tuple[int, int]] = []
    scene = replay(told, progress=lambda *now: done.append(now))
    assert scene.simulation.state_hash() == told.end_hash
    assert scene.scenario.name == "fish" and scene.simulation.agent_count == 50
    assert told.total_steps > 80 and done[-1][1] == told.total_steps


def test_a_session_in_space_is_played_again_to_the_same_bits(tmp_path: Path):
    """Pointer, hunters and obstacles with heights."""
    scene = Scene(flock(20, **{"world.depth": 300.0}), 4, "reference")
    for message in (
        {"type": "pointer", "x": 300, "y": 300, "z": 80, "mode": "attract"},
        {"type": "place", "kind": "predator", "species": "hawk", "x": 200, "y": 200, "z": 250},
        {"type": "place", "kind": "circle", "x": 500, "y": 300, "z": 60, "radius": 50},
        {"type": "set", "values": {"world.boundary_z": "reflect"}},
        {"type": "pointer", "x": 0, "y": 0, "z": 0, "mode": "none"},
    ):
        scene.carry_out(message)
        scene.step(3)
    path = tmp_path / "actions.json"
    path.write_text(json.dumps(scene.record()))
    told = read_record(path)
    assert replay(told).simulation.state_hash() == told.end_hash == scene.simulation.state_hash()


def test_watched_again_it_does_the_same_and_stops_at_its_end(record: tuple[Path, str], built_page: Path):
    told = read_record(record[0])
    with Live(replay_session(told, None, None, speed=16.0)) as live, live.page() as page:
        status = page.wait("status", lambda status: not status["running"])
        assert (status["step"], status["hash"]) == (told.end_step, told.end_hash[:12])
        # From here on the user is in control, and the whole session can be saved again.
        page.send("pointer", x=10, y=10, mode="repel")
        assert page.ask("step", count=5)["step"] == told.end_step + 5
        assert live.session.scene.record()["actions"][:-1] == json.loads(record[0].read_text())["actions"]


def test_who_takes_over_while_it_is_played_again_stops_it(record: tuple[Path, str]):
    scene = replay_session(read_record(record[0]), None, None, 1.0).scene
    scene.step(3)
    assert scene.coming
    scene.carry_out({"type": "set", "values": {"rules.alignment.weight": 0.5}})
    assert not scene.coming
    here = scene.simulation.step_count
    scene.step(100)
    assert scene.simulation.step_count == here + 100


def changed(path: Path, tmp_path: Path, change: Any) -> Path:
    data = json.loads(path.read_text())
    change(data)
    other = tmp_path / "other.json"
    other.write_text(json.dumps(data))
    return other


def test_one_action_less_or_one_step_later_is_noticed(record: tuple[Path, str], tmp_path: Path):
    """Only the last flock counts: an action on an earlier one does not affect the final state."""
    for change in (
        lambda data: data["actions"].pop(),
        lambda data: data["actions"][-1].update(step=data["actions"][-1]["step"] - 1),
        lambda data: data["actions"][-1]["values"].update({"rules.alignment.weight": 0.1001}),
    ):
        with pytest.raises(RunError, match="the replayed session ends in the state"):
            replay(read_record(changed(record[0], tmp_path, change)))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda data: data.pop("actions"), 'an object with "actions" and "end"'),
        (lambda data: data.update(actions=[]), "the first action must load"),
        (lambda data: data["actions"][0].update(type="reset"), "the first action must load"),
        (lambda data: data["actions"][0].pop("seed"), '"scenario" and a "seed"'),
        (lambda data: data["actions"][0]["scenario"].update(agents=-1), "agents must be >="),
        (lambda data: data["actions"][4].update(step=0), "action 4 must have a step of"),
        (lambda data: data["actions"][2].update(step=1.5), "action 2 must have a step of"),
        (lambda data: data["actions"][2].update(type="paus"), "unknown type 'paus'"),
        (lambda data: data["actions"].insert(2, {"type": "end", "step": 10**6}), "unknown type 'end'"),
        (lambda data: data["actions"].insert(2, 7), "action 2 must have a step of"),
        (lambda data: data["end"].update(step=0), "must have a step of"),
        (lambda data: data["end"].update(hash=""), '"step" and a "hash"'),
    ],
)
def test_a_damaged_file_is_named_with_what_is_wrong(
    change: Any, reason: str, record: tuple[Path, str], tmp_path: Path
):
    with pytest.raises(ScenarioError, match=reason) as error:
        read_record(changed(record[0], tmp_path, change))
    assert "other.json cannot be replayed" in str(error.value)


@pytest.mark.parametrize("text", ["", "[]", "7", "{", '{"actions": NaN}', "[" * 100_000, "\x00"])
def test_what_is_no_record_is_refused(text: str, tmp_path: Path):
    path = tmp_path / "actions.json"
    path.write_text(text)
    with pytest.raises(ScenarioError, match="cannot be replayed"):
        read_record(path)
    with pytest.raises(ScenarioError, match="cannot be replayed: No such file"):
        read_record(tmp_path / "none.json")


def test_an_action_that_makes_no_sense_stops_the_replay(record: tuple[Path, str], tmp_path: Path):
    path = changed(
        record[0], tmp_path, lambda data: data["actions"].insert(-1, {**data["actions"][-1], "values": 7})
    )
    with pytest.raises(ScenarioError, match="values must be paths"):
        replay(read_record(path))
    session = replay_session(read_record(path), None, None, 16.0)
    session.open()
    try:
        until(lambda: session.alarm is not None)
        assert session.alarm is not None and session.alarm["about"] == "replay"
        until(lambda: session.status.get("running") is False)
    finally:
        session.close()


def test_notes_that_grow_too_long_end_where_they_are_still_exact(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    scene = Scene(flock(20), 3, "reference")
    monkeypatch.setattr("murmura.view.session.scene.LARGEST_RECORD", scene._size + 500)
    for k in range(30):
        scene.step(2)
        scene.carry_out({"type": "pointer", "x": 100.0 + k, "y": 200.0, "mode": "repel"})
    told = scene.record()
    assert 3 < len(told["actions"]) < 20 and told["end"]["step"] < 30
    path = tmp_path / "actions.json"
    path.write_text(json.dumps(told))
    assert replay(read_record(path)).simulation.step_count == told["end"]["step"]


def test_a_flock_that_was_brought_up_elsewhere_has_no_record(page: Page):
    import murmura as mm

    simulation = mm.Simulation(flock(20), 1, "reference")
    simulation.step(9)
    session = Session(simulation)
    with pytest.raises(ScenarioError, match="its actions alone do not reproduce it"):
        session.scene.record()
