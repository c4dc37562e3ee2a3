"""Long tables of tracks, as CSV or Parquet: a row for each animal in each frame.

Columns are found by common names, or named by the user. Errors name row and column.
"""

from __future__ import annotations

import csv
import io
import math
from array import array
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.core.errors import ScenarioError, nearest
from murmura.lab.extras import needs
from murmura.lab.tracks.raw import MOST_POINTS, RawTracks, bad_track, from_array
from murmura.scenario.plain_files import open_plain_file

USUAL = {
    "frame": ("frame", "frame_number", "frames", "frame_id", "frameid", "f"),
    "time": ("time", "t", "seconds", "time_s", "timestamp", "time [s]"),
    "id": (
        "id",
        "ids",
        "track_id",
        "trackid",
        "track",
        "animal",
        "individual",
        "identity",
        "particle",
        "fish",
    ),
    "x": ("x", "pos_x", "position_x", "x_px", "x_cm", "x (cm)", "x (px)"),
    "y": ("y", "pos_y", "position_y", "y_px", "y_cm", "y (cm)", "y (px)"),
    "z": ("z", "pos_z", "position_z", "z_px", "z_cm", "z (cm)", "z (px)"),
}
MISSING = frozenset(("", "nan", "na", "n/a", "null", "none"))
ON_TIME = 0.25
"""Tolerance of times, as a share of the time between two frames."""


def read_csv(files: list[Path], columns: Mapping[str, str]) -> RawTracks:
    """Tracks from text tables, one after the other."""
    parts = [_csv_columns(file, columns) for file in files]
    return _tracks(files, parts)


def read_parquet(files: list[Path], columns: Mapping[str, str]) -> RawTracks:
    """Tracks from Parquet tables, one after the other."""
    parts = [_parquet_columns(file, columns) for file in files]
    return _tracks(files, parts)


class Rows:
    """The columns of one table: positions, times, ids, and their rows."""

    def __init__(self, file: Path, clock: str, has_z: bool) -> None:
        self.file, self.clock, self.has_z = file, clock, has_z
        self.when, self.x, self.y, self.z = array("d"), array("d"), array("d"), array("d")
        self.row = array("q")
        self.ids: list[str] = []


def _csv_columns(file: Path, columns: Mapping[str, str]) -> Rows:
    with open_plain_file(file) as raw, io.TextIOWrapper(raw, "utf-8-sig", newline="") as text:
        try:
            sample = text.read(8192)
            if not sample.strip():
                raise bad_track(file, "it is empty; expected a table with the columns frame, id, x and y")
            text.seek(0)
            lines = csv.reader(text, delimiter=_delimiter(sample))
            header = [name.strip() for name in next(lines)]
            places = find_columns(file, header, columns)
            rows = Rows(file, "frame" if "frame" in places else "time", "z" in places)
            for line in lines:
                if line:
                    _take_line(rows, lines.line_num, line, header, places)
        except UnicodeDecodeError as error:
            raise bad_track(file, f"it is not text in UTF-8 (byte {error.start:,})") from None
        except csv.Error as error:
            raise bad_track(file, str(error), row=lines.line_num) from None
    return rows


def _delimiter(sample: str) -> str:
    """The separator of the first line: the most frequent of the common ones."""
    first = sample.splitlines()[0]
    return max((",", ";", "\t"), key=first.count)


def _take_line(rows: Rows, number: int, line: list[str], header: list[str], places: dict[str, int]) -> None:
    if len(line) != len(header):
        raise bad_track(rows.file, f"expected {len(header)} values, got {len(line)}", row=number)

    def value(name: str) -> float:
        text = line[places[name]].strip()
        if text.lower() in MISSING:
            return math.nan
        try:
            found = float(text)
        except ValueError:
            found = math.inf
        if math.isinf(found):
            raise bad_track(
                rows.file, f"expected a number, got {text!r:.40}", row=number, column=header[places[name]]
            )
        return found

    identity = line[places["id"]].strip()
    if identity.lower() in MISSING:
        raise bad_track(rows.file, "the id is missing", row=number, column=header[places["id"]])
    z = value("z") if rows.has_z else math.nan
    _take(rows, number, value(rows.clock), identity, (value("x"), value("y"), z), header, places)


def _take(
    rows: Rows,
    number: int,
    when: float,
    identity: str,
    place: tuple[float, float, float],
    header: list[str],
    at: dict[str, int],
) -> None:
    """Add one row, after checking it."""
    x, y, z = place
    clock = header[at[rows.clock]]
    if math.isnan(when):
        raise bad_track(rows.file, f"the {rows.clock} is missing", row=number, column=clock)
    if rows.clock == "frame" and not (when == round(when) and when >= 0.0):
        raise bad_track(
            rows.file, f"a frame must be a whole number of at least 0, got {when:g}", row=number, column=clock
        )
    if math.isnan(x) != math.isnan(y):
        lacking = header[at["x" if math.isnan(x) else "y"]]
        raise bad_track(rows.file, "one coordinate is given and the other is not", row=number, column=lacking)
    rows.when.append(when)
    rows.x.append(x)
    rows.y.append(y)
    rows.z.append(z)
    rows.row.append(number)
    rows.ids.append(identity)


