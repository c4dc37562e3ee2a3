"""Damage to finished runs: readers report it and read the rest, or their results are unchanged."""

from __future__ import annotations

import json
import shutil
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import murmura as mm
from murmura.lab.damage import DamageWarning
from murmura.lab.runs.checkpoints import SLOTS
from murmura.lab.runs.manifest import sha256
from murmura.lab.runs.recording import record
from murmura.lab.runs.resuming import resume
from tests.cli.terminal import murmura_says
from tests.lab import births_and_deaths as heirs
from tests.lab.births_and_deaths import family
from tests.lab.tampering import as_killed, forged
from tests.sizes import size

HEIRS = heirs.__file__
WIDTH, OTHER_WIDTH = '"width": 200.0', '"width": 500.0'
FILES = ("config.json", "manifest.json", "metrics.jsonl", "events.jsonl", "run.gsd", "atmosphere.json")
FLIPS = size(8, 40)
"""Number of positions in each file at which a bit is flipped."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small run with births and deaths."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    recorded(folder)
    assert len((folder / "events.jsonl").read_bytes().splitlines()) > 3
    return folder


def recorded(folder: Path) -> None:
    record(mm.Simulation(family(), 1, "reference"), 40, folder, every=8, columns=["energy"])


def told(folder: Path) -> dict[str, Any]:
    """All content of a run."""
    run = mm.open_run(folder)
    frames = {
        frame.step: [
            frame.time,
            *(array.tolist() for array in (frame.ids, frame.species, frame.positions, frame.velocities)),
            frame.columns["energy"].tolist(),
        ]
        for frame in run.frames
    }
    return {
        "scenario": run.scenario, "seed": run.seed, "status": run.status, "hash": run.final_hash, "frames": frames,
        "metrics": [str(row) for row in run.metrics()], "events": list(run.events()),
        "steps": run.frames.steps.tolist(),
        "table": run.to_polars("events").collect().rows(),
        "positions": str(run.to_xarray().position.values.tolist()),
        "manifest": {key: run.manifest[key] for key in ("recording", "backend", "first_step", "steps", "files")},
    }  # fmt: skip


def damages(name: str, content: bytes) -> Iterator[tuple[str, bytes]]:
    for place in np.linspace(0, len(content) - 1, FLIPS).astype(int).tolist() if content else ():
        changed = bytearray(content)
        changed[place] ^= 1 << (place % 8)
        yield f"bit flipped at {place}", bytes(changed)
    for share in (0.0, 0.3, 0.9, 0.999):
        yield f"cut at {share:.0%}", content[: int(share * len(content))]
        place = int(share * len(content)) // 512 * 512
        hole = content[:place] + bytes(len(content[place : place + 512])) + content[place + 512 :]
        if hole != content:
            yield f"sector of zeros at {place}", hole
    if name.endswith(".jsonl"):
        lines = content.splitlines(keepends=True)
        yield "a line is gone", b"".join([*lines[:1], *lines[2:]])
        yield "a line stands twice", b"".join([*lines[:2], *lines[1:]])
        yield "the last line is gone", b"".join(lines[:-1])
    if name == "config.json":
        yield "another width", content.replace(WIDTH.encode(), OTHER_WIDTH.encode())
    if name == "manifest.json":
        yield "another seed", content.replace(b'"seed": 1,', b'"seed": 2,')
        yield "another status", content.replace(b'"finished"', b'"interrupted"')


def test_no_damage_is_read_as_if_it_were_right(whole: Path, tmp_path: Path):
    truth, folder, silent = told(whole), shutil.copytree(whole, tmp_path / "run"), []
    count = named = 0
    for name in FILES:
        content = (whole / name).read_bytes() if (whole / name).exists() else b""
        for what, changed in damages(name, content) if content else ():
            assert changed != content, (name, what)
            (folder / name).write_bytes(changed)
            count += 1
            said: list[str] = []
            with warnings.catch_warnings(record=True) as heard:
                warnings.simplefilter("always")
                try:
                    found = told(folder)
                except mm.MurmuraError as error:
                    said.append(str(error))
                said += [str(warning.message) for warning in heard]
                sound = _verdict(folder)
            if said:
                named += 1
                assert any(name in text for text in said), (name, what, said)
                assert not sound, f"{name}, {what}: a reader finds what verify does not: {said}"
            elif found != truth or (name in ("config.json", "atmosphere.json") and sound):
                silent.append((name, what))
        (folder / name).write_bytes(content) if content else None
    assert not silent
    assert count > 6 * FLIPS and named > count / 2, (count, named)
    assert mm.open_run(folder).verify().is_whole


def _verdict(folder: Path) -> bool:
    try:
        return mm.open_run(folder).verify().is_whole
    except mm.MurmuraError:
        return False


@pytest.mark.parametrize("name", ["run.gsd", *SLOTS])
@pytest.mark.parametrize("ended", [True, False])
def test_bytes_that_were_added_are_damage(name: str, ended: bool, whole: Path, tmp_path: Path):
    """Issue 29, point 23: it said "whole". A run that goes on may have half a frame at the end of run.gsd."""
    folder = shutil.copytree(whole, tmp_path / "run")
    if not ended:
        as_killed(folder)
        assert mm.open_run(folder).verify().is_whole
    for added in (b"\0", b"x" * 1000, bytes(70_000)):
        content = (whole / name).read_bytes()
        for changed in (content + added, *([added + content] if name != "run.gsd" else [])):
            (folder / name).write_bytes(changed)
            damaged = [damage.file.name for damage in mm.open_run(folder).verify().damages]
            assert damaged == ([name] if ended or name != "run.gsd" else [])


@pytest.mark.parametrize("name", SLOTS)
def test_a_checkpoint_that_is_gone_or_an_older_one_is_damage(name: str, whole: Path, tmp_path: Path):
    """Also the one that is not the last: there are two so that one may be lost."""
    folder = shutil.copytree(whole, tmp_path / "run")
    (folder / name).unlink()
    report = mm.open_run(folder).verify()
    assert (name, "it is missing") in [(damage.file.name, damage.what) for damage in report.damages]
    other = SLOTS[1 - SLOTS.index(name)]
    shutil.copy(folder / other, folder / name)
    assert name in [damage.file.name for damage in mm.open_run(folder).verify().damages]


def test_a_killed_run_without_the_checkpoint_that_is_written_first(whole: Path, tmp_path: Path):
    folder = shutil.copytree(whole, tmp_path / "run")
    as_killed(folder)
    (folder / SLOTS[0]).unlink()
    assert [damage.file.name for damage in mm.open_run(folder).verify().damages] == [SLOTS[0]]


@pytest.mark.parametrize("kept", [(), ("run.gsd",), ("run.gsd", "metrics.jsonl", "events.jsonl")])
def test_a_run_stopped_before_its_first_checkpoint_is_not_damaged(
    kept: tuple[str, ...], whole: Path, tmp_path: Path
):
    """`resume` starts it again, so `verify` does not call it damaged."""
    folder = shutil.copytree(whole, tmp_path / "run")
    as_killed(folder)
    for name in ("run.gsd", "metrics.jsonl", "events.jsonl", *SLOTS):
        (folder / name).unlink()
    for name in kept:
        (folder / name).touch()
    (folder / "atmosphere.json").unlink()
    forged(folder / "manifest.json", files={"config.json": sha256((folder / "config.json").read_bytes())})
    report = mm.open_run(folder).verify()
    assert report.is_whole and any("murmura resume" in note for note in report.notes)
    resume(folder)
    assert mm.open_run(folder).verify().is_whole
    assert mm.open_run(folder).final_hash == mm.open_run(whole).final_hash


def test_the_rest_is_read_and_what_is_damaged_is_reported(whole: Path, tmp_path: Path):
    truth, folder = told(whole), shutil.copytree(whole, tmp_path / "run")
    # A changed width: the scenario is read from a checkpoint, and no position is shifted.
    config = folder / "config.json"
    config.write_text(config.read_text().replace(WIDTH, OTHER_WIDTH))
    with pytest.warns(DamageWarning, match=r"config\.json is damaged: its content has changed .*checkpoint"):
        assert told(folder) == truth
    shutil.copy(whole / "config.json", config)
    # A frame: the others are read.
    content = bytearray((folder / "run.gsd").read_bytes())
    place = content.rindex(np.float32(truth["frames"][16][4][0][0]).tobytes())
    content[place] ^= 1
    (folder / "run.gsd").write_bytes(content)
    with pytest.warns(
        DamageWarning, match=r"run\.gsd is damaged: frame 2: it does not match its checksum\. The rest"
    ):
        assert [frame.step for frame in mm.open_run(folder).frames] == [0, 8, 24, 32, 40]
    with pytest.warns(DamageWarning, match="frame 2"):
        rows = mm.open_run(folder).to_xarray().velocity.isel(axis=0).values
    assert np.isnan(rows[2]).all() and np.isfinite(rows[3]).any()
    shutil.copy(whole / "run.gsd", folder / "run.gsd")
    # A line.
    lines = (folder / "events.jsonl").read_bytes().splitlines(keepends=True)
    lines[1] = lines[1].replace(b'"step": ', b'"step": 1')
    (folder / "events.jsonl").write_bytes(b"".join(lines))
    with pytest.warns(
        DamageWarning, match=r"events\.jsonl is damaged: line 2: it does not match its checksum"
    ):
        assert list(mm.open_run(folder).events()) == truth["events"][:1] + truth["events"][2:]


def test_the_box_of_the_frames_is_that_of_the_scenario(whole: Path, tmp_path: Path):
    """Also where the hash of config.json was made to fit: the frames contain the size of their world."""
    folder = shutil.copytree(whole, tmp_path / "run")
    config = folder / "config.json"
    config.write_text(config.read_text().replace(WIDTH, OTHER_WIDTH))
    files = mm.open_run(whole).manifest["files"] | {"config.json": sha256(config.read_bytes())}
    forged(folder / "manifest.json", files=files)
    with pytest.raises(
        mm.MurmuraError, match=r"run\.gsd is damaged: its configuration/box is .* scenario .* says"
    ):
        mm.open_run(folder).frames  # noqa: B018


def test_verify_from_the_command_line(whole: Path, tmp_path: Path):
    folder = shutil.copytree(whole, tmp_path / "run")
    done = murmura_says("verify", "run", "--rules", HEIRS, cwd=tmp_path)
    assert done.returncode == 0 and "whole" in done.stdout, done.stderr
    lines = (folder / "metrics.jsonl").read_bytes().replace(b'"step": 8', b'"step": 9')
    (folder / "metrics.jsonl").write_bytes(lines)
    done = murmura_says("verify", "run", "--rules", HEIRS, "--json", cwd=tmp_path)
    assert done.returncode == 1
    assert "metrics.jsonl is damaged: line 2: it does not match its checksum" in done.stderr
    found = json.loads(done.stdout)
    assert (found["whole"], found["damages"][0]["line"]) == (False, 2)
    # Other commands process the rest, report the damage, and exit with 1.
    done = murmura_says("export", "run", "--to", "csv", "--out", "run.csv", "--rules", HEIRS, cwd=tmp_path)
    assert done.returncode == 1 and "line 2: it does not match its checksum" in done.stderr
    assert "Traceback" not in done.stderr and "Warning" not in done.stderr
    assert len((tmp_path / "run-metrics.csv").read_text().splitlines()) == 1 + 5
