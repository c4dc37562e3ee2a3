"""Escape: prey learn to flee a shipped hunter."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from murmura.rl.moment import Moment
from murmura.rl.observations import Columns, Nearest
from murmura.rl.task import Task
from murmura.scenario import Scenario

SIGHT = 120.0  # [u] how far prey see the hunter


def escape(agents: int = 20, kind: str = "eagle", episode: int = 200) -> Task:
    """Prey without an instinct, and a shipped hunter; each earns 0.01 for an action survived, -1 for death."""
    scenario = Scenario.from_data(
        {
            "name": "escape",
            "agents": agents,
            "world": {"width": 300.0, "height": 300.0, "boundary": "wrap"},
            "motion": {"max_speed": 15.0, "min_speed": 2.0, "max_force": 0.5},
            "perception": {"radius": 50.0},
            "display": {"size": 2.0},
            "rules": {
                "action": {"enabled": True},
                "energy": {"enabled": True, "decay": 0.0},
                "predators": {"enabled": True, "weight": 0.0, "aggression": 1.0, "hunters": [{"kind": kind}]},
                **{name: {"enabled": False} for name in ("separation", "alignment", "cohesion")},
            },
        }
    )
    observe = (hunter_seen, Nearest(3, 50.0), Columns(["speed"]))
    return Task(scenario, observe, escape_reward, every=10, episode=episode)


def hunter_seen(now: Moment) -> NDArray[np.float32]:
    """Where the hunter is and how it moves, in the agent's own frame, and 1; 0 where it is out of sight."""
    away = now.shortest(now.hunters[:, None, 0] - now.own_positions)
    moves = now.hunter_velocities[:, None, 0] - now.own_velocities
    found = np.concatenate(
        [
            now.in_own_frame(away[..., None, :])[..., 0, :] / SIGHT,
            now.in_own_frame(moves[..., None, :])[..., 0, :] / now.top_speed,
            np.ones((*away.shape[:2], 1), np.float32),
        ],
        axis=-1,
    )
    found[~((away**2).sum(axis=-1) <= SIGHT * SIGHT)] = 0.0
    return found


def escape_reward(now: Moment, before: Moment) -> NDArray[np.float32]:
    """0.01 for each action survived, -1 for death."""
    return np.where(now.alive[:, now.learners], np.float32(0.01), np.float32(-1.0))


def escape_by_hand(now: Moment) -> NDArray[np.float32]:
    """Actions of a hand-written rule, to compare with: straight away from a hunter in sight."""
    seen = hunter_seen(now)[..., :2]
    away: NDArray[np.float32] = -seen / np.maximum(np.linalg.norm(seen, axis=-1, keepdims=True), 1e-6)
    return away
