"""A flock on its way from the device, in the device's order, and how it is put into the order of ids."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.compute.cuda.device import Transfer
from murmura.compute.cuda.records import record_type
from murmura.compute.plan import Plan
from murmura.core.state import State, column_name

Births = list[NDArray[np.int64]]
"""Pairs of (child, mother) in the order of births, in lots."""


def _mothers_since(births: Births, known: int) -> dict[int, int]:
    """The mothers of those whose ids begin at `known`."""
    found: dict[int, int] = {}
    for lot in reversed(births):
        if lot[-1, 0] < known:
            break
        found |= {int(child): int(mother) for child, mother in lot if child >= known}
    return found


def _ancestor(name: int, mothers: dict[int, int]) -> int:
    """The nearest mother who was known before."""
    while name in mothers:
        name = mothers[name]
    return name


class DeviceFlockTransfer:
    """Ids, places, extras, forces, the clock and the items of one instant."""

    def __init__(self, transfer: Transfer, count: int, plan: Plan, births: Births) -> None:
        self._transfer = transfer
        self._count = count
        self._plan = plan
        self._births = births

    @property
    def ready(self) -> bool:
        return self._transfer.ready

    def store(self, state: State) -> None:
        """Write it into the columns, in ascending id."""
        ids, *_, clock, items = self._transfer.wait()
        here: Any = slice(self._count)
        if self._plan.has_lifecycle:
            now = clock.view(record_type("Clock"))[0]
            here = np.flatnonzero(ids[: int(now["alive"])] >= 0)
            self._settle(state, np.sort(ids[here]), int(now["next_id"]))
        is_dense = len(state) > 0 and state.ids[-1] == len(state) - 1
        rows = ids[here] if is_dense else np.searchsorted(state.ids, ids[here])
        for name, values in self._moving().items():
            column = state[name]
            column[rows] = values[here].astype(column.dtype, copy=False)
        if self._plan.stateful_items:
            self._plan.keep_items(state, items)

    def _settle(self, state: State, ids: NDArray[np.int32], next_id: int) -> None:
        """Let the state have these agents; the young have their mothers' columns where the device knows none."""
        before, old_ids, known = dict(state.columns), state.ids, state.next_id
        state.settle(ids, next_id)
        mothers = _mothers_since(self._births, known)
        young = ids[ids >= known]
        ancestors = np.array([_ancestor(int(name), mothers) for name in young], np.int64)
        heirs = np.isin(ancestors, old_ids)  # the others come from elsewhere, or from those who do
        if heirs.any():
            rows, sources = (
                np.searchsorted(state.ids, young[heirs]),
                np.searchsorted(old_ids, ancestors[heirs]),
            )
            for name, column in state.columns.items():
                if name != "id":
                    column[rows] = before[name][sources]

    def read_unordered(self) -> tuple[NDArray[np.int32], dict[str, NDArray[np.float32]]] | None:
        """Ids and moving columns in the device's order; none where the dead lie among the living."""
        if self._plan.has_lifecycle:
            return None
        ids, *_ = self._transfer.wait()
        n = self._count
        # Kernels take columns that lie by themselves; places and velocities do not.
        return ids[:n], {name: np.ascontiguousarray(column[:n]) for name, column in self._moving().items()}

    def _moving(self) -> dict[str, NDArray[np.float32]]:
        """The columns that steps change, in the device's order."""
        _, quads, velocities, extras, forces, _, _ = self._transfer.wait()
        moving = quads.T if self._plan.dimension == 2 else (*quads.T[:3], *velocities.T[:3])
        names = [*self._plan.moving_columns, *map(column_name, self._plan.carried), *self._plan.force_columns]
        return dict(zip(names, (*moving, *extras, *forces), strict=True))
