"""Streaks that drift with the wind over a picture, by the page's formulas (view/web/src/overlay/wind.ts)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.lab.films.camera import Camera
from murmura.lab.films.patches import Rgb
from murmura.scenario import Scenario

STREAKS, SHOWN, LIFE = 90, 9.0, 2.6
INK: dict[str, tuple[Rgb, float]] = {"dark": ((190, 215, 255), 0.26), "light": ((40, 70, 110), 0.3)}


def draw_wind(pixels: NDArray[np.uint8], scenario: Scenario, camera: Camera, theme: str, time: float) -> None:
    """Draw the direction and strength of the wind, if there is any."""
    wind = scenario.rules.wind
    if not wind.enabled or wind.speed <= 0.0:
        return
    from murmura.compute.raster.plane import strokes

    angle = np.radians(wind.direction)
    ahead = np.array([np.cos(angle), np.sin(angle)])
    k = np.arange(STREAKS)
    life = time / LIFE + _hash(k)
    phase, turn = life % 1.0, np.floor(life)
    room = np.array([camera.width, camera.height]) / camera.zoom
    start = np.stack([_hash(k + 7919.0 * turn), _hash(k + 104729.0 * turn + 13.0)], axis=1) * room
    pace = SHOWN * wind.speed * (0.7 + 0.6 * _hash(k + 511)) * LIFE * (phase - 0.5)
    tips = (start + ahead * pace[:, None]) * camera.zoom
    tails = tips - ahead * min(60.0, 8.0 + 3.2 * wind.speed) * camera.scale
    rgb, opacity = INK[theme]
    ends = np.concatenate([tails, tips], axis=1).astype(np.float32)
    fade = (opacity * np.sin(np.pi * phase)).astype(np.float32)
    strokes(pixels, ends, fade, np.array(rgb, np.float32), np.float32(1.2 * camera.scale))


def _hash(k: Any) -> Any:
    """Pseudo-random numbers in [0, 1)."""
    x = np.sin(k * 12.9898 + 78.233) * 43758.5453
    return x - np.floor(x)


def streaks(scenario: Scenario, theme: str, time: float) -> tuple[Any, Any, Any, Rgb] | None:
    """The same in a 3-D world: the ends of each streak [u], its strength, and its colour."""
    wind = scenario.rules.wind
    if not wind.enabled or wind.speed <= 0.0:
        return None
    angle = np.radians(wind.direction)
    ahead = np.array([np.cos(angle), np.sin(angle), 0.0])
    k = np.arange(STREAKS)
    life = time / LIFE + _hash(k)
    phase, turn = life % 1.0, np.floor(life)
    shares = [
        _hash(k + prime * turn + shift)
        for prime, shift in ((7919.0, 0.0), (104729.0, 13.0), (1299709.0, 29.0))
    ]
    pace = SHOWN * wind.speed * (0.7 + 0.6 * _hash(k + 511)) * LIFE * (phase - 0.5)
    tips = np.stack(shares, axis=1) * np.array(scenario.world.sides) + ahead * pace[:, None]
    rgb, opacity = INK[theme]
    tails = tips - ahead * min(60.0, 8.0 + 3.2 * wind.speed)
    return tails, tips, opacity * np.sin(np.pi * phase), rgb
