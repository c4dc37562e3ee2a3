"""Comparisons: two flocks share their simulated time and pause together, and are otherwise independent."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import connect

import murmura as mm
from murmura.core.errors import ScenarioError
from murmura.lab.runs.branching import BranchableRun
from murmura.lab.runs.recording import record
from murmura.view.compare import Pair, SyncedPlayback, SyncedSession
from murmura.view.server.app import make_app
from murmura.view.server.guard import Guard

from .live import Live, flock, until


def twin(agents: int = 40, **values: Any) -> SyncedSession:
    return SyncedSession(flock(agents, **values), 5, "reference")


def turn(pair: Pair, seconds: float = 0.02) -> None:
    """What the two threads do, one after the other: execute commands, step, advance time."""
    for one in (pair.left, pair.right):
        one._run_commands()
        one._follow_scene()
        if one.running:
            one._advance(seconds)


def settle(pair: Pair) -> None:
    for _ in range(300):
        turn(pair)
        if not pair.left.running and pair.left.due == pair.right.due == 0:
            return
    raise AssertionError((pair.left.due, pair.right.due))


def tell(one: SyncedSession, **message: Any) -> list[str]:
    reasons: list[str] = []
    one.submit(message, reasons.append)
    return reasons


def test_a_plane_and_a_space_are_not_compared():
    with pytest.raises(
        ScenarioError, match="the left side is a plane and the right side has a depth of 300 u"
    ):
        Pair(twin(5), twin(5, **{"world.depth": 300.0}))


@pytest.mark.parametrize(
    "message",
    [
        {"type": "load", "scenario": "murmuration"},
        {"type": "set", "values": {"world.depth": 300.0}},
        {"type": "load", "scenario": {"name": "deep", "world": {"depth": 300.0}}},
    ],
)
def test_neither_side_becomes_a_space_beside_a_plane(message: dict[str, Any]):
    pair = Pair(twin(5), twin(5))
    [reason] = tell(pair.left, **message)
    assert "the other side is a plane and the this side" not in reason
    assert "the other side is a plane" in reason and "compare two planes or two 3-D worlds" in reason
    turn(pair)
    assert pair.left.scenario.world.depth is None
    deep = Pair(*(twin(5, **{"world.depth": 200.0}) for _ in range(2)))
    assert tell(deep.left, **message) == []
    [reason] = tell(deep.right, type="load", scenario="classic")
    assert reason.startswith("this side is a plane and the other side has a depth of 200 u")


def test_a_pause_finds_both_at_the_same_step():
    pair = Pair(twin(40), twin(90))
    pair.left.pacing._step_seconds, pair.right.pacing._step_seconds = 1e-4, 1e-2  # the right one is slow
    for _ in range(40):
        turn(pair)
        assert abs(pair.left.position - pair.right.position) <= 8
    tell(pair.right, type="pause")
    settle(pair)
    assert pair.left.position == pair.right.position > 10


def test_time_is_common_where_steps_are_not():
    pair = Pair(twin(), twin(**{"motion.time_step": 1.0 / 30.0}))
    for _ in range(30):
        turn(pair)
    tell(pair.left, type="pause")
    settle(pair)
    assert abs(pair.left.position - 2 * pair.right.position) <= 1
    assert pair.right.position > 5


def test_a_step_is_a_step_of_both_whoever_asks():
    pair = Pair(twin(), twin())
    tell(pair.left, type="pause")
    tell(pair.right, type="step", count=7)
    tell(pair.left, type="step", count=2)
    settle(pair)
    assert (pair.left.position, pair.right.position) == (9, 9)
    plain = mm.Simulation(flock(40), 5, "reference")
    plain.step(9)
    assert pair.left.simulation.state_hash() == pair.right.simulation.state_hash() == plain.state_hash()


def test_speed_and_seed_are_common_and_values_are_not():
    pair = Pair(twin(), twin())
    tell(pair.right, type="pause")
    tell(pair.right, type="speed", value=4.0)
    tell(pair.left, type="reset", seed=99)
    tell(pair.left, type="set", values={"rules.alignment.weight": 0.0})
    settle(pair)
    assert pair.left.speed == pair.right.speed == 4.0
    assert pair.left.simulation.seed == pair.right.simulation.seed == 99
    assert (pair.left.scenario.rules.alignment.weight, pair.right.scenario.rules.alignment.weight) == (
        0.0,
        1.0,
    )


def test_a_new_flock_on_one_side_begins_both_anew():
    pair = Pair(twin(), twin())
    for _ in range(20):
        turn(pair)
    tell(pair.left, type="set", values={"agents": 70})
    tell(pair.left, type="pause")
    settle(pair)
    assert (pair.left.simulation.agent_count, pair.right.simulation.agent_count) == (70, 40)
    assert pair.left.position == pair.right.position < 15


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("runs") / "evening"
    record(mm.Simulation(flock(40), 5, "reference"), 40, target, 4)
    return target


def test_a_recorded_run_beside_a_live_flock(folder: Path):
    """A run and the same flock live: the same positions in every frame."""
    pair = Pair(SyncedPlayback(BranchableRun(mm.open_run(folder))), twin())
    tell(pair.left, type="pause")
    tell(pair.left, type="step", count=1)  # to the next frame
    settle(pair)
    assert pair.left.simulation.step_count == pair.right.position == 4
    assert pair.left.simulation.velocities.tolist() == pair.right.simulation.velocities.tolist()
    tell(pair.left, type="play")
    for _ in range(200):
        turn(pair)
    assert not pair.left.running and not pair.right.running  # the recording is over
    assert pair.left.position == pair.right.position == 40


def test_a_recorded_run_beside_a_live_flock_in_space(tmp_path: Path):
    deep = {"world.depth": 300.0}
    record(mm.Simulation(flock(20, **deep), 5, "reference"), 8, tmp_path / "deep", 4)
    pair = Pair(SyncedPlayback(BranchableRun(mm.open_run(tmp_path / "deep"))), twin(20, **deep))
    tell(pair.left, type="pause")
    tell(pair.left, type="step", count=1)
    settle(pair)
    assert pair.left.simulation.step_count == pair.right.position == 4
    assert pair.left.simulation.velocities.shape == (20, 3)
    assert pair.left.simulation.velocities.tolist() == pair.right.simulation.velocities.tolist()


def test_a_recorded_run_in_space_is_not_compared_with_a_plane(tmp_path: Path):
    record(mm.Simulation(flock(5, **{"world.depth": 300.0}), 5, "reference"), 2, tmp_path / "deep", 2)
    with pytest.raises(
        ScenarioError, match="the right side is a plane and the left side has a depth of 300 u"
    ):
        Pair(SyncedPlayback(BranchableRun(mm.open_run(tmp_path / "deep"))), twin(5))


def test_two_recorded_runs_share_the_time_line(folder: Path):
    pair = Pair(*(SyncedPlayback(BranchableRun(mm.open_run(folder))) for _ in range(2)))
    tell(pair.right, type="pause")
    tell(pair.right, type="seek", step=22)
    settle(pair)
    assert [one.simulation.step_count for one in (pair.left, pair.right)] == [20, 20]


@pytest.fixture
def live() -> Iterator[Live]:
    left, right = twin(), twin(60)
    left.label = "calm"
    with Live(Pair(left, right)) as found:  # type: ignore[arg-type]
        yield found


def test_each_side_has_its_page_and_its_line(live: Live):
    for path, agents, label in (("left", 40, "calm"), ("right", 60, None)):
        address, cookie = f"ws://{live.host}/{path}/ws", {"Cookie": live.cookie}
        with connect(address, origin=live.origin, additional_headers=cookie, max_size=None) as socket:  # type: ignore[arg-type]
            hello = json.loads(socket.recv())
            assert (hello["scenario"]["agents"], hello.get("label")) == (agents, label)
    left, right = live.session.left, live.session.right  # type: ignore[attr-defined]
    until(lambda: left.position > 5 and right.position > 5)
    left.submit({"type": "pause"}, pytest.fail)
    until(lambda: not left.running and not right.running and left.due == right.due == 0)
    assert left.position == right.position


def test_only_the_two_halves_may_be_framed_and_only_by_ourselves(live: Live):
    def ancestors(path: str, app_cookie: str = live.cookie) -> str:
        _, headers, _ = live.get(path, cookie=app_cookie)
        return headers["content-security-policy"].rpartition("frame-ancestors ")[2]

    assert ancestors("/left/") == ancestors("/right/") == "'self'"
    assert ancestors("/") == ancestors("/assets/none.js") == ancestors("/leftover") == "'none'"
    assert live.get("/left/")[0] == 403  # no cookie, no data
    assert live.get("/left/ws", cookie=live.cookie)[0] in (403, 404)


def test_only_the_halves_of_a_comparison_are_framed():
    guard = make_app(SyncedSession(flock(10), 1, "reference"), 8421)
    assert isinstance(guard, Guard) and guard._framed
    assert all(path.startswith("/compare/") for path in guard._framed)
