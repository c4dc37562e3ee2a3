"""One world as an environment of PettingZoo's parallel API: a dictionary entry for each learning agent."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from gymnasium.spaces import Box
from numpy.typing import ArrayLike
from pettingzoo import ParallelEnv as Base

from murmura.core.errors import ScenarioError
from murmura.rl.arena import Arena
from murmura.rl.moment import Numbers
from murmura.rl.spaces import spaces_of
from murmura.rl.task import Task

Info = dict[str, object]


class ParallelEnv(Base):  # type: ignore[misc]
    """A task in one world. Agents are called agent_0, agent_1, … by their ids.

    Args:
        task: What is to be learned.
        seed: Where the seeds of episodes come from, until `reset` gets another.
    """

    metadata = {"name": "murmura", "render_modes": [], "is_parallelizable": True}
    render_mode = None

    def __init__(self, task: Task, seed: int = 0) -> None:
        self.arena = Arena(task, 1, seed)
        self.possible_agents = [f"agent_{k}" for k in self.arena.learners.tolist()]
        self.agents = list(self.possible_agents)
        self._place = {name: k for k, name in enumerate(self.possible_agents)}
        spaces = {name: spaces_of(self.arena) for name in self.possible_agents}
        self.observation_spaces = {name: seen for name, (seen, _) in spaces.items()}
        self.action_spaces = {name: done for name, (_, done) in spaces.items()}

    def observation_space(self, agent: str) -> Box:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Box:
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: Mapping[str, object] | None = None
    ) -> tuple[dict[str, Numbers], dict[str, Info]]:
        observations = self.arena.reset(seed)[0]
        self.agents = list(self.possible_agents)
        return self._by_name(observations), {name: {} for name in self.agents}

    def step(
        self, actions: Mapping[str, ArrayLike]
    ) -> tuple[dict[str, Numbers], dict[str, float], dict[str, bool], dict[str, bool], dict[str, Info]]:
        table = np.zeros((1, len(self.possible_agents), self.arena.action_size), np.float32)
        for name in self.agents:
            if name not in actions:
                raise ScenarioError(f"every living agent needs an action, and {name} has none")
            table[0, self._place[name]] = np.asarray(actions[name], np.float32)
        turn = self.arena.step(table)
        over, cut = bool(turn.terminated[0]), bool(turn.truncated[0])
        seen = self._by_name(turn.observations[0])
        rewards = {name: float(turn.rewards[0, self._place[name]]) for name in self.agents}
        terminated = {name: over or bool(turn.died[0, self._place[name]]) for name in self.agents}
        truncated = dict.fromkeys(self.agents, cut)
        about: dict[str, Info] = {name: {} for name in self.agents}
        self.agents = [name for name in self.agents if not (terminated[name] or cut)]
        return seen, rewards, terminated, truncated, about

    def _by_name(self, rows: Numbers) -> dict[str, Numbers]:
        return {name: rows[self._place[name]] for name in self.agents}