def _parquet_columns(file: Path, columns: Mapping[str, str]) -> Rows:
    with needs("analysis"):
        import polars
    try:
        header = list(polars.read_parquet_schema(file))
        places = find_columns(file, header, columns)
        names = [header[place] for place in places.values()]
        table = polars.read_parquet(file, columns=names)
    except (OSError, polars.exceptions.PolarsError) as error:
        raise bad_track(file, f"it cannot be read as Parquet: {str(error).splitlines()[0]}") from None
    rows = Rows(file, "frame" if "frame" in places else "time", "z" in places)
    taken = [header[places[name]] for name in (rows.clock, "id", "x", "y", *(["z"] if rows.has_z else []))]
    for name in (taken[0], *taken[2:]):
        if not table[name].dtype.is_numeric():
            raise bad_track(file, f"expected numbers, got the type {table[name].dtype}", column=name)
    for number, (when, identity, *place) in enumerate(table.select(taken).iter_rows(), 1):
        if identity is None:
            raise bad_track(file, "the id is missing", row=number, column=taken[1])
        numbers = [math.nan if value is None else float(value) for value in (when, *place)]
        for name, value in zip((taken[0], *taken[2:]), numbers, strict=True):
            if math.isinf(value):
                raise bad_track(file, f"expected a number, got {value}", row=number, column=name)
        x, y, z = (*numbers[1:], math.nan)[:3]
        _take(rows, number, numbers[0], str(identity), (x, y, z), header, places)
    return rows


def find_columns(file: Path, header: list[str], chosen: Mapping[str, str]) -> dict[str, int]:
    """The columns of frame or time, id, x, y and z: named by the user, or found by common names."""
    twice = next((name for name in header if header.count(name) > 1), None)
    if twice is not None:
        raise bad_track(file, "it appears twice in the header", row=1, column=twice)
    for role, name in chosen.items():
        if role not in USUAL:
            raise ScenarioError(f"--columns names frame, time, id, x, y or z, got {role!r}")
        if name not in header:
            raise bad_track(
                file, f"it has no column {name!r}{nearest(name, header)}; it has {', '.join(header)}"
            )
    low = [name.lower() for name in header]
    places = {}
    for role, names in USUAL.items():
        if role in chosen:
            places[role] = header.index(chosen[role])
            continue
        found = next((low.index(name) for name in names if name in low), None)
        if found is not None:
            places[role] = found
    lacking = [role for role in ("id", "x", "y") if role not in places]
    if "frame" not in places and "time" not in places:
        lacking.insert(0, "frame (or time)")
    if lacking:
        first = lacking[0].split()[0]
        raise bad_track(
            file,
            f"no column is called {' nor '.join(lacking)}: it has {', '.join(header) or 'none'}; "
            f"name it with --columns {first}=NAME",
            row=1,
        )
    return places


def _tracks(files: list[Path], parts: list[Rows]) -> RawTracks:
    """The rows of all files as an array; every (frame, id) must be unique, and frames in order."""
    name, clock = " ".join(map(str, files)), parts[0].clock
    for part in parts:
        if part.clock != clock:
            raise bad_track(part.file, f"it has the column {part.clock}, but {files[0]} has {clock}")
        if not len(part.when):
            raise bad_track(part.file, "it has a header and no rows")
    when = np.concatenate([np.frombuffer(part.when, np.float64) for part in parts])
    ids = [identity for part in parts for identity in part.ids]
    labels = sorted(set(ids), key=_by_number)
    number = {label: k for k, label in enumerate(labels)}
    animals = np.array([number[identity] for identity in ids])
    _check_order(parts, when, animals, labels)
    frames, fps = _frames(parts, when, clock)
    if (int(frames.max()) + 1) * len(labels) > MOST_POINTS:
        row = int(frames.argmax())
        raise _at(parts, row, f"frame {when[row]:g} would give more than {MOST_POINTS:,} points", clock)
    _check_twice(parts, frames, animals, labels, when)
    rows = np.stack([_column(parts, axis) for axis in ("x", "y", "z")], axis=1)
    _check_heights(parts, rows)
    deep = bool(np.isfinite(rows[:, 2]).any())
    places = np.full((int(frames.max()) + 1, len(labels), 3 if deep else 2), math.nan)
    places[frames, animals] = rows[:, : 3 if deep else 2]

    def fault(frame: int | None, animal: int, what: str) -> ScenarioError:
        here = animals == animal if frame is None else (frames == frame) & (animals == animal)
        row = int(np.flatnonzero(here)[0])
        return _at(parts, row, what, "x")

    found = from_array(name, places, labels, fps=fps, fault=fault)
    if any(part.has_z for part in parts) and not deep:
        found.notes.append("the column z is empty: tracks are kept in the plane")
    if clock == "frame" and when.min() > 0.0:
        found.notes.append(f"the first frame of the file is {when.min():.0f}, and is step 0 here")
    return found


