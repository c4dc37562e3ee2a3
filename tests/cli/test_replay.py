"""`murmura replay`: a session's actions from a file, played to the recorded state or refused."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import murmura as mm
from murmura.view.session.scene import Scene

from .terminal import PATIENCE, complaint, python_says, started
from .test_live import LIVE, folder

__all__ = ["folder"]


@pytest.fixture
def record(tmp_path: Path) -> dict[str, Any]:
    """A short session: a slider, the pointer and a reset."""
    scene = Scene(mm.load_scenario("classic").with_values({"agents": 30}), 4, "reference")
    scene.step(5)
    scene.carry_out({"type": "set", "values": {"rules.alignment.weight": 2.5}})
    scene.step(4)
    scene.carry_out({"type": "reset", "seed": 8})
    scene.carry_out({"type": "pointer", "x": 100, "y": 100, "mode": "attract"})
    scene.step(11)
    found = scene.record()
    (tmp_path / "actions.json").write_text(json.dumps(found))
    return found


def replay(tmp_path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return python_says("-m", "murmura", "replay", *words, cwd=tmp_path)


def test_it_reaches_the_recorded_state(record: dict[str, Any], tmp_path: Path):
    done = replay(tmp_path, "actions.json", "--json")
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert facts["hash"] == record["end"]["hash"]
    assert (facts["steps"], facts["actions"], facts["seed"]) == (20, 4, 8)


def test_another_state_is_a_failure(record: dict[str, Any], tmp_path: Path):
    record["end"]["hash"] = "0" * 64
    (tmp_path / "actions.json").write_text(json.dumps(record))
    assert "the recorded one in 000000000000" in complaint(replay(tmp_path, "actions.json"), code=1)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("none.json", None, "none.json cannot be replayed: No such file"),
        ("bad.json", "{", "bad.json cannot be replayed: expected JSON"),
        ("other.json", '{"agents": 5}', 'expected an object with "actions" and "end"'),
        (".", None, "is not a run folder"),
    ],
)
def test_invalid_records_are_reported(name: str, text: str | None, message: str, tmp_path: Path):
    if text is not None:
        (tmp_path / name).write_text(text)
    assert message in complaint(replay(tmp_path, name), code=2)


@pytest.mark.usefixtures("record")
def test_it_can_be_watched(folder: Path):
    words = [sys.executable, "-c", LIVE, "replay", "actions.json", "--live", "--no-open"]
    with started(*words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert "http://127.0.0.1:" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        printed, said = process.communicate(timeout=PATIENCE)
    assert (process.returncode, printed, said) == (0, "murmura: stopped\n", "")
