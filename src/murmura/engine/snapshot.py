"""The flock of one instant, asked for now and read later: on a GPU it arrives while the simulation goes on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.compute import Parcel
from murmura.compute.plan import Plan
from murmura.core.state import State
from murmura.engine.instant import make_flock, rows_and_columns, seen_columns
from murmura.measure import Flock, Lives
from murmura.scenario import Scenario


class Snapshot:
    """What `Simulation.snapshot` returns. It may be read in another thread than the simulation's."""

    def __init__(
        self, plan: Plan, step_count: int, parcel: Parcel | None, state: State, lives: Lives | None = None
    ) -> None:
        self.step_count = step_count
        self._plan, self._lives = plan, lives
        self._parcel = parcel
        # Until a parcel is unpacked these are the simulation's own: they give ids, and columns that no rule changes.
        # Where somebody is born or dies the simulation gets new ones, one by one, and these stay as they are.
        self._state = State()
        self._state.columns, self._state.items = dict(state.columns), dict(state.items)
        self._state.next_id = state.next_id

    @property
    def scenario(self) -> Scenario:
        return self._plan.scenario

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self.step_count * self.scenario.motion.time_step

    @property
    def agent_count(self) -> int:
        return len(self.state if self._plan.mortal else self._state)

    @property
    def roster(self) -> NDArray[np.int32]:
        """Who lives, ascending."""
        return (self.state if self._plan.mortal else self._state).ids

    def glance(self, names: Sequence[str]) -> tuple[NDArray[Any], list[NDArray[Any]]]:
        """Columns in whatever order costs least, and each entry's row in ascending id; waits until they are here."""
        found = None if self._parcel is None else self._parcel.glance()
        if found is None:
            return np.arange(self.agent_count), [self.state[name] for name in names]
        return rows_and_columns(found, self._state, names)

    def flock_later(self, ordered: bool = False) -> Callable[[], Flock]:
        """As of a simulation; without births and deaths, unless the snapshot was taken to be measured."""
        names = seen_columns(self._plan)
        columns = [self.state[name] for name in names] if ordered else self.glance(names)[1]
        return partial(make_flock, columns, self._plan, self._lives)

    @property
    def ready(self) -> bool:
        """Whether reading would not wait."""
        return self._parcel is None or self._parcel.ready

    @property
    def state(self) -> State:
        """The columns in ascending id; waits until they have arrived."""
        if self._parcel is not None:
            self._state = self._state.copy()
            self._parcel.unpack(self._state)
            self._parcel = None
        return self._state
