"""The content of a frame and its names in HOOMD's schema, so that OVITO, freud and others can open `run.gsd`.

The schema has positions in three dimensions, relative to the centre of the box. Subtracting the centre and adding it
again in single precision may change the last bit of a position: below 1e-4 u in a world of 1000 u. Recorded columns
`position_x` and `position_y` (and `position_z` in space) are exact, and are used if they exist. Later frames without
ids or species have those of frame 0.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.core.layout import AXES
from murmura.lab.units import units_of_frames
from murmura.scenario import Scenario

STEP, BOX, DIMENSIONS = "configuration/step", "configuration/box", "configuration/dimensions"
COUNT, TYPES, TYPE = "particles/N", "particles/types", "particles/typeid"
POSITION, VELOCITY, ID, LOG = "particles/position", "particles/velocity", "log/particles/id", "log/particles/"
UNITS = "log/units"
"""In the first frame: JSON as bytes, for example {"position": "u", "velocity": "u/s"}."""
ITEMS = "log/items/"
"""Rows of items by rule: food, hunters, carcasses. Films and replays show them."""
SPECIES = "species_id"
IMPLIED = ("id", "species_id", "velocity_x", "velocity_y", "velocity_z")
"""Columns that every frame contains."""


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


def units(scenario: Scenario, columns: Iterable[str]) -> dict[str, NDArray[Any]]:
    """The units of the file and its time step, which the first frame contains."""
    step = {"time_step": f"{scenario.motion.time_step!r} s"}
    text = json.dumps({**units_of_frames(scenario, columns), **step}).encode()
    return {UNITS: np.frombuffer(text, "i1")}


def middle(scenario: Scenario) -> NDArray[np.float32]:
    """The centre of the world [u], the origin of positions in the schema."""
    return np.array(scenario.world.sides, np.float32) / np.float32(2.0)


def places(scenario: Scenario) -> tuple[str, ...]:
    """State columns of position and velocity."""
    axes = AXES[: scenario.world.dimension]
    return tuple(f"{name}_{axis}" for name in ("position", "velocity") for axis in axes)
