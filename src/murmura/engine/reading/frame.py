"""The flock at one step, as it is recorded, replayed, filmed and exported."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Frame:
    """The flock at one step, in ascending id.

    Attributes:
        step: The number of steps so far; a fraction between two recorded frames of a film.
        time: Simulated time [s].
        ids: Shape (n,).
        species: Numbers of the scenario's species, shape (n,).
        positions: Shape (n, 2) [u], (n, 3) in a 3-D world.
        velocities: Of the same shape, in the run's `velocity_unit`.
        columns: The recorded columns, shape (n,) each.
        items: Rows of items that are stepped (food, hunters, carcasses), by rule.
    """

    step: int
    time: float
    ids: NDArray[Any]
    species: NDArray[Any]
    positions: NDArray[Any]
    velocities: NDArray[Any]
    columns: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    items: Mapping[str, NDArray[Any]] = field(default_factory=dict)

    @property
    def agent_count(self) -> int:
        return len(self.ids)
