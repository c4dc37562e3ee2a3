"""The camera of a 3-D world, which orbits a target, and its perspective.

Right-handed: x to the right, y away from a camera at angle 0, z up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.lab.films.camera import AIR, Camera
from murmura.lab.films.request import View

Floats = NDArray[np.float64]
LENS = 40.0  # [deg] vertical field of view
NEAR = 0.02  # share of the distance: anything nearer to the camera is not drawn
ABOVE_GROUND = 0.012  # share of the distance: least height of the camera above a floor


@dataclass(frozen=True)
class SpaceCamera:
    """A perspective view.

    Attributes:
        eye: Position of the camera [u].
        right: Unit vector to the right of the picture.
        up: Unit vector to its top.
        forward: Unit vector into it.
        focal: Focal length [px].
        distance: Distance to the target [u].
        width: Width of the picture [px].
        height: Height of the picture [px].
        scale: Pixels per pixel of a picture of 1280 x 720.
    """

    eye: Floats
    right: Floats
    up: Floats
    forward: Floats
    focal: float
    distance: float
    width: int
    height: int
    scale: float = 1.0

    @property
    def near(self) -> float:
        return NEAR * self.distance

    def project(self, places: Any) -> tuple[Floats, Floats]:
        """Pixel coordinates of positions, shape (..., 2), and their depths in the picture [u], shape (...)."""
        away = np.asarray(places, np.float64) - self.eye
        deep = away @ self.forward
        zoom = self.focal / np.maximum(deep, self.near)
        x = self.width / 2.0 + (away @ self.right) * zoom
        y = self.height / 2.0 - (away @ self.up) * zoom
        return np.stack([x, y], axis=-1), deep

    def pixels(self, places: Floats) -> NDArray[np.float32]:
        """Pixel coordinates, shape (n, m, 2), of positions of shape (n, m, 3)."""
        from murmura.compute.raster.space import project

        found = np.empty((*places.shape[:2], 2), np.float32)
        axes = np.stack([self.right, self.up, self.forward, self.eye])
        project(places, axes, self.focal, self.near, self.width / 2.0, self.height / 2.0, found)
        return found

    def beside(self, place: Any, x: float, y: float) -> Camera:
        """The camera of the plane that shows (x, y) where this one shows a position, at the same scale, so that flat
        drawings can be used in space too."""
        pixel, deep = self.project(place)
        zoom = self.focal / max(float(deep), self.near)
        left = x - (float(pixel[0]) - self.width / 2.0) / zoom
        top = y - (float(pixel[1]) - self.height / 2.0) / zoom
        return Camera(left, top, zoom, self.width, self.height, self.scale)


def axes(orbit: float, elevation: float) -> tuple[Floats, Floats, Floats]:
    """Right, up and forward of a camera at these angles [rad]."""
    sine, cosine, rise, level = np.sin(orbit), np.cos(orbit), np.sin(elevation), np.cos(elevation)
    right = np.array([cosine, sine, 0.0])
    forward = np.array([-level * sine, level * cosine, -rise])
    return right, np.cross(right, forward), forward


def orbiting(
    target: Any,
    orbit: float,
    elevation: float,
    distance: float,
    size: tuple[int, int],
    scale: float,
    has_floor: bool,
) -> SpaceCamera:
    """The camera that looks at a position from these angles [rad]; it never goes below a floor."""
    aim = np.asarray(target, np.float64)
    if has_floor:
        lowest = (ABOVE_GROUND * distance - aim[2]) / distance
        elevation = max(elevation, float(np.arcsin(np.clip(lowest, -1.0, 1.0))))
    right, up, forward = axes(orbit, elevation)
    return SpaceCamera(
        aim - distance * forward, right, up, forward, focal_length(size[1]), distance, *size, scale
    )


def focal_length(height: int) -> float:
    return height / 2.0 / float(np.tan(np.radians(LENS) / 2.0))


def fitting_distance(low: Any, high: Any, view: View, size: tuple[int, int], turns: bool) -> float:
    """The distance from which the whole box is visible; if the camera turns, from every side."""
    corners = np.array(np.meshgrid(*zip(low, high, strict=True))).reshape(3, -1).T
    away = corners - corners.mean(axis=0)
    focal = focal_length(size[1])
    across, down = (side / 2.0 * (1.0 - AIR) / focal for side in size)
    angles = np.arange(0.0, 360.0, 5.0) if turns else np.array([view.orbit])
    found = 0.0
    for angle in np.radians(angles).tolist():
        right, up, forward = axes(angle, np.radians(view.elevation))
        # A corner is in the picture if its sideways offset is less than half the width of the view at its depth.
        need = np.maximum(np.abs(away @ right) / across, np.abs(away @ up) / down) - away @ forward
        found = max(found, float(need.max()))
    return max(found, 1e-6)
