"""Profiles: across bands, away from the centre, and around an agent, averaged over time."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from murmura.measure.flock import Flock, column_means
from murmura.measure.motion import velocities_about_center
from murmura.measure.structure.angles import egocentric_angles
from murmura.measure.time.errors import Curve, average_columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

BINS = 50
HARMONICS = 8
SHELLS = 20
SECTORS = 36


class BandProfiles:
    """Density and alignment along the axis of the world nearest to the flock's direction, in front of a band's crest.

    On a torus every frame is shifted so that the crest of its strongest wave (of the first `HARMONICS`) is at 0;
    elsewhere 0 is the flock's centre. Positions grow in the direction of motion.
    """

    def __init__(self, bins: int = BINS) -> None:
        self._bins = bins
        self._rows: list[NDArray[np.float64]] = []

    def add(self, flock: Flock) -> None:
        if not self._rows:
            half = 0.5 * float(flock.size.max())
            self._edges = np.linspace(-half, half, self._bins + 1)
        moving = flock.is_moving
        if not moving.any():
            self._rows.append(np.full(2 * self._bins, math.nan))
            return
        direction = column_means(flock.headings[moving])
        axis = int(np.abs(direction).argmax())
        length = math.hypot(*direction)
        along = flock.headings[moving] @ (direction / length if length > 0.0 else direction)
        places = _from_crest(flock, axis) * (1.0 if direction[axis] >= 0.0 else -1.0)
        self._rows.append(self._profiles(places, places[moving], along, float(flock.size[axis])))

    def _profiles(
        self,
        places: NDArray[np.float64],
        moving: NDArray[np.float64],
        along: NDArray[np.float64],
        side: float,
    ) -> NDArray[np.float64]:
        counts = np.histogram(places, self._edges)[0]
        inside = np.diff(np.clip(self._edges, -0.5 * side, 0.5 * side))
        uniform = len(places) * inside / side
        density = np.divide(counts, uniform, out=np.full(self._bins, math.nan), where=inside > 1e-9 * side)
        sums = np.histogram(moving, self._edges, weights=along)[0]
        known = np.histogram(moving, self._edges)[0]
        order = np.divide(sums, known, out=np.full(self._bins, math.nan), where=known > 0)
        return np.concatenate([density, order])

    def density(self) -> Curve:
        """Density over the mean density against the distance in front of the crest [u]."""
        return self._curve(slice(0, self._bins))

    def alignment(self) -> Curve:
        """The mean component of headings along the flock's direction against the distance [u]."""
        return self._curve(slice(self._bins, None))

    def _curve(self, part: slice) -> Curve:
        if not self._rows:
            return Curve(np.empty(0), np.empty(0), np.empty(0))
        middles = 0.5 * (self._edges[1:] + self._edges[:-1])
        return Curve(middles, *average_columns(np.stack(self._rows)[:, part]))


def _from_crest(flock: Flock, axis: int) -> NDArray[np.float64]:
    """The agents' positions along an axis, relative to the crest of the strongest wave, or to the centre."""
    x, side = flock.positions[:, axis], float(flock.size[axis])
    if not flock.wrapping[axis]:
        return np.asarray(x - x.mean())
    turns = np.exp(-2j * math.pi * x / side)
    waves = np.array([(turns**m).sum() for m in range(1, HARMONICS + 1)])
    m = int(np.abs(waves).argmax()) + 1
    crest = -float(np.angle(waves[m - 1])) / (2.0 * math.pi * m) * side
    return np.asarray((x - crest + 0.5 * side) % side - 0.5 * side)


class RotationProfiles:
    """Velocity away from the centre and around it, relative to the flock's, against the distance from the centre."""

    def __init__(self, bins: int = SHELLS) -> None:
        self._bins = bins
        self._rows: list[NDArray[np.float64]] = []

    def add(self, flock: Flock) -> None:
        distances, radial, tangential = velocities_about_center(flock)
        if not self._rows:
            torus = 0.5 * float(flock.size.min())
            reach = torus if all(flock.wrapping) else 1.5 * float(distances.max(initial=0.0))
            self._edges = np.linspace(0.0, reach or 1.0, self._bins + 1)
        counts = np.histogram(distances, self._edges)[0]
        row = np.full((2, self._bins), math.nan)
        for values, found in zip((radial, tangential), row, strict=True):
            sums = np.histogram(distances, self._edges, weights=values)[0]
            np.divide(sums, counts, out=found, where=counts > 0)
        self._rows.append(row.ravel())

    def radial(self) -> Curve:
        """Velocity away from the centre [u/s] against the distance from it [u]."""
        return self._curve(slice(0, self._bins))

    def tangential(self) -> Curve:
        """Velocity around the centre [u/s], as the flock rotates, against the distance from it [u]."""
        return self._curve(slice(self._bins, None))

    def _curve(self, part: slice) -> Curve:
        if not self._rows:
            return Curve(np.empty(0), np.empty(0), np.empty(0))
        middles = 0.5 * (self._edges[1:] + self._edges[:-1])
        return Curve(middles, *average_columns(np.stack(self._rows)[:, part]))


class EgocentricAngles:
    """How often the nearest neighbour is seen at an angle from the heading, over how often if all were alike."""

    def __init__(self, bins: int = SECTORS) -> None:
        self._bins = bins
        self._rows: list[NDArray[np.float64]] = []

    def add(self, flock: Flock) -> None:
        if not self._rows:
            self._edges = np.linspace(-180.0 if flock.dimension == 2 else 0.0, 180.0, self._bins + 1)
            # In space an interval of angles is a ring of the sphere.
            shares = np.diff(self._edges) / 360.0
            self._shares = shares if flock.dimension == 2 else -0.5 * np.diff(np.cos(np.radians(self._edges)))
        angles = egocentric_angles(flock)
        counts = np.histogram(angles, self._edges)[0]
        nothing = np.full(self._bins, math.nan)
        self._rows.append(counts / (len(angles) * self._shares) if len(angles) else nothing)

    def curve(self) -> Curve:
        """The ratio against the angle [deg]; above 0 is to the right, as on the page."""
        if not self._rows:
            return Curve(np.empty(0), np.empty(0), np.empty(0))
        middles = 0.5 * (self._edges[1:] + self._edges[:-1])
        return Curve(middles, *average_columns(np.stack(self._rows)))
