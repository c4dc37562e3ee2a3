"""The background of a picture: a gradient, slightly darker outside the world, with a thin line at its edge.

If the world has days and nights, the gradient follows the time of day. Home ranges are painted on it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.lab.films.camera import Camera
from murmura.lab.films.looks import Theme, looks
from murmura.lab.films.patches import Patch

Box = tuple[float, float, float, float]
EDGE_LIGHT = (0.055, 0.065, 0.09)
OUTSIDE = {"dark": 0.25, "light": 0.035}
EDGE_INK = 0.10
MIDNIGHT = {"dark": (0.62, 0.70, 0.95), "light": (0.86, 0.90, 1.0)}
DIM = {"dark": (0.45, 2.1), "light": (0.90, 1.0)}
DUSK, DUSK_SHARE = (0.16, 0.06, 0.01), {"dark": 0.7, "light": 0.35}
HOURS = 256  # levels of daylight, so that one sky serves several pictures


class Sky:
    """The sky of pictures of one size; the parts that depend on the camera are repainted only when it moves."""

    def __init__(self, width: int, height: int, theme: Theme) -> None:
        self._theme = theme
        self._plain = _gradient(width, height, theme)
        self._painted = self._plain
        self._key: Any = None
        self._noise = _noise(width, height)  # hides the bands of a gradient

    def at(
        self, camera: Camera, world: Box | None, daylight: float | None, homes: Callable[[], list[Patch]]
    ) -> NDArray[np.float32]:
        """The sky behind a world with these edges [u], as planes (3, height, width) in bytes plus half a byte.

        Args:
            camera: The camera.
            world: The world's edges; None if it has none.
            daylight: 0 midnight, 1 noon; None if there is no day and night.
            homes: Returns the home ranges to paint on it.
        """
        hour = None if daylight is None else round(daylight * HOURS) / HOURS
        key = (camera, world, hour)
        if key != self._key:
            self._key = key
            sky = self._plain if hour is None else _lit(self._plain, hour, self._theme)
            framed = sky if world is None else self._framed(sky, camera, world)
            self._painted = (framed + self._noise) * np.float32(255.0)
            for patch in homes():
                height, width = patch.keep.shape
                below = self._painted[:, patch.top : patch.top + height, patch.left : patch.left + width]
                below[:] = below * patch.keep + patch.color - np.float32(0.5)
            self._painted += np.float32(0.5)
        return self._painted

    def _framed(self, plain: NDArray[np.float32], camera: Camera, world: Box) -> NDArray[np.float32]:
        (left, top), (right, bottom) = camera.on_screen([world[:2], world[2:]]).tolist()
        sky = plain.copy()
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


def _lit(sky: NDArray[np.float32], daylight: float, theme: Theme) -> NDArray[np.float32]:
    """Blue and dim at midnight, warm at dawn and dusk, as `hour` of the page."""
    low = (np.arange(sky.shape[1], dtype=np.float32) + np.float32(0.5)) / np.float32(sky.shape[1])
    midnight = np.array(MIDNIGHT[theme])
    tint = midnight + (1.0 - midnight) * _smoothstep(0.0, 0.75, daylight)
    dim = DIM[theme][0] + (DIM[theme][1] - DIM[theme][0]) * daylight
    dusk = 1.0 - abs(2.0 * daylight - 1.0)
    warmth = np.array(DUSK) * dusk * dusk * DUSK_SHARE[theme]
    warm = warmth.astype(np.float32)[:, None] * low[None, :]
    lit: NDArray[np.float32] = sky * (tint * dim).astype(np.float32)[:, None, None] + warm[:, :, None]
    return lit


def _noise(width: int, height: int) -> NDArray[np.float32]:
    x, y = np.arange(width)[None, :] + 0.5, np.arange(height)[:, None] + 0.5
    grain = (52.9829189 * ((0.06711056 * x + 0.00583715 * y) % 1.0)) % 1.0
    return ((grain - 0.5) / 160.0).astype(np.float32)


def _smoothstep(low: float, high: float, value: Any) -> Any:
    t = np.clip((np.asarray(value) - low) / (high - low), 0.0, 1.0)
    return t * t * (3.0 - 2.0 * t)
