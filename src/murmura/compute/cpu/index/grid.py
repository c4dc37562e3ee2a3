"""The grid of rows and bins in the kernel; in space rows form layers."""

from __future__ import annotations

from dataclasses import dataclass

from murmura.core.algebra import Value

ACROSS = 4  # bins per perception radius


@dataclass
class Grid:
    """Rows and bins: their number, where the first begins, and bins and rows per unit of length.

    There is an extra row on each side, so that every row has neighbours. A line is a row or an extra row.
    """

    columns: Value
    rows: Value
    x0: Value
    y0: Value
    per_x: Value
    per_y: Value
    layers: Value | None = None
    """In space: the number of rows along z."""
    z0: Value | None = None
    per_z: Value | None = None

    @property
    def pitch(self) -> Value:
        return self.columns + 2 * ACROSS

    @property
    def across(self) -> Value:
        """Lines of a layer."""
        return self.rows + 2

    @property
    def row_count(self) -> Value:
        return self.rows if self.layers is None else self.rows * self.layers

    @property
    def line_count(self) -> Value:
        return self.across if self.layers is None else self.across * (self.layers + 2)

    def line(self, row: Value) -> Value:
        """The line of a row."""
        if self.layers is None:
            return row + 1
        return (row // self.rows + 1) * self.across + row % self.rows + 1
