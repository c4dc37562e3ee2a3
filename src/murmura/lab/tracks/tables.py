"""Long tables of tracks, as CSV or Parquet: a row for each animal in each frame.

Columns are found by common names, or named by the user. Errors name row and column.
"""

from __future__ import annotations

import codecs
import csv
import io
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.core.errors import ScenarioError, nearest
from murmura.core.extras import needs
from murmura.lab.tracks.raw import MOST_POINTS, RawTracks, bad_track, from_array
from murmura.scenario.plain_files import open_plain_file

USUAL = {
    "frame": ("frame", "frame_number", "frames", "frame_id", "frameid", "f"),
    "time": ("time", "t", "seconds", "time_s", "timestamp"),
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
    "x": ("x", "pos_x", "position_x", "x_px", "x_cm"),
    "y": ("y", "pos_y", "position_y", "y_px", "y_cm"),
    "z": ("z", "pos_z", "position_z", "z_px", "z_cm"),
}
MISSING = ("", "nan", "na", "n/a", "null", "none")
UNIT = re.compile(r"\s*(\[[^\]]*\]|\([^)]*\))$")
"""A unit after a name, as in "x (cm)" and "time [s]"."""
ON_TIME = 0.25
"""Tolerance of times, as a share of the time between two frames."""


def read_csv(files: list[Path], columns: Mapping[str, str]) -> RawTracks:
    """Tracks from text tables, one after the other."""
    return _tracks(files, [_from_csv(file, columns) for file in files])


def read_parquet(files: list[Path], columns: Mapping[str, str]) -> RawTracks:
    """Tracks from Parquet tables, one after the other."""
    return _tracks(files, [_from_parquet(file, columns) for file in files])


@dataclass(frozen=True)
class Rows:
    """The columns of one table.

    Attributes:
        file: The table.
        clock: What tells the time: "frame" or "time".
        when: Frames or times, shape (n,).
        ids: The name of each row's animal: a polars series.
        places: x, y and z of each row, shape (n, 3); NaN where there is none.
        has_z: Whether the table has a column for z.
        line: The line in the file, from a row's number.
    """

    file: Path
    clock: str
    when: NDArray[np.float64]
    ids: Any
    places: NDArray[np.float64]
    has_z: bool
    line: Callable[[int], int]


def _from_csv(file: Path, columns: Mapping[str, str]) -> Rows:
    with needs("analysis"):
        import polars  # noqa: F401
    with open_plain_file(file) as raw:
        data = raw.read().removeprefix(codecs.BOM_UTF8)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise bad_track(file, f"it is not text in UTF-8 (byte {error.start:,})") from None
    if not text.strip():
        raise bad_track(file, "it is empty; expected a table with the columns frame, id, x and y")
    separator = _separator(text)
    header = [name.strip() for name in next(csv.reader(io.StringIO(text), delimiter=separator))]
    places = find_columns(file, header, columns)
    table = _read_fast(data, separator, len(header))
    if table is None:
        table = _read_with_care(file, text, separator, len(header))
    taken = {role: table.to_series(place) for role, place in places.items()}
    taken["id"] = _without_missing(taken["id"])
    numbers = {}
    for role in taken.keys() - {"id"}:
        numbers[role] = _numbers(taken[role])
        if numbers[role].null_count():  # where a value is missing, or is no number
            taken[role] = _without_missing(taken[role])
            numbers[role] = _numbers(taken[role])

    def line(row: int) -> int:
        lines = csv.reader(io.StringIO(text), delimiter=separator)
        next(islice(filter(None, lines), row + 1, None))
        return lines.line_num

    return _checked(file, header, places, taken, numbers, line)


def _without_missing(texts: Any) -> Any:
    """Texts without spaces around them; null where a word says that there is none."""
    stripped = texts.str.strip_chars()
    known = stripped.unique().drop_nulls()
    words = known.filter(known.str.to_lowercase().is_in(MISSING))
    return stripped.set(stripped.is_in(words.to_list()), None) if len(words) else stripped


def _numbers(texts: Any) -> Any:
    import polars

    return texts.cast(polars.Float64, strict=False).fill_nan(None)


def _separator(text: str) -> str:
    """The most frequent of the common ones in the first line."""
    first = text[:8192].splitlines()[0]
    return max((",", ";", "\t"), key=first.count)


def _read_fast(data: bytes, separator: str, width: int) -> Any:
    """All columns as text; None if a line may be empty or have too few values, which polars fills without a word."""
    import polars

    data = data.rstrip(b"\r\n")
    try:
        table = polars.read_csv(data, separator=separator, infer_schema=False)
    except polars.exceptions.PolarsError:
        return None
    if table.width != width:
        return None
    is_even = b'"' not in data and data.count(separator.encode()) == (len(table) + 1) * (width - 1)
    return table if is_even or not table.to_series(-1).is_null().any() else None


