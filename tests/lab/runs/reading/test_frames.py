"""Frames with correct checksums and impossible contents are reported, and the others are read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import murmura as mm
from murmura.lab.damage import DamageError, DamageWarning
from murmura.lab.exports.export import export
from murmura.lab.films.film_frames import RecordedReel
from murmura.lab.gsd.reader import GsdReader
from murmura.lab.gsd.writer import GsdWriter
from murmura.lab.runs.reading.frames import Frames
from murmura.lab.runs.recording import record
from tests.lab.tampering import as_killed

IMPOSSIBLE: dict[str, dict[str, Any]] = {
    "places in one dimension": {"particles/position": np.zeros(15, "<f4")},
    "places in two dimensions": {"particles/position": np.zeros((5, 2), "<f4")},
    "places that are whole numbers": {"particles/position": np.zeros((5, 3), "<i4")},
    "places that are none": {"particles/position": np.full((5, 3), np.nan, "<f4")},
    "velocities without end": {"particles/velocity": np.full((5, 3), np.inf, "<f4")},
    "a count that is no number": {"particles/N": np.array([np.nan], "<f4")},
    "a count beyond memory": {"particles/N": np.array([2**32 - 1], "<u4")},
    "two counts": {"particles/N": np.array([5, 5], "<u4")},
    "a step beyond counting": {"configuration/step": np.array([2**64 - 1], "<u8")},
    "a negative step": {"configuration/step": np.array([-1], "<i8")},
    "a step with a fraction": {"configuration/step": np.array([1.5], "<f8")},
    "negative species": {"particles/typeid": np.array([-1, 0, 0, 0, 0], "<i4")},
    "species that there are not": {"particles/typeid": np.array([7, 0, 0, 0, 0], "<u4")},
    "species beyond bounds": {"particles/typeid": np.array([2**32 - 1, 0, 0, 0, 0], "<u4")},
    "species with fractions": {"particles/typeid": np.zeros(5, "<f4")},
    "ids twice": {"log/particles/id": np.zeros(5, "<i4")},
    "ids backwards": {"log/particles/id": np.arange(5, 0, -1).astype("<i4")},
    "negative ids": {"log/particles/id": np.arange(-2, 3).astype("<i4")},
    "too few ids": {"log/particles/id": np.arange(2).astype("<i4")},
    "energies in two dimensions": {"log/particles/energy": np.zeros((5, 2), "<f4")},
    "too few energies": {"log/particles/energy": np.zeros(2, "<f4")},
    "no places": {"particles/position": None},
    "no count": {"particles/N": None},
    "no step": {"configuration/step": None},
}


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    scenario = mm.load_scenario("classic").with_values({"agents": 5})
    folder = tmp_path_factory.mktemp("good") / "run"
    record(mm.Simulation(scenario, backend="reference"), 6, folder, every=2, columns=["energy"])
    as_killed(folder)
    return folder


def with_frame(folder: Path, target: Path, changes: dict[str, Any]) -> Path:
    """The run with some chunks of its frame 2 replaced, and correct checksums."""
    target.mkdir()
    for path in folder.glob("*.*"):
        (target / path.name).write_bytes(path.read_bytes())
    (target / "run.gsd").unlink()
    with GsdReader(folder / "run.gsd") as reader:
        writer = GsdWriter.create(target / "run.gsd", reader.names[:-1], "forged")
        for number in range(len(reader)):
            chunks = {name: reader.read(number, name) for name in reader.names[:-1]}
            chunks |= changes if number == 2 else {}
            writer.append({name: array for name, array in chunks.items() if array is not None})
        writer.commit()
        writer.close()
    return target


@pytest.mark.parametrize("what", IMPOSSIBLE)
def test_impossible_frames_are_named_and_the_rest_is_read(what: str, good: Path, tmp_path: Path):
    run = mm.open_run(with_frame(good, tmp_path / "run", IMPOSSIBLE[what]))
    with pytest.raises(DamageError, match=r"run\.gsd is damaged: frame 2: "):
        run.frames[2]
    with pytest.warns(DamageWarning, match=r"run\.gsd is damaged: frame 2: "):
        assert [frame.step for frame in run.frames] == [0, 2, 6]
    with pytest.warns(DamageWarning, match="frame 2"):
        assert run.to_polars().collect().height == 15
    with pytest.warns(DamageWarning, match="frame 2"):
        reel = RecordedReel(run.scenario, run.seed, run.frames.sound())
    assert reel.steps == [0, 2, 6] and len(reel[2].positions) == 5
    with pytest.warns(DamageWarning, match="frame 2"):
        export(run, "csv", tmp_path / "run.csv")
    with pytest.warns(DamageWarning, match="frame 2"):
        export(run, "zarr", tmp_path / "run.zarr")
    with pytest.warns(DamageWarning, match="frame 2"):
        found = run.to_xarray().position.values
    assert np.isnan(found[2]).all() and np.isfinite(found[[0, 1, 3]]).all()
    assert [damage.frame for damage in run.verify().damages] == [2]


def test_this_run_is_good_when_nobody_lies(good: Path, tmp_path: Path):
    """The checks above can fail."""
    run = mm.open_run(with_frame(good, tmp_path / "run", {}))
    assert [frame.step for frame in run.frames] == run.frames.steps.tolist() == [0, 2, 4, 6]


def test_frames_of_another_world_are_refused(good: Path):
    other = mm.load_scenario("classic").with_values({"agents": 5, "world.width": 999.0})
    with pytest.raises(
        DamageError, match=r"its configuration/box is .*, but the scenario of the run says \[999\.0"
    ):
        Frames(good / "run.gsd", other)


def test_a_damaged_first_frame_does_not_take_the_others_with_it(good: Path, tmp_path: Path):
    """Later frames omit ids and species that equal those of the first."""
    folder, truth = with_frame(good, tmp_path / "run", {}), mm.open_run(good).frames[3]
    content = bytearray((folder / "run.gsd").read_bytes())
    first = mm.open_run(good).frames[0].velocities[0, 0]
    content[content.index(first.tobytes())] ^= 1
    (folder / "run.gsd").write_bytes(content)
    with (
        pytest.warns(DamageWarning, match="frame 0: it does not match its checksum"),
        pytest.warns(DamageWarning, match="frame 0: later frames take their ids or species from it"),
    ):
        frames = list(mm.open_run(folder).frames)
    assert [frame.step for frame in frames] == [2, 4, 6]
    assert np.array_equal(frames[-1].positions, truth.positions)


def test_reading_a_frame_does_not_read_the_first_again(good: Path, monkeypatch: pytest.MonkeyPatch):
    frames, checked = mm.open_run(good).frames, []
    check = GsdReader.check
    monkeypatch.setattr(
        GsdReader, "check", lambda file, frame: (checked.append(frame), check(file, frame))[1]
    )
    frames[3]
    assert checked == [3]
