"""The bodies of agents in space: small meshes that point in the direction of flight, bank in turns, and beat wings or
tail.

Lengths are in half lengths of a body; x is forward, y to its left, z up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
SUN = np.array([-0.33, 0.45, 0.83])
DARKEST = 0.55
STEEP = 1e-6
MOST_ROLL = np.radians(70.0)
ROLL_TIME, ROLL_GAIN = (
    0.25,
    0.9,
)  # time constant of the roll in a turn [s], and tan(roll) per radian per second


@dataclass(frozen=True)
class Body:
    """A mesh and how it moves.

    Attributes:
        corners: Shape (corners, 3).
        faces: Three corners for each triangle.
        hinges: The distance of each corner from the body's axis along a wing, which rotates about it with the beat.
        wags: How far each corner swings sideways with the tail.
        beat: Beats per second.
        reach: Amplitude of a beat: [rad] for a wing, body lengths for a tail.
    """

    corners: Floats
    faces: NDArray[np.int64]
    hinges: Floats
    wags: Floats
    beat: float
    reach: float


def _winged(span: float, sweep: float, chord: float, beat: float, reach: float) -> Body:
    body = [(1.0, 0, 0), (0.3, 0.15, 0), (0.3, -0.15, 0), (-1.0, 0.17, 0), (-1.0, -0.17, 0), (-0.55, 0, 0)]
    wings: list[tuple[float, float, float]] = []
    for side in (1.0, -1.0):
        middle = (0.5 - 0.2 * sweep, side * 0.55 * span, 0)
        wings += [(0.5, side * 0.08, 0), (0.5 - chord, side * 0.08, 0), middle, (0.5 - sweep, side * span, 0)]
    corners = np.array([*body, *wings], np.float64)
    faces = [(0, 1, 2), (1, 2, 5), (1, 5, 3), (2, 5, 4), (6, 7, 8), (7, 8, 9), (10, 11, 12), (11, 12, 13)]
    hinges = np.where(np.arange(len(corners)) >= len(body), corners[:, 1], 0.0)
    return Body(corners, np.array(faces, np.int64), hinges, np.zeros(len(corners)), beat, reach)


def _finned() -> Body:
    corners = [
        (1.0, 0, 0), (0.15, 0, 0.34), (0.15, 0, -0.34), (0.2, 0.17, 0), (0.2, -0.17, 0), (-0.62, 0, 0),
        (-1.0, 0, 0.32), (-1.0, 0, -0.32),
    ]  # fmt: skip
    faces = [
        (0, 1, 3),
        (0, 1, 4),
        (0, 2, 3),
        (0, 2, 4),
        (5, 1, 3),
        (5, 1, 4),
        (5, 2, 3),
        (5, 2, 4),
        (5, 6, 7),
    ]
    shape = np.array(corners)
    wags = np.clip((0.2 - shape[:, 0]) / 1.2, 0.0, 1.0) ** 2
    return Body(shape, np.array(faces, np.int64), np.zeros(len(shape)), wags, 2.5, 0.3)


BIRD = _winged(1.2, 0.75, 0.7, 5.0, 0.65)
FISH = _finned()
BODIES = {"bird": BIRD, "fish": FISH}
"""By `display.shape`."""


def posed(
    body: Body, places: Any, headings: Floats, rolls: Any, halves: Any, beats: Any
) -> tuple[Floats, Floats]:
    """Corners of all bodies in the world [u], shape (n, corners, 3), and the brightness of each face, (n, faces).

    Args:
        body: The mesh.
        places: Shape (n, 3) [u].
        headings: Unit vectors, shape (n, 3).
        rolls: Roll to the left [rad].
        halves: Half lengths [u].
        beats: The phase of each beat, from 0 to 1.
    """
    from murmura.compute.raster.space import pose

    count = len(headings)
    left, up = wings(headings, np.asarray(rolls, np.float64))
    frames = np.stack([headings, left, up], axis=1)
    angles = body.reach * np.sin(2.0 * np.pi * np.asarray(beats, np.float64))
    corners, shades = np.empty((count, len(body.corners), 3)), np.empty((count, len(body.faces)))
    at, sizes = np.ascontiguousarray(places, np.float64), np.ascontiguousarray(halves, np.float64)
    pose(body.corners, body.faces, body.hinges, body.wags, SUN, at, frames, sizes, angles, corners, shades)
    return corners, DARKEST + (1.0 - DARKEST) * shades


def wings(headings: Floats, rolls: Floats) -> tuple[Floats, Floats]:
    """Left and up vectors of bodies that fly along headings with a roll to the left, as in rules/steering/flight."""
    flat = headings[:, :2]
    length = np.linalg.norm(flat, axis=1)
    steep = length * length < STEEP
    safe = np.maximum(length, 1e-12)
    level = np.stack([-flat[:, 1] / safe, flat[:, 0] / safe, np.zeros(len(flat))], axis=1)
    level[steep] = (0.0, 1.0, 0.0)
    above = np.cross(headings, level)
    above /= np.linalg.norm(above, axis=1)[:, None]
    sine, cosine = np.sin(rolls)[:, None], np.cos(rolls)[:, None]
    return level * cosine - above * sine, above * cosine + level * sine


class Rolls:
    """The roll of every agent: as recorded, or estimated from its rate of turn, as for a banking bird."""

    def __init__(self) -> None:
        self._ids = np.empty(0, np.int64)
        self._angles = np.empty(0)
        self._rolls = np.empty(0)
        self._time: float | None = None

    def at(self, ids: Any, headings: Floats, recorded: Any | None, time: float) -> Floats:
        """The rolls [rad] of agents in ascending id, at a simulated time [s] after the previous call."""
        if recorded is not None:
            return np.asarray(recorded, np.float64)
        angles = np.arctan2(headings[:, 1], headings[:, 0])
        found = np.zeros(len(angles))
        passed = 0.0 if self._time is None else time - self._time
        if passed > 0.0 and len(self._ids):
            rows = np.minimum(np.searchsorted(self._ids, ids), len(self._ids) - 1)
            known = self._ids[rows] == ids
            turned = (angles - self._angles[rows] + np.pi) % (2.0 * np.pi) - np.pi
            wanted = np.clip(np.arctan(ROLL_GAIN * turned / passed), -MOST_ROLL, MOST_ROLL)
            before = self._rolls[rows]
            follows = before + (wanted - before) * (1.0 - np.exp(-passed / ROLL_TIME))
            found = np.where(known, follows, 0.0)
        self._ids, self._angles, self._rolls, self._time = np.asarray(ids), angles, found, time
        return found
