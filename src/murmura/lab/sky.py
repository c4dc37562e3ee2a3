"""The background of a picture: a gradient, a little darker outside of the world, with a thin line at its edge."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.lab.camera import Camera
from murmura.lab.looks import Theme, looks

Box = tuple[float, float, float, float]
EDGE_LIGHT = (0.055, 0.065, 0.09)
OUTSIDE = {"dark": 0.25, "light": 0.035}
EDGE_INK = 0.10


class Sky:
    """The sky of pictures of one size; what depends on the camera is painted anew only when it moves."""

    def __init__(self, width: int, height: int, theme: Theme) -> None:
        self._theme = theme
        self._plain = _gradient(width, height, theme)
        self._painted = self._plain
        self._key: Any = None
        self.noise = _noise(width, height)

    def at(self, camera: Camera, world: Box | None) -> NDArray[np.float32]:
        """The sky behind a world with these edges [u], as planes (3, height, width)."""
        key = (camera, world)
        if key != self._key:
            self._key = key
            self._painted = self._plain if world is None else self._framed(camera, world)
        return self._painted

    def _framed(self, camera: Camera, world: Box) -> NDArray[np.float32]:
        (left, top), (right, bottom) = camera.on_screen([world[:2], world[2:]]).tolist()
        sky = self._plain.copy()
        columns, rows = np.arange(camera.width) + 0.5, np.arange(camera.height) + 0.5
        beside = np.maximum(left - columns, columns - right)
        above = np.maximum(top - rows, rows - bottom)
        if beside.max() > 0.0 or above.max() > 0.0:
            fx, fy = (
                (1.0 - OUTSIDE[self._theme] * _smoothstep(0.0, 3.0, gap)).astype(np.float32)
                for gap in (beside, above)
            )
            sky *= np.minimum(fx[None, :], fy[:, None])
        across, down = (columns >= left) & (columns <= right), (rows >= top) & (rows <= bottom)
        for x in (left, right):
            for k in np.flatnonzero(np.abs(columns - x) < 1.5):
                self._line(
                    sky[:, down, k], 1.0 - _smoothstep(0.5, 1.5, abs(columns[k] - x)), sky, np.s_[:, down, k]
                )
        for y in (top, bottom):
            for k in np.flatnonzero(np.abs(rows - y) < 1.5):
                self._line(
                    sky[:, k, across], 1.0 - _smoothstep(0.5, 1.5, abs(rows[k] - y)), sky, np.s_[:, k, across]
                )
        return sky

    def _line(self, pixels: Any, strength: Any, sky: Any, where: Any) -> None:
        if self._theme == "dark":
            sky[where] = pixels + np.array(EDGE_LIGHT, np.float32)[:, None] * np.float32(strength)
        else:
            sky[where] = pixels * np.float32(1.0 - EDGE_INK * strength)


def _gradient(width: int, height: int, theme: Theme) -> NDArray[np.float32]:
    y = 1.0 - (np.arange(height) + 0.5) / height
    facts = looks()["sky"]["night" if theme == "dark" else "day"]
    low, mid, high = (np.array(facts[name])[:, None] for name in ("low", "mid", "high"))
    first, second = (0.45, 0.35) if theme == "dark" else (0.5, 0.4)
    column = low + (mid - low) * _smoothstep(0.0, first, y)
    column = column + (high - column) * _smoothstep(second, 1.0, y)
    sky = np.repeat(column[:, :, None], width, axis=2)
    if theme == "dark":
        x = (np.arange(width) + 0.5) / width
        ember = np.exp(-3.5 * np.hypot((x[None, :] - 0.5) * 0.85, (y[:, None] + 0.16) * 1.5))
        sky = sky + np.array(facts["ember"])[:, None, None] * ember
    return np.ascontiguousarray(sky, np.float32)


def _noise(width: int, height: int) -> NDArray[np.float32]:
    x, y = np.arange(width)[None, :] + 0.5, np.arange(height)[:, None] + 0.5
    grain = (52.9829189 * ((0.06711056 * x + 0.00583715 * y) % 1.0)) % 1.0
    return ((grain - 0.5) / 160.0).astype(np.float32)


def _smoothstep(low: float, high: float, value: Any) -> Any:
    t = np.clip((np.asarray(value) - low) / (high - low), 0.0, 1.0)
    return t * t * (3.0 - 2.0 * t)
