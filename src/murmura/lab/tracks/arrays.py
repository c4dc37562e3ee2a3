"""Arrays of tracks: NumPy's .npy, the trajectories of idtracker.ai, and TRex's .npz, one file for each animal.

An array of objects in a .npy file is a pickle: loading it executes any code in it. Such files are read only if the
user trusts their source.
"""

from __future__ import annotations

import io
import json
import math
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from murmura.core.extras import needs
from murmura.lab.tracks.raw import LARGEST_FILE, MOST_POINTS, RawTracks, bad_track, described, from_array
from murmura.scenario.plain_files import open_plain_file, parse_json, read_plain_file

UNPACKED, SWELLING = 64 * 2**20, 50
"""Most bytes of an unpacked archive: this many, and this many for each byte of the file. Positions shrink by less."""


def read_npy(file: Path, trust_pickle: bool) -> RawTracks:
    """Frames x animals x 2 or 3; or idtracker.ai's dictionary, if the file is trusted."""
    try:
        with open_plain_file(file) as source:
            _check_claim(source, file.stat().st_size)
            found = np.load(source, allow_pickle=False)
    except ValueError as error:
        if "pickle" not in str(error).lower() and "object" not in str(error).lower():
            raise bad_track(file, f"it is not a NumPy array: {error}") from None
        if not trust_pickle:
            raise bad_track(
                file,
                "it contains Python objects (a pickle), as in idtracker.ai's files; loading it runs any code in it. "
                "If you trust its source, add --trust-pickle; otherwise export it there as .h5 or .csv",
            ) from None
        found = np.load(file, allow_pickle=True)
    except (OSError, EOFError) as error:
        raise bad_track(file, f"it is not a NumPy array: {error or 'it is empty'}") from None
    if found.dtype != object:
        return from_array(str(file), found)
    content = found.item() if found.shape == () else None
    if not isinstance(content, dict):
        raise bad_track(file, "expected the dictionary of idtracker.ai with its trajectories")
    return from_idtracker(file, content)


def read_idtracker_json(file: Path) -> RawTracks:
    """idtracker.ai's trajectories as JSON: null if an animal was not seen."""
    try:
        content = parse_json(read_plain_file(file, LARGEST_FILE))
    except ValueError as error:
        raise bad_track(file, f"it is not JSON: {error}") from None
    if not isinstance(content, dict) or "trajectories" not in content:
        raise bad_track(file, 'expected an object with the key "trajectories", as written by idtracker.ai')
    try:
        places = np.array(content["trajectories"], np.float64)
    except (TypeError, ValueError) as error:
        raise bad_track(file, f"trajectories must be frames x animals x 2 numbers: {error}") from None
    return from_idtracker(file, content | {"trajectories": places})


def read_idtracker_h5(file: Path) -> RawTracks:
    """idtracker.ai's trajectories as HDF5: a dataset, and attributes of the file."""
    with needs("tracks"):
        import h5py
    try:
        with h5py.File(file, "r") as found:
            if "trajectories" not in found or not isinstance(found["trajectories"], h5py.Dataset):
                raise bad_track(
                    file,
                    "it has no dataset trajectories, so it is not from idtracker.ai; read poses of DeepLabCut or SLEAP "
                    "with --from",
                )
            points = found["trajectories"].shape
            if len(points) == 3 and points[0] * points[1] > MOST_POINTS:
                raise bad_track(file, f"{points[0]:,} frames of {points[1]:,} animals are too many points")
            _check_size(found["trajectories"].nbytes, file)
            content = dict(found.attrs) | {"trajectories": found["trajectories"][()]}
            border = found.get("setup_points/border")
            if isinstance(border, h5py.Dataset):
                content["setup_points"] = {"border": border[()]}
    except (OSError, ValueError) as error:
        raise bad_track(file, f"it cannot be read as HDF5: {error}") from None
    return from_idtracker(file, content)


def from_idtracker(file: Path, content: Mapping[str, Any]) -> RawTracks:
    """The dictionary that all formats of idtracker.ai contain."""
    if "trajectories" not in content:
        raise bad_track(file, f"it has no trajectories: it has {', '.join(map(str, content))[:120]}")
    name = str(file)
    points = content.get("setup_points")
    if isinstance(points, str):  # as an attribute of HDF5
        points = json.loads(points) if points.strip() else None
    border = points.get("border") if isinstance(points, Mapping) else None
    return from_array(
        name, np.asarray(content["trajectories"]), fps=described(name, content, "frames_per_second"),
        body_length=described(name, content, "body_length"), border=_corners(name, border),
    )  # fmt: skip


def _corners(file: str, border: Any) -> NDArray[np.float64] | None:
    if border is None:
        return None
    corners = np.asarray(border, np.float64)
    if corners.ndim != 2 or corners.shape[1] != 2 or len(corners) < 3 or not np.isfinite(corners).all():
        raise bad_track(file, f"its border must have at least three corners, got the shape {corners.shape}")
    return corners


