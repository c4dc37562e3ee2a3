"""Colours of pictures: those of the live view, from `looks.json`, which the page uses too.

Steps of a palette are mixed in OKLab (Björn Ottosson 2020), where equal steps look equal.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from murmura.core.errors import ScenarioError, nearest

Theme = Literal["dark", "light"]
Floats = NDArray[np.float64]
TABLE_SIZE = 256
_LMS = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_LAB = np.array(
    [
        [0.2104542553, 0.793617785, -0.0040720468],
        [1.9779984951, -2.428592205, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.808675766],
    ]
)


@cache
def looks() -> dict[str, Any]:
    """The file shared by page and films."""
    found: dict[str, Any] = json.loads(files("murmura").joinpath("looks.json").read_text(encoding="utf-8"))
    return found


def themed(thing: str, name: str) -> dict[str, Any]:
    """A colour or an opacity of a thing, by theme."""
    found: dict[str, Any] = looks()["things"][thing][name]
    return {theme: tuple(value) if isinstance(value, list) else value for theme, value in found.items()}


def corners_of(path: str) -> Floats:
    """Corners of an SVG path that has no curves, shape (n, 2)."""
    numbers = [float(text) for text in re.findall(r"-?\d*\.?\d+", path)]
    return np.array(numbers).reshape(-1, 2)


CATEGORIES = ("species", "stance")
"""Colour modes by category, not by amount."""


def color_modes() -> list[str]:
    """The colour modes: quantities of every frame, or columns that can be recorded."""
    always = ("heading", "species", "speed")
    return [name for name, facts in looks()["modes"].items() if name in always or "column" in facts]


def check_mode(mode: str) -> None:
    if mode not in color_modes():
        raise ScenarioError(
            f"no colour mode is called {mode!r}{nearest(mode, color_modes())}; known: {', '.join(color_modes())}"
        )


def palette_of(mode: str, wanted: str | None = None) -> str:
    """The palette of a colour mode: its default, or the wanted one if it is suitable."""
    check_mode(mode)
    suitable: list[str] = looks()["modes"][mode]["palettes"]
    if wanted is None:
        return suitable[0]
    if wanted not in suitable:
        raise ScenarioError(f"palettes for {mode}: {', '.join(suitable)}; got {wanted!r}")
    return wanted


def parse_hex(color: str) -> Floats:
    """Red, green and blue from 0 to 1."""
    return np.array([int(color[k : k + 2], 16) / 255.0 for k in (1, 3, 5)])


def to_oklab(rgb: Floats) -> Floats:
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    lab: Floats = np.cbrt(linear @ _LMS.T) @ _LAB.T
    return lab


def from_oklab(lab: Floats) -> Floats:
    linear = np.maximum((lab @ np.linalg.inv(_LAB).T) ** 3 @ np.linalg.inv(_LMS).T, 0.0)
    rgb = np.where(linear <= 0.0031308, linear * 12.92, 1.055 * linear ** (1.0 / 2.4) - 0.055)
    return np.clip(rgb, 0.0, 1.0)


def palette_table(name: str, theme: Theme) -> NDArray[np.float32]:
    """256 colours, shape (256, 3): without the end that would be invisible on the background."""
    shared = looks()
    stops = to_oklab(np.stack([parse_hex(color) for color in shared["palettes"][name]]))
    low, high = (0.0, 1.0) if name in shared["cyclic"] else shared["used"][theme]
    at = np.linspace(low, high, TABLE_SIZE) * (len(stops) - 1)
    lab = np.stack([np.interp(at, np.arange(len(stops)), stops[:, k]) for k in range(3)], axis=1)
    if theme == "light":
        ink = shared["ink"]
        lab = np.stack(
            [
                ink["lightness"] + ink["contrast"] * (lab[:, 0] - ink["from"]),
                lab[:, 1] * ink["chroma"],
                lab[:, 2] * ink["chroma"],
            ],
            axis=1,
        )
    return _in_bytes(from_oklab(lab))


def species_table(colors: Sequence[str], theme: Theme) -> NDArray[np.float32]:
    """One colour for each species number; species without a colour get default ones."""
    stock: list[str] = looks()["species"]
    names = [colors[k] if k < len(colors) else stock[k % len(stock)] for k in range(TABLE_SIZE)]
    lab = to_oklab(np.stack([parse_hex(color) for color in names]))
    if theme == "light":  # the brightest becomes the darkest: all differ as much as on a dark background
        ink = looks()["species_ink"]
        lab[:, 0] = np.interp(lab[:, 0], ink["from"], ink["to"])
        lab[:, 1:] *= ink["chroma"]
    return _in_bytes(from_oklab(lab))


def _in_bytes(rgb: Floats) -> NDArray[np.float32]:
    """In the format of the page's texture."""
    return (np.floor(rgb * 255.0 + 0.5) / 255.0).astype(np.float32)
