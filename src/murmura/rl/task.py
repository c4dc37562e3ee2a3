"""What is to be learned: a scenario, who learns, what they observe, and what is rewarded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from murmura.compute.plan import Plan
from murmura.core.errors import ScenarioError
from murmura.core.state import State
from murmura.rl.moment import Moment
from murmura.scenario import Scenario

Observation = Callable[[Moment], NDArray[np.floating[Any]]]


@dataclass(frozen=True, eq=False)
class Task:
    """A task for learning agents.

    Attributes:
        scenario: A scenario with the rule `action`. Agents whose species gives it weight learn: those with the
            same ids in every world.
        observe: Observations, side by side: `Nearest`, `VisualField`, `Columns`, or functions of a `Moment` that return
            an array of shape (worlds, learners, numbers).
        reward: A function of this `Moment` and the one before; it returns an array of shape (worlds, learners), or
            (worlds, 1) for a common reward.
        done: A function of a `Moment` that says which worlds have reached their end, shape (worlds,).
        start: A function that arranges the random start of a world: it gets its `State` and a NumPy generator.
        every: Steps between two actions.
        episode: Actions until a world starts again.
        columns: Further columns of agents that observations and rewards read.
    """

    scenario: Scenario
    observe: Sequence[Observation]
    reward: Callable[[Moment, Moment], ArrayLike]
    done: Callable[[Moment], ArrayLike] | None = None
    start: Callable[[State, np.random.Generator], None] | None = None
    every: int = 5
    episode: int = 200
    columns: Sequence[str] = ()

    def __post_init__(self) -> None:
        for name in ("every", "episode"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise ScenarioError(f"{name} must be a whole number, 1 or more, got {value!r}")
        if not self.observe:
            raise ScenarioError("observe must name at least one observation, as Nearest(6, 30.0), got none")
        if not self.scenario.rules.action.enabled:
            raise ScenarioError(
                "the agents of a task are steered by the rule action: set rules.action.enabled = true, and its weight "
                "to 0 for species that are not to learn"
            )
        if not self.learners.size:
            raise ScenarioError(
                "nobody learns: rules.action.weight must be > 0 for at least one species that has agents"
            )
        for name in ("bears", "arrives"):
            groups = [
                g.name for g in Plan(self.scenario).rule_groups if getattr(g.functions, name) is not None
            ]
            if groups:
                raise ScenarioError(
                    f"the agents of a task are those of its start, and rules.{groups[0]} adds others: "
                    f"set rules.{groups[0]}.enabled = false"
                )

    @property
    def species(self) -> NDArray[np.int32]:
        """The species of each agent, shape (agents,)."""
        from murmura.engine.initial import random_start

        kinds: NDArray[np.int32] = random_start(self.scenario, 0)["species"]
        return kinds

    @property
    def learners(self) -> NDArray[np.int32]:
        """The ids of the agents that learn."""
        kinds = range(max(1, len(self.scenario.species)))
        weights = [self.scenario.of_species(k).rules.action.weight for k in kinds]
        return np.flatnonzero(np.array(weights)[self.species] > 0.0).astype(np.int32)
