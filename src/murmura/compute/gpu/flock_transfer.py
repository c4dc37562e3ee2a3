"""A flock in transfer from a device, and its conversion from the device's order to the order of ids."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from murmura.compute.gpu.fields import record_type
from murmura.compute.plan import Plan
from murmura.core.events import EVENT_FIELDS, Event
from murmura.core.state import State, column_name


class Transfer(Protocol):
    """Arrays that are being copied to the host."""

    @property
    def ready(self) -> bool: ...

    def wait(self) -> list[NDArray[Any]]: ...


Births = list[NDArray[np.int64]]
"""Batches of (child, mother) pairs in the order of births."""


def births_in(events: NDArray[np.float64]) -> Births:
    """The births among some events, as a batch unless there are none."""
    born = events[events[:, EVENT_FIELDS.index("kind")] == Event.BIRTH]
    pairs = born[:, [EVENT_FIELDS.index("id"), EVENT_FIELDS.index("other")]].astype(np.int64)
    return [pairs[np.argsort(pairs[:, 0])]] if len(pairs) else []


def not_finite(step: int, ids: NDArray[np.int32], places: NDArray[np.float32]) -> str:
    """What to say when agents, one a row, are at no finite place after a step."""
    broken = ~(np.abs(places) < 1e30).all(axis=1)
    some = ", ".join(str(k) for k in np.sort(ids[broken])[:5])
    return (
        f"step {step}: {int(broken.sum())} agents have no finite place or velocity (ids {some}). A rule returned NaN "
        "or infinity: guard its divisions, or lower the weights"
    )


def _mothers_since(births: Births, known: int) -> dict[int, int]:
    """The mothers of agents with ids from `known` on."""
    found: dict[int, int] = {}
    for lot in reversed(births):
        if lot[-1, 0] < known:
            break
        found |= {int(child): int(mother) for child, mother in lot if child >= known}
    return found


def _ancestor(name: int, mothers: dict[int, int]) -> int:
    """The nearest maternal ancestor that the state already had."""
    while name in mothers:
        name = mothers[name]
    return name


class DeviceFlockTransfer:
    """A transfer of ids, positions, velocities, extras, forces, the clock and the items of one instant."""

    def __init__(self, transfer: Transfer, count: int, plan: Plan, births: Births) -> None:
        self._transfer = transfer
        self._count = count
        self._plan = plan
        self._births = births

    @property
    def ready(self) -> bool:
        return self._transfer.ready

    def store(self, state: State) -> None:
        """Wait for the transfer and write it into the state, in ascending id."""
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
        """Give the state these agents; newborns get their mothers' values in columns that are not on the device."""
        before, old_ids, known = dict(state.columns), state.ids, state.next_id
        state.settle(ids, next_id)
        mothers = _mothers_since(self._births, known)
        young = ids[ids >= known]
        ancestors = np.array([_ancestor(int(name), mothers) for name in young], np.int64)
        heirs = np.isin(ancestors, old_ids)  # the others are immigrants or their descendants
        if heirs.any():
            rows, sources = (
                np.searchsorted(state.ids, young[heirs]),
                np.searchsorted(old_ids, ancestors[heirs]),
            )
            for name, column in state.columns.items():
                if name != "id":
                    column[rows] = before[name][sources]

    def read_unordered(self) -> tuple[NDArray[np.int32], dict[str, NDArray[np.float32]]] | None:
        """Ids and moving columns in the device's order; None if rows of dead agents lie in between."""
        if self._plan.has_lifecycle:
            return None
        ids, *_ = self._transfer.wait()
        n = self._count
        # Kernels need contiguous columns; positions and velocities are interleaved.
        return ids[:n], {name: np.ascontiguousarray(column[:n]) for name, column in self._moving().items()}

    def rows(self) -> tuple[NDArray[np.int32], dict[str, NDArray[np.float32]]]:
        """Ids (of the dead: -1 - id) and moving columns in the device's order."""
        ids, *_, clock, _ = self._transfer.wait()
        n = int(clock.view(record_type("Clock"))[0]["alive"]) if self._plan.has_lifecycle else self._count
        return ids[:n], {name: column[:n] for name, column in self._moving().items()}

    def _moving(self) -> dict[str, NDArray[np.float32]]:
        """The columns that steps change, in the device's order."""
        _, quads, velocities, extras, forces, _, _ = self._transfer.wait()
        moving = quads.T if self._plan.dimension == 2 else (*quads.T[:3], *velocities.T[:3])
        names = [*self._plan.moving_columns, *map(column_name, self._plan.carried), *self._plan.force_columns]
        return dict(zip(names, (*moving, *extras, *forces), strict=True))
