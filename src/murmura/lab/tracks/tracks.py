"""Tracked animals as arrays: read, scaled, cleaned and put into an arena, then stored as a run.

run = mm.load_tracks("fish.csv", "fish", fps=30, scale=57)
run.frames, run.metrics(), run.to_polars(), ...
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from murmura.core.errors import ScenarioError
from murmura.core.request import takes
from murmura.lab.tracks.arena import ROOM, Arena, make_arena
from murmura.lab.tracks.arrays import read_idtracker_h5, read_idtracker_json, read_npy, read_trex
from murmura.lab.tracks.cleaning import check_smoothing, clean
from murmura.lab.tracks.poses import read_poses
from murmura.lab.tracks.raw import LARGEST_FILE, RawTracks, bad_track, lengths
from murmura.lab.tracks.request import TABLES, LoadRequest, TracksRequest, listed
from murmura.lab.tracks.tables import column_choices, read_csv, read_parquet
from murmura.scenario.plain_files import file_hash, open_plain_file

if TYPE_CHECKING:
    from murmura.lab.runs.run import Run

ENDINGS = (*TABLES, ".npy", ".npz", ".json", ".h5", ".hdf5")


@dataclass(frozen=True, eq=False)
class Tracks:
    """Tracked animals in their arena.

    Attributes:
        positions: Shape (frames, animals, 2), or 3 in a 3-D world [u], from the lower corner of the world; NaN if an
            animal is absent.
        velocities: The same [u/s].
        filled: Which positions were filled instead of seen, shape (frames, animals).
        names: The name of each animal in the file.
        fps: Frames per second.
        width, height, depth: Size of the world [u]; no depth in the plane.
        walls: Corners of the arena [u], shape (n, 2); None if it is a box. In space, walls are vertical.
        radius: Greatest distance of neighbours in measures [u].
        report: What was read and what was changed, as plain data.
    """

    positions: NDArray[np.float64]
    velocities: NDArray[np.float64]
    filled: NDArray[np.bool_]
    names: Sequence[str]
    fps: float
    width: float
    height: float
    walls: NDArray[np.float64] | None
    radius: float
    report: Mapping[str, Any]
    depth: float | None = None

    @property
    def present(self) -> NDArray[np.bool_]:
        """Which animals are in which frame, shape (frames, animals)."""
        return np.asarray(np.isfinite(self.positions[..., 0]))

    def save(self, folder: str | Path, progress: Callable[[int, int], None] | None = None) -> Run:
        """Store them as a run in a new folder."""
        from murmura.lab.tracks.folder import save_tracks

        return save_tracks(self, Path(folder), progress)


@takes(LoadRequest)
def load_tracks(request: LoadRequest) -> Run:
    """Convert tracked animals into a run, which everything that reads runs can read.

    Returns:
        The run. `tracks.json` in its folder reports what was missing, filled or smoothed.

    Args:
        files: A table (.csv, .parquet), an array (.npy), trajectories of idtracker.ai (.npy, .json, .h5), TRex's .npz
            files (one for each animal), or a file that the package `movement` can read.
        out: A new folder.
    """
    from murmura.lab.runs.recording import check_folder

    check_folder(Path(request.out))
    return _tracks(request).save(request.out, request.progress)


@takes(TracksRequest)
def read_tracks(request: TracksRequest) -> Tracks:
    """Read tracked animals into arrays.

    Args:
        files: As for `load_tracks`.
    """
    return _tracks(request)


def _tracks(request: TracksRequest) -> Tracks:
    paths, scale = listed(request.files), request.scale
    fps, fill, smooth, order = request.fps, request.fill, request.smooth, request.order
    check_smoothing(smooth, order, fill)
    for name, value in (("--fps", fps), ("--radius", request.radius), ("--max-speed", request.max_speed)):
        _check_positive(name, value)
    columns = request.columns
    chosen = dict(columns) if isinstance(columns, Mapping) else dict(column_choices(list(columns or ())))
    raw = _read(paths, chosen, request.source, request.keypoint, fps, request.trust_pickle)
    if request.flip:
        raw.positions[..., 1] *= -1.0
        raw.border = None if raw.border is None else raw.border * (1.0, -1.0)
    rate, unit = _rate(raw, fps), _unit(raw, scale)
    cleaned = clean(raw, unit, rate, fill, smooth, order, request.max_speed)
    places = cleaned.positions[np.isfinite(cleaned.positions[..., 0])]
    if not len(places):
        raise bad_track(raw.file, "no animal is seen in two consecutive frames: nothing moves")
    where = make_arena(request.arena, places[:, :2] * unit, raw.border)
    low, (width, height, *depth), outside = _world(where, places, unit)
    cleaned.positions -= low
    near = _radius(cleaned.positions) if request.radius is None else request.radius
    speeds = lengths(cleaned.velocities)
    report = {
        "files": [{"name": path.name, "bytes": path.stat().st_size, "sha256": file_hash(path)} for path in paths],
        "animals": list(raw.names), "frames": raw.frame_count, "fps": rate, "seconds": raw.frame_count / rate,
        "scale": unit, "points": int(cleaned.filled.size), "missing": cleaned.missing,
        "longest_gap": cleaned.longest_gap, "fill": fill, "filled": int(cleaned.filled.sum()),
        "alone": cleaned.alone, "jumped": cleaned.jumped, "jump_speed": cleaned.jump_speed,
        "smooth": smooth, "order": order, "unsmoothed": cleaned.unsmoothed, "arena": where.data(),
        "outside": outside, "radius": near, "flip": request.flip,
        "median_speed": float(np.nanmedian(speeds)), "greatest_speed": float(np.nanmax(speeds)), "notes": raw.notes,
    }  # fmt: skip
    walls = None if where.kind == "box" else where.corners / unit - low[:2]
    return Tracks(
        cleaned.positions,
        cleaned.velocities,
        cleaned.filled,
        raw.names,
        rate,
        width,
        height,
        walls,
        near,
        report,
        depth[0] if depth else None,
    )


def _read(
    paths: list[Path],
    columns: Mapping[str, str],
    source: str | None,
    keypoint: str | None,
    fps: float | None,
    trust_pickle: bool,
) -> RawTracks:
    """Read the files, by the program that wrote them."""
    if not paths:
        raise ScenarioError("give at least one file of tracks")
    for path in paths:
        _check_file(path)
    endings = {path.suffix.lower() for path in paths}
    if len(endings) > 1:
        raise ScenarioError(
            f"the files of one recording must be of one kind, got {', '.join(sorted(endings))}"
        )
    ending = endings.pop()
    if source is None and ending in (".csv", ".tsv", ".txt"):
        return read_csv(paths, columns)
    if source is None and ending == ".parquet":
        return read_parquet(paths, columns)
    if source is None and ending == ".npz":
        return read_trex(paths)
    if len(paths) > 1:
        raise ScenarioError(
            f"a recording in {ending} must be one file, got {len(paths)}; convert each to its own run"
        )
    if source is not None:
        return read_poses(paths[0], source, fps, keypoint)
    if ending == ".npy":
        return read_npy(paths[0], trust_pickle)
    if ending == ".json":
        return read_idtracker_json(paths[0])
    if ending in (".h5", ".hdf5"):
        return read_idtracker_h5(paths[0])
    raise bad_track(
        paths[0], f"tracks must end in {', '.join(ENDINGS)}; read others with --from, such as --from SLEAP"
    )


def _check_file(path: Path) -> None:
    try:
        with open_plain_file(path):
            size = path.stat().st_size
    except OSError as error:
        raise bad_track(path, f"it cannot be read: {error.strerror}") from None
    if size == 0:
        raise bad_track(path, "it is empty")
    if size > LARGEST_FILE:
        raise bad_track(
            path,
            f"it has {size / 1e9:.1f} GB, expected at most {LARGEST_FILE / 1e9:.1f}: split it into recordings, or "
            "remove columns that are not needed",
        )


def _rate(raw: RawTracks, fps: float | None) -> float:
    if fps is not None:
        if raw.fps is not None and not math.isclose(fps, raw.fps, rel_tol=1e-3):
            raw.notes.append(f"the file says {raw.fps:g} frames per second; {fps:g} were requested and used")
        return fps
    if raw.fps is None:
        raise bad_track(raw.file, "it does not contain a frame rate: add --fps, for example --fps 30")
    return raw.fps


def _unit(raw: RawTracks, scale: float | str) -> float:
    if scale == "body":
        if raw.body_length is None:
            raise bad_track(
                raw.file, "it does not contain a body length: give --scale as pixels per body length"
            )
        return raw.body_length
    try:
        number = float(scale)
    except ValueError:
        number = math.nan
    if not (math.isfinite(number) and number > 0.0):
        raise ScenarioError(f"--scale takes a number > 0, or body, got {scale!r}")
    return number


def _check_positive(name: str, value: float | None) -> None:
    if value is not None and not (math.isfinite(value) and value > 0.0):
        raise ScenarioError(f"{name} takes a number > 0, got {value!r}")


def _world(
    arena: Arena, places: NDArray[np.float64], unit: float
) -> tuple[NDArray[np.float64], list[float], int]:
    """Lower corner and sides of the world [u] around an arena, and the number of positions outside the arena.

    An arena has no height: in space, the world extends from the lowest position to the highest.
    """
    corners = arena.corners / unit
    outside = int((~arena.contains(places[:, :2] * unit)).sum())
    low, high = places.min(axis=0), places.max(axis=0)
    low[:2], high[:2] = np.minimum(corners.min(axis=0), low[:2]), np.maximum(corners.max(axis=0), high[:2])
    room = ROOM * float((high - low).max())
    return low - room, (high - low + 2.0 * room).tolist(), outside


def _radius(places: NDArray[np.float64]) -> float:
    """Three times the median distance to the nearest neighbour [u], over a hundred frames."""
    from scipy.spatial import cKDTree

    found: list[float] = []
    for frame in places[:: max(1, len(places) // 100)]:
        here = frame[np.isfinite(frame[:, 0])]
        if len(here) > 1:
            found += cKDTree(here).query(here, k=2)[0][:, 1].tolist()
    middle = 3.0 * float(np.median(found)) if found else 1.0
    return float(f"{middle:.3g}") or 1.0
