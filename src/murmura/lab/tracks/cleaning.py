"""Gaps, jumps and smoothing: from raw positions to positions and velocities. All changes are counted.

Gaps up to a given length are filled by linear interpolation and marked. Positions are unchanged unless smoothing is
requested: then SciPy's Savitzky-Golay filter fits a polynomial to each window, and its slope is the velocity. Without
smoothing, velocities are central differences, which is that filter with a window of three and a parabola.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from murmura.core.errors import ScenarioError
from murmura.lab.tracks.raw import RawTracks, bad_track, lengths

JUMP = 5.0
"""A move is a jump if it is this many times longer than 99 of 100 moves, unless a maximum speed is given."""
SANE_SPEED = 1000.0
"""If half of all moves are faster than this [u/s], a unit must be wrong, such as pixels for body lengths."""


@dataclass
class Cleaned:
    """Positions and velocities, NaN if an animal is absent, and counts of what was changed."""

    positions: NDArray[np.float64]
    velocities: NDArray[np.float64]
    filled: NDArray[np.bool_]
    missing: int
    longest_gap: int
    jumped: int
    jump_speed: float
    alone: int
    unsmoothed: int


def check_smoothing(window: int, order: int, fill: int) -> None:
    """Refuse invalid parameters of the filter."""
    if window and (window < 3 or window % 2 == 0):
        raise ScenarioError(f"--smooth takes an odd number of at least 3 frames, or 0 for none, got {window}")
    if not 1 <= order < (window or 3):
        raise ScenarioError(
            f"--order takes a degree from 1 to less than the window of {window or 3}, got {order}"
        )
    if fill < 0:
        raise ScenarioError(f"--fill takes at least 0 frames, got {fill}")


def clean(
    raw: RawTracks, scale: float, fps: float, fill: int, window: int, order: int, max_speed: float | None
) -> Cleaned:
    """Positions [u] and velocities [u/s] from raw positions."""
    places = raw.positions / scale
    known = np.isfinite(places[..., 0])
    jumped, limit = _jumps(raw, places, known, fps, max_speed)
    filled = np.zeros(known.shape, bool)
    for animal in range(places.shape[1]):
        filled[:, animal] = _fill(places[:, animal], known[:, animal], fill)
    present = known | filled
    velocities = np.full(places.shape, np.nan)
    alone = unsmoothed = 0
    for animal in range(places.shape[1]):
        for first, end in runs_of(present[:, animal]):
            if end - first == 1:
                # A position without one before or after it has no velocity.
                alone += 1
                places[first, animal] = np.nan
                continue
            piece = slice(first, end), animal
            if window and end - first >= window:
                places[piece], velocities[piece] = _filtered(places[piece], fps, window, order)
            else:
                unsmoothed += (end - first) if window else 0
                velocities[piece] = np.gradient(places[piece], 1.0 / fps, axis=0)
    gaps = [end - first for k in range(known.shape[1]) for first, end in runs_of(~known[:, k])]
    return Cleaned(
        places,
        velocities,
        filled,
        int((~known).sum()),
        max(gaps, default=0),
        jumped,
        limit,
        alone,
        unsmoothed,
    )


def _filtered(
    places: NDArray[np.float64], fps: float, window: int, order: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    from scipy.signal import savgol_filter

    return (
        savgol_filter(places, window, order, axis=0),
        savgol_filter(places, window, order, deriv=1, delta=1.0 / fps, axis=0),
    )


def _fill(places: NDArray[np.float64], known: NDArray[np.bool_], longest: int) -> NDArray[np.bool_]:
    """Fill the gaps of one animal in place, between two frames in which it was seen; return which positions are new."""
    filled = np.zeros(len(places), bool)
    for first, end in runs_of(~known):
        if first > 0 and end < len(places) and end - first <= longest:
            share = (np.arange(first, end) - (first - 1)) / (end - first + 1)
            places[first:end] = places[first - 1] + share[:, None] * (places[end] - places[first - 1])
            filled[first:end] = True
    return filled


def runs_of(chosen: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """First frame and end of every run of true values."""
    edges = np.flatnonzero(np.diff(chosen.astype(np.int8), prepend=0, append=0))
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def _jumps(
    raw: RawTracks, places: NDArray[np.float64], known: NDArray[np.bool_], fps: float, max_speed: float | None
) -> tuple[int, float]:
    """The number of moves that are jumps, and the speed that defines them [u/s]; refuse speeds in a wrong unit."""
    moves = np.diff(places, axis=0) * fps
    speeds = lengths(moves)
    seen = speeds[known[1:] & known[:-1]]
    if not len(seen):
        raise bad_track(raw.file, "no animal is seen in two consecutive frames: nothing moves")
    middle = float(np.median(seen))
    if max_speed is None and middle > SANE_SPEED:
        between = np.where(known[1:] & known[:-1], speeds, 0.0)
        frame, animal = divmod(int(np.argmax(between)), speeds.shape[1])
        raise raw.bad_place(
            frame + 1,
            animal,
            f"half of all moves are faster than {middle:.3g} u/s, and animal {raw.names[animal]} moves at "
            f"{speeds[frame, animal]:.3g} u/s: is a unit wrong? --scale is file units (pixels) per unit or body "
            "length, --fps frames per second; --max-speed allows more",
        )
    limit = JUMP * float(np.quantile(seen, 0.99)) if max_speed is None else max_speed
    return int((seen > limit).sum()), limit
