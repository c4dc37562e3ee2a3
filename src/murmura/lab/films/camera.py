"""The camera of a plane: maps positions in the world [u] to pixels. y grows downwards in both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.scenario.models import World

AIR = 0.02  # share of the picture left free around the world
CLOSE_UP = 4.0  # zoom factor of a camera that follows one agent


@dataclass(frozen=True)
class Camera:
    """A view of the world.

    Attributes:
        x: Centre [u].
        y: Centre [u].
        zoom: Pixels per unit of length.
        width: Width of the picture [px].
        height: Height of the picture [px].
        scale: Pixels per pixel of a picture of 1280 x 720: lines and text scale with the picture.
    """

    x: float
    y: float
    zoom: float
    width: int
    height: int
    scale: float = 1.0

    def on_screen(self, places: Any) -> NDArray[np.float64]:
        """Pixel coordinates of positions, shape (n, 2)."""
        centre = np.array([self.width / 2.0, self.height / 2.0])
        pixels: NDArray[np.float64] = (np.asarray(places, np.float64) - (self.x, self.y)) * self.zoom + centre
        return pixels

    def at(self, x: float, y: float) -> Camera:
        return Camera(x, y, self.zoom, self.width, self.height, self.scale)


def scale_of(width: int, height: int) -> float:
    """The size of a picture relative to 1280 x 720, as a ratio of lengths."""
    return float(np.sqrt(width * height / (1280.0 * 720.0)))


def fitted(box: Sequence[float], width: int, height: int, scale: float, closer: float = 1.0) -> Camera:
    """The camera that shows a whole box (left, top, right, bottom) [u], or `closer` to its centre."""
    left, top, right, bottom = box
    across, down = max(right - left, 1e-9), max(bottom - top, 1e-9)
    zoom = min(width / across, height / down) * (1.0 - AIR) * closer
    return Camera((left + right) / 2.0, (top + bottom) / 2.0, zoom, width, height, scale)


def world_box(world: World) -> tuple[float, float, float, float]:
    return 0.0, 0.0, world.width, world.height


def box_around(positions: Any) -> list[float]:
    """The box around 99.9 % of the agents, low ends of all axes first, so that a stray does not shrink the rest."""
    return [float(end) for share in (0.001, 0.999) for end in np.quantile(positions, share, axis=0)]


def unwrapped(positions: Any, world: World, x: float, y: float) -> NDArray[np.float64]:
    """On a torus, the image of each agent that is nearest to a position; otherwise the unchanged positions."""
    places = np.asarray(positions, np.float64)
    sides = np.array([world.width, world.height])
    turns = np.round((places - (x, y)) / sides) * [edge == "wrap" for edge in world.edges[:2]]
    nearest: NDArray[np.float64] = places - sides * turns
    return nearest


def middle(positions: Any, world: World) -> tuple[float, float]:
    """The centre of a flock; on a torus the circular mean along each axis."""
    places = np.asarray(positions, np.float64)
    sides = np.array([world.width, world.height])
    turns = np.exp(2j * np.pi * places / sides).mean(axis=0)
    circular = (np.angle(turns) / (2.0 * np.pi)) % 1.0 * sides
    x, y = np.where([edge == "wrap" for edge in world.edges[:2]], circular, places.mean(axis=0))
    return float(x), float(y)
