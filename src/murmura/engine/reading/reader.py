"""Reads a flock at one instant: its arrays, its measures, and what one agent sees and does.

A simulation, a snapshot and a recorded frame are all readers: each provides a state, and shares everything that follows
from it. Nothing here advances time.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from murmura.compute.plan import Plan
from murmura.core.errors import UnknownNameError
from murmura.core.layout import AXES
from murmura.core.state import State
from murmura.core.world.randomness import seed_words
from murmura.engine.reading.facts import Explanation
from murmura.engine.reading.instant import make_flock, seen_columns
from murmura.engine.reading.presentation import read_only
from murmura.engine.reading.turns import in_turn
from murmura.measure import Flock, Lives, measure_flock
from murmura.scenario import Scenario

if TYPE_CHECKING:
    from scipy.sparse import csr_array


class Reader(ABC):
    """A flock at one instant. Subclasses set `_plan` and `_seed`, and provide the state and its step."""

    _plan: Plan
    _seed: int
    _turn: AbstractContextManager[Any] = nullcontext()
    """What `in_turn` waits for: nothing, unless the flock can change."""

    @property
    @abstractmethod
    def step_count(self) -> int: ...

    @property
    @abstractmethod
    def state(self) -> State:
        """The flock as columns in ascending id. Do not modify."""

    @property
    def ready(self) -> bool:
        """Whether reading does not have to wait for a device."""
        return True

    def _lives(self) -> Lives | None:
        """Births and deaths of the last minute; None where they are not known."""
        return None

    @property
    def scenario(self) -> Scenario:
        return self._plan.scenario

    @property
    def seed(self) -> int:
        return self._seed

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self.step_count * self.scenario.motion.time_step

    @property
    def agent_count(self) -> int:
        return len(self.roster)

    @property
    def roster(self) -> NDArray[np.int32]:
        """Ids of living agents, ascending: the same array until a birth or death. Do not modify."""
        return self.state.ids

    @property
    @in_turn
    def ids(self) -> NDArray[np.int32]:
        return read_only(self.state.ids.copy())

    @property
    def positions(self) -> NDArray[np.float32]:
        """Positions, shape (n, 2) [u], in ascending id; (n, 3) in a 3-D world."""
        return self._vectors("position")

    @property
    def velocities(self) -> NDArray[np.float32]:
        """Velocities, of the same shape, per second or per tick as `scenario.motion.velocity_unit` says."""
        return self._vectors("velocity")

    @property
    def forces(self) -> NDArray[np.float32]:
        """Forces that the last step applied, of the same shape; zero before the first step."""
        return self._vectors("acceleration")

    @in_turn
    def _vectors(self, name: str) -> NDArray[np.float32]:
        return read_only(
            np.stack([self.state[f"{name}_{axis}"] for axis in AXES[: self._plan.dimension]], axis=1)
        )

    @in_turn
    def column(self, name: str) -> NDArray[Any]:
        """A read-only copy of any state column, in ascending id."""
        return read_only(self.state[name].copy())

    def read_unordered(self, names: Sequence[str]) -> tuple[NDArray[Any], list[NDArray[Any]]]:
        """The row in ascending id of each entry, and columns in the cheapest order. Do not modify."""
        return np.arange(self.agent_count), [self.state[name] for name in names]

    @in_turn
    def neighbors(self, agent_id: int) -> NDArray[np.int32]:
        """Ids that this agent perceives now, ascending."""
        row = self._row_of(agent_id)
        seen = self._evaluation().visible(np.array([row]))
        return read_only(self.state.ids[seen[0]])

    @in_turn
    def network(self) -> csr_array:
        """Who perceives whom now: a `scipy.sparse.csr_array` of bool, rows and columns in ascending id.

        Entry (i, j) is set if the agent in row i perceives that in row j.
        """
        from murmura.engine.reading.network import network

        return network(self._evaluation())

    @in_turn
    def explain(self, agent_id: int) -> Explanation:
        """What an agent perceives now, and the force of each rule."""
        from murmura.engine.reading.explain import explain

        return explain(self._evaluation(), self.state, self._row_of(agent_id))

    def derivatives(self, paths: Sequence[str]) -> dict[str, NDArray[np.float64]]:
        """How the velocities after the next step would change with numbers of the scenario.

        Exact, by forward differentiation of the rules in double precision. Shape (n, 2) for each path, or (n, 3), in
        ascending id. Numbers that only decide who is near or in view have the derivative 0: there the step jumps.

        Args:
            paths: Numbers of the motion, the perception and rules, such as "rules.cohesion.weight".
        """
        from murmura.compute.reference.derivatives import velocity_derivatives

        words = seed_words(self._seed)
        found = velocity_derivatives(self._plan, self.state, self.step_count, words, paths)
        return dict(zip(paths, found, strict=True))

    def _row_of(self, agent_id: int) -> int:
        if isinstance(agent_id, list | tuple) or np.ndim(agent_id) != 0:
            raise UnknownNameError(f"expected the id of one agent, got {agent_id!r}")
        return int(self.state.rows_of(agent_id)[0])

    def _evaluation(self) -> Any:
        from murmura.compute.reference import Evaluation

        return Evaluation(self._plan, self.state, self.step_count, seed_words(self._seed))

    @in_turn
    def flock(self) -> Flock:
        """This instant as measures see it; velocities per second."""
        columns = [self.state[name] for name in seen_columns(self._plan)]
        return make_flock(columns, self._plan, self._lives())

    @in_turn
    def flock_later(self, ordered: bool = False) -> Callable[[], Flock]:
        """Copy the columns now; the returned function builds the flock, in any thread.

        With `ordered` in ascending id, which determines the last bits of sums; otherwise in the cheaper backend order.
        """
        names = seen_columns(self._plan)
        seen = [self.state[name] for name in names] if ordered else self.read_unordered(names)[1]
        return partial(make_flock, [np.array(column) for column in seen], self._plan, self._lives())

    @in_turn
    def measure(self, names: Sequence[str] | None = None) -> dict[str, float]:
        """Measures of the flock now: polarization, milling, spacing, groups and more, or only those in `names`."""
        return measure_flock(self.flock(), names)

    @in_turn
    def state_hash(self) -> str:
        """SHA-256 of the state: equal bits, equal hash."""
        return self.state.digest(self.step_count)
