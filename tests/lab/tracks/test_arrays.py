"""Arrays of NumPy, idtracker.ai and TRex."""

from __future__ import annotations

import json
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from murmura.core.errors import ScenarioError
from murmura.lab.tracks.tracks import read_tracks

from .shoals import circling

PLACES = circling()


def same_places(found: Any, places: Any = PLACES) -> bool:
    """Whether tracks have these positions, whatever the origin of the arena."""
    moved = found.positions - places
    return bool(np.nanmax(np.abs(moved - np.nanmedian(moved, axis=(0, 1)))) < 1e-6)


def test_a_plain_array(tmp_path: Path):
    np.save(tmp_path / "t.npy", PLACES)
    assert same_places(read_tracks(tmp_path / "t.npy", fps=10.0))
    np.save(tmp_path / "t.npy", np.concatenate([PLACES, 0.0 * PLACES[..., :1] + 4.0], axis=2))
    found = read_tracks(tmp_path / "t.npy", fps=10.0)
    assert same_places(found) and "the third coordinate never changes" in found.report["notes"][0]


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (np.zeros((5, 3)), r"expected an array of frames x animals x 2 \(or 3\), got the shape \(5, 3\)"),
        (np.zeros((5, 3, 4)), r"got the shape \(5, 3, 4\)"),
        (np.zeros((0, 3, 2)), "it contains no positions"),
        (np.array([[["a", "b"]]]), "expected an array of numbers"),
        (np.full((4, 2, 2), np.nan), "column 0: animal 0 is not seen in any of the 4 frames"),
    ],
)
def test_arrays_that_are_no_tracks(tmp_path: Path, array: Any, words: str):
    np.save(tmp_path / "t.npy", array)
    with pytest.raises(ScenarioError, match=words):
        read_tracks(tmp_path / "t.npy", fps=10.0)


class Bomb:
    def __reduce__(self) -> Any:
        return (Path.touch, (Path(BOMB),))


BOMB = ""


def test_a_pickle_is_refused_unless_it_is_trusted(tmp_path: Path):
    global BOMB
    BOMB = str(tmp_path / "ran")
    content = {"trajectories": PLACES, "frames_per_second": 10, "body_length": 2.0, "trap": Bomb()}
    np.save(tmp_path / "t.npy", np.array(content, object), allow_pickle=True)
    with pytest.raises(
        ScenarioError, match=r"t\.npy: it contains Python objects \(a pickle\).* add --trust-pickle"
    ):
        read_tracks(tmp_path / "t.npy")
    assert not Path(BOMB).exists()
    assert same_places(read_tracks(tmp_path / "t.npy", trust_pickle=True, scale="body"), PLACES / 2.0)
    assert Path(BOMB).exists()  # so the refusal above matters


def test_idtracker_in_json_and_hdf5(tmp_path: Path):
    gaps = PLACES.copy()
    gaps[3, 1] = np.nan
    lists = np.where(np.isnan(gaps), None, gaps).tolist()  # type: ignore[call-overload]
    content = {"trajectories": lists, "frames_per_second": 10, "body_length": 2.0}
    (tmp_path / "t.json").write_text(json.dumps(content))
    found = read_tracks(tmp_path / "t.json", scale="body")
    assert found.fps == 10.0 and found.report["missing"] == found.report["filled"] == 1
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "t.h5", "w") as file:
        file["trajectories"] = gaps
        file.attrs["frames_per_second"], file.attrs["body_length"] = 10, 2.0
        file["setup_points/border"] = [[10.0, 0.0], [30.0, 0.0], [20.0, 30.0]]
    other = read_tracks(tmp_path / "t.h5", scale="body")
    assert other.report["arena"]["kind"] == "polygon" and other.walls is not None
    assert same_places(other, found.positions)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("t.json", b"{", "it is not JSON"),
        ("t.json", b"[]", 'the key "trajectories"'),
        ("t.json", b'{"trajectories": [["a"]]}', "must be frames x animals x 2 numbers"),
        ("t.json", b'{"trajectories": [[[1, 2]]], "frames_per_second": 0}', "must be a number > 0, got 0"),
        ("t.h5", b"no", "it cannot be read as HDF5"),
        ("t.npy", b"\x93NUMPY", "it is not a NumPy array"),
        ("t.npz", b"PK", "it is not an .npz file of plain arrays"),
    ],
)
def test_invalid_files_are_refused(tmp_path: Path, name: str, content: bytes, words: str):
    if name.endswith("h5"):
        pytest.importorskip("h5py")
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ScenarioError, match=words):
        read_tracks(tmp_path / name)


