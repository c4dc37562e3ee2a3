"""A force between pairs without a formula: how it depends on distance, and on the angle, is read from the motion.

What the model does not predict is explained by a sum over neighbours: a force along the line to each, and a share of
the difference in velocity, with a free coefficient in every bin of distance (and angle). Neighbouring bins are drawn
together as much as generalised cross-validation says (Golub, Heath & Wahba 1979).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from murmura.lab.infer.errors import block_length, blocks_of
from murmura.lab.infer.prediction import Predictor
from murmura.lab.infer.transitions import Transition, Vectors

Numbers = NDArray[np.float64]
BINS = 12
PIECES = 100
"""Greatest number of pieces of time that are summed apart, to be drawn again for the bands."""
NINETY = 1.6449
"""Standard errors to each side that hold 90 % of a normal distribution."""
PENALTIES = 10.0 ** np.arange(-4.0, 5.0)
"""Strengths of the penalty on second differences, relative to the data."""


@dataclass(frozen=True)
class FreeForce:
    """A force by distance, and by angle.

    Attributes:
        distances: Edges of the bins [u].
        angles: Edges of the bins of the angle from the heading to the neighbour [rad], from 0 ahead to pi behind.
        attraction: The acceleration towards a neighbour [u/s^2], (distances, angles); negative: away.
        alignment: The acceleration by the difference in velocity [1/s].
        attraction_band, alignment_band: The ends of 90 % bands, (2, distances, angles).
        counts: Pairs in each bin.
        explained: The share of the mean square that the model misses and this force explains.
    """

    distances: Numbers
    angles: Numbers
    attraction: Numbers
    alignment: Numbers
    attraction_band: Numbers
    alignment_band: Numbers
    counts: Numbers
    explained: float


@dataclass(frozen=True)
class FreeForces:
    """The same force by distance alone, and by distance and angle."""

    by_distance: FreeForce
    by_angle: FreeForce


def free_force(
    predictor: Predictor, predicted: Vectors, reach: float, bins: int = BINS, angles: int = 1
) -> FreeForce:
    """Estimate the force that explains what a prediction misses."""
    missed = {"missed": predictor.later - predicted}
    return free_forces(predictor, missed, reach, bins, angles)["missed"].by_angle


def free_forces(
    predictor: Predictor, motion: dict[str, Vectors], reach: float, bins: int = BINS, angles: int = 1
) -> dict[str, FreeForces]:
    """Estimate the forces that explain changes of velocity.

    Args:
        predictor: The motion.
        motion: Changes of velocity over an interval, by name.
        reach: The greatest distance of neighbours [u].
        bins, angles: Numbers of bins.
    """
    pace = predictor.model.motion.stride / predictor.model.motion.time_step
    changes = np.stack(list(motion.values()), axis=2) * (pace / predictor.recording.interval)
    sums = _sums(predictor, changes, reach, bins, angles, pace)
    narrow = sums.over_angles(bins, angles)
    return {
        name: FreeForces(_solved(narrow, k, reach, bins, 1), _solved(sums, k, reach, bins, angles))
        for k, name in enumerate(motion)
    }


@dataclass(frozen=True)
class _Sums:
    """Normal equations of pieces of time: matrices (pieces, n, n), sides (pieces, n, motions), squares by motion."""

    normal: Numbers
    sides: Numbers
    squares: Numbers
    rows: int
    counts: Numbers

    def over_angles(self, bins: int, angles: int) -> _Sums:
        """The same with one bin of the angle."""
        join = np.kron(np.eye(2 * bins), np.ones((angles, 1)))
        return _Sums(
            join.T @ self.normal @ join, join.T @ self.sides, self.squares, self.rows,
            self.counts.reshape(bins, angles).sum(axis=1),
        )  # fmt: skip


def _sums(predictor: Predictor, changes: Numbers, reach: float, bins: int, angles: int, pace: float) -> _Sums:
    transitions, size, motions = predictor.recording.transitions, bins * angles, changes.shape[2]
    pieces = min(PIECES, len(transitions))
    normal, sides = np.zeros((pieces, 2 * size, 2 * size)), np.zeros((pieces, 2 * size, motions))
    counts = np.zeros(size)
    piece_of = np.arange(len(transitions)) * pieces // len(transitions)
    for piece in range(pieces):
        mine = np.flatnonzero(piece_of == piece)
        chosen = [transitions[k] for k in mine.tolist()]
        features, pairs = _features(predictor, chosen, reach, bins, angles, pace)
        known = np.concatenate([t.known for t in chosen])
        flat = features[known].reshape(-1, 2 * size)
        rows = (predictor.owners >= mine[0]) & (predictor.owners <= mine[-1])
        normal[piece] = flat.T @ flat
        sides[piece] = flat.T @ changes[rows].reshape(-1, motions)
        counts += pairs
    return _Sums(normal, sides, (changes**2).sum(axis=(0, 1)), changes[..., 0].size, counts)


def _solved(sums: _Sums, motion: int, reach: float, bins: int, angles: int) -> FreeForce:
    sides, total = sums.sides[:, :, motion], float(sums.squares[motion])
    normal, side = sums.normal.sum(axis=0), sides.sum(axis=0)
    inverse = _best_inverse(normal, side, total, sums.rows, _roughness(bins, angles))
    found = inverse @ side
    errors = _errors(inverse, sides - sums.normal @ found)
    left = total - 2.0 * float(found @ side) + float(found @ normal @ found)
    shape = (2, bins, angles)
    attraction, alignment = found.reshape(shape)
    half_attraction, half_alignment = (NINETY * errors).reshape(shape)
    return FreeForce(
        np.linspace(0.0, reach, bins + 1), np.linspace(0.0, np.pi, angles + 1), attraction, alignment,
        np.stack([attraction - half_attraction, attraction + half_attraction]),
        np.stack([alignment - half_alignment, alignment + half_alignment]),
        sums.counts.reshape(bins, angles), 1.0 - left / total if total > 0.0 else 0.0,
    )  # fmt: skip


def _errors(inverse: Numbers, scores: Numbers) -> Numbers:
    """Standard errors from the scores of pieces of time, (pieces, n); neighbouring pieces that depend are joined."""
    length = block_length(scores)
    blocks = blocks_of(np.arange(len(scores)), len(scores), length)
    joined = np.zeros((int(blocks.max()) + 1, scores.shape[1]))
    np.add.at(joined, blocks, scores)
    joined -= joined.mean(axis=0)
    spread = inverse @ joined.T
    count = max(2, len(joined))
    found: Numbers = np.sqrt((spread**2).sum(axis=1) * count / (count - 1))
    return found


def _features(
    predictor: Predictor, transitions: Sequence[Transition], reach: float, bins: int, angles: int, pace: float
) -> tuple[Numbers, Numbers]:
    """For each animal of some frames and each axis: sums over neighbours of the direction, and of the difference in
    velocity, by bin; and how many pairs each bin has."""
    world = predictor.model.world
    sides = np.array(world.sides, np.float64)
    wraps = np.array([edge == "wrap" for edge in world.edges])
    # A tree takes periods of all axes or none: images of the animals beyond the seams serve any.
    positions = np.concatenate([t.positions for t in transitions])
    velocities = np.concatenate([t.velocities for t in transitions])
    places = np.where(wraps, np.mod(positions, sides), positions)
    begins = np.cumsum([0, *(len(t.positions) for t in transitions)])
    pairs = np.concatenate(
        [_pairs_within(places[a:b], reach, sides, wraps) + a for a, b in pairwise(begins.tolist())]
    )
    way = places[pairs[:, 1]] - places[pairs[:, 0]]
    way -= np.where(wraps, sides * np.round(way / sides), 0.0)
    distance = np.linalg.norm(way, axis=1)
    keep = (distance > 0.0) & (distance < reach)
    pairs, way, distance = pairs[keep], way[keep], distance[keep]
    direction = way / distance[:, None]
    speed = np.linalg.norm(velocities, axis=1, keepdims=True)
    heading = velocities / np.where(speed > 0.0, speed, 1.0)
    cosine = np.clip((heading[pairs[:, 0]] * direction).sum(axis=1), -1.0, 1.0)
    ring = np.minimum((distance / reach * bins).astype(int), bins - 1)
    sector = np.minimum((np.arccos(cosine) / np.pi * angles).astype(int), angles - 1)
    column, size = ring * angles + sector, bins * angles
    difference = (velocities[pairs[:, 1]] - velocities[pairs[:, 0]]) * pace
    n, dimension = positions.shape
    found = np.empty((n, dimension, 2, size))
    place = pairs[:, 0] * size + column
    for axis in range(dimension):
        for k, summed in enumerate((direction, difference)):
            found[:, axis, k] = np.bincount(place, summed[:, axis], n * size).reshape(n, size)
    return found.reshape(n, dimension, -1), np.bincount(column, minlength=size).astype(np.float64)


def _pairs_within(
    places: Vectors, reach: float, sides: Vectors, wraps: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Ordered pairs of animals within a distance, the shortest way round."""
    from scipy.spatial import cKDTree

    if wraps.all():
        found = cKDTree(places, boxsize=sides).query_pairs(
            min(reach, 0.499 * sides.min()), output_type="ndarray"
        )
    elif wraps.any():
        way = places[:, None] - places[None]
        way -= np.where(wraps, sides * np.round(way / sides), 0.0)
        found = np.argwhere(np.triu((way**2).sum(axis=2) < reach * reach, 1))
    else:
        found = cKDTree(places).query_pairs(reach, output_type="ndarray")
    pairs: NDArray[np.int64] = np.concatenate([found, found[:, ::-1]]).astype(np.int64)
    return pairs