def _read_with_care(file: Path, text: str, separator: str, width: int) -> Any:
    """The same, line by line, by the rules of Python's csv: names the first line with too few or too many values."""
    import polars

    lines = csv.reader(io.StringIO(text), delimiter=separator)
    rows: list[list[str]] = []
    try:
        for line in lines:
            if line and len(line) != width:
                raise bad_track(file, f"expected {width} values, got {len(line)}", row=lines.line_num)
            if line:
                rows.append(line)
    except csv.Error as error:
        raise bad_track(file, str(error), row=lines.line_num) from None
    names = [str(k) for k in range(width)]
    return polars.DataFrame(rows[1:], schema=dict.fromkeys(names, polars.String), orient="row")


def _from_parquet(file: Path, columns: Mapping[str, str]) -> Rows:
    with needs("analysis"):
        import polars
    try:
        header = list(polars.read_parquet_schema(file))
        places = find_columns(file, header, columns)
        table = polars.read_parquet(file, columns=[header[place] for place in places.values()])
    except (OSError, polars.exceptions.PolarsError) as error:
        raise bad_track(file, f"it cannot be read as Parquet: {str(error).splitlines()[0]}") from None
    taken = {role: table[header[place]] for role, place in places.items()}
    for role, column in taken.items():
        if role != "id" and not column.dtype.is_numeric():
            raise bad_track(file, f"expected numbers, got the type {column.dtype}", column=column.name)
    taken["id"] = taken["id"].cast(polars.String)
    numbers = {
        role: column.cast(polars.Float64).fill_nan(None) for role, column in taken.items() if role != "id"
    }
    return _checked(file, header, places, taken | numbers, numbers, lambda row: row + 1)


def _checked(
    file: Path,
    header: list[str],
    places: dict[str, int],
    taken: dict[str, Any],
    numbers: dict[str, Any],
    line: Callable[[int], int],
) -> Rows:
    """The columns as numbers; raises for the first row with a fault.

    Args:
        file: The table.
        header: Names of its columns.
        places: The place of each role in the header.
        taken: The columns as they are in the table, by role; null where a value is missing.
        numbers: The columns as numbers; null where there is none.
        line: The line in the file, from a row's number.
    """
    clock = "frame" if "frame" in places else "time"
    roles = [role for role in (clock, "x", "y", "z") if role in numbers]
    found = {role: numbers[role].to_numpy().astype(np.float64) for role in roles}
    none = {role: taken[role].is_null().to_numpy() for role in (*roles, "id")}
    when, x, y = found[clock], found["x"], found["y"]

    def fault(rows: NDArray[np.bool_], role: str, what: Callable[[int], str]) -> None:
        faults.append((int(rows.argmax()) if rows.any() else len(rows), role, what))

    faults: list[tuple[int, str, Callable[[int], str]]] = []
    fault(none["id"], "id", lambda row: "the id is missing")
    for role in roles:
        wrong = ~none[role] & ~np.isfinite(found[role])
        fault(wrong, role, lambda row, role=role: f"expected a number, got {taken[role][row]!r:.40}")  # type: ignore[misc]
    fault(none[clock], clock, lambda row: f"the {clock} is missing")
    if clock == "frame":
        with np.errstate(invalid="ignore"):
            wrong = (when != np.round(when)) | (when < 0.0)
        fault(wrong, clock, lambda row: f"a frame must be a whole number of at least 0, got {when[row]:g}")
    for role, other in (("x", y), ("y", x)):
        lacks = np.isnan(found[role]) & ~np.isnan(other)
        fault(lacks, role, lambda row: "one coordinate is given and the other is not")
    row, role, what = min(faults, key=lambda each: each[0])
    if row < len(when):
        raise bad_track(file, what(row), row=line(row), column=header[places[role]])
    z = found.get("z", np.full(len(when), math.nan))
    return Rows(file, clock, when, taken["id"], np.stack([x, y, z], axis=1), "z" in found, line)


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
    low = [UNIT.sub("", name.lower()) for name in header]
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
    import polars

    when = np.concatenate([part.when for part in parts])
    ids = polars.concat([part.ids for part in parts])
    labels = sorted(ids.unique().to_list(), key=_by_number)
    animals = ids.cast(polars.Enum(labels)).to_physical().to_numpy().astype(np.int64)
    _check_order(parts, when, animals, labels)
    frames, fps = _frames(parts, when, clock)
    if (int(frames.max()) + 1) * len(labels) > MOST_POINTS:
        row = int(frames.argmax())
        raise _at(parts, row, f"frame {when[row]:g} would give more than {MOST_POINTS:,} points", clock)
    _check_twice(parts, frames, animals, labels, when)
    rows = np.concatenate([part.places for part in parts])
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
        if row < len(part.when):
            return bad_track(part.file, what, row=part.line(row), column=column)
        row -= len(part.when)
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
