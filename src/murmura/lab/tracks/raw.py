"""The content of a file of tracks, before anything is scaled, filled or smoothed, and errors that name its position."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.core.errors import ScenarioError

LARGEST_FILE = 2**30
"""Greatest size of a file [bytes]: the arrays of larger ones would not fit into ordinary memory."""
MOST_POINTS = 100_000_000
"""Greatest number of frames times animals: a typo in a frame column would otherwise exhaust the memory."""


def bad_track(
    file: str | Path, what: str, *, row: int | None = None, column: str | int | None = None
) -> ScenarioError:
    """An error in a file, with its position: rows of text files are counted from 1, as in an editor."""
    place = "" if row is None else f", row {row:,}"
    place += "" if column is None else f", column {column}"
    return ScenarioError(f"{file}{place}: {what}")


Fault = Callable[[int | None, int, str], ScenarioError]


@dataclass
class RawTracks:
    """Positions as in the file.

    Attributes:
        file: The name of the file, for messages.
        positions: Shape (frames, animals, 2), or 3 with heights, in the file's unit; NaN if an animal was not seen.
        names: The name of each animal in the file, shape (animals,).
        fps: Frames per second; None if the file does not contain them.
        body_length: In the file's unit; None if the file does not contain it.
        border: Corners of the arena in the file's unit, shape (corners, 2); None if the file does not contain it.
        notes: Remarks about how the file was read.
        fault: If the file has rows: returns the error for the row of an animal (number) in a frame; None: its first.
    """

    file: str
    positions: NDArray[np.float64]
    names: Sequence[str]
    fps: float | None = None
    body_length: float | None = None
    border: NDArray[np.float64] | None = None
    notes: list[str] = field(default_factory=list)
    fault: Fault | None = None

    def bad_place(self, frame: int, animal: int, what: str) -> ScenarioError:
        """An error about an animal in a frame, with row and column or, if there is no table, with frame and name."""
        if self.fault is not None:
            return self.fault(frame, animal, what)
        return ScenarioError(f"{self.file}, frame {frame:,}, animal {self.names[animal]}: {what}")

    @property
    def frame_count(self) -> int:
        return len(self.positions)


def from_array(file: str, array: NDArray[Any], names: Sequence[str] | None = None, **more: Any) -> RawTracks:
    """Tracks from an array of frames x animals x 2 or 3; raises on anything else.

    Raises:
        ScenarioError: The array has another shape, no frame, no animal, or an animal that is never seen.
    """
    if array.dtype.kind not in "iuf":
        raise bad_track(file, f"expected an array of numbers, got the type {array.dtype}")
    if array.ndim != 3 or array.shape[2] not in (2, 3):
        raise bad_track(
            file,
            f"expected an array of frames x animals x 2 (or 3), got the shape {array.shape}; "
            "transpose its axes into this order",
        )
    if not array.size:
        raise bad_track(file, f"it contains no positions: the shape is {array.shape}")
    if array.shape[0] * array.shape[1] > MOST_POINTS:
        raise bad_track(
            file,
            f"{array.shape[0]:,} frames of {array.shape[1]:,} animals are more than {MOST_POINTS:,} points",
        )
    places = np.array(array, np.float64)
    notes = list(more.pop("notes", ()))
    if array.shape[2] == 3 and _is_flat(places[..., 2]):
        places = places[..., :2].copy()
        notes.append("the third coordinate never changes: tracks are kept in the plane")
    places[~np.isfinite(places).all(axis=2)] = math.nan
    known = [str(name) for name in (range(array.shape[1]) if names is None else names)]
    unseen = np.flatnonzero(np.isnan(places[..., 0]).all(axis=0))
    if len(unseen):
        what = f"animal {known[unseen[0]]} is not seen in any of the {len(places):,} frames; remove it from the file"
        fault: Fault | None = more.get("fault")
        raise fault(None, int(unseen[0]), what) if fault else bad_track(file, what, column=int(unseen[0]))
    return RawTracks(file, places, known, notes=notes, **more)


def _is_flat(heights: NDArray[np.float64]) -> bool:
    """Whether all known heights are equal."""
    known = heights[np.isfinite(heights)]
    return not len(known) or bool((known == known[0]).all())


def lengths(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Lengths of vectors of two or three numbers along the last axis."""
    found = np.hypot(vectors[..., 0], vectors[..., 1])
    return np.asarray(found if vectors.shape[-1] == 2 else np.hypot(found, vectors[..., 2]))


def described(file: str, found: Mapping[str, Any], key: str) -> float | None:
    """A positive number in the file's metadata, or None."""
    value = found.get(key)
    if value is None:
        return None
    try:
        number = float(np.asarray(value).reshape(-1)[0])
    except (TypeError, ValueError, IndexError):
        raise bad_track(file, f"its {key} must be a number, got {value!r:.60}") from None
    if not (math.isfinite(number) and number > 0.0):
        raise bad_track(file, f"its {key} must be a number > 0, got {number:g}")
    return number