def _claims(kind: str, path: Path) -> Path:
    """A small file that claims a gigabyte or more (issue 29, point 28)."""
    if kind == "npy":
        shape = "(1000000, 500000, 2)"
        text = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".encode()
        (path / "t.npy").write_bytes(b"\x93NUMPY\x01\x00\x76\x00" + text.ljust(117) + b"\n" + bytes(64))
    elif kind == "npz":
        zeros = np.zeros(30_000_000, np.float32)
        np.savez_compressed(path / "t.npz", frame=zeros, X=zeros, Y=zeros)
    elif kind == "claiming npz":
        array = _claims("npy", path).read_bytes()
        with zipfile.ZipFile(path / "t.npz", "w") as archive:
            for name in ("frame", "X", "Y"):
                archive.writestr(f"{name}.npy", array)
        kind = "npz"
    else:
        h5py = pytest.importorskip("h5py")
        with h5py.File(path / "t.h5", "w") as file:
            file.create_dataset("trajectories", (10_000_000, 5, 2), "f8", chunks=(100_000, 5, 2))
    return path / f"t.{kind}"


@pytest.mark.parametrize("kind", ["npy", "npz", "claiming npz", "h5"])
def test_a_file_is_believed_as_far_as_it_has_bytes(kind: str, tmp_path: Path):
    file = _claims(kind, tmp_path)
    assert file.stat().st_size < 2**20
    tracemalloc.start()
    try:
        with pytest.raises(ScenarioError, match="it claims "):
            read_tracks(file, fps=25.0)
        assert tracemalloc.get_traced_memory()[1] < 50 * 2**20
    finally:
        tracemalloc.stop()


def test_trex_unpacks_only_what_it_needs(tmp_path: Path):
    fish = {"frame": np.arange(24), "X": PLACES[:, 0, 0], "Y": PLACES[:, 0, 1]}
    np.savez_compressed(tmp_path / "t.npz", **fish, midline=np.zeros(30_000_000, np.float32))
    tracemalloc.start()
    try:
        assert same_places(read_tracks(tmp_path / "t.npz", fps=10.0), PLACES[:, :1])
        assert tracemalloc.get_traced_memory()[1] < 50 * 2**20
    finally:
        tracemalloc.stop()


def test_trex_has_a_file_for_each_animal(tmp_path: Path):
    files = []
    for animal in range(3):
        x, y = PLACES[:, animal].T.copy()
        x[animal] = np.inf
        fish = {"frame": np.arange(24) + 7, "X#wcentroid": x, "Y#wcentroid": y, "X": np.zeros(24), "Y": y}
        files.append(tmp_path / f"film_fish{animal}.npz")
        np.savez(files[-1], **fish, missing=np.isinf(x), id=np.array([animal]), frame_rate=np.array([10.0]))
    found = read_tracks(files, fill=0)
    assert found.fps == 10.0 and found.report["missing"] == 3 and same_places(found)
    assert found.report["notes"] == ["the first frame of the files is 7, and is step 0 here"]
    np.savez(files[0], X=np.zeros(3), Y=np.zeros(3))
    with pytest.raises(ScenarioError, match=r"fish0\.npz: it has no frame: it has X, Y"):
        read_tracks(files)
