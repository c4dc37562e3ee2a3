"""The flock of one instant, requested now and read later; on a GPU it is copied while the simulation runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.compute import FlockTransfer
from murmura.compute.plan import Plan
from murmura.core.state import State
from murmura.engine.reading.instant import make_flock, rows_and_columns, seen_columns
from murmura.engine.reading.reader import Reader
from murmura.measure import Flock, Lives


class Snapshot(Reader):
    """The result of `Simulation.snapshot`. It may be read in any thread."""

    def __init__(
        self,
        plan: Plan,
        seed: int,
        step_count: int,
        transfer: FlockTransfer | None,
        state: State,
        lives: Lives | None = None,
    ) -> None:
        self._plan, self._seed, self._step_count = plan, seed, step_count
        self._transfer, self._recent_lives = transfer, lives
        # Until the transfer is stored these are the simulation's own columns: ids, and columns that no rule changes.
        # With births and deaths the simulation replaces its columns, and these stay unchanged.
        self._state = State()
        self._state.columns, self._state.items = dict(state.columns), dict(state.items)
        self._state.next_id = state.next_id

    @property
    def step_count(self) -> int:
        return self._step_count

    @property
    def state(self) -> State:
        """The columns in ascending id; waits until they have arrived."""
        if self._transfer is not None:
            self._state = self._state.copy()
            self._transfer.store(self._state)
            self._transfer = None
        return self._state

    @property
    def ready(self) -> bool:
        return self._transfer is None or self._transfer.ready

    @property
    def roster(self) -> NDArray[np.int32]:
        return (self.state if self._plan.has_lifecycle else self._state).ids

    def read_unordered(self, names: Sequence[str]) -> tuple[NDArray[Any], list[NDArray[Any]]]:
        found = None if self._transfer is None else self._transfer.read_unordered()
        return super().read_unordered(names) if found is None else rows_and_columns(found, self._state, names)

    def flock_later(self, ordered: bool = False) -> Callable[[], Flock]:
        # No copy: the columns of a snapshot are its own.
        names = seen_columns(self._plan)
        columns = [self.state[name] for name in names] if ordered else self.read_unordered(names)[1]
        return partial(make_flock, columns, self._plan, self._recent_lives)

    def _lives(self) -> Lives | None:
        """Known only if the snapshot was taken to be measured."""
        return self._recent_lives
