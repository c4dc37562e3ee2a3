"""What a backend's newborns have in columns that its kernel does not carry: what their mothers had."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from murmura.core.events import EVENT_FIELDS, Event
from murmura.core.state import State

KIND, CHILD, MOTHER = (EVENT_FIELDS.index(name) for name in ("kind", "id", "other"))


class Births:
    """Who was born of whom since the flock was last given back."""

    def __init__(self, state: State) -> None:
        self._mothers: dict[int, int] = {}
        self._known = state.copy()

    def note(self, events: NDArray[np.float64]) -> None:
        """Take births out of rows of EVENT_FIELDS."""
        births = events[events[:, KIND] == Event.BIRTH] if len(events) else events
        self._mothers |= {int(row[CHILD]): int(row[MOTHER]) for row in births}

    def settle(self, state: State, ids: NDArray[np.int32], next_id: int) -> None:
        """Let a state have these agents; who is new there has all of its mother's columns."""
        before = self._known
        state.settle(ids, next_id)
        origins: dict[int, int] = {}
        for name in ids.tolist():
            ancestor = self._ancestor(name, before) if name in self._mothers else None
            if ancestor is not None:
                origins[name] = ancestor
        if origins:
            rows, sources = state.rows_of(list(origins)), before.rows_of(list(origins.values()))
            for column in state.columns:
                if column != "id" and column in before.columns:
                    state.columns[column][rows] = before.columns[column][sources]
        self._mothers = {}
        self._known = state.copy()

    def _ancestor(self, name: int, before: State) -> int | None:
        """The nearest mother who was there when the flock was last given back."""
        while name in self._mothers:
            name = self._mothers[name]
        at = int(np.searchsorted(before.ids, name))
        return name if at < len(before) and before.ids[at] == name else None
