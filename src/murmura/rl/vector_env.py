"""Many worlds as an environment of Gymnasium's vector API: a row for each learning agent of each world."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector import VectorEnv as Base
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from murmura.rl.arena import Arena
from murmura.rl.moment import Numbers
from murmura.rl.spaces import spaces_of
from murmura.rl.task import Task


class VectorEnv(Base):  # type: ignore[misc]
    """A task in many worlds; rows are learners of world 0, then those of world 1, and so on.

    A world whose episode ends starts again at once (`AutoresetMode.SAME_STEP`): `info["final_obs"]` has its last
    observations. An agent that dies has `terminated` once; then its rows are 0 until its world starts again.

    Args:
        task: What is to be learned.
        worlds: How many worlds.
        seed: Where the seeds of episodes come from, until `reset` gets another.
        threads: How many threads; by default all cores.
    """

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}

    def __init__(self, task: Task, worlds: int = 1, seed: int = 0, threads: int | None = None) -> None:
        self.arena = Arena(task, worlds, seed, threads)
        self.num_envs = worlds * len(self.arena.learners)
        self.single_observation_space, self.single_action_space = spaces_of(self.arena)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.render_mode = None

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, object] | None = None
    ) -> tuple[Numbers, dict[str, object]]:
        super().reset(seed=seed)
        return self._rows(self.arena.reset(seed)), {}

    def step(
        self, actions: ArrayLike
    ) -> tuple[Numbers, Numbers, NDArray[np.bool_], NDArray[np.bool_], dict[str, NDArray[Any]]]:
        worlds, learners = len(self.arena), len(self.arena.learners)
        turn = self.arena.step(np.asarray(actions, np.float32).reshape(worlds, learners, -1))
        over = turn.terminated[:, None] | turn.died
        cut = np.repeat(turn.truncated, learners)
        seen, info = turn.observations, {}
        if turn.ended.any():
            ended = np.repeat(turn.ended, learners)
            info = {"final_obs": self._rows(seen), "_final_obs": ended}
            seen = self.arena.restart(np.flatnonzero(turn.ended).tolist())
        return self._rows(seen), turn.rewards.ravel(), over.ravel(), cut, info

    def _rows(self, table: Numbers) -> Numbers:
        return table.reshape(self.num_envs, -1).copy()
