"""What learning agents observe: arrays of shape (worlds, learners, numbers), in the agent's own frame.

Lengths are given as shares of a radius and velocities as shares of the top speed, so that numbers are about 1 at most.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from murmura.core.errors import ScenarioError
from murmura.rl.moment import Moment, Numbers


@dataclass(frozen=True)
class Nearest:
    """The nearest neighbours: of each, where it is, how fast it moves relative to the agent, and 1; 0 for none.

    Attributes:
        count: How many neighbours.
        radius: How far they may be [u].
        species: The number of their species; by default any.
    """

    count: int
    radius: float
    species: int | None = None

    def __post_init__(self) -> None:
        if self.count < 1 or not self.radius > 0.0:
            raise ScenarioError(
                f"Nearest takes a count of 1 or more and a radius > 0 [u], got {self.count}, {self.radius}"
            )

    def __call__(self, now: Moment) -> Numbers:
        scales = 1.0 / self.radius, 1.0 / now.top_speed
        seen = now.view(self.count, self.radius, self.species, scales)
        return seen.reshape(*seen.shape[:2], -1)


@dataclass(frozen=True)
class VisualField:
    """Which directions bodies cover, as `perception.occlusion` sees them: 1 for each bin with a body, from behind to
    the left round to behind. In the plane.

    Attributes:
        bins: How many directions.
        radius: How far the agent sees [u].
        body: The radius of a body [u].
        count: How many of the nearest bodies are looked at; those behind them are mostly hidden.
    """

    bins: int
    radius: float
    body: float
    count: int = 32

    def __call__(self, now: Moment) -> Numbers:
        if now.positions.shape[-1] != 2:
            raise ScenarioError(
                "VisualField is an eye in the plane: leave world.depth out, or observe Nearest"
            )
        seen = now.view(self.count, self.radius)
        worlds, learners = seen.shape[:2]
        ahead, left = seen[..., 0], seen[..., 1]
        bearing, distance = np.arctan2(left, ahead), np.hypot(ahead, left)
        half = np.arcsin(np.minimum(1.0, self.body / np.maximum(distance, self.body)))
        half[seen[..., -1] == 0.0] = -1.0
        found = np.zeros((worlds, learners, self.bins), np.float32)
        for k in range(self.bins):
            middle = -np.pi + (k + 0.5) * 2.0 * np.pi / self.bins
            apart = np.abs(np.mod(bearing - middle + np.pi, 2.0 * np.pi) - np.pi)
            found[..., k] = (apart <= half).any(axis=-1)
        return found


class Columns:
    """Columns of the learners themselves: names as in `sim.column`, or "speed", a share of the top speed."""

    def __init__(self, names: Sequence[str]) -> None:
        if isinstance(names, str):
            raise ScenarioError(f"Columns takes a list of names, got the text {names!r}; write [{names!r}]")
        self.names = tuple(names)

    def __call__(self, now: Moment) -> Numbers:
        found = np.empty((*now.own_positions.shape[:2], len(self.names)), np.float32)
        for k, name in enumerate(self.names):
            found[..., k] = _speeds(now) if name == "speed" else now.columns[name][:, now.learners]
        return found


def _speeds(now: Moment) -> Any:
    return np.sqrt((now.own_velocities**2).sum(axis=-1)) / now.top_speed