def _column(parts: list[Rows], axis: str) -> NDArray[np.float64]:
    return np.concatenate([np.frombuffer(getattr(part, axis), np.float64) for part in parts])


def _check_heights(parts: list[Rows], places: NDArray[np.float64]) -> None:
    """Refuse heights that are missing in some rows with a position."""
    high, here = np.isfinite(places[:, 2]), np.isfinite(places[:, 0])
    lacking = np.flatnonzero(high != here)
    if high.any() and len(lacking):
        raise _at(parts, int(lacking[0]), "one coordinate is given and the other is not", "z")


def _check_order(parts: list[Rows], when: NDArray[Any], animals: NDArray[Any], labels: list[str]) -> None:
    """Refuse an animal whose rows go back in time: two recordings in one file, or a mixed-up table."""
    order = np.argsort(animals, kind="stable")
    back = (np.diff(when[order]) < 0.0) & (np.diff(animals[order]) == 0)
    if back.any():
        places = order[1:][back]
        row = int(places.min())
        raise _at(
            parts, row,
            f"animal {labels[animals[row]]} goes back to {when[row]:g}: sort the rows of each animal, or give each "
            "recording its own file", parts[0].clock,
        )  # fmt: skip


def _check_twice(
    parts: list[Rows], frames: NDArray[Any], animals: NDArray[Any], labels: list[str], when: NDArray[Any]
) -> None:
    keys = frames * len(labels) + animals
    _, first = np.unique(keys, return_index=True)
    if len(first) < len(keys):
        again = np.ones(len(keys), bool)
        again[first] = False
        row = int(np.flatnonzero(again)[0])
        raise _at(
            parts, row,
            f"animal {labels[animals[row]]} is in {parts[0].clock} {when[row]:g} twice; an id is one animal at one "
            "place", "id",
        )  # fmt: skip


def _frames(parts: list[Rows], when: NDArray[Any], clock: str) -> tuple[NDArray[np.int64], float | None]:
    """The frame of each row, from 0, and frames per second if the table has times."""
    times = np.unique(when)
    if clock == "frame":
        steps = np.diff(times).astype(np.int64)
        stride = int(np.gcd.reduce(steps)) if len(steps) else 1
        frames = ((when - times[0]) / stride).astype(np.int64)
        if stride > 1:
            # The table has every k-th frame of a film, but --fps is that of the film.
            raise _at(
                parts, 0, f"only every {stride}th frame is in the table: divide the frames by {stride}, and give "
                "--fps as the frame rate of the table", clock,
            )  # fmt: skip
        return frames, None
    if len(times) < 2:
        raise _at(parts, 0, "all rows have the same time; expected at least two times", clock)
    step = float(np.median(np.diff(times)))
    count = max(1, round((times[-1] - times[0]) / step))
    step = float(times[-1] - times[0]) / count
    exact = (when - times[0]) / step
    frames = np.rint(exact).astype(np.int64)
    off = np.abs(exact - frames) > ON_TIME
    if off.any():
        row = int(np.flatnonzero(off)[0])
        raise _at(
            parts, row, f"the time {when[row]:g} s is between two frames, which come every {step:g} s: expected evenly "
            "spaced times", clock,
        )  # fmt: skip
    return frames, 1.0 / step


def _at(parts: list[Rows], row: int, what: str, column: str) -> ScenarioError:
    """An error in one row, counted over all tables."""
    for part in parts:
        if row < len(part.row):
            return bad_track(part.file, what, row=part.row[row], column=column)
        row -= len(part.row)
    raise AssertionError(row)


def _by_number(label: str) -> tuple[int, float, str]:
    try:
        return 0, float(label), label
    except ValueError:
        return 1, 0.0, label


def column_choices(texts: list[str] | None) -> Iterator[tuple[str, str]]:
    """`--columns id=fish,x=X` as pairs."""
    for text in texts or ():
        for part in text.split(","):
            role, separator, name = part.partition("=")
            if not separator or not name.strip():
                raise ScenarioError(f"--columns takes ROLE=NAME, for example id=fish,x=X, got {part!r}")
            yield role.strip(), name.strip()