def read_trex(files: list[Path]) -> RawTracks:
    """TRex's .npz: one file for each animal, with frame, X and Y; infinity if it was not seen."""
    parts = [_trex_animal(file) for file in files]
    first = min(int(part["frame"].min()) for part in parts)
    last = max(int(part["frame"].max()) for part in parts)
    if (last - first + 1) * len(parts) > MOST_POINTS:
        raise bad_track(files[0], f"frames {first} to {last} of {len(parts)} animals are too many points")
    places = np.full((last - first + 1, len(parts), 2), math.nan)
    for k, part in enumerate(parts):
        rows = part["frame"].astype(np.int64) - first
        if (np.diff(rows) <= 0).any():
            row = int(np.flatnonzero(np.diff(rows) <= 0)[0]) + 1
            raise bad_track(files[k], "frames must increase", row=row, column="frame")
        places[rows, k, 0], places[rows, k, 1] = part["x"], part["y"]
    name = " ".join(map(str, files))
    rates = {part["rate"] for part in parts if part["rate"] is not None}
    if len(rates) > 1:
        raise bad_track(name, f"the files have different frame rates: {', '.join(map(str, sorted(rates)))}")
    notes = [] if first == 0 else [f"the first frame of the files is {first}, and is step 0 here"]
    labels = [str(part["id"]) for part in parts]
    labels = labels if len(set(labels)) == len(labels) else [file.stem for file in files]
    return from_array(name, places, labels, fps=rates.pop() if rates else None, notes=notes)


def _archived(file: Path) -> dict[str, Any]:
    """The arrays of an .npz that are needed here, and None for others.

    A small archive may claim to unpack to any size, so that is bounded.
    """
    with open_plain_file(file) as source, zipfile.ZipFile(source) as archive:
        needed = [entry for entry in archive.infolist() if _is_needed(entry.filename.removesuffix(".npy"))]
        _check_size(sum(entry.file_size for entry in needed), file)
        found: dict[str, Any] = {name.removesuffix(".npy"): None for name in archive.namelist()}
        for entry in needed:
            with archive.open(entry) as part:
                content = io.BytesIO(part.read())
            _check_claim(content, entry.file_size)
            found[entry.filename.removesuffix(".npy")] = np.load(content, allow_pickle=False)
        return found


def _check_size(size: int, file: Path) -> None:
    most = UNPACKED + SWELLING * file.stat().st_size
    if size > most:
        raise ValueError(
            f"it claims to unpack to {size:,} bytes, expected at most {most:,} for a file of its size"
        )


def _is_needed(key: str) -> bool:
    return key.split("#")[0].strip().lower() in ("frame", "x", "y", "missing", "id", "frame_rate")


def _check_claim(source: BinaryIO, size: int) -> None:
    """Raise if an array claims more than its bytes: NumPy would first allocate whatever it claims."""
    version = np.lib.format.read_magic(source)
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, _, dtype = read(source)
    if not dtype.hasobject and math.prod(shape) * dtype.itemsize > size - source.tell():
        raise ValueError(f"it claims the shape {shape}, and has {size:,} bytes")
    source.seek(0)


def _trex_animal(file: Path) -> dict[str, Any]:
    try:
        content = _archived(file)
    except (OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile, zlib.error) as error:
        raise bad_track(file, f"it is not an .npz file of plain arrays: {error}") from None
    known = {key.split("#")[0].strip().lower(): key for key in reversed(list(content))}
    # TRex lets users choose the point of the body; the centroid, weighted by brightness, comes first.
    for axis in ("x", "y"):
        for key in (axis.upper(), f"{axis.upper()}#wcentroid"):
            known[axis] = key if key in content else known.get(axis, "")
    lacking = [name for name in ("frame", "x", "y") if not known.get(name)]
    if lacking:
        raise bad_track(
            file,
            f"it has no {' nor '.join(lacking)}: it has {', '.join(content)[:120]}; export these from TRex",
        )
    frames, x, y = (np.asarray(content[known[name]]).reshape(-1) for name in ("frame", "x", "y"))
    if not len(frames) == len(x) == len(y) or not len(frames):
        raise bad_track(
            file, f"frame, X and Y have {len(frames)}, {len(x)} and {len(y)} values, expected equal numbers"
        )
    gone = ~(np.isfinite(x) & np.isfinite(y))
    if "missing" in content:
        gone |= np.asarray(content["missing"]).reshape(-1).astype(bool)
    identity = np.asarray(content.get("id", [file.stem])).reshape(-1)[0]
    return {
        "frame": frames, "x": np.where(gone, math.nan, x), "y": np.where(gone, math.nan, y), "id": identity,
        "rate": described(str(file), content, "frame_rate"),
    }  # fmt: skip
