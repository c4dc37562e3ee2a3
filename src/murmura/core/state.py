"""The flock as a structure of arrays: columns, stable ids, births and deaths.

Rows are kept in ascending id. An id is never reused: the row of an agent changes when others die, its id does
not. Backends work on copies in their own order and write back here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from murmura.core.errors import ScenarioError, UnknownNameError, nearest
from murmura.core.layout import MOVING, VECTORS, VectorField, components, vector


class Gender(IntEnum):
    """S2-30."""

    FEMALE = 0
    MALE = 1


class FeedingState(IntEnum):
    """S2-28."""

    NONE = 0
    APPROACHING = 1
    GATHERING = 2
    FEEDING = 3


class MatingState(IntEnum):
    """S2-29."""

    NONE = 0
    SEEKING = 1
    APPROACHING = 2
    COURTING = 3
    MATING = 4
    FIGHTING = 5
    COOLDOWN = 6


NO_AGENT = -1
"""The id that stands for no food and no mate."""

FLOAT_COLUMNS = {
    "position_x": 0.0,
    "position_y": 0.0,
    "velocity_x": 0.0,
    "velocity_y": 0.0,
    "acceleration_x": 0.0,
    "acceleration_y": 0.0,
    "heading": 0.0,
    "panic_level": 0.0,
    "local_density": 0.0,
    "energy": 1.0,
    "aggression_level": 0.0,
    "feeding_timer": 0.0,
    "mating_timer": 0.0,
    "mating_cooldown": 0.0,
}
INTEGER_COLUMNS = {
    "id": 0,
    "species_id": 0,
    "gender": Gender.FEMALE,
    "feeding_state": FeedingState.NONE,
    "mating_state": MatingState.NONE,
    "target_food_id": NO_AGENT,
    "target_mate_id": NO_AGENT,
}
ALIASES = {
    "panic": "panic_level",
    "species": "species_id",
    "aggression": "aggression_level",
    "neighbors": "local_density",
    "heading_angle": "heading",
}
"""Short names that rules use for columns."""

SPACE_COLUMNS: dict[str, float | int] = {"position_z": 0.0, "velocity_z": 0.0, "acceleration_z": 0.0}
"""Columns that a 3-D world adds."""
OWN_COLUMNS: dict[str, float | int] = dict(SPACE_COLUMNS)
"""Columns that worlds and rules add, with a newborn's values; integers are int32."""

DTYPE = np.dtype([(c, np.float32) for c in FLOAT_COLUMNS] + [(c, np.int32) for c in INTEGER_COLUMNS])
LARGEST_ID = 2**31 - 2


def declare_columns(columns: Mapping[str, Any]) -> None:
    """Register the columns that a rule adds. A vector has one for each axis."""
    for name in columns:
        if (name in OWN_COLUMNS) if isinstance(name, VectorField) else (name in VECTORS):
            raise ScenarioError(f"the column {str(name)!r} is declared twice, as a number and as a vector")
    VECTORS.update(str(name) for name in columns if isinstance(name, VectorField))
    for name, default in scalar_columns(columns).items():
        if name in DTYPE.fields or name in ALIASES:  # type: ignore[operator]
            raise ScenarioError(f"a rule cannot declare the column {name!r}: every agent already has it")
        if OWN_COLUMNS.get(name, default) != default:
            raise ScenarioError(f"the column {name!r} is declared twice, with different defaults")
        OWN_COLUMNS[name] = default


def scalar_columns(columns: Mapping[str, Any], dimension: int = 3) -> dict[str, float | int]:
    """The columns that a rule declares, vectors by component: `vector("spin"): 0.0` or `(0.0, 0.0, 1.0)`."""
    found: dict[str, float | int] = {}
    for name, default in columns.items():
        parts = components(name, dimension)
        single = isinstance(default, float | int)
        values = [default] * len(parts) if single else [*default, 0.0, 0.0]
        found |= dict(zip(parts, values, strict=False))
    return found


def column_type(name: str) -> np.dtype[Any]:
    """The type of a column."""
    if name in OWN_COLUMNS:
        return np.dtype(np.int32 if isinstance(OWN_COLUMNS[name], int) else np.float32)
    return DTYPE[name]


def newborn_value(name: str) -> float | int:
    """A newborn's value in a column."""
    return (FLOAT_COLUMNS | INTEGER_COLUMNS | OWN_COLUMNS)[name]


