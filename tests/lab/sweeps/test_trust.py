"""Untrusted sweep folders: nothing in them is executed, and changes are detected."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import murmura as mm
from murmura.core.errors import RunError, ScenarioError
from murmura.lab.damage import DamageWarning
from murmura.lab.sweeps.folder import open_sweep
from murmura.lab.sweeps.sweep import resume_sweep, sweep
from tests.cli.terminal import complaint, murmura_says
from tests.lab.tampering import forged

OWN = """
import murmura

@murmura.register_measure("own")
def own(flock):
    return {value}
"""
TRAP = "from pathlib import Path\nPath({mark!r}).touch()\n"
SWEEP = [
    "sweep", "classic", "--agents", 8, "--vary", "perception.radius=30,40,50", "--steps", 2, "--backend", "reference",
    "--workers", 0, "--measure",
]  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("made") / "s"
    sweep(
        "classic", ["perception.radius=30,40,50"], 2, out, changes={"agents": 8}, backend="reference", workers=0,
        measures=["polarization"],
    )  # fmt: skip
    return out


@pytest.fixture
def hostile(made: Path, tmp_path: Path) -> tuple[Path, Path]:
    """A folder that names a malicious rule file with correct hashes, and the file that it would create."""
    import hashlib

    folder, mark, trap = shutil.copytree(made, tmp_path / "s"), tmp_path / "sprung", tmp_path / "trap.py"
    trap.write_text(TRAP.format(mark=str(mark)))
    hashes = [hashlib.sha256(trap.read_bytes()).hexdigest()]
    data = json.loads((folder / "sweep.json").read_text())
    question, start = data["question"] | {"rules": [str(trap)]}, data["start"] | {"rules": [str(trap)]}
    forged(folder / "sweep.json", question=question, start=start | {"rule_hashes": hashes})
    rows = (folder / "rows.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "rows.jsonl").write_bytes(rows[0])  # so that some runs are missing
    return folder, mark


def test_a_folder_cannot_have_its_rules_run(hostile: tuple[Path, Path], tmp_path: Path):
    folder, mark = hostile
    there = open_sweep(folder)
    assert there.scenario.name == "classic" and len(list(there.runs())) == 1
    mm.plot(folder, tmp_path / "figure.png")
    assert not mark.exists()
    there.verify()
    for again in (lambda: resume_sweep(folder, workers=0), lambda: resume_sweep(folder, workers=1)):
        with pytest.raises(
            ScenarioError,
            match=r"never executed only because a folder names them\. If you trust them, add: --rules",
        ):
            again()
    assert not mark.exists()
    said = complaint(murmura_says("resume", folder, cwd=tmp_path), 2)
    assert "If you trust them, add: --rules" in said
    assert not mark.exists()
    # Named by the user and unchanged: now it may be executed.
    assert murmura_says("resume", folder, "--rules", tmp_path / "trap.py", cwd=tmp_path).returncode == 0
    assert mark.exists()


def test_a_changed_rule_file_is_not_mixed_in_however_a_sweep_continues(tmp_path: Path):
    own = tmp_path / "own.py"
    own.write_text(OWN.format(value="1.0"))
    words = [*SWEEP, "own", "--rules", own, "--out", "s"]
    assert murmura_says(*words, cwd=tmp_path).returncode == 0
    rows = tmp_path / "s" / "rows.jsonl"
    rows.write_bytes(rows.read_bytes().splitlines(keepends=True)[0])
    before = rows.read_bytes()
    own.write_text(OWN.format(value="2.0"))
    for again in (["resume", "s", "--rules", own], words):
        said = complaint(murmura_says(*again, cwd=tmp_path), 2)
        assert "is not the file that was used before" in said or "rule_hashes was" in said
        assert rows.read_bytes() == before
    # The same file is accepted at any path.
    own.unlink()
    (tmp_path / "elsewhere.py").write_text(OWN.format(value="1.0"))
    assert murmura_says("resume", "s", "--rules", "elsewhere.py", cwd=tmp_path).returncode == 0
    assert [json.loads(line)["measures"]["own"] for line in rows.read_bytes().splitlines()] == [1.0] * 3


def test_a_worker_runs_only_the_file_that_was_hashed(tmp_path: Path):
    """A file that is edited during a sweep, or another file at its path on a machine of a cluster."""
    from murmura.lab.sweeps.jobs import do_job

    own = tmp_path / "swapped.py"
    own.write_text(TRAP.format(mark=str(tmp_path / "sprung")))
    question = {
        "scenario": mm.Scenario().with_values({"agents": 3}).model_dump(mode="json"), "steps": 1, "discard": 0,
        "every": 1, "measures": ["population"], "backend": "reference", "threads": 1, "rules": [str(own)],
        "rule_hashes": ["0" * 64],
    }  # fmt: skip
    [row] = do_job(question, [{"run": 0, "values": {}, "seed": 1}])
    assert "is not the file that was used before" in row["error"]
    assert not (tmp_path / "sprung").exists()


def test_a_changed_scenario_is_reported_and_not_continued(made: Path, tmp_path: Path):
    folder = shutil.copytree(made, tmp_path / "s")
    path, rows = folder / "scenario.json", folder / "rows.jsonl"
    path.write_text(path.read_text().replace('"agents": 8', '"agents": 9'))
    rows.write_bytes(rows.read_bytes().splitlines(keepends=True)[0])
    before = rows.read_bytes()
    with pytest.raises(RunError, match=r"scenario\.json is damaged: its content has changed"):
        resume_sweep(folder, workers=0)
    assert rows.read_bytes() == before
    with pytest.warns(DamageWarning, match=r"scenario\.json is damaged"):
        assert len(list(open_sweep(folder).runs())) == 1


def test_links_in_a_sweep_folder_are_not_written_through(made: Path, tmp_path: Path):
    precious = tmp_path / "precious.txt"
    precious.write_text("do not touch")
    for name in ("rows.jsonl", "sweep.json", "scenario.json", "sweep.lock", "table.csv"):
        folder = shutil.copytree(made, tmp_path / f"s-{name}")
        (folder / name).unlink()
        (folder / name).symlink_to(precious)
        with pytest.raises(mm.MurmuraError, match=rf"{name}|not the folder|is damaged"):
            resume_sweep(folder, workers=0)
        assert precious.read_text() == "do not touch", name
