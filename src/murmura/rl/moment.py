"""One instant of many worlds, as observations and rewards see it: arrays by world and id."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.compute.cpu.nearest import nearest
from murmura.compute.cpu.neighbor_view import neighbor_view
from murmura.scenario import Scenario

Numbers = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Moment:
    """The agents of all worlds at one instant, by id: they keep their places when others die.

    Attributes:
        scenario: The scenario of all worlds.
        positions: Shape (worlds, agents, 2 or 3) [u]; NaN for the dead.
        velocities: Of the same shape, in the scenario's velocity unit.
        learners: Ids of the agents that learn, shape (learners,).
        species: The species of each agent, shape (agents,).
        actions: Actions done since the world started, shape (worlds,).
        columns: Further columns, shape (worlds, agents) each.
        hunters: Where hunters are, shape (worlds, hunters, 2 or 3) [u].
        hunter_velocities: How they move, likewise [u/s].
    """

    scenario: Scenario
    positions: Numbers
    velocities: Numbers
    learners: NDArray[np.int32]
    species: NDArray[np.int32]
    actions: NDArray[np.int64]
    columns: Mapping[str, Numbers] = field(default_factory=dict)
    hunters: Numbers = field(default_factory=lambda: np.zeros((0, 0, 2), np.float32))
    hunter_velocities: Numbers = field(default_factory=lambda: np.zeros((0, 0, 2), np.float32))

    @cached_property
    def alive(self) -> NDArray[np.bool_]:
        """Which agents live, shape (worlds, agents)."""
        return ~np.isnan(self.positions[..., 0])

    @cached_property
    def own_positions(self) -> Numbers:
        """Positions of the learners, shape (worlds, learners, 2 or 3)."""
        return self._of_learners(self.positions)

    @cached_property
    def own_velocities(self) -> Numbers:
        """Velocities of the learners, likewise."""
        return self._of_learners(self.velocities)

    def _of_learners(self, values: Numbers) -> Numbers:
        return values if len(self.learners) == values.shape[1] else values[:, self.learners]

    @property
    def top_speed(self) -> float:
        """The top speed of the scenario, in its velocity unit."""
        return self.scenario.motion.top_speed

    def shortest(self, differences: NDArray[Any]) -> NDArray[Any]:
        """Differences of positions, shape (..., 2 or 3), the shortest way round where the world wraps."""
        world = self.scenario.world
        for axis, (side, edge) in enumerate(zip(world.sides, world.edges, strict=False)):
            if edge == "wrap":
                differences[..., axis] -= side * np.rint(differences[..., axis] / side)
        return differences

    @cached_property
    def headings(self) -> Numbers:
        """Unit vectors of the learners' motion, shape (worlds, learners, 2 or 3); the first axis at rest."""
        speeds = np.sqrt((self.own_velocities**2).sum(axis=-1, keepdims=True))
        found: Numbers = self.own_velocities / np.maximum(speeds, 1e-12)
        found[..., 0][speeds[..., 0] == 0.0] = 1.0
        return found

    @cached_property
    def axes(self) -> tuple[Numbers, ...]:
        """The axes of each learner: ahead, left and, in space, up; shape (worlds, learners, 2 or 3) each."""
        ahead = self.headings
        left = np.zeros_like(ahead)
        left[..., 0], left[..., 1] = -ahead[..., 1], ahead[..., 0]
        if ahead.shape[-1] == 2:
            return ahead, left
        flat = np.hypot(left[..., 0], left[..., 1])
        left[..., 1] = np.where(flat < 1e-6, 1.0, left[..., 1])
        left /= np.maximum(flat, 1e-6)[..., None]
        return ahead, left, np.cross(ahead, left)

    def in_own_frame(self, vectors: NDArray[Any]) -> Numbers:
        """Vectors that learners see, shape (worlds, learners, n, 2 or 3), as (ahead, left) or (ahead, left, up)."""
        found = np.empty(vectors.shape, np.float32)
        for place, axis in enumerate(self.axes):
            total = vectors[..., 0] * axis[..., None, 0]
            for k in range(1, vectors.shape[-1]):
                total += vectors[..., k] * axis[..., None, k]
            found[..., place] = total
        return found

    def nearest(
        self, count: int, radius: float, species: int | None = None
    ) -> tuple[NDArray[np.int32], Numbers]:
        """The nearest others of each learner: ids, -1 for none, and distances [u], shape (worlds, learners, count)."""
        found, squares = self._found(count, radius, species)
        first = np.repeat(self._first, len(self.learners), axis=1).reshape(-1, 1)
        shape = (len(self.positions), len(self.learners), count)
        ids = np.where(found >= 0, found - first, -1)
        return ids.reshape(shape), np.sqrt(squares).reshape(shape)

    def view(
        self, count: int, radius: float, species: int | None = None, scales: tuple[float, float] = (1.0, 1.0)
    ) -> Numbers:
        """The nearest others of each learner in its own frame: where they are [u], how they move relative to it, and 1.

        0 for none. Shape (worlds, learners, count, 5), or 7 in space. `scales` are factors on lengths and velocities.
        """
        found, _ = self._found(count, radius, species)
        worlds, _, d = self.positions.shape
        points, velocities = (values.reshape(-1, d) for values in (self.positions, self.velocities))
        axes = np.stack(self.axes, axis=-2).reshape(-1, d, d)
        seen = neighbor_view(points, velocities, self._asking, found, axes, self._sides, self._wraps, scales)
        return seen.reshape(worlds, len(self.learners), count, -1)

    def _found(self, count: int, radius: float, species: int | None) -> tuple[NDArray[np.int32], Numbers]:
        """The nearest of each learner, numbered among the agents of all worlds, and squares of distances."""
        worlds, agents, d = self.positions.shape
        seen = None if species is None else np.tile(self.species == species, worlds)
        names = np.repeat(np.arange(worlds, dtype=np.int32), agents)
        points = self.positions.reshape(-1, d)
        return nearest(points, names, self._asking, count, radius, self._sides, self._wraps, seen)

    @cached_property
    def _first(self) -> NDArray[np.int32]:
        worlds, agents = self.positions.shape[:2]
        found: NDArray[np.int32] = np.arange(worlds, dtype=np.int32)[:, None] * agents
        return found

    @cached_property
    def _asking(self) -> NDArray[np.int32]:
        return (self._first + self.learners).ravel()

    @property
    def _sides(self) -> tuple[float, ...]:
        return self.scenario.world.sides

    @property
    def _wraps(self) -> list[bool]:
        return [edge == "wrap" for edge in self.scenario.world.edges[: self.positions.shape[-1]]]