def _roughness(bins: int, angles: int) -> Numbers:
    """The sum of squared second differences along distance and first differences along the angle, as a matrix."""
    second = np.diff(np.eye(bins), 2, axis=0) if bins > 2 else np.zeros((1, bins))
    rough = np.kron(second.T @ second, np.eye(angles))
    if angles > 1:
        first = np.diff(np.eye(angles), axis=0)
        rough = rough + np.kron(np.eye(bins), first.T @ first)
    found: Numbers = np.kron(np.eye(2), rough)
    return found


def _best_inverse(normal: Numbers, side: Numbers, total: float, rows: int, roughness: Numbers) -> Numbers:
    """The inverse of the normal equations with the penalty of the least generalised cross-validation error."""
    from scipy.linalg import eigh

    scale = np.trace(normal) / max(np.trace(roughness), 1e-12)
    tiny = max(1e-9 * np.trace(normal) / len(side), 1e-300) * np.eye(len(side))
    # In these directions both matrices are diagonal, so each penalty costs a few sums.
    rough, vectors = eigh(roughness, normal + tiny)
    within, best, chosen = vectors.T @ side, float("inf"), np.ones(len(side))
    for strength in PENALTIES:
        kept = 1.0 / (1.0 + strength * scale * np.maximum(rough, 0.0))
        left = total - float(((2.0 * kept - kept**2) * within**2).sum())
        error = left / max(1.0 - float(kept.sum()) / rows, 1e-6) ** 2
        if error < best:
            best, chosen = error, kept
    found: Numbers = (vectors * chosen) @ vectors.T
    return found
