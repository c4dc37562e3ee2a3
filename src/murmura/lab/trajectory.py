"""The frames of a run as HOOMD's schema has them, so that OVITO, freud and others open `run.gsd` as it stands.

The schema wants places in three dimensions and relative to the middle of the box. Taking the middle away and adding
it again in single precision may cost the last bit of a place: below 1e-4 u in a world of 1000 u. Recorded columns
`position_x` and `position_y` are exact, and are used when they are there. Frame 0 stands in for species and ids of
later frames that do not say otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from murmura import __version__
from murmura.engine.simulation import Simulation
from murmura.lab.gsd_file import GsdReader, GsdWriter
from murmura.scenario import Scenario

STEP, BOX, DIMENSIONS = "configuration/step", "configuration/box", "configuration/dimensions"
COUNT, TYPES, TYPE = "particles/N", "particles/types", "particles/typeid"
POSITION, VELOCITY, ID, LOG = "particles/position", "particles/velocity", "log/particles/id", "log/particles/"
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
    """

    step: int
    time: float
    ids: NDArray[np.int32]
    species: NDArray[np.int32]
    positions: NDArray[np.float32]
    velocities: NDArray[np.float32]
    columns: Mapping[str, NDArray[Any]] = field(default_factory=dict)

    @property
    def agent_count(self) -> int:
        return len(self.ids)


def frame_of(simulation: Simulation, columns: Sequence[str]) -> Frame:
    """A copy of what a frame holds."""
    state = simulation.state
    return Frame(
        simulation.step_count,
        simulation.time,
        state.ids.copy(),
        state["species_id"].copy(),
        simulation.positions,
        simulation.velocities,
        {name: state[name].copy() for name in columns},
    )


class TrajectoryWriter:
    """Frames into a file."""

    def __init__(self, file: GsdWriter, scenario: Scenario, first: Frame | None) -> None:
        self._file, self._scenario, self._first = file, scenario, first
        self._middle = middle(scenario)
        self.commit, self.mark, self.close = file.commit, file.mark, file.close

    @classmethod
    def create(cls, path: Path, scenario: Scenario, columns: Sequence[str]) -> TrajectoryWriter:
        names = [
            STEP,
            BOX,
            DIMENSIONS,
            COUNT,
            TYPES,
            TYPE,
            POSITION,
            VELOCITY,
            ID,
            *(LOG + c for c in columns),
        ]
        return cls(GsdWriter.create(path, names, f"murmura {__version__}"), scenario, None)

    @classmethod
    def reopen(cls, path: Path, scenario: Scenario, mark: Mapping[str, Any]) -> TrajectoryWriter:
        file = GsdWriter.reopen(path, mark)
        return cls(file, scenario, Frames(path, scenario)[0] if file.frames else None)

    def write(self, frame: Frame) -> None:
        chunks: dict[str, NDArray[Any]] = {
            STEP: np.array([frame.step], "<u8"),
            COUNT: np.array([frame.agent_count], "<u4"),
            POSITION: _three(frame.positions, -self._middle),
            VELOCITY: _three(frame.velocities),
        }
        chunks |= {LOG + name: column for name, column in frame.columns.items()}
        first = self._first
        if first is None:
            world = self._scenario.world
            names = [name.encode() + b"\0" for name in self._scenario.species_names()]
            chunks[BOX] = np.array([world.width, world.height, 1.0, 0.0, 0.0, 0.0], "<f4")
            chunks[DIMENSIONS] = np.array([2], "u1")
            width = max(map(len, names))
            chunks[TYPES] = np.frombuffer(b"".join(n.ljust(width, b"\0") for n in names), "i1").reshape(
                -1, width
            )
        if first is None or not np.array_equal(frame.species, first.species):
            chunks[TYPE] = frame.species.astype("<u4")
        if first is None or not np.array_equal(frame.ids, first.ids):
            chunks[ID] = frame.ids
        self._file.append(chunks)
        self._first = first or frame


def _three(vectors: NDArray[np.float32], shift: Any = 0.0) -> NDArray[np.float32]:
    """Vectors of the plane in space, z = 0."""
    wide = np.zeros((len(vectors), 3), "<f4")
    np.add(vectors, shift, out=wide[:, :2])
    return wide


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
        found = self._file.read(number, name)
        if found is None:
            found = np.empty((0, width) if width > 1 else 0, np.float32)
        if len(found) != self._count(number):
            raise self._file.damage(
                f"frame {number} holds {len(found)} values of {name} for {self._count(number)} agents"
            )
        return found
