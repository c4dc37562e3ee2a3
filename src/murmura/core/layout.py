"""Names for the columns of every row that a kernel reads or writes. A vector field takes one column for each axis."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from murmura.core.errors import ScenarioError, nearest

AXES = ("x", "y", "z")


class VectorField(str):
    """The name of a field that is a vector."""

    __slots__ = ()


def vector(name: str) -> VectorField:
    """A vector field of this name."""
    return VectorField(name)


VECTORS: set[str] = {"position", "velocity"}
"""The columns of agents that are vectors; rules add their own."""


def column_parts(names: Iterable[str], dimension: int) -> tuple[str, ...]:
    """Names of columns, those of vectors by component."""
    return tuple(
        part
        for name in names
        for part in components(vector(name) if name in VECTORS - MOVING else name, dimension)
    )


MOVING = {"position", "velocity"}
POSITION = vector("position")
VELOCITY = vector("velocity")


def components(name: str, dimension: int = 2) -> tuple[str, ...]:
    """The columns of a field: `position` is x, y; `prey_velocity` is prey_vx, prey_vy; `home` is home_x, home_y."""
    if not isinstance(name, VectorField):
        return (name,)
    axes = AXES[:dimension]
    if "velocity" in name:
        return tuple(name.replace("velocity", f"v{axis}") for axis in axes)
    if "position" in name:
        return tuple(name.replace("position", axis) for axis in axes)
    return tuple(f"{name}_{axis}" for axis in axes)


def place_of(row: Mapping[str, float]) -> dict[str, float]:
    """The coordinates of an item, from its values by name."""
    return {axis: row[axis] for axis in AXES if axis in row}


def layout_of_width(fields: Iterable[str], width: int) -> Layout:
    """The layout of rows of this width: in space if they have that many numbers, else in the plane."""
    fields = tuple(fields)
    space = Layout(fields, 3)
    return space if width == len(space) else Layout(fields)


class Layout:
    """Named fields of a row, in order.

    Args:
        fields: Names; those of vectors made by `vector`.
        dimension: How many axes the world has.
    """

    def __init__(self, fields: Iterable[str], dimension: int = 2) -> None:
        self.fields = tuple(fields)
        self.dimension = dimension
        self.columns: tuple[str, ...] = tuple(
            column for field in self.fields for column in components(field, dimension)
        )
        self.place: dict[str, int] = {column: k for k, column in enumerate(self.columns)}
        self._vectors = {str(field) for field in self.fields if isinstance(field, VectorField)}
        self._places = {
            str(field): tuple(self.place[column] for column in components(field, dimension))
            for field in self.fields
        }

    def __len__(self) -> int:
        return len(self.columns)

    def columns_of(self, field: str) -> tuple[int, ...]:
        """The columns of a field."""
        if field not in self._places:
            raise ScenarioError(
                f"no field is called {field!r}{nearest(field, self._places)}; fields: {', '.join(self._places)}"
            )
        return self._places[field]

    def is_vector(self, field: str) -> bool:
        return field in self._vectors

    def row(self, values: Iterable[Any], depth: float | None = None) -> list[float]:
        """The numbers of a row. A vector may be given as one value, (x, y, z): the plane drops z, and in space a z of
        None means half the depth. A row of plain numbers is used as it is."""
        found: list[float] = []
        for value in values:
            if isinstance(value, tuple | list):
                z = list(value[2:]) or [None]
                up = [0.5 * (depth or 0.0) if z[0] is None else z[0]] if self.dimension == 3 else []
                found += [*value[:2], *up]
            else:
                found.append(value)
        return found

    def collect(self, numbers: Sequence[Any]) -> dict[str, Any]:
        """The fields of a row by name, vectors as vectors."""
        from murmura.core.vec import Vec

        found: dict[str, Any] = {}
        for field, places in self._places.items():
            if field in self._vectors:
                found[field] = Vec(*(numbers[k] for k in places))
            else:
                found[field] = numbers[places[0]]
        return found


TRACKED_FIELDS = (POSITION, VELOCITY, "present", "id")
"""The fields of an agent that a rule tracks by id."""
