"""A recorded run in the live view: the right frame at every position of the time line, and continuing live."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import murmura as mm
from murmura.core.errors import MurmuraError, RunError, ScenarioError
from murmura.lab.runs.branching import BranchableRun
from murmura.lab.runs.reading.bare_trajectory import BareTrajectory
from murmura.lab.runs.recording import record
from murmura.view.playback.playback import Playback, usual_speed
from murmura.view.playback.recorded import RecordedSource
from tests.view.live import Frame, Live, flock, until
from tests.view.session.test_session import obey

STEPS, EVERY = 60, 6


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("runs") / "evening"
    record(mm.Simulation(flock(80), 5, "reference"), STEPS, target, EVERY)
    return target


@pytest.fixture
def playback(folder: Path) -> Playback:
    return Playback(BranchableRun(mm.open_run(folder)))


def plain(steps: int) -> mm.Simulation:
    simulation = mm.Simulation(flock(80), 5, "reference")
    simulation.step(steps)
    return simulation


def branched(playback: Playback) -> None:
    """Continue live, and wait until the flock is there."""
    assert obey(playback, {"type": "branch"}) == []
    until(lambda: obey(playback) == [] and not playback._is_branching)


@pytest.mark.parametrize(("asked", "shown"), [(0, 0), (5, 0), (6, 6), (35, 30), (60, 60), (10_000, 60)])
def test_a_place_of_the_time_line_shows_the_last_frame_before_it(playback: Playback, asked: int, shown: int):
    assert obey(playback, {"type": "seek", "step": asked}) == []
    found = playback.simulation
    assert found.step_count == shown
    assert np.array_equal(found.velocities, plain(shown).velocities)
    assert np.abs(found.positions - plain(shown).positions).max() < 1e-4
    assert found.time == pytest.approx(shown / 60.0)


def test_the_clock_walks_through_all_frames_and_stops_at_the_end(playback: Playback):
    seen = []
    playback.running = True
    for _ in range(1000):
        playback._advance(0.01)
        seen.append(playback.simulation.step_count)
        if not playback.running:
            break
    assert sorted(set(seen)) == list(range(0, STEPS + 1, EVERY))
    assert seen == sorted(seen) and not playback.running
    obey(playback, {"type": "play"})
    assert (
        playback.running and playback.simulation.step_count == 0
    )  # at the end, play starts from the beginning


def test_a_single_step_is_a_frame_and_reset_the_beginning(playback: Playback):
    obey(playback, {"type": "step", "count": 1}, {"type": "step", "count": 1})
    assert playback.simulation.step_count == 2 * EVERY
    assert not playback.running
    obey(playback, {"type": "reset", "seed": None})
    assert playback.simulation.step_count == 0


@pytest.mark.parametrize(
    "message",
    [
        {"type": "set", "values": {"rules.alignment.weight": 2.0}},
        {"type": "pointer", "x": 1, "y": 1, "mode": "attract"},
        {"type": "place", "kind": "circle", "x": 1, "y": 1, "radius": 5},
        {"type": "load", "scenario": "fish"},
    ],
)
def test_a_recording_cannot_be_changed(playback: Playback, message: dict[str, Any]):
    before = playback.simulation.state_hash()
    (reason,) = obey(playback, message)
    assert reason == "a recording cannot be changed: continue live from here first"
    assert playback.simulation.state_hash() == before
    assert playback.scenario == flock(80)


def test_agents_of_a_recorded_moment_can_be_asked(playback: Playback):
    obey(playback, {"type": "seek", "step": 30}, {"type": "select", "id": 7})
    playback.watch.inspect(playback.simulation)
    found, expected = playback.watch.inspection, plain(30)
    assert found is not None and found["id"] == 7
    assert {one["id"] for one in found["neighbors"]} == set(expected.neighbors(7).tolist())


def test_the_page_hears_of_the_time_line(playback: Playback):
    obey(playback, {"type": "seek", "step": 20})
    playback._publish_status()
    line = playback.status["playback"]
    assert line == playback.hello()["playback"]
    assert (line["name"], line["first"], line["last"], line["frames"], line["at"]) == (
        "evening",
        0,
        60,
        11,
        20,
    )
    assert (line["live"], line["waiting"]) == (False, False)
    assert playback.hello()["columns"] == []  # no colour modes for columns that were not recorded
    playback._publish_frame()
    assert playback.frame[:4] == b"MRM1"


def test_live_from_a_frame_is_the_run_to_the_bit(playback: Playback):
    obey(playback, {"type": "seek", "step": 24})
    epoch = playback.source.epoch
    branched(playback)
    assert playback.is_live and playback.running
    assert playback.source.epoch > epoch
    playback._publish_frame()
    assert Frame(playback.frame).epoch == playback.source.epoch  # of the live flock, not of the recording
    assert playback.time_line()["told"] == "exactly as it was at step 24, recomputed from step 0"
    obey(playback, {"type": "step", "count": 36})
    assert (
        playback.simulation.state_hash() == mm.open_run(playback._recorded.recording._run.folder).final_hash
    )  # type: ignore[attr-defined]
    assert obey(playback, {"type": "set", "values": {"motion.max_speed": 9.0}}) == []
    assert playback.scenario.motion.max_speed == 9.0


def test_and_back_to_the_recording(playback: Playback):
    obey(playback, {"type": "seek", "step": 24})
    (reason,) = obey(playback, {"type": "return"})
    assert reason == "this is already the recording"
    branched(playback)
    (reason,) = obey(playback, {"type": "seek", "step": 3})
    assert "nothing to go back to yet" in reason
    assert obey(playback, {"type": "return"}) == []
    assert not playback.is_live
    assert playback.simulation.step_count == 24
    assert playback.scenario == flock(80)


def test_live_from_the_end_begins_with_the_checkpoint(folder: Path):
    simulation, told = BranchableRun(mm.open_run(folder)).branch(10)
    assert simulation.state_hash() == mm.open_run(folder).final_hash
    assert told == "exactly as it was at step 60, recomputed from step 60"


def test_a_run_from_given_positions_continues_from_its_frames(tmp_path: Path):
    begun = plain(7)
    own = mm.Simulation(flock(80), 5, "reference", positions=begun.positions, velocities=-begun.velocities)
    record(own, 12, tmp_path / "own", 4)
    for name in ("checkpoint-A.npz", "checkpoint-B.npz"):
        (tmp_path / "own" / name).unlink(missing_ok=True)
    run = BranchableRun(mm.open_run(tmp_path / "own"))
    simulation, told = run.branch(2)
    assert "from the recorded positions of step 8" in told
    assert simulation.step_count == 8
    assert np.array_equal(simulation.velocities, run.frame(2).velocities)


def test_sparse_runs_are_shown_faster(folder: Path):
    run = BranchableRun(mm.open_run(folder))
    assert usual_speed(run) == 1.5
    run.steps = range(0, 6000, 100)
    assert usual_speed(run) == 16.0


def test_a_run_without_frames_is_refused(folder: Path):
    run = BranchableRun(mm.open_run(folder))
    run.steps = []
    with pytest.raises(ScenarioError, match="evening has no frames yet"):
        Playback(run)


def test_a_recording_has_no_actions_and_says_so(folder: Path, built_page: Path):
    with Live(Playback(BranchableRun(mm.open_run(folder)))) as live:
        status, _, body = live.get("/api/actions", cookie=live.cookie)
    assert status == 409
    assert b"this is a recording" in body


def test_it_waits_at_the_first_frame_until_somebody_plays_it(playback: Playback):
    assert not playback.running and playback.simulation.step_count == 0
    playback.ask_frame()
    assert not playback.running
    assert playback.hello()["running"] is False


def test_charts_get_what_was_measured(playback: Playback, folder: Path):
    told = playback.hello()["history"]
    rows = list(mm.open_run(folder).metrics())
    assert told["times"] == pytest.approx([row["step"] / 60.0 for row in rows])
    assert told["columns"]["polarization"] == pytest.approx([row["polarization"] for row in rows])
    branched(playback)
    assert "history" not in playback.hello()  # from here on it is measured live


def test_a_trajectory_without_its_folder_can_be_watched(folder: Path, tmp_path: Path):
    alone = tmp_path / "alone.gsd"
    alone.write_bytes((folder / "run.gsd").read_bytes())
    bare = BareTrajectory(alone)
    playback = Playback(bare)
    obey(playback, {"type": "seek", "step": 30})
    assert np.abs(playback.simulation.positions - plain(30).positions).max() < 1e-4
    assert (bare.scenario.world.width, bare.scenario.world.height) == (1600, 900)
    assert playback.hello()["history"]["times"] == []
    with pytest.raises(RunError, match="only be watched"):
        bare.branch(0)
    empty = tmp_path / "empty.gsd"
    empty.write_bytes(b"no trajectory")
    with pytest.raises(MurmuraError):
        BareTrajectory(empty)


def test_a_recorded_frame_in_space_has_its_depth(tmp_path: Path):
    scenario = flock(20, **{"world.depth": 600.0})
    run = record(mm.Simulation(scenario, 5, "reference"), 4, tmp_path / "space", 2)
    source = RecordedSource(BranchableRun(run))
    source.seek(4)
    expected = mm.Simulation(scenario, 5, "reference")
    expected.step(4)
    assert source.flock.positions.shape == (20, 3)
    assert np.abs(source.flock.positions - expected.positions).max() < 1e-3
    assert np.array_equal(source.flock.velocities, expected.velocities)
    bare = RecordedSource(BareTrajectory(tmp_path / "space" / "run.gsd"))
    bare.seek(4)
    assert bare.flock.scenario.world.depth == 600.0  # from the box of the file
    assert np.abs(bare.flock.positions - expected.positions).max() < 1e-3


def test_the_trajectory_of_a_world_smaller_than_its_rules_can_be_watched(tmp_path: Path):
    small = {f"world.{side}": 30.0 for side in ("width", "height", "depth")}
    radii = {
        "perception.radius": 5.0,
        "rules.separation.radius": 2.0,
        "motion.max_speed": 9.0,
        "start.speed": 9.0,
    }
    record(mm.Simulation(flock(5, **small, **radii), 5, "reference"), 2, tmp_path / "small", 2)
    bare = BareTrajectory(tmp_path / "small" / "run.gsd")
    assert bare.scenario.world.sides == (30.0, 30.0, 30.0)
    assert bare.frame(1).positions.shape == (5, 3)


def test_a_run_in_space_is_lived_on_from_any_frame(tmp_path: Path):
    scenario = flock(20, **{"world.depth": 600.0})
    record(mm.Simulation(scenario, 5, "reference"), 6, tmp_path / "space", 2)
    live, how = BranchableRun(mm.open_run(tmp_path / "space")).branch(1)
    assert live.step_count == 2 and how.startswith("exactly as it was")
    live.step(5)
    expected = mm.Simulation(scenario, 5, "reference")
    expected.step(7)
    assert live.state_hash() == expected.state_hash()
