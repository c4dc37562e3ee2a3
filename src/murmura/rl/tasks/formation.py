"""Formation: fly in one direction without collisions, from local views alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from murmura.rl.moment import Moment
from murmura.rl.observations import Nearest
from murmura.rl.task import Task
from murmura.scenario import Scenario

COLLISION = 2.0  # [u] nearer than this is a collision
RADIUS = 20.0  # [u] how far agents see
NEIGHBORS = 6


def formation(agents: int = 30, episode: int = 100) -> Task:
    """Agents of constant speed that turn; each earns what it adds to the polarization, less 1 for a collision.

    Their density does not depend on their number: 30 agents in 100 x 100 u.
    """
    side = 100.0 * max(1.0, agents / 30.0) ** 0.5
    scenario = Scenario.from_data(
        {
            "name": "formation",
            "agents": agents,
            "world": {"width": side, "height": side, "boundary": "wrap"},
            "motion": {"policy": "constant", "speed": 10.0, "max_speed": 10.0, "max_force": 0.8},
            "perception": {"radius": RADIUS},
            "display": {"size": 2.0},
            "rules": {
                "action": {"enabled": True},
                **{name: {"enabled": False} for name in ("separation", "alignment", "cohesion")},
            },
        }
    )
    return Task(scenario, (Nearest(NEIGHBORS, RADIUS),), formation_reward, episode=episode)


def formation_reward(now: Moment, before: Moment) -> NDArray[np.float32]:
    """How well each flies along the mean heading of its world, less 1 where another is too near."""
    mean = now.headings.mean(axis=1, keepdims=True)
    shared: NDArray[np.float32] = (now.headings * mean).sum(axis=-1)
    ids, _ = now.nearest(1, COLLISION)
    return shared - (ids[..., 0] >= 0)


def formation_by_hand(now: Moment, spacing: float = 4.0) -> NDArray[np.float32]:
    """Actions of a hand-written rule, to compare with: match the neighbours' headings, keep away from the too near.

    Its three numbers are the best of eighteen sets that were tried.
    """
    seen = now.view(NEIGHBORS, RADIUS)
    near = np.linalg.norm(seen[..., :2], axis=-1, keepdims=True)
    away = -seen[..., :2] / np.maximum(near, 1e-6) * np.maximum(0.0, 1.0 - near / spacing) * seen[..., -1:]
    count = np.maximum(seen[..., -1].sum(axis=-1, keepdims=True), 1.0)
    aligned = seen[..., 2:4].sum(axis=-2) / count / now.top_speed
    wanted: NDArray[np.float32] = 2.0 * (aligned + away.sum(axis=-2))
    return wanted.clip(-1.0, 1.0)
