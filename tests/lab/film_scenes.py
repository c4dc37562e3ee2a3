"""Flocks at given positions, and reels of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from murmura.engine.reading.frame import Frame
from murmura.scenario import Scenario

FIELD = Scenario.from_data(
    {
        "name": "field",
        "agents": 1,
        "world": {"width": 1600.0, "height": 900.0, "boundary": "wrap"},
        "display": {"size": 2.0},
    }
)


def moment(places: Any, velocities: Any, step: float = 0, **columns: Any) -> Frame:
    places = np.asarray(places, np.float32).reshape(-1, 2)
    velocities = np.broadcast_to(np.asarray(velocities, np.float32), places.shape)
    count = len(places)
    return Frame(step, 0.0, np.arange(count), np.zeros(count, np.int32), places, velocities, columns)


class ReelInMemory:
    """A reel in memory."""

    def __init__(self, frames: Sequence[Frame], scenario: Scenario = FIELD) -> None:
        self.scenario, self.seed = scenario, 0
        self._frames = list(frames)
        self.steps = [int(one.step) for one in frames]

    def __getitem__(self, k: int) -> Frame:
        return self._frames[k]


def crossing(count: int, every: int = 10) -> ReelInMemory:
    """One agent that flies from left to right, 20 u per frame."""
    return ReelInMemory([moment([[200.0 + 20.0 * k, 450.0]], [20.0, 0.0], every * k) for k in range(count)])
