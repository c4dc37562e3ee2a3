"""Small images blended onto a picture: rectangles of colour with soft masks, and the shapes they are made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from murmura.lab.films.font import text_mask

Plane = NDArray[np.float32]
Rgb = tuple[float, float, float]
Ink = tuple[Any, Rgb, float]
"""A mask from 0 to 1, a colour in bytes, and how opaque it is."""
Window = tuple[int, int, int, int]
"""A part of a picture: left, top, right, bottom [px]."""


class Screen(Protocol):
    """Anything with the size of a picture [px], such as a camera."""

    @property
    def width(self) -> int: ...
    @property
    def height(self) -> int: ...


@dataclass
class Patch:
    """A rectangle of premultiplied colour, in bytes plus half a byte, and the transparency of each pixel."""

    left: int
    top: int
    color: Plane
    keep: Plane

    def lay(self, pixels: NDArray[np.uint8]) -> None:
        height, width = self.keep.shape
        below = pixels[:, self.top : self.top + height, self.left : self.left + width]
        below[:] = below * self.keep + self.color


def inked(left: int, top: int, inks: list[Ink]) -> Patch:
    """Layers of ink, the lowest first, combined into one patch."""
    shape = inks[0][0].shape
    color, keep = np.zeros((3, *shape), np.float32), np.ones(shape, np.float32)
    for mask, rgb, opacity in inks:
        alpha = np.asarray(mask, np.float32) * np.float32(opacity)
        color = color * (1.0 - alpha) + alpha * np.array(rgb, np.float32)[:, None, None]
        keep = keep * (1.0 - alpha)
    return Patch(left, top, color + np.float32(0.5), keep)


def window_of(camera: Screen, low: Any, high: Any) -> Window | None:
    """The part of the picture in a box of pixels; None if they do not overlap."""
    left, top = max(0, int(np.floor(low[0]))), max(0, int(np.floor(low[1])))
    right, bottom = min(camera.width, int(np.ceil(high[0]))), min(camera.height, int(np.ceil(high[1])))
    return (left, top, right, bottom) if left < right and top < bottom else None


def window_around(camera: Screen, x: float, y: float, reach: float) -> Window | None:
    return window_of(camera, (x - reach, y - reach), (x + reach, y + reach))


def centred(window: Window, x: float, y: float) -> tuple[Any, Any]:
    """The offsets of pixel centres from a position: a row of columns and a column of rows."""
    left, top, right, bottom = window
    return np.arange(left, right)[None, :] + 0.5 - x, np.arange(top, bottom)[:, None] + 0.5 - y


def cover(distance: Any) -> Any:
    """The coverage of a pixel whose centre is at a signed distance [px] from an edge."""
    return np.clip(0.5 - distance, 0.0, 1.0)


def stroke(distance: Any, width: float) -> Any:
    """A line of this width [px] where the distance is 0."""
    return cover(np.abs(distance) - 0.5 * width)


def dashed(dx: Any, dy: Any, radius: float, on: float, off: float) -> Any:
    """The coverage of a dashed circle of this radius."""
    count = max(1.0, np.round(2.0 * np.pi * radius / (on + off)))
    turn = (np.arctan2(dy, dx) / (2.0 * np.pi)) % 1.0
    return (turn * count) % 1.0 < on / (on + off)


def gauge(dx: Any, dy: Any, share: float) -> Any:
    """An arc from twelve o'clock that shows how much of something is left."""
    return (np.arctan2(dx, -dy) / (2.0 * np.pi)) % 1.0 < min(1.0, max(0.0, share)) - 1e-9


def outline(points: Any, closed: bool, window: Window) -> Any:
    """The signed distance [px] of each pixel from a line through points [px]; negative inside a closed one."""
    from murmura.compute.raster.plane import distances

    left, top, right, bottom = window
    found = np.empty((bottom - top, right - left), np.float32)
    at = np.ascontiguousarray(points, np.float32)
    distances(at, closed, np.float32(left), np.float32(top), found)
    return found


def text_patch(
    text: str, left: float, top: float, size: float, rgb: Rgb, opacity: float, camera: Screen
) -> Patch:
    """A line of text, moved inside the picture, and cut off if the picture is too narrow."""
    mask = text_mask(text, max(7.0, size))
    height, width = min(mask.shape[0], camera.height), min(mask.shape[1], camera.width)
    x = max(0, min(round(left), camera.width - width))
    y = max(0, min(round(top), camera.height - height))
    return inked(x, y, [(mask[:height, :width], rgb, opacity)])
