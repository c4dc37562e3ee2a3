"""Access to stateful items (hunters, food, remains): fields that can be read and assigned by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from murmura.compute.trace.numpy_target import NumpyTarget
from murmura.core.algebra import NUMBER, Value
from murmura.core.errors import nearest
from murmura.core.layout import Layout
from murmura.core.vec import Vec


class Storage(Protocol):
    """A table of numbers, a row for each item, that a turn reads and writes."""

    def read(self, row: Any, column: int) -> Any: ...

    def write(self, row: Any, column: int, value: Any) -> None: ...


class ItemRow:
    """One item: `it.energy` reads, `it.energy = x` writes, and vector fields are vectors."""

    __slots__ = ("_layout", "_place", "_storage", "row")

    def __init__(self, layout: Layout, storage: Storage, place: Any, row: Any) -> None:
        for name, value in (("_layout", layout), ("_storage", storage), ("_place", place), ("row", row)):
            object.__setattr__(self, name, value)

    def __getattr__(self, name: str) -> Any:
        columns = self._columns(name)
        numbers = [self._storage.read(self._place, column) for column in columns]
        return Vec(*numbers) if self._layout.is_vector(name) else numbers[0]

    def __setattr__(self, name: str, value: Any) -> None:
        columns = self._columns(name)
        parts = value if isinstance(value, Vec) else (value,) * len(columns)
        for column, part in zip(columns, parts, strict=True):
            self._storage.write(self._place, column, part)

    def _columns(self, name: str) -> tuple[int, ...]:
        if name not in self._layout.fields:
            fields = self._layout.fields
            raise AttributeError(
                f"an item has no field {name!r}{nearest(name, fields)}; it has: {', '.join(fields)}"
            )
        return self._layout.columns_of(name)


class ItemRows:
    """All items of a rule. `first` is where its rows begin in the storage."""

    def __init__(self, target: Any, layout: Layout, storage: Storage, first: Any, count: Any) -> None:
        self._target, self._layout, self._storage = target, layout, storage
        self._first, self.count = first, count

    def __getitem__(self, row: Any) -> ItemRow:
        return ItemRow(self._layout, self._storage, row + self._first, row)

    def each(self, function: Callable[[ItemRow], object]) -> None:
        """Call a function with each item in turn."""
        self._target.repeat(self.count, lambda row: function(self[row]))


class NumpyStorage:
    """A NumPy table of items."""

    def __init__(self, target: NumpyTarget, table: Any) -> None:
        self._target, self.table = target, table

    def read(self, row: Any, column: int) -> Value:
        return Value(self._target, NUMBER, np.float64(self.table[self._row(row), column]))

    def write(self, row: Any, column: int, value: Any) -> None:
        self.table[self._row(row), column] = value.code if isinstance(value, Value) else value

    def _row(self, row: Any) -> int:
        return int(row.code) if isinstance(row, Value) else int(row)


def numpy_rows(layout: Layout, table: Any) -> ItemRows:
    """All rows of a NumPy table as items."""
    target = NumpyTarget()
    return ItemRows(target, layout, NumpyStorage(target, table), 0, len(table))
