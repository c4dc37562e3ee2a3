"""The flock of one instant, asked for now and read later: on a GPU it arrives while the simulation goes on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.backends import Parcel
from murmura.core.state import State
from murmura.scenario import Scenario


class Snapshot:
    """What `Simulation.snapshot` returns."""

    def __init__(self, scenario: Scenario, step_count: int, parcel: Parcel | None, state: State) -> None:
        self.scenario = scenario
        self.step_count = step_count
        self._parcel = parcel
        self._state = state

    @property
    def agent_count(self) -> int:
        return len(self.state)

    @property
    def roster(self) -> NDArray[np.int32]:
        """Who lives, ascending."""
        return self.state.ids

    def glance(self, names: Sequence[str]) -> tuple[NDArray[Any], list[NDArray[Any]]]:
        """Columns, and each entry's row in ascending id."""
        return np.arange(len(self.state)), [self.state[name] for name in names]

    @property
    def ready(self) -> bool:
        """Whether reading would not wait."""
        return self._parcel is None or self._parcel.ready

    @property
    def state(self) -> State:
        """The columns in ascending id; waits until they have arrived."""
        if self._parcel is not None:
            # Until now `_state` was the simulation's own: it gives the ids, and the columns that no rule changes.
            self._state = self._state.copy()
            self._parcel.unpack(self._state)
            self._parcel = None
        return self._state
