"""Runs of tracked animals work with everything that reads runs."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pytest

import murmura as mm
from murmura.core.errors import ScenarioError
from murmura.lab.exports.export import export
from murmura.lab.films.film import Cut, render
from murmura.lab.films.film_frames import RecordedReel
from murmura.lab.films.picture import Look
from murmura.lab.runs.branching import BranchableRun
from murmura.lab.runs.resuming import resume
from murmura.lab.runs.run import Run
from murmura.lab.tracks.folder import steps_between, tracks_report
from murmura.lab.tracks.tracks import read_tracks
from murmura.view.compare import Pair, SyncedPlayback, SyncedSession
from murmura.view.playback.recorded import RecordedSource

from .shoals import circling


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("tracks")
    places = circling(24, 4)
    places[5:7, 0] = places[10:20, 3] = np.nan
    np.save(folder / "shoal.npy", places)
    return mm.load_tracks(folder / "shoal.npy", folder / "Shoal 1", fps=10.0, fill=2, arena="circle")


def test_frames_hold_who_was_seen(run: Run):
    tracks = read_tracks(run.folder.parent / "shoal.npy", fps=10.0, fill=2, arena="circle")
    assert len(run.frames) == 24 and run.status == "finished" and run.scenario.name == "shoal-1"
    for number, frame in enumerate(run.frames):
        here = tracks.present[number]
        assert frame.ids.tolist() == np.flatnonzero(here).tolist()
        np.testing.assert_allclose(frame.positions, tracks.positions[number, here], atol=1e-5)
        np.testing.assert_allclose(frame.velocities, tracks.velocities[number, here], atol=1e-5)
        assert frame.columns["filled"].tolist() == tracks.filled[number, here].tolist()
        assert frame.time == pytest.approx(number / 10.0)
    assert run.frames[5].columns["filled"].tolist() == [1, 0, 0, 0] and run.frames[12].agent_count == 3


def test_the_report_says_what_was_changed(run: Run):
    report = tracks_report(run)
    assert report is not None and report["files"][0]["name"] == "shoal.npy"
    assert (report["missing"], report["filled"], report["points"]) == (12, 2, 96)
    assert json.loads((run.folder / "tracks.json").read_text())["arena"]["kind"] == "circle"


def test_measures_are_those_of_the_frames(run: Run):
    rows = list(run.metrics())
    assert len(rows) == 24 and [row["agents"] for row in rows][9:12] == [4, 3, 3]
    # On circles headings turn as fast as the animals go round: a turn in four seconds.
    assert rows[3]["turning_rate"] == pytest.approx(90.0, rel=0.01)
    assert rows[3]["milling"] > 0.99


def test_a_folder_of_tracks_is_whole_and_damage_is_found(run: Run, tmp_path: Path):
    from shutil import copytree

    assert run.verify().is_whole
    copy = copytree(run.folder, tmp_path / "copy")
    text = (copy / "tracks.json").read_text().replace('"filled": 2', '"filled": 0')
    (copy / "tracks.json").write_text(text)
    assert "tracks.json" in str(mm.open_run(copy).verify().damages[0])


def test_tracks_are_exported_plotted_and_filmed(run: Run, tmp_path: Path):
    written = export(run, "csv", tmp_path / "t.csv")
    lines = written[0].read_text().splitlines()
    assert len(lines) == 1 + 96 - 10 and "filled" in lines[0]
    assert mm.plot(run.folder, tmp_path / "t.svg", of=["polarization"]) == "series"
    reel = RecordedReel(run.scenario, run.seed, run.frames.sound())
    render(reel, tmp_path / "t.png", Look(size=(320, 200)), Cut(at=12))
    assert (tmp_path / "t.png").stat().st_size > 1000
    assert run.lineage().alive.all() and run.to_polars().collect().height == 86


def test_tracks_are_replayed_and_compared(run: Run):
    branchable = BranchableRun(run)
    played = RecordedSource(branchable)
    played.seek(12)
    assert played.flock.agent_count == 3
    model = SyncedSession(mm.load_scenario("classic").with_values({"agents": 4}), 0, "reference", None, 1.0)
    Pair(SyncedPlayback(branchable, 1.0), model)
    simulation, words = BranchableRun(run, backend="reference").branch(3)
    assert "the animals' rules are unknown" in words
    simulation.step(1)
    moved = simulation.positions - run.frames[3].positions
    # The fourth one meets the wall of the arena.
    np.testing.assert_allclose(moved[:3], run.frames[3].velocities[:3] * 0.1, atol=1e-4)


def test_animals_cannot_be_resumed(run: Run):
    with pytest.raises(ScenarioError, match="tracked animals, whose rules are unknown"):
        resume(run.folder, 100)


def test_nothing_is_written_where_something_is_wrong(run: Run, tmp_path: Path):
    (tmp_path / "bad.csv").write_text("frame,id,x,y\n0,a,1,2\n0,a,1,2\n")
    with pytest.raises(ScenarioError, match="twice"):
        mm.load_tracks(tmp_path / "bad.csv", tmp_path / "out", fps=1.0)
    assert not (tmp_path / "out").exists()
    with pytest.raises(ScenarioError, match="is not empty"):
        mm.load_tracks(run.folder.parent / "shoal.npy", run.folder, fps=10.0)

    def stop(done: int, end: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        mm.load_tracks(run.folder.parent / "shoal.npy", tmp_path / "out", fps=10.0, progress=stop)
    assert {path.name for path in (tmp_path / "out").iterdir()} <= {".lock"}
    assert len(mm.load_tracks(run.folder.parent / "shoal.npy", tmp_path / "out", fps=10.0).frames) == 24


@pytest.mark.parametrize(("fps", "steps"), [(30.0, 1), (1.0, 1), (0.5, 2), (0.3, 4), (1.0 / 3.0, 3)])
def test_slow_recordings_have_several_steps_a_frame(tmp_path: Path, fps: float, steps: int):
    assert steps_between(fps) == steps
    np.save(tmp_path / "t.npy", circling(3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = mm.load_tracks(tmp_path / "t.npy", tmp_path / "run", fps=fps)
    assert found.frames.times.tolist() == pytest.approx([0.0, 1.0 / fps, 2.0 / fps])


def test_strides_across_the_arena_are_refused_before_anything_is_written(tmp_path: Path):
    places = np.stack([np.arange(24.0), np.arange(24.0) % 2], axis=1)[:, None]  # a channel, 1 wide
    np.save(tmp_path / "t.npy", places)
    words = (
        r"t\.npy: the fastest animal moves 1\.4\d* \[u\] .* third of the arena's smallest side .* \(--arena\)"
    )
    with pytest.raises(ScenarioError, match=words):
        mm.load_tracks(tmp_path / "t.npy", tmp_path / "run", fps=10.0)
    assert not (tmp_path / "run").exists()
    assert (
        len(mm.load_tracks(tmp_path / "t.npy", tmp_path / "run", fps=10.0, arena="box:-1,-4,25,5").frames)
        == 24
    )