class State:
    """All agents of a world, one array for each column, and the stateful items of each rule.

    Args:
        count: Number of agents, with ids from 0.
        own: Columns that this scenario's world and rules add.
    """

    def __init__(self, count: int = 0, own: Iterable[str] = ()) -> None:
        self.columns: dict[str, NDArray[Any]] = {
            name: np.full(count, newborn_value(name), column_type(name))
            for name in (*FLOAT_COLUMNS, *INTEGER_COLUMNS, *sorted(own))
        }
        self.columns["id"][:] = np.arange(count, dtype=np.int32)
        self.next_id = count
        self.items: dict[str, NDArray[np.float32]] = {}

    @property
    def own_columns(self) -> tuple[str, ...]:
        """The columns that worlds and rules added."""
        return tuple(name for name in self.columns if name in OWN_COLUMNS)

    def with_columns(self, own: Iterable[str]) -> State:
        """The same flock with exactly these added columns: new ones at their defaults, others dropped."""
        twin = State(len(self), own)
        for name in twin.columns:
            if name in self.columns:
                twin.columns[name] = self.columns[name].copy()
        twin.next_id, twin.items = self.next_id, {name: rows.copy() for name, rows in self.items.items()}
        return twin

    def settle(self, ids: NDArray[np.int32], next_id: int) -> None:
        """Keep exactly these agents, in ascending id; unknown ids are newborns."""
        if len(ids) != len(self) or not np.array_equal(ids, self.ids):
            old = np.searchsorted(self.ids, ids)
            known = old < len(self)
            known[known] = self.ids[old[known]] == ids[known]
            for name, column in self.columns.items():
                fresh = np.full(len(ids), newborn_value(name), column_type(name))
                fresh[known] = column[old[known]]
                self.columns[name] = fresh
            self.columns["id"] = np.array(ids, np.int32)
        self.next_id = next_id

    def __len__(self) -> int:
        return len(self.columns["id"])

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name in VECTORS:
            parts = components(vector(name), 3 if "position_z" in self.columns else 2)
            return np.stack([self[f"{name}_{part[-1]}" if name in MOVING else part] for part in parts], -1)
        full = column_name(name)
        if full not in self.columns:
            raise UnknownNameError(
                f"no rule of this scenario keeps the column {full!r}: enable the one that does"
            )
        return self.columns[full]

    @property
    def ids(self) -> NDArray[np.int32]:
        return self.columns["id"]

    def rows_of(self, ids: ArrayLike) -> NDArray[np.intp]:
        """Rows of these ids. An unknown id is an error."""
        wanted = np.atleast_1d(np.asarray(ids))
        if wanted.size == 0:
            return np.empty(0, np.intp)
        if wanted.dtype.kind not in "iu":
            raise UnknownNameError(f"an agent's id is a whole number, got {wanted.dtype}")
        rows = np.searchsorted(self.ids, wanted)
        known = (
            (rows < len(self)) & (self.ids[np.minimum(rows, len(self) - 1)] == wanted)
            if len(self)
            else rows < 0
        )
        if not np.all(known):
            missing = wanted[~known][0]
            alive = (
                f"{len(self):,} agents with ids from {self.ids[0]} to {self.ids[-1]}"
                if len(self)
                else "nobody"
            )
            raise UnknownNameError(f"no agent has the id {missing}; alive: {alive}")
        return rows

    def add(self, values: Mapping[str, ArrayLike]) -> NDArray[np.int32]:
        """Add agents with these column values (others at their defaults); return their new ids."""
        given = {column_name(name): np.atleast_1d(np.asarray(value)) for name, value in values.items()}
        if "id" in given:
            raise ScenarioError("ids of newborn agents are assigned by the state: leave 'id' out")
        counts = {name: len(value) for name, value in given.items()}
        if len(set(counts.values())) > 1:
            raise ScenarioError(f"columns of newborn agents must have the same length, got {counts}")
        count = next(iter(counts.values()), 0)
        if self.next_id + count > LARGEST_ID:
            raise ScenarioError(f"ids are exhausted: at most {LARGEST_ID:,} agents may ever live in a run")
        new_ids = np.arange(self.next_id, self.next_id + count, dtype=np.int32)
        grown = {}  # built first, so that an invalid value leaves the state unchanged
        for name, old in self.columns.items():
            fresh = new_ids if name == "id" else given.get(name, np.full(count, newborn_value(name)))
            grown[name] = np.concatenate([old, fresh.astype(column_type(name))])
        self.columns = grown
        self.next_id += count
        return new_ids

    def remove(self, ids: ArrayLike) -> None:
        """Remove agents; the others keep their ids and their order."""
        keep = np.ones(len(self), bool)
        keep[self.rows_of(ids)] = False
        for name in self.columns:
            self.columns[name] = self.columns[name][keep]

    def copy(self) -> State:
        twin = State()
        twin.columns = {name: column.copy() for name, column in self.columns.items()}
        twin.next_id = self.next_id
        twin.items = {name: rows.copy() for name, rows in self.items.items()}
        return twin

    def split(self, count: int) -> list[State]:
        """Flocks of equal size that follow each other, without items; their columns are views of this state's."""
        size = len(self) // count
        parts = []
        for number in range(count):
            rows, part = slice(number * size, (number + 1) * size), State.__new__(State)
            part.columns = {name: column[rows] for name, column in self.columns.items()}
            part.next_id, part.items = self.next_id, {}
            parts.append(part)
        return parts

    def digest(self, step: int) -> str:
        """SHA-256 of every bit of the state at a step."""
        digest = hashlib.sha256(np.array([step, self.next_id, len(self)], "<i8").tobytes())
        for name in (*(DTYPE.names or ()), *self.own_columns):
            digest.update(
                np.ascontiguousarray(self.columns[name]).astype(column_type(name).newbyteorder("<")).tobytes()
            )
        for name in sorted(self.items):
            digest.update(np.ascontiguousarray(self.items[name]).astype("<f4").tobytes())
        return digest.hexdigest()


def column_name(name: str) -> str:
    """The full name of a column."""
    full = ALIASES.get(name, name)
    if full not in DTYPE.fields and full not in OWN_COLUMNS:  # type: ignore[operator]
        known = [*FLOAT_COLUMNS, *INTEGER_COLUMNS, *OWN_COLUMNS, *ALIASES]
        raise UnknownNameError(
            f"no column is called {name!r}{nearest(name, known)}; columns: {', '.join(known)}"
        )
    return full
