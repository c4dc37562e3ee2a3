"""Small shoals with known positions, and the zebrafish of the package trajectorytools."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


def circling(frames: int = 24, animals: int = 3, fps: float = 10.0) -> NDArray[np.float64]:
    """Animals on circles of different sizes around (20, 10), one turn in four seconds."""
    turns = 2.0 * np.pi * (np.arange(frames)[:, None] / (4.0 * fps) + np.arange(animals) / animals)
    radii = 3.0 + np.arange(animals)
    return np.stack([20.0 + radii * np.cos(turns), 10.0 + radii * np.sin(turns)], axis=2)


def table(places: NDArray[np.float64], header: str = "frame,id,x,y") -> str:
    """A long table of positions, one row for each animal in each frame; none for animals that are not seen."""
    rows = [
        f"{frame},{animal},{x!r},{y!r}"
        for frame, animals in enumerate(places.tolist())
        for animal, (x, y) in enumerate(animals)
        if x == x
    ]
    return "\n".join([header, *rows]) + "\n"


def zebrafish(name: str) -> Path:
    """A file of trajectorytools, found without importing the package."""
    spec = find_spec("trajectorytools")
    assert spec is not None and spec.origin is not None
    return Path(spec.origin).parent / "data" / name


EIGHT, FIFTEEN, HUNDRED = (
    "test_trajectories_idtrackerai.npy",
    "trajectories_with_points.npy",
    "test_trajectories.npy",
)
