"""A flock on its way from the device, in the device's order, and how it is put into the order of ids."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.compute.cuda.device import Transfer
from murmura.compute.cuda.records import record_type
from murmura.compute.plan import FELT_COLUMNS, MOVING_COLUMNS, Plan
from murmura.core.state import State, column_name


class FlockParcel:
    """Ids, places, extras, what is felt, the clock and the items of one instant."""

    def __init__(self, transfer: Transfer, count: int, plan: Plan) -> None:
        self._transfer = transfer
        self._count = count
        self._plan = plan

    @property
    def ready(self) -> bool:
        return self._transfer.ready

    def unpack(self, state: State) -> None:
        """Write it into the columns, in ascending id."""
        ids, _, _, _, clock, items = self._transfer.wait()
        n, here = self._count, np.s_[: self._count]
        if self._plan.mortal:
            now = clock.view(record_type("Clock"))[0]
            n = int(now["alive"])
            rows_here: Any = np.flatnonzero(ids[:n] >= 0)
            state.settle(np.sort(ids[rows_here]), int(now["next_id"]))
        else:
            rows_here = here
        is_dense = len(state) > 0 and state.ids[-1] == len(state) - 1
        rows = ids[rows_here] if is_dense else np.searchsorted(state.ids, ids[rows_here])
        for name, values in self._moving().items():
            column = state[name]
            column[rows] = values[rows_here].astype(column.dtype, copy=False)
        if self._plan.lasting:
            self._plan.keep_items(state, items)

    def glance(self) -> tuple[NDArray[np.int32], dict[str, NDArray[np.float32]]] | None:
        """Ids and moving columns in the device's order; none where the dead lie among the living."""
        if self._plan.mortal:
            return None
        ids, *_ = self._transfer.wait()
        n = self._count
        # Kernels take columns that lie by themselves; places and velocities do not.
        return ids[:n], {name: np.ascontiguousarray(column[:n]) for name, column in self._moving().items()}

    def _moving(self) -> dict[str, NDArray[np.float32]]:
        """The columns that steps change, in the device's order."""
        _, quads, extras, felt, _, _ = self._transfer.wait()
        names = [*MOVING_COLUMNS, *map(column_name, self._plan.carried), *FELT_COLUMNS]
        return dict(zip(names, (*quads.T, *extras, *felt), strict=True))
