"""A run that was stopped, killed or damaged continues with the same bits as an undisturbed one (trust.md R4 to R7)."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import murmura as mm
from murmura.core.errors import RunError, ScenarioError
from murmura.engine.checkpoint import load
from murmura.lab.runs import recorder
from murmura.lab.runs.checkpoints import SLOTS, whole_checkpoints
from murmura.lab.runs.recording import record
from murmura.lab.runs.resuming import resume
from tests.lab.tampering import forged
from tests.sizes import size

OUTPUTS = ("config.json", "run.gsd", "metrics.jsonl", "events.jsonl")
KILLS = size(6, 100)
"""The number of processes that are killed."""


def begin(folder: Path, steps: int, stop: int | None = None, **more: Any) -> None:
    """Record, and press Ctrl-C at a step."""
    simulation = mm.Simulation(mm.load_scenario("classic").with_values({"agents": 25}), seed=4, backend="cpu")

    def press(step: int, end: int) -> None:
        if stop is not None and step >= stop:
            signal.raise_signal(signal.SIGINT)

    settings = {"every": 5, "columns": ["energy"], "checkpoint_every": "7"} | more
    if stop is None:
        record(simulation, steps, folder, progress=press, **settings)
        return
    with pytest.raises(KeyboardInterrupt):
        record(simulation, steps, folder, progress=press, **settings)


@pytest.fixture(scope="module")
def truth(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("truth") / "run"
    begin(folder, 53)
    return folder


def assert_same(folder: Path, truth: Path) -> None:
    for name in OUTPUTS:
        assert (folder / name).read_bytes() == (truth / name).read_bytes(), name
    ours, theirs = mm.open_run(folder).manifest, mm.open_run(truth).manifest
    assert ours["status"] == "finished"
    for key in ("final_hash", "hashes", "steps", "steps_done", "seed", "scenario"):
        assert ours[key] == theirs[key], key


def test_killed_processes_continue_with_the_same_bits(tmp_path: Path):
    """R4 and R5: real SIGKILLs, at random and in the middle of writes; every file ends byte for byte the same."""
    root = Path(__file__).parents[3]
    done = subprocess.run(
        [sys.executable, "-m", "tests.lab.kill_loop", str(tmp_path), str(KILLS), "20"],
        cwd=root,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(root / "src"), str(root)])},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1])["kills"] >= KILLS


@pytest.mark.parametrize("stop", [1, 17, 20, 49])
def test_an_interrupted_run_continues(stop: int, truth: Path, tmp_path: Path):
    begin(tmp_path / "run", 53, stop)
    before = mm.open_run(tmp_path / "run").manifest
    assert before["status"] == "interrupted"
    run = resume(tmp_path / "run")
    assert_same(run.folder, truth)
    assert [entry["step"] for entry in run.manifest["resumed"]] == [before["steps_done"]]
    assert run.final("cpu").step_count == 53


def test_a_run_may_go_further_than_was_asked_for(truth: Path, tmp_path: Path):
    """Step 12 is recorded only because it is the last; after extending the run, it leaves no trace."""
    begin(tmp_path / "run", 12, every=5)
    assert mm.open_run(tmp_path / "run").frames.steps.tolist() == [0, 5, 10, 12]
    resume(tmp_path / "run", steps=31)
    resume(tmp_path / "run", steps=53)
    assert_same(tmp_path / "run", truth)


def test_another_number_of_threads_continues_with_the_same_bits(truth: Path, tmp_path: Path):
    begin(tmp_path / "run", 53, 20)
    assert resume(tmp_path / "run", threads=3).manifest["threads"] == 3
    assert_same(tmp_path / "run", truth)


def test_a_finished_run_is_left_alone(truth: Path):
    before = {path.name: path.read_bytes() for path in truth.iterdir()}
    with pytest.raises(ScenarioError, match=r"is finished: it has all 53 steps.*--steps 106"):
        resume(truth)
    for steps in (0, 52, 53):
        with pytest.raises(ScenarioError, match="is finished"):
            resume(truth, steps=steps)
    assert {path.name: path.read_bytes() for path in truth.iterdir()} == before


def test_invalid_numbers_of_steps(tmp_path: Path):
    begin(tmp_path / "run", 53, 20)
    with pytest.raises(ScenarioError, match="at least 0 steps, got -1"):
        resume(tmp_path / "run", steps=-1)
    with pytest.raises(ScenarioError, match="already has 20 steps; --steps is the total number"):
        resume(tmp_path / "run", steps=19)
    assert resume(tmp_path / "run", steps=20).status == "finished"


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Stopped at step 25, with checkpoints of the steps 21 and 25."""
    folder = tmp_path_factory.mktemp("stopped") / "run"
    begin(folder, 53, 25)
    return folder


def newest_of(folder: Path) -> Path:
    return next(whole_checkpoints(folder, []))[0]


def zeroed(content: bytes, place: int) -> bytes:
    return content[:place] + bytes(len(content[place : place + 512])) + content[place + 512 :]


