"""Files of a run: never written through a link, never left incomplete, and always resumable."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import murmura as mm
from murmura.core.errors import RunError, ScenarioError
from murmura.lab.runs.checkpoints import SLOTS
from murmura.lab.runs.recording import check_folder, record
from murmura.lab.runs.resuming import resume
from tests.cli.terminal import complaint, environment, murmura_says

OUTPUTS = ("config.json", "run.gsd", "metrics.jsonl", "events.jsonl")
CHILD = """
import os, signal, sys
import murmura as mm
from murmura.lab.runs import {module}
from murmura.lab.runs.recording import record

def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

{module}.{name} = die
scenario = mm.load_scenario("classic").with_values({{"agents": 6}})
record(mm.Simulation(scenario, seed=3, backend="reference"{more}), 9, sys.argv[1], every=2)
"""


def small() -> mm.Simulation:
    return mm.Simulation(mm.load_scenario("classic").with_values({"agents": 6}), seed=3, backend="reference")


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stopped") / "run"

    def press(step: int, end: int) -> None:
        if step == 5:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        record(small(), 9, folder, every=1, progress=press)
    return folder


@pytest.mark.parametrize(
    "name", ["metrics.jsonl", "events.jsonl", "run.gsd", "manifest.json", "config.json", ".lock", *SLOTS]
)
def test_a_run_is_not_written_through_links(name: str, stopped: Path, tmp_path: Path):
    folder = shutil.copytree(stopped, tmp_path / "run")
    elsewhere = tmp_path / "precious"
    elsewhere.write_bytes((folder / name).read_bytes() + b"precious\n")
    before = elsewhere.read_bytes()
    (folder / name).unlink()
    (folder / name).symlink_to(elsewhere)
    with pytest.raises(mm.MurmuraError, match=r"is a link: only plain files are written to|is damaged"):
        resume(folder)
    assert elsewhere.read_bytes() == before


def test_links_under_the_names_of_files_to_come_lead_nowhere(stopped: Path, tmp_path: Path):
    """Temporary files have a predictable name: `.NAME.PID`."""
    folder = shutil.copytree(stopped, tmp_path / "run")
    precious = tmp_path / "precious"
    precious.write_text("do not touch")
    for name in ("manifest.json", *SLOTS):
        (folder / f".{name}.{os.getpid()}").symlink_to(precious)
    resume(folder)
    assert precious.read_text() == "do not touch"
    assert mm.open_run(folder).verify().is_whole


def test_reading_follows_links_but_waits_for_no_pipe(stopped: Path, tmp_path: Path):
    folder = shutil.copytree(stopped, tmp_path / "run")
    (folder / "run.gsd").rename(tmp_path / "large.gsd")
    (folder / "run.gsd").symlink_to(tmp_path / "large.gsd")
    assert len(mm.open_run(folder).frames) == 6
    for name, read in (
        ("metrics.jsonl", lambda run: list(run.metrics())),
        ("run.gsd", lambda run: run.frames),
    ):
        run = mm.open_run(folder)
        (folder / name).unlink()
        os.mkfifo(folder / name)
        with pytest.raises(RunError, match="expected a plain file"):
            read(run)


def killed(folder: Path, module: str, name: str, more: str = "") -> None:
    code = CHILD.format(module=module, name=name, more=more)
    done = subprocess.run([sys.executable, "-c", code, str(folder)], env=environment(), capture_output=True)
    assert done.returncode == -signal.SIGKILL, done.stderr


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("recorder", "Outputs.create"),  # only what is needed to start
        ("recorder", "LinesWriter.create"),  # some of the files
        ("checkpoints", "Checkpoints.save"),  # before the first checkpoint
    ],
)
def test_a_run_killed_before_its_first_step_continues(module: str, name: str, tmp_path: Path):
    whole = record(small(), 9, tmp_path / "whole", every=2)
    killed(tmp_path / "run", module, name)
    said: list[str] = []
    run = resume(tmp_path / "run", announce=said.append)
    assert any("starts again" in text for text in said)
    assert run.final_hash == whole.final_hash
    for file in OUTPUTS:
        assert (run.folder / file).read_bytes() == (whole.folder / file).read_bytes(), file


def test_a_run_from_a_start_of_its_own_is_not_begun_from_another(tmp_path: Path):
    killed(tmp_path / "run", "checkpoints", "Checkpoints.save", ", positions=[[5.0, 5.0]] * 6")
    with pytest.raises(
        RunError, match="stopped before its first checkpoint, and did not begin from the start"
    ):
        resume(tmp_path / "run")


def test_a_run_killed_before_it_had_begun_is_begun_by_the_same_command(tmp_path: Path):
    killed(tmp_path / "run", "recording", "new_manifest")
    assert {path.name for path in (tmp_path / "run").iterdir()} == {".lock"}
    (tmp_path / "run" / "config.json").write_text("{")
    (tmp_path / "run" / ".config.json.123").write_text("{")
    with pytest.raises(
        ScenarioError, match=r"was stopped before it began\. Start it again with the same command"
    ):
        resume(tmp_path / "run")
    assert record(small(), 9, tmp_path / "run").verify().is_whole
    assert not (tmp_path / "run" / ".config.json.123").exists()


def test_what_a_kill_left_half_written_is_removed_when_a_run_continues(stopped: Path, tmp_path: Path):
    folder = shutil.copytree(stopped, tmp_path / "run")
    left = [folder / ".checkpoint-B.npz.4711", folder / ".manifest.json.4712"]
    for path in left:
        path.write_bytes(b"half")
    (folder / ".mine.4711").write_text("keep")
    mm.open_run(folder)
    assert all(path.exists() for path in left)  # reading changes nothing
    resume(folder)
    assert not any(path.exists() for path in left)
    assert (folder / ".mine.4711").exists()


def test_a_folder_with_this_very_run_says_how_to_continue(stopped: Path, tmp_path: Path):
    words = ["run", "classic", "--agents", 6, "--seed", 3, "--steps", 9, "--backend", "reference", "--out"]
    said = complaint(murmura_says(*words, stopped, cwd=tmp_path), 2)
    assert f"it contains this run, unfinished; continue it with `murmura resume {stopped}`" in said
    other = complaint(murmura_says(*words, stopped, "--set", "world.width=900", cwd=tmp_path), 2)
    assert "this run, finished" not in other and "is not empty: choose a new folder" in other
    done = record(small(), 2, tmp_path / "done")
    scenario: Any = done.scenario
    with pytest.raises(ScenarioError, match="it contains this run, finished with 2 steps"):
        check_folder(done.folder, scenario, 3)
