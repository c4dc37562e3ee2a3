"""A run recorded while the live view steps the flock is complete."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import murmura as mm
from murmura.core.errors import ScenarioError
from murmura.lab.runs.live_recording import LiveRecording, LiveRunRecorder
from murmura.view.session.session import Session
from tests.lab.births_and_deaths import family
from tests.view.live import flock, until


def test_the_folder_holds_the_frames_that_were_shown_and_verifies(tmp_path: Path):
    sim = mm.Simulation(flock(30), 5, "reference")
    folder = tmp_path / "run"
    folder.mkdir()
    run = LiveRecording(sim, sim.scenario, folder, every=4)
    shown = {0: sim.positions}
    for count in (1, 2, 3, 4, 5):
        sim.step(count)
        run.observe(sim, [])
        shown[sim.step_count] = sim.positions
    run.end(sim)
    found = mm.open_run(folder)
    assert found.frames.steps.tolist() == [0, 6, 10, 15]
    for frame in found.frames:
        assert np.abs(frame.positions - shown[frame.step]).max() < 1e-4
    assert (found.status, found.final_hash) == ("finished", sim.state_hash())
    assert not found.verify().damages
    assert [row["step"] for row in found.metrics()] == [0, 6, 10, 15]
    assert f"--seed 5 --steps 15 --every 4 --out {folder}-again" in run.command


def test_a_session_is_recorded_from_start_to_stop_with_its_events(tmp_path: Path):
    session, recorder = Session(family(), 7, "reference"), LiveRunRecorder(tmp_path)
    session.open()
    try:
        session.submit({"type": "pause"}, pytest.fail)
        assert session.ask(lambda: recorder.start(session)).result(30)["recording"]
        session.submit({"type": "step", "count": 45}, pytest.fail)
        until(lambda: session.simulation.step_count == 45)
        until(lambda: recorder.status()["frames"] > 1)
        with pytest.raises(ScenarioError, match="stop it first"):
            session.ask(lambda: recorder.start(session)).result(30)
        told = session.ask(recorder.stop).result(30)
        with pytest.raises(ScenarioError, match="no run"):
            session.ask(recorder.stop).result(30)
    finally:
        session.close()
    run = mm.open_run(told["folder"])
    assert {event["kind"] for event in run.events()} >= {"birth", "death"}
    assert run.scenario == session.scenario
