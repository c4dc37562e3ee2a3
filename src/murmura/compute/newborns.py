"""Columns that a kernel does not carry: newborns get their mothers' values."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from murmura.core.events import EVENT_FIELDS, Event
from murmura.core.state import State

KIND, CHILD, MOTHER = (EVENT_FIELDS.index(name) for name in ("kind", "id", "other"))


class Births:
    """The ancestors of agents born since the state was last stored."""

    def __init__(self, state: State) -> None:
        self._origins: dict[int, int] = {}
        """For each living newborn: its nearest ancestor that was in the flock when the state was last stored."""
        self._known = state.copy()

    def note(self, events: NDArray[np.float64]) -> None:
        """Record the births and deaths in rows of EVENT_FIELDS."""
        if not len(events):
            return
        births = events[events[:, KIND] == Event.BIRTH]
        for child, mother in births[np.argsort(births[:, CHILD])][:, [CHILD, MOTHER]].astype(int).tolist():
            self._origins[child] = self._origins.get(mother, mother)
        for dead in events[events[:, KIND] == Event.DEATH, CHILD].astype(int).tolist():
            self._origins.pop(dead, None)

    def settle(self, state: State, ids: NDArray[np.int32], next_id: int) -> None:
        """Give a state these agents; newborns get all columns of their mothers."""
        before = self._known
        state.settle(ids, next_id)
        young = np.array([name for name in ids.tolist() if name in self._origins], np.int64)
        origins = np.array([self._origins[name] for name in young.tolist()], np.int64)
        heirs = np.isin(origins, before.ids)  # the others descend from immigrants
        if heirs.any():
            rows, sources = state.rows_of(young[heirs]), before.rows_of(origins[heirs])
            for column in state.columns:
                if column != "id" and column in before.columns:
                    state.columns[column][rows] = before.columns[column][sources]
        self._origins = {}
        self._known = state.copy()
