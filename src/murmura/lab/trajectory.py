"""The frames of a run as HOOMD's schema has them, so that OVITO, freud and others open `run.gsd` as it stands.

The schema wants places in three dimensions and relative to the middle of the box. Taking the middle away and adding
it again in single precision may cost the last bit of a place: below 1e-4 u in a world of 1000 u. Recorded columns
`position_x` and `position_y` are exact, and are used when they are there. Frame 0 stands in for species and ids of
later frames that do not say otherwise.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from murmura import __version__
from murmura.core.state import column_type
from murmura.engine.simulation import Simulation
from murmura.engine.snapshot import Snapshot
from murmura.lab.gsd_file import GsdReader, GsdWriter
from murmura.scenario import Scenario

STEP, BOX, DIMENSIONS = "configuration/step", "configuration/box", "configuration/dimensions"
COUNT, TYPES, TYPE = "particles/N", "particles/types", "particles/typeid"
POSITION, VELOCITY, ID, LOG = "particles/position", "particles/velocity", "log/particles/id", "log/particles/"
ITEMS = "log/items/"
"""Rows of what has turns of its own, by rule: food, hunters, carcasses. Films and replays show them."""
PLACES, SPECIES = ("position_x", "position_y", "velocity_x", "velocity_y"), "species_id"
IMPLIED = ("id", "species_id", "velocity_x", "velocity_y")
"""Columns that every frame holds anyway."""


@dataclass(frozen=True, eq=False)
class Frame:
    """The flock at one step, in ascending id.

    Attributes:
        step: After how many steps.
        time: Simulated time [s].
        ids: Shape (n,).
        species: Numbers of the scenario's species, shape (n,).
        positions: Shape (n, 2) [u].
        velocities: Shape (n, 2), in the scenario's velocity unit.
        columns: The columns chosen for recording, shape (n,) each.
        items: Rows of items that have turns of their own (food, hunters, carcasses), by rule.
    """

    step: int
    time: float
    ids: NDArray[np.int32]
    species: NDArray[np.int32]
    positions: NDArray[np.float32]
    velocities: NDArray[np.float32]
    columns: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    items: Mapping[str, NDArray[np.float32]] = field(default_factory=dict)

    @property
    def agent_count(self) -> int:
        return len(self.ids)


Chunks = Mapping[str, NDArray[Any]]


class TrajectoryWriter:
    """Frames into a file: `take` copies what a frame holds, `write` may then run in another thread."""

    def __init__(
        self, file: GsdWriter, scenario: Scenario, columns: Sequence[str], first: Frame | None
    ) -> None:
        self._file, self._scenario = file, scenario
        self._middle = middle(scenario)
        # Of one kind nobody can be of another: that column need not be read.
        self._own = [*columns, SPECIES] if len(scenario.species) > 1 else [*columns]
        self._has_items = any(rule.enabled and rule.turn for _, rule in scenario.rules)
        self._first = None if first is None else (first.ids, first.species)
        self._same: dict[str, NDArray[np.int32]] = {}  # ids and species that are known to be the first ones
        self._alike = np.zeros(0, np.int32)
        self._lock = threading.Lock()
        self._spare: deque[NDArray[np.float32]] = deque()
        self.commit, self.mark, self.close = file.commit, file.mark, file.close

    @classmethod
    def create(cls, path: Path, scenario: Scenario, columns: Sequence[str]) -> TrajectoryWriter:
        own = [LOG + name for name in columns]
        own += [ITEMS + name for name, rule in scenario.rules if rule.enabled and rule.turn]
        names = [STEP, BOX, DIMENSIONS, COUNT, TYPES, TYPE, POSITION, VELOCITY, ID, *own]
        return cls(GsdWriter.create(path, names, f"murmura {__version__}"), scenario, columns, None)

    @classmethod
    def reopen(
        cls, path: Path, scenario: Scenario, columns: Sequence[str], mark: Mapping[str, Any]
    ) -> TrajectoryWriter:
        file = GsdWriter.reopen(path, mark)
        return cls(file, scenario, columns, Frames(path, scenario)[0] if file.frames else None)

    def take(self, seen: Simulation | Snapshot) -> Chunks:
        """The chunks of a frame, in ascending id. What has not changed since the first is left out."""
        with self._lock:  # snapshots are taken where they are written
            return self._take(seen)

    def _take(self, seen: Simulation | Snapshot) -> Chunks:
        # Items live in the state. It is asked for first: then its columns are at hand in their order as well.
        items = seen.state.items if self._has_items else {}
        rows, (x, y, vx, vy, *own) = seen.glance((*PLACES, *self._own))
        count = len(rows)
        places, velocities = self._vectors(count), self._vectors(count)
        chunks: dict[str, NDArray[Any]] = {
            STEP: np.array([seen.step_count], "<u8"),
            COUNT: np.array([count], "<u4"),
            POSITION: places,
            VELOCITY: velocities,
        }
        if _is_ordered(rows):
            places[:, 0], places[:, 1] = x - self._middle[0], y - self._middle[1]
            velocities[:, 0], velocities[:, 1] = vx, vy
            columns = {name: np.array(column) for name, column in zip(self._own, own, strict=True)}
        else:
            from murmura.compute.cpu.scatter import put_vectors

            rows = rows.astype(np.int32, copy=False)
            put_vectors(rows, x, y, self._middle[0], self._middle[1], places)
            put_vectors(rows, vx, vy, np.float32(0.0), np.float32(0.0), velocities)
            columns = {name: _in_order(column, rows) for name, column in zip(self._own, own, strict=True)}
        columns = {name: column.astype(column_type(name), copy=False) for name, column in columns.items()}
        if len(self._alike) != count:
            self._alike = np.zeros(count, np.int32)
        chunks |= self._identity(seen.roster, columns.pop(SPECIES, self._alike))
        if not count and TYPES in chunks:
            # Readers look for a frame's missing values in the first one, and insist on some.
            columns = {name: np.zeros(1, column.dtype) for name, column in columns.items()}
            chunks[ID] = np.zeros(1, np.int32)
        chunks |= {LOG + name: column for name, column in columns.items()}
        chunks |= {ITEMS + name: np.array(table, "<f4", order="C") for name, table in items.items()}
        return chunks

    def _identity(self, ids: NDArray[np.int32], species: NDArray[np.int32]) -> dict[str, NDArray[Any]]:
        """Who is in a frame and of what kind; in the first one, and where that would be wrong."""
        if self._first is None:
            self._first = (ids.copy(), species.copy())
            return _constants(self._scenario) | {ID: ids.copy(), TYPE: species.astype("<u4")}
        chunks = {}
        for name, now, then in zip((ID, TYPE), (ids, species), self._first, strict=True):
            if now is self._same.get(name):
                continue
            if np.array_equal(now, then):
                self._same[name] = now
            else:
                chunks[name] = now.astype("<u4" if name == TYPE else now.dtype)
        return chunks

    def write(self, chunks: Chunks) -> None:
        self._file.append(chunks)
        self._spare += (chunks[POSITION], chunks[VELOCITY])

    def _vectors(self, count: int) -> NDArray[np.float32]:
        """Room for vectors of space, z = 0. Used again and again: memory that is new costs as much as filling it."""
        while self._spare:
            room = self._spare.popleft()
            if len(room) == count:
                return room
        return np.zeros((count, 3), "<f4")


def _is_ordered(rows: NDArray[Any]) -> bool:
    """Whether each row is its own number; a few of them nearly always tell."""
    return np.array_equal(rows[:64], np.arange(len(rows[:64]))) and np.array_equal(rows, np.arange(len(rows)))


def _in_order(column: NDArray[Any], rows: NDArray[Any]) -> NDArray[Any]:
    ordered = np.empty_like(column)
    ordered[rows] = column
    return ordered


def _constants(scenario: Scenario) -> dict[str, NDArray[Any]]:
    """What the first frame says for all: the box and the names of species."""
    names = [name.encode() + b"\0" for name in scenario.species_names()]
    width = max(map(len, names))
    text = b"".join(name.ljust(width, b"\0") for name in names)
    return {
        BOX: np.array([scenario.world.width, scenario.world.height, 1.0, 0.0, 0.0, 0.0], "<f4"),
        DIMENSIONS: np.array([2], "u1"),
        TYPES: np.frombuffer(text, "i1").reshape(-1, width),
    }


def middle(scenario: Scenario) -> NDArray[np.float32]:
    """The middle of the world [u], from which the schema measures places."""
    return np.array([scenario.world.width, scenario.world.height], np.float32) / np.float32(2.0)


class Frames(Sequence[Frame]):
    """The frames of a run, read when asked for, in any order; each is compared with its sum as it is read."""

    def __init__(self, path: Path, scenario: Scenario) -> None:
        self._file = GsdReader(path)
        self._scenario = scenario
        self._middle = middle(scenario)
        self.columns = tuple(
            name.removeprefix(LOG) for name in self._file.names if name.startswith(LOG) and name != ID
        )

        self._items = [name for name in self._file.names if name.startswith(ITEMS)]

    def is_whole(self, column: str) -> bool:
        """Whether a recorded column is of whole numbers."""
        found = self._file.type_of(LOG + column)
        return found is not None and found.kind in "iu"

    def __len__(self) -> int:
        return len(self._file)

    def __iter__(self) -> Iterator[Frame]:
        return (self[k] for k in range(len(self)))

    @overload
    def __getitem__(self, key: int) -> Frame: ...
    @overload
    def __getitem__(self, key: slice) -> list[Frame]: ...
    def __getitem__(self, key: int | slice) -> Frame | list[Frame]:
        if isinstance(key, slice):
            return [self[k] for k in range(*key.indices(len(self)))]
        number = key + len(self) if key < 0 else key
        if not 0 <= number < len(self):
            raise IndexError(f"frame {key} of {len(self)}")
        return self._read(number)

    @cached_property
    def steps(self) -> NDArray[np.int64]:
        """After how many steps each frame was taken, shape (frames,)."""
        return np.array([int(self._chunk(k, STEP)[0]) for k in range(len(self))], np.int64)

    @cached_property
    def times(self) -> NDArray[np.float64]:
        """Simulated time of each frame [s], shape (frames,)."""
        return np.asarray(self.steps * self._scenario.motion.time_step, np.float64)

    @cached_property
    def all_ids(self) -> NDArray[np.int32]:
        """Everybody who is in some frame, ascending; only frames whose population differs from the first are read."""
        own = [self._standing(k, ID) for k in range(len(self)) if k == 0 or self._file.has(k, ID)]
        return np.unique(np.concatenate(own)) if own else np.empty(0, np.int32)

    @cached_property
    def population_changes(self) -> bool:
        return any(self._file.has(k, ID) or self._count(k) != self._count(0) for k in range(1, len(self)))

    def _read(self, number: int) -> Frame:
        self._file.check(number)
        step = int(self._chunk(number, STEP)[0])
        columns = {name: self._rows(number, LOG + name) for name in self.columns}
        if "position_x" in columns and "position_y" in columns:
            positions = np.stack([columns["position_x"], columns["position_y"]], axis=1)
        else:
            positions = self._rows(number, POSITION, 3)[:, :2] + self._middle
        return Frame(
            step,
            step * self._scenario.motion.time_step,
            self._standing(number, ID),
            self._standing(number, TYPE),
            positions,
            np.ascontiguousarray(self._rows(number, VELOCITY, 3)[:, :2]),
            columns,
            {
                name.removeprefix(ITEMS): np.atleast_2d(self._chunk(number, name))
                for name in self._items
                if self._file.has(number, name)
            },
        )

    def _standing(self, number: int, name: str) -> NDArray[np.int32]:
        """Ids or species, which frame 0 gives where a frame is silent."""
        found = self._rows(number if self._file.has(number, name) else 0, name)[: self._count(number)]
        if len(found) != self._count(number):
            raise self._file.damage(f"frame {number} has no {name}")
        return found.astype(np.int32)

    def _count(self, number: int) -> int:
        return int(self._chunk(number, COUNT)[0])

    def _chunk(self, number: int, name: str) -> NDArray[Any]:
        found = self._file.read(number, name)
        if found is None:
            raise self._file.damage(f"frame {number} has no {name}")
        return found

    def _rows(self, number: int, name: str, width: int = 1) -> NDArray[Any]:
        """A value or a vector for each agent; the format leaves out what is empty."""
        found = self._file.read(number, name) if self._count(number) else None
        if found is None:
            found = np.empty((0, width) if width > 1 else 0, np.float32)
        if len(found) != self._count(number):
            raise self._file.damage(
                f"frame {number} holds {len(found)} values of {name} for {self._count(number)} agents"
            )
        return found
