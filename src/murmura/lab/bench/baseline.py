"""The baseline of the benchmark: careful NumPy code with SciPy's tree and array arithmetic."""

from __future__ import annotations

from typing import Any

import numpy as np

from murmura.engine.simulation import Simulation


class NumpyFlock:
    """Reynolds' trio on a torus over all pairs that cKDTree finds."""

    def __init__(self, start: Simulation) -> None:
        self._start = start.positions.astype(np.float64), start.velocities.astype(np.float64)
        self.positions, self.velocities = self._start
        self.scenario = start.scenario

    def restart(self) -> None:
        self.positions, self.velocities = self._start

    def step(self, count: int) -> None:
        for _ in range(count):
            self._step()

    def _step(self) -> None:
        from scipy.spatial import cKDTree

        s = self.scenario
        box = np.array([s.world.width, s.world.height])
        pairs = cKDTree(self.positions, boxsize=box).query_pairs(s.perception.radius, output_type="ndarray")
        i = np.concatenate([pairs[:, 0], pairs[:, 1]])
        j = np.concatenate([pairs[:, 1], pairs[:, 0]])
        d = self.positions[j] - self.positions[i]
        d -= box * np.round(d / box)
        distance = np.hypot(d[:, 0], d[:, 1])
        headings = self.velocities / np.maximum(np.hypot(*self.velocities.T), 1e-12)[:, None]
        seen = np.einsum("ij,ij->i", headings[i], d) >= s.perception.view_cosine * distance
        i, j, d, distance = i[seen], j[seen], d[seen], distance[seen]
        w = (1.0 - distance / s.perception.radius)[:, None]
        near = (distance < s.rules.separation.radius) & (distance > 0.0)
        away = np.where(near[:, None], -d / np.maximum(distance, 1e-12)[:, None] ** 3, 0.0)
        n, v, limit = len(self.positions), self.velocities, s.motion.max_force
        force = (
            _steer(_sum(i, self.velocities[j] * w, n), v, s) * s.rules.alignment.weight
            + _steer(_sum(i, d * w, n), v, s) * s.rules.cohesion.weight
            + _steer(_sum(i, away, n), v, s) * s.rules.separation.weight
        )
        self.velocities = _limit(v + _limit(force, limit) * s.motion.thrust, s.motion.max_speed)
        self.positions = (self.positions + self.velocities * s.motion.stride) % box


def _sum(i: Any, values: Any, n: int) -> Any:
    return np.stack([np.bincount(i, values[:, 0], n), np.bincount(i, values[:, 1], n)], axis=1)


def _limit(vectors: Any, size: float) -> Any:
    lengths = np.hypot(vectors[:, 0], vectors[:, 1])
    return vectors * np.where(lengths > size, size / np.maximum(lengths, 1e-12), 1.0)[:, None]


def _steer(wanted: Any, velocities: Any, scenario: Any) -> Any:
    lengths = np.hypot(wanted[:, 0], wanted[:, 1])[:, None]
    force = _limit(
        wanted / np.maximum(lengths, 1e-30) * scenario.motion.max_speed - velocities,
        scenario.motion.max_force,
    )
    return np.where(lengths > 0.0, force, 0.0)
