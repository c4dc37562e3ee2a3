"""Many worlds with learning agents, in plain arrays: actions in, observations and rewards out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from murmura.core.errors import ScenarioError
from murmura.core.layout import AXES
from murmura.core.notices import print_notice
from murmura.core.state import State
from murmura.engine.ensemble import Ensemble
from murmura.engine.initial import random_starts
from murmura.rl.moment import Moment, Numbers
from murmura.rl.observations import Columns
from murmura.rl.task import Task


@dataclass(frozen=True)
class Turn:
    """What one action led to.

    Attributes:
        observations: Shape (worlds, learners, numbers); 0 for the dead.
        rewards: Shape (worlds, learners).
        died: Which learners died in this turn, shape (worlds, learners).
        terminated: Which worlds have reached their end, or have no learner left, shape (worlds,).
        truncated: Which worlds have had all actions of an episode, shape (worlds,).
    """

    observations: Numbers
    rewards: Numbers
    died: NDArray[np.bool_]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]

    @property
    def ended(self) -> NDArray[np.bool_]:
        """Which worlds are to be restarted, shape (worlds,)."""
        return self.terminated | self.truncated


class Arena:
    """Many worlds of one task, stepped together.

    Every episode is a simulation of its own: the same seed and the same actions give the same bits, in any world.

    Args:
        task: What is to be learned.
        worlds: How many worlds.
        seed: Where the seeds of the episodes come from.
        threads: How many threads; by default all cores.
        announce: Called with a line of text before something slow; None for silence.
    """

    def __init__(
        self,
        task: Task,
        worlds: int = 1,
        seed: int = 0,
        threads: int | None = None,
        announce: Callable[[str], None] | None = print_notice,
    ) -> None:
        if isinstance(worlds, bool) or not isinstance(worlds, int) or worlds < 1:
            raise ScenarioError(f"worlds must be a whole number, 1 or more, got {worlds!r}")
        self.task, self.learners, self._species = task, task.learners, task.species
        self._axes = AXES[: task.scenario.world.dimension]
        named = [
            name
            for each in task.observe
            if isinstance(each, Columns)
            for name in each.names
            if name != "speed"
        ]
        self._columns = list(dict.fromkeys([*task.columns, *named]))
        self._draw(seed, worlds)
        self.ensemble = Ensemble(task.scenario, range(worlds), threads=threads, announce=announce)
        self.reset()

    def __len__(self) -> int:
        """The number of worlds."""
        return len(self.ensemble)

    @property
    def action_size(self) -> int:
        """Numbers in the action of an agent: one for each axis, from -1 to 1."""
        return len(self._axes)

    def _draw(self, seed: int, worlds: int) -> None:
        self._seeds = [np.random.default_rng([seed, k]) for k in range(worlds)]

    def reset(self, seed: int | None = None) -> Numbers:
        """Start all worlds again, with seeds drawn from this one; return observations."""
        if seed is not None:
            self._draw(seed, len(self))
        return self.restart(range(len(self)))

    def restart(self, worlds: Iterable[int]) -> Numbers:
        """Start some worlds again, each with the next of its seeds; return the observations of all."""
        numbers = list(worlds)
        seeds = [int(self._seeds[k].integers(2**63)) for k in numbers]
        states = self._starts(seeds)
        self.ensemble.restart(numbers, seeds, states)
        if len(numbers) == len(self):
            self._done = np.zeros(len(self), np.int64)
        self._done[numbers] = 0
        self.now = self._look()
        self.observations = self._observed()
        return self.observations

    def _starts(self, seeds: list[int]) -> list[State]:
        states = (
            [state.copy() for state in random_starts(self.task.scenario, seeds).split(len(seeds))]
            if seeds
            else []
        )
        if self.task.start is not None:
            for state, seed in zip(states, seeds, strict=True):
                self.task.start(state, np.random.default_rng(seed))
        return states

    def step(self, actions: ArrayLike) -> Turn:
        """Give every learner its action and advance all worlds.

        Args:
            actions: Shape (worlds, learners, axes), from -1 to 1, cut off beyond. Those of the dead have no effect.

        Raises:
            ScenarioError: If they have another shape or are not finite; then nothing has happened.
        """
        return self.act(self.forces(actions))

    def act(self, forces: dict[str, Numbers]) -> Turn:
        """Advance all worlds with these columns of the rule `action`."""
        self.ensemble.assign(forces)
        self.ensemble.step(self.task.every)
        before, self._done = self.now, self._done + 1
        self.now = now = self._look()
        rewards = np.asarray(self.task.reward(now, before), np.float32)
        alive = [moment.alive[:, self.learners] for moment in (before, now)]
        rewards = np.where(alive[0], np.broadcast_to(rewards, alive[0].shape), np.float32(0.0))
        terminated = np.logical_not(alive[1].any(axis=1, keepdims=True))[:, 0]
        if self.task.done is not None:
            terminated |= np.asarray(self.task.done(now), bool)
        truncated = ~terminated & (self._done >= self.task.episode)
        self.observations = self._observed()
        return Turn(self.observations, rewards, alive[0] & ~alive[1], terminated, truncated)

    def forces(self, actions: ArrayLike) -> dict[str, Numbers]:
        """Actions as columns of all agents, shape (worlds, agents) each, checked."""
        shape = (len(self), len(self.learners), self.action_size)
        given = np.asarray(actions, np.float32)
        if given.shape != shape:
            raise ScenarioError(f"actions must have shape {shape}: worlds, learners, axes; got {given.shape}")
        if not np.isfinite(given).all():
            world, learner, _ = np.argwhere(~np.isfinite(given))[0].tolist()
            raise ScenarioError(
                f"actions must be finite, got {given[world, learner]} for learner {learner} of world {world}"
            )
        forces = np.zeros((self.action_size, len(self), len(self._species)), np.float32)
        forces[:, :, self.learners] = np.clip(np.moveaxis(given, 2, 0), -1.0, 1.0)
        return {f"action_{axis}": force for axis, force in zip(self._axes, forces, strict=True)}

    def _look(self) -> Moment:
        names = [f"{kind}_{axis}" for kind in ("position", "velocity") for axis in self._axes]
        found = self.ensemble.by_id([*names, *self._columns], len(self._species))
        d = len(self._axes)
        places, speeds = [np.stack([found[name] for name in names[k : k + d]], axis=-1) for k in (0, d)]
        now = Moment(
            self.task.scenario, places, speeds, self.learners, self._species, self._done.copy(),
            {name: found[name] for name in self._columns},
        )  # fmt: skip
        return self._with_hunters(now)

    def _with_hunters(self, now: Moment) -> Moment:
        rows = self.ensemble.items("predators")
        if not rows:
            return now
        place, speed = (
            np.stack([rows[f"{kind}{axis}"] for axis in self._axes], axis=-1) for kind in ("", "v")
        )
        return replace(now, hunters=place, hunter_velocities=speed)

    def _observed(self) -> Numbers:
        parts = [np.asarray(observe(self.now), np.float32) for observe in self.task.observe]
        shape = (len(self), len(self.learners))
        for observe, part in zip(self.task.observe, parts, strict=True):
            if part.ndim != 3 or part.shape[:2] != shape:
                name: Any = getattr(observe, "__name__", type(observe).__name__)
                raise ScenarioError(
                    f"the observation {name} must have shape {(*shape, 'numbers')}, got {part.shape}"
                )
        found = np.concatenate(parts, axis=-1) if len(parts) > 1 else parts[0]
        found[~self.now.alive[:, self.learners]] = 0.0
        return found
