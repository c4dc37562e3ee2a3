"""What a file of tracks says, before anything is scaled, filled or smoothed; and how its faults are named."""

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
"""Files beyond this size [bytes] are refused: their arrays would not fit beside each other into ordinary memory."""
MOST_POINTS = 100_000_000
"""Frames times animals; a slip in a frame column would otherwise ask for more memory than there is."""


def bad_track(
    file: str | Path, what: str, *, row: int | None = None, column: str | int | None = None
) -> ScenarioError:
    """A fault in a file, with its place: rows of text files are counted as an editor does, from 1."""
    place = "" if row is None else f", row {row:,}"
    place += "" if column is None else f", column {column}"
    return ScenarioError(f"{file}{place}: {what}")


Fault = Callable[[int | None, int, str], ScenarioError]


@dataclass
class RawTracks:
    """Places as a file gives them.

    Attributes:
        file: Where they are from, for messages.
        positions: Shape (frames, animals, 2), or 3 where there is a height, in the unit of the file; NaN where an
            animal was not seen.
        names: What the file calls each animal, shape (animals,).
        fps: Frames a second; None where the file does not know.
        body_length: In the file's unit; None where the file does not know.
        border: Corners of the arena in the file's unit, shape (corners, 2); None where the file does not know.
        notes: What a reader should know of how it was read.
        fault: Where the file has rows: the error of the row of an animal (number) in a frame, None: its first.
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
        """A fault of an animal in a frame, with its row and column, or its frame and name where there is no table."""
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
            "bring its axes into this order",
        )
    if not array.size:
        raise bad_track(file, f"it holds no place: the shape is {array.shape}")
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
        what = f"animal {known[unseen[0]]} is not seen in any of the {len(places):,} frames; take it out of the file"
        fault: Fault | None = more.get("fault")
        raise fault(None, int(unseen[0]), what) if fault else bad_track(file, what, column=int(unseen[0]))
    return RawTracks(file, places, known, notes=notes, **more)


def _is_flat(heights: NDArray[np.float64]) -> bool:
    """Whether all known heights are one."""
    known = heights[np.isfinite(heights)]
    return not len(known) or bool((known == known[0]).all())


def lengths(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Lengths of vectors of two or three numbers, which lie along the last axis."""
    found = np.hypot(vectors[..., 0], vectors[..., 1])
    return np.asarray(found if vectors.shape[-1] == 2 else np.hypot(found, vectors[..., 2]))


def described(file: str, found: Mapping[str, Any], key: str) -> float | None:
    """A positive number that a file says of itself, or None."""
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
