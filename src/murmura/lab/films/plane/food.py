"""Food in a picture: an apple, full from below as far as something is left."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from murmura.lab.films.camera import Camera
from murmura.lab.films.looks import corners_of, looks, themed
from murmura.lab.films.patches import Patch, Rgb, centred, cover, inked, outline, window_around

FACTS = looks()["things"]["food"]
FOOD: dict[str, Rgb] = themed("food", "rgb")
APPLE, LEAF = corners_of(FACTS["outline"]), corners_of(FACTS["leaf"])
BAIT: float = FACTS["pull"]
"""Strength of an attractor that is food where nobody eats."""


@lru_cache(maxsize=1024)
def food_patch(
    camera: Camera, at: tuple[float, float], reach: float, share: float, theme: str
) -> Patch | None:
    """The apple in a disc that shows how far it feeds [px]."""
    size = FACTS["size"]
    least, most = size["least"] * camera.scale, size["most"] * camera.scale
    half = min(most, max(least, size["share"] * reach))
    return apple(camera, at, half, max(least, reach), share, theme)


def apple(
    camera: Camera, at: tuple[float, float], half: float, reach: float, share: float, theme: str
) -> Patch | None:
    window = window_around(camera, *at, max(reach, 1.3 * half) + 1.0)
    if window is None:
        return None
    dx, dy = centred(window, *at)
    whole = cover(outline(APPLE * half + np.array(at), True, window))
    level = half * (APPLE[:, 1].max() - share * np.ptp(APPLE[:, 1]))
    rgb = FOOD[theme]
    inks = [(cover(np.hypot(dx, dy) - reach), rgb, 0.05 + 0.15 * share), (whole, rgb, 0.3)]
    inks.append((whole * cover(level - dy), rgb, 0.95))
    inks.append((cover(outline(LEAF * half + np.array(at), True, window)), rgb, 0.95))
    return inked(window[0], window[1], inks)
