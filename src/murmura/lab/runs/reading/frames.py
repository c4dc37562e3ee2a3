"""Reads the frames of a run, and reports damaged ones.

A correct checksum proves that nothing was changed by accident, not that a frame is valid: files may come from anywhere.
So types, shapes and bounds are checked as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from copy import copy
from functools import cached_property
from pathlib import Path
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from murmura.compute.item_tables import item_layout
from murmura.core.layout import AXES
from murmura.engine.reading.frame import Frame
from murmura.lab.damage import Damage, DamageError, OnDamage, warn_of_damage
from murmura.lab.gsd.reader import GsdReader
from murmura.lab.gsd.schema import COUNT, ID, ITEMS, LOG, POSITION, STEP, TYPE, VELOCITY, constants, middle
from murmura.scenario import Scenario

LARGEST_STEP, MOST_IN_A_FRAME = 2**62, 2**31 - 1


class Frames(Sequence[Frame]):
    """The frames of a run, read on demand, in any order; each is compared with its checksum.

    Reading one damaged frame by its number is an error. Reading several skips damaged ones with a warning.
    """

    def __init__(self, path: Path, scenario: Scenario) -> None:
        self._file = GsdReader(path)
        self.scenario = scenario
        self._middle = middle(scenario)
        self._numbers: Sequence[int] = range(len(self._file))  # indices of these frames in the file
        self.columns = tuple(
            name.removeprefix(LOG) for name in self._file.names if name.startswith(LOG) and name != ID
        )
        self._items = [name for name in self._file.names if name.startswith(ITEMS)]
        self._first_is_sound = True
        self._compare_with_scenario()

    def sound(self, on_damage: OnDamage = warn_of_damage) -> Frames:
        """Only the intact frames; reads them all. `on_damage` is called for the others."""
        good = []
        for number in self._numbers:
            try:
                self._read(number)
            except DamageError as error:
                on_damage(error.damage)
            else:
                good.append(number)
        found = copy(self)
        for name in ("steps", "times", "all_ids", "population_changes"):
            found.__dict__.pop(name, None)
        found._numbers = good
        return found

    def is_whole(self, column: str) -> bool:
        """Whether a recorded column contains whole numbers."""
        found = self._file.type_of(LOG + column)
        return found is not None and found.kind in "iu"

    def __len__(self) -> int:
        return len(self._numbers)

    def __iter__(self) -> Iterator[Frame]:
        return self._good(self._numbers)

    @overload
    def __getitem__(self, key: int) -> Frame: ...
    @overload
    def __getitem__(self, key: slice) -> list[Frame]: ...
    def __getitem__(self, key: int | slice) -> Frame | list[Frame]:
        if isinstance(key, slice):
            return list(self._good(self._numbers[key]))
        try:
            number = self._numbers[key]
        except IndexError:
            raise IndexError(f"frame {key} of {len(self)}") from None
        return self._read(number)

    def _good(self, numbers: Sequence[int]) -> Iterator[Frame]:
        """The intact ones of these frames, with a warning for the others."""
        for number in numbers:
            try:
                frame = self._read(number)
            except DamageError as error:
                warn_of_damage(error.damage)
            else:
                yield frame

    @cached_property
    def steps(self) -> NDArray[np.int64]:
        """The step of each frame, shape (frames,); for a damaged frame, interpolated from its neighbours.

        Only frames at irregular intervals are compared with their checksums: regular ones are plausible without.
        """
        found = np.full(len(self), -1, np.int64)
        for row, number in enumerate(self._numbers):
            with suppress(DamageError):
                found[row] = self._step(number)
        rhythm = int(np.median(np.diff(found))) if len(found) > 1 else 0
        breaks = np.diff(found, prepend=-1, append=-1) != rhythm
        for row in np.flatnonzero(breaks[:-1] | breaks[1:]).tolist():
            try:
                self._file.check(self._numbers[row])
                self._step(self._numbers[row])
            except DamageError as error:
                warn_of_damage(error.damage)
                found[row] = found[row - 1] + max(1, rhythm) if row else 0
        return found

    @cached_property
    def times(self) -> NDArray[np.float64]:
        """Simulated time of each frame [s], shape (frames,)."""
        return np.asarray(self.steps * self.scenario.motion.time_step, np.float64)

    @cached_property
    def all_ids(self) -> NDArray[np.int32]:
        """Ids of all agents in any frame, ascending; reads only frames whose population differs from the first."""
        found = np.empty(0, np.int32)
        for row, number in enumerate(self._numbers):
            with suppress(DamageError):  # reported when the frame itself is read
                if row == 0 or self._file.has(number, ID):
                    found = np.union1d(found, self._standing(number, ID))
        return found

    @cached_property
    def population_changes(self) -> bool:
        counts = set()
        for row, number in enumerate(self._numbers):
            try:
                counts.add(self._count(number))
                if row and self._file.has(number, ID):
                    return True
            except DamageError:
                return True
        return len(counts) > 1

    def _compare_with_scenario(self) -> None:
        """Refuse frames of another world: positions would be wrong by half the difference of the boxes."""
        try:
            if not len(self):
                return
            self._file.check(0)
        except DamageError:  # reported when the frame is read
            self._first_is_sound = False
            return
        for name, expected in constants(self.scenario).items():
            found = self._file.read(0, name)
            if found is None or not np.array_equal(found, expected):
                raise self._file.damage(
                    f"its {name} is {_shown(found)}, but the scenario of the run says {_shown(expected)}: one of the "
                    "two files was changed"
                )

    def _read(self, number: int) -> Frame:
        self._file.check(number)
        step, count = self._step(number), self._count(number)
        columns = {name: self._rows(number, LOG + name, kinds="iuf") for name in self.columns}
        axes = len(self._middle)
        exact = [f"position_{axis}" for axis in AXES[:axes]]
        if all(name in columns for name in exact):
            positions = np.stack([columns[name] for name in exact], axis=1)
        else:
            positions = self._rows(number, POSITION, 3)[:, :axes] + self._middle
        velocities = np.ascontiguousarray(self._rows(number, VELOCITY, 3)[:, :axes])
        if not (np.isfinite(positions).all() and np.isfinite(velocities).all()):
            raise self._file.damage("positions or velocities are not finite", number)
        ids, species = self._standing(number, ID), self._standing(number, TYPE)
        if count and not 0 <= species.min() <= species.max() < len(self.scenario.species_names()):
            raise self._file.damage("some of its agents have an unknown species", number)
        time = step * self.scenario.motion.time_step
        return Frame(step, time, ids, species, positions, velocities, columns, self._item_rows(number))

    def _item_rows(self, number: int) -> dict[str, NDArray[np.float32]]:
        """Rows of food, hunters and carcasses, with the fields of their rules."""
        found, rules = {}, dict(self.scenario.rules)
        for name in self._items:
            rows = self._file.read(number, name)
            if rows is None:
                continue
            rule = rules.get(name.removeprefix(ITEMS))
            width = 0 if rule is None else len(item_layout(rule, self.scenario))
            if (
                rows.ndim != 2
                or rows.shape[1] != width
                or rows.dtype.kind != "f"
                or not np.isfinite(rows).all()
            ):
                raise self._file.damage(f"its {name} do not match the fields of the rule", number)
            found[name.removeprefix(ITEMS)] = rows
        return found

    def _standing(self, number: int, name: str) -> NDArray[np.int32]:
        """Ids or species; those of frame 0 if a frame has none."""
        count, home = self._count(number), number if self._file.has(number, name) else 0
        found = self._file.read(home, name)
        found = np.empty(0, np.int32) if found is None else found
        if found.ndim != 1 or found.dtype.kind not in "iu" or len(found) < count:
            raise self._file.damage(f"it has no {name} for each of its {count} agents", number)
        if home != number and not self._first_is_sound:
            warn_of_damage(Damage(self._file.path, "later frames take their ids or species from it", frame=0))
        if found.size and int(found.max()) >= 2**31:
            raise self._file.damage(f"its {name} are out of range", number)
        found = found[:count].astype(np.int32)
        if name == ID and count and (found[0] < 0 or (np.diff(found) <= 0).any()):
            raise self._file.damage("its ids are not in ascending order", number)
        return found

    def _step(self, number: int) -> int:
        return self._number(number, STEP, LARGEST_STEP)

    def _count(self, number: int) -> int:
        return self._number(number, COUNT, MOST_IN_A_FRAME)

    def _number(self, number: int, name: str, largest: int) -> int:
        """A whole number of a frame."""
        found = self._file.read(number, name)
        if found is None or found.shape != (1,) or found.dtype.kind not in "iu":
            raise self._file.damage(f"it has no {name}", number)
        if not 0 <= int(found[0]) <= largest:
            raise self._file.damage(f"its {name} is {found[0]}, expected 0 to {largest}", number)
        return int(found[0])

    def _rows(self, number: int, name: str, width: int = 1, kinds: str = "f") -> NDArray[Any]:
        """A value or a vector for each agent; the format omits empty arrays."""
        count = self._count(number)
        found = self._file.read(number, name) if count else None
        if found is None:
            found = np.empty((0, width) if width > 1 else 0, np.float32)
        if found.shape != ((count, width) if width > 1 else (count,)) or found.dtype.kind not in kinds:
            raise self._file.damage(
                f"it has {name} of shape {found.shape} and type {found.dtype} for {count} agents",
                number,
            )
        return found


def _shown(array: NDArray[Any] | None) -> str:
    if array is None:
        return "missing"
    if array.dtype == np.int8:  # names, padded with zeros
        return array.tobytes().decode("utf-8", "replace").replace("\0", " ").strip()
    return str(array.tolist())
