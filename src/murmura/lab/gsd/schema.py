"""The content of a frame and its names in HOOMD's schema, so that OVITO, freud and others can open `run.gsd`.

The schema has positions in three dimensions, relative to the centre of the box. Subtracting the centre and adding it
again in single precision may change the last bit of a position: below 1e-4 u in a world of 1000 u. Recorded columns
`position_x` and `position_y` (and `position_z` in space) are exact, and are used if they exist. Later frames without
ids or species have those of frame 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.core.layout import AXES
from murmura.scenario import Scenario

STEP, BOX, DIMENSIONS = "configuration/step", "configuration/box", "configuration/dimensions"
COUNT, TYPES, TYPE = "particles/N", "particles/types", "particles/typeid"
POSITION, VELOCITY, ID, LOG = "particles/position", "particles/velocity", "log/particles/id", "log/particles/"
ITEMS = "log/items/"
"""Rows of items by rule: food, hunters, carcasses. Films and replays show them."""
SPECIES = "species_id"
IMPLIED = ("id", "species_id", "velocity_x", "velocity_y", "velocity_z")
"""Columns that every frame contains."""


@dataclass(frozen=True, eq=False)
class Frame:
    """The flock at one step, in ascending id.

    Attributes:
        step: The number of steps so far.
        time: Simulated time [s].
        ids: Shape (n,).
        species: Numbers of the scenario's species, shape (n,).
        positions: Shape (n, 2) [u], (n, 3) in a 3-D world.
        velocities: Of the same shape, in the scenario's velocity unit.
        columns: The recorded columns, shape (n,) each.
        items: Rows of items that are stepped (food, hunters, carcasses), by rule.
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


def constants(scenario: Scenario) -> dict[str, NDArray[Any]]:
    """What the first frame contains for all frames: the box and the names of species."""
    names = [name.encode() + b"\0" for name in scenario.species_names()]
    width = max(map(len, names))
    text = b"".join(name.ljust(width, b"\0") for name in names)
    return {
        BOX: np.array([*[*scenario.world.sides, 1.0][:3], 0.0, 0.0, 0.0], "<f4"),
        DIMENSIONS: np.array([scenario.world.dimension], "u1"),
        TYPES: np.frombuffer(text, "i1").reshape(-1, width),
    }


def middle(scenario: Scenario) -> NDArray[np.float32]:
    """The centre of the world [u], the origin of positions in the schema."""
    return np.array(scenario.world.sides, np.float32) / np.float32(2.0)


def places(scenario: Scenario) -> tuple[str, ...]:
    """State columns of position and velocity."""
    axes = AXES[: scenario.world.dimension]
    return tuple(f"{name}_{axis}" for name in ("position", "velocity") for axis in axes)