DAMAGES: dict[str, Callable[[bytes, int], bytes]] = {
    "cut": lambda content, place: content[:place],
    "flipped": lambda content, place: content[:place] + bytes([content[place] ^ 255]) + content[place + 1 :],
    "zeroed": zeroed,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_at_every_sector_of_a_checkpoint_falls_back_to_the_other(
    damage: str, stopped: Path, tmp_path: Path
):
    """R6: every 512-byte boundary of the newest checkpoint."""
    folder = shutil.copytree(stopped, tmp_path / "run")
    newest = newest_of(folder)
    content, whole = newest.read_bytes(), load(newest)
    assert len(content) > 20 * 512
    for place in range(0, len(content), 512):
        newest.write_bytes(DAMAGES[damage](content, place))
        problems: list[str] = []
        (path, found), *others = whole_checkpoints(folder, problems)
        if (
            path == newest and damage == "flipped"
        ):  # a byte of the archive without meaning, such as a timestamp
            assert (found.state.digest(25), found.notes) == (whole.state.digest(25), whole.notes), place
            continue
        assert (path != newest, found.step_count, others) == (True, 21, []), place
        assert len(problems) == 1
        assert newest.name in problems[0]


@pytest.mark.parametrize("place", [0, 9 * 512])
def test_a_run_with_a_damaged_checkpoint_continues_from_the_other_and_says_so(
    place: int, stopped: Path, truth: Path, tmp_path: Path
):
    folder = shutil.copytree(stopped, tmp_path / "run")
    newest = newest_of(folder)
    newest.write_bytes(DAMAGES["zeroed"](newest.read_bytes(), place))
    said: list[str] = []
    resume(folder, announce=said.append)
    assert_same(folder, truth)
    told = [text for text in said if newest.name in text]
    other = SLOTS[1 - SLOTS.index(newest.name)]
    assert len(told) == 1
    assert told[0].endswith(f"continuing from {other} at step 21")


def test_without_any_whole_checkpoint_all_damage_is_reported_and_nothing_changed(
    stopped: Path, tmp_path: Path
):
    folder = shutil.copytree(stopped, tmp_path / "run")
    for name in SLOTS:
        (folder / name).write_bytes((folder / name).read_bytes()[:-1])
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(
        RunError, match=r"cannot be resumed: .*checkpoint-A\.npz is damaged.*checkpoint-B\.npz is damaged"
    ):
        resume(folder)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    for name in SLOTS:
        (folder / name).unlink()
    with pytest.raises(RunError, match=r"neither checkpoint-A\.npz nor checkpoint-B\.npz exists"):
        resume(folder)


@pytest.mark.parametrize("name", ["run.gsd", "metrics.jsonl"])
@pytest.mark.parametrize("damage", ["cut", "flipped", "gone"])
def test_damaged_outputs_are_named_and_nothing_changed(name: str, damage: str, stopped: Path, tmp_path: Path):
    folder = shutil.copytree(stopped, tmp_path / "run")
    content = (folder / name).read_bytes()
    place = len(content) - 4_000 if name == "run.gsd" else 100  # in the part that both checkpoints need
    if damage == "gone":
        (folder / name).unlink()
    else:
        (folder / name).write_bytes(DAMAGES[damage](content, place))
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(RunError, match=f"{name}.*(is damaged|cannot read)|cannot read.*{name}"):
        resume(folder)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_damage_after_the_older_checkpoint_is_mended_by_going_back_to_it(truth: Path, tmp_path: Path):
    """Row 20 is in the newest checkpoint (25) but not in the older (14)."""
    folder = tmp_path / "run"
    begin(folder, 53, 25, checkpoint_every="14")
    lines = (folder / "metrics.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "metrics.jsonl").write_bytes(b"".join(lines[:4]) + lines[4].replace(b"2", b"3"))
    said: list[str] = []
    resume(folder, announce=said.append)
    assert "metrics.jsonl is damaged" in said[0]
    assert said[0].endswith("at step 14")
    for name in OUTPUTS:
        assert (folder / name).read_bytes() == (truth / name).read_bytes(), name


def test_a_checkpoint_of_another_run_is_refused(stopped: Path, tmp_path: Path):
    folder = shutil.copytree(stopped, tmp_path / "run")
    other = mm.Simulation("classic", seed=99, backend="reference")
    for name in SLOTS:
        other.save(folder / name)
    with pytest.raises(
        RunError, match=r"checkpoint-A\.npz belongs to another run.*checkpoint-B\.npz belongs to another run"
    ):
        resume(folder)
    same = mm.Simulation.restore(stopped / SLOTS[0], backend="reference")
    for name in SLOTS:
        same.save(folder / name)
    with pytest.raises(RunError, match=r"checkpoint-A\.npz does not belong to a recorded run"):
        resume(folder)


def test_other_versions_are_reported(stopped: Path, tmp_path: Path):
    folder = shutil.copytree(stopped, tmp_path / "run")
    forged(folder / "manifest.json", llvmlite="0.1")
    said: list[str] = []
    resume(folder, announce=said.append)
    assert any("llvmlite 0.1 then" in text for text in said)


def test_outputs_are_on_disk_before_the_checkpoint_that_counts_on_them(tmp_path: Path, monkeypatch: Any):
    """A power cut may undo what was not flushed: data, then index, then checkpoint, then its folder."""
    order: list[str] = []
    real_fsync, real_replace = os.fsync, Path.replace

    def fsync(number: int) -> None:
        order.append(f"flush {Path(os.readlink(f'/proc/self/fd/{number}')).name}")
        real_fsync(number)

    def replace(path: Path, target: Path) -> Path:
        order.append(f"name {target.name}")
        return real_replace(path, target)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(Path, "replace", replace)
    begin(tmp_path / "run", 8)
    names = [i for i, entry in enumerate(order) if entry.startswith("name checkpoint")]
    assert [order[i].split()[-1] for i in names] == [*SLOTS, SLOTS[0]]  # at the start, after 7, at the end
    for earlier, i in itertools.pairwise(names):
        between = order[earlier:i]
        assert between[-1] == f"flush .{order[i].split()[-1]}.{os.getpid()}"
        assert order[i + 1] == "flush run"  # the folder
        if "flush run.gsd" in between:
            assert between.count("flush run.gsd") == 2  # data, then index
    written = order[names[0] : names[1]]
    assert {"flush run.gsd", "flush metrics.jsonl"} <= set(written)
    assert order[-2:] == ["name manifest.json", "flush run"]


@pytest.mark.parametrize("agents", [25, 0])
def test_marks_are_of_before_the_step_was_observed(agents: int, tmp_path: Path):
    """Otherwise an extended run would keep the lines that only last steps have."""
    simulation = mm.Simulation(
        mm.load_scenario("classic").with_values({"agents": agents}), seed=4, backend="cpu"
    )
    for steps, folder in ((20, tmp_path / "due"), (23, tmp_path / "between")):
        run = record(simulation, steps, folder, every=5, checkpoint_every="10")
        for _, found in whole_checkpoints(folder, []):
            before = [step for step in run.frames.steps if step < found.step_count]
            assert found.notes["outputs"]["run.gsd"]["frames"] == len(before)
            lines = (folder / "metrics.jsonl").read_bytes().splitlines(keepends=True)
            assert found.notes["outputs"]["metrics.jsonl"]["bytes"] == sum(map(len, lines[: len(before)]))


def test_without_a_first_checkpoint_a_run_begins_again(truth: Path, tmp_path: Path, monkeypatch: Any):
    def full(checkpoints: Any, simulation: Any, outputs: Any) -> str:
        raise RunError("cannot write the checkpoint: No space left on device")

    monkeypatch.setattr(recorder.Checkpoints, "save", full)
    with pytest.raises(RunError, match=r"No space left on device$"):
        begin(tmp_path / "run", 53)
    monkeypatch.undo()
    assert mm.open_run(tmp_path / "run").status == "failed"
    resume(tmp_path / "run")
    assert_same(tmp_path / "run", truth)


def test_a_frame_does_not_wait_for_the_next_one_if_that_is_far_away(tmp_path: Path, monkeypatch: Any):
    """If steps are fast, a frame is written when the next one is taken; otherwise after the next batch of steps."""
    monkeypatch.setattr(recorder, "PIECE_SECONDS", 0.0)  # a step is a batch
    seen: set[int] = set()

    def look(step: int, end: int) -> None:
        deadline = time.monotonic() + 60.0
        while step == 15 and 10 not in seen and time.monotonic() < deadline:
            seen.update(int(row["step"]) for row in mm.open_run(tmp_path / "run").metrics())

    simulation = mm.Simulation(mm.load_scenario("classic").with_values({"agents": 25}), seed=4, backend="cpu")
    record(simulation, 20, tmp_path / "run", every=10, progress=look)
    assert seen == {0, 10}


def test_nothing_follows_a_gap(tmp_path: Path, monkeypatch: Any):
    """The disk is full for one frame and has space again for the next, which must not be written."""
    real = recorder.TrajectoryWriter.write
    calls = []

    def write(writer: Any, chunks: Any) -> None:
        calls.append(1)
        if len(calls) == 3:
            raise OSError(28, "No space left on device")
        real(writer, chunks)

    monkeypatch.setattr(recorder.TrajectoryWriter, "write", write)
    with pytest.raises(RunError, match=r"No space left on device.*continue with `murmura resume"):
        begin(tmp_path / "run", 53, every=1)
    monkeypatch.undo()
    run = mm.open_run(tmp_path / "run")
    assert (run.status, run.frames.steps.tolist()) == ("failed", [0, 1])
    begin(tmp_path / "straight", 53, every=1)
    resume(run.folder)
    assert_same(run.folder, tmp_path / "straight")
