"""Writes the frames of a run in HOOMD's schema (see `schema`)."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura import __version__
from murmura.core.state import column_type
from murmura.engine.reading.frame import Frame
from murmura.engine.reading.snapshot import Snapshot
from murmura.engine.simulation import Simulation
from murmura.lab.gsd.schema import (
    BOX,
    COUNT,
    DIMENSIONS,
    ID,
    ITEMS,
    LOG,
    POSITION,
    SPECIES,
    STEP,
    TYPE,
    TYPES,
    UNITS,
    VELOCITY,
    constants,
    middle,
    places,
    units,
)
from murmura.lab.gsd.writer import GsdWriter
from murmura.lab.runs.reading.frames import Frames
from murmura.scenario import Scenario

Chunks = Mapping[str, NDArray[Any]]


class TrajectoryWriter:
    """Writes frames to a file: `take` copies the content of a frame, `write` may then run in another thread."""

    def __init__(
        self, file: GsdWriter, scenario: Scenario, columns: Sequence[str], first: Frame | None
    ) -> None:
        self._file, self._scenario = file, scenario
        self._middle = middle(scenario)
        # With one species, there is no need to read the column of species.
        self._own = [*columns, SPECIES] if len(scenario.species) > 1 else [*columns]
        self._has_items = any(rule.enabled and rule.turn for _, rule in scenario.rules)
        self._first = None if first is None else (first.ids, first.species)
        self._same: dict[
            str, NDArray[np.int32]
        ] = {}  # ids and species known to equal those of the first frame
        self._alike = np.zeros(0, np.int32)
        self._lock = threading.Lock()
        self._spare: deque[NDArray[np.float32]] = deque()
        self.commit, self.mark, self.close = file.commit, file.mark, file.close

    @property
    def rows(self) -> int:
        """The number of frames written."""
        return self._file.frames

    @classmethod
    def create(cls, path: Path, scenario: Scenario, columns: Sequence[str]) -> TrajectoryWriter:
        own = [LOG + name for name in columns]
        own += [ITEMS + name for name, rule in scenario.rules if rule.enabled and rule.turn]
        names = [STEP, BOX, DIMENSIONS, COUNT, TYPES, TYPE, POSITION, VELOCITY, ID, UNITS, *own]
        return cls(GsdWriter.create(path, names, f"murmura {__version__}"), scenario, columns, None)

    @classmethod
    def reopen(
        cls,
        path: Path,
        scenario: Scenario,
        columns: Sequence[str],
        mark: Mapping[str, Any],
        ready: Callable[[], None],
    ) -> TrajectoryWriter:
        file = GsdWriter.reopen(path, mark, ready)
        return cls(file, scenario, columns, Frames(path, scenario)[0] if file.frames else None)

    def take(self, seen: Simulation | Snapshot) -> Chunks:
        """The chunks of a frame, in ascending id, without those that equal the first frame's."""
        with self._lock:  # snapshots are read where they are written
            return self._take(seen)

    def _take(self, seen: Simulation | Snapshot) -> Chunks:
        # Items are in the state. Reading it first also sorts its columns.
        items = seen.state.items if self._has_items else {}
        names = places(self._scenario)
        rows, columns_seen = seen.read_unordered((*names, *self._own))
        moving, own = columns_seen[: len(names)], columns_seen[len(names) :]
        axes, count = len(names) // 2, len(rows)
        positions, velocities = self._vectors(count), self._vectors(count)
        chunks: dict[str, NDArray[Any]] = {
            STEP: np.array([seen.step_count], "<u8"),
            COUNT: np.array([count], "<u4"),
            POSITION: positions,
            VELOCITY: velocities,
        }
        if _is_ordered(rows):
            for axis in range(axes):
                positions[:, axis] = moving[axis] - self._middle[axis]
                velocities[:, axis] = moving[axes + axis]
            columns = {name: np.array(column) for name, column in zip(self._own, own, strict=True)}
        else:
            from murmura.compute.cpu.scatter import put_vectors

            rows = rows.astype(np.int32, copy=False)
            still = np.float32(0.0)
            put_vectors(rows, moving[0], moving[1], self._middle[0], self._middle[1], positions)
            put_vectors(rows, moving[axes], moving[axes + 1], still, still, velocities)
            if axes == 3:
                positions[rows, 2], velocities[rows, 2] = moving[2] - self._middle[2], moving[5]
            columns = {name: _in_order(column, rows) for name, column in zip(self._own, own, strict=True)}
        columns = {name: column.astype(column_type(name), copy=False) for name, column in columns.items()}
        if len(self._alike) != count:
            self._alike = np.zeros(count, np.int32)
        chunks |= self._identity(seen.roster, columns.pop(SPECIES, self._alike))
        if not count and TYPES in chunks:
            # Readers take missing values from the first frame, and require some of them there.
            columns = {name: np.zeros(1, column.dtype) for name, column in columns.items()}
            chunks[ID] = np.zeros(1, np.int32)
        chunks |= {LOG + name: column for name, column in columns.items()}
        chunks |= {ITEMS + name: np.array(table, "<f4", order="C") for name, table in items.items()}
        return chunks

    def _identity(self, ids: NDArray[np.int32], species: NDArray[np.int32]) -> dict[str, NDArray[Any]]:
        """Ids and species of a frame: only in the first one and in those that differ from it."""
        if self._first is None:
            self._first = (ids.copy(), species.copy())
            named = units(self._scenario, self._own)
            return constants(self._scenario) | named | {ID: ids.copy(), TYPE: species.astype("<u4")}
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
        """A buffer for 3-D vectors, with z = 0 in the plane. Reused, because allocating costs as much as filling it."""
        while self._spare:
            room = self._spare.popleft()
            if len(room) == count:
                return room
        return np.zeros((count, 3), "<f4")


def _is_ordered(rows: NDArray[Any]) -> bool:
    """Whether each row equals its index; checking a few first is nearly always enough."""
    return np.array_equal(rows[:64], np.arange(len(rows[:64]))) and np.array_equal(rows, np.arange(len(rows)))


def _in_order(column: NDArray[Any], rows: NDArray[Any]) -> NDArray[Any]:
    ordered = np.empty_like(column)
    ordered[rows] = column
    return ordered
