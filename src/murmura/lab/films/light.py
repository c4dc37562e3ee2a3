"""Light buffers: moving trails, and blurring their glow."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def limit_light(light: NDArray[np.float32]) -> None:
    """Let the brightest plane approach 1, in place: the glow of a dense flock would show the shape of the blur."""
    peak = light.max(axis=0)
    light /= np.sqrt(1.0 + peak * peak)


def taps(reach: float) -> NDArray[np.float32]:
    """The page's thirteen taps, which lie between pixels, distributed to the pixels on both sides."""
    found = np.zeros(int(5.18 * reach) + 2)
    found[0] = 0.1964
    for at, weight in ((1.41, 0.2969), (3.29, 0.0945), (5.18, 0.0104)):
        whole, part = divmod(at * reach, 1.0)
        found[int(whole)] += weight * (1.0 - part)
        found[int(whole) + 1] += weight * part
    return found.astype(np.float32)


def shift(canvas: NDArray[np.float32], right: int, down: int) -> None:
    """Move everything by whole pixels; new pixels are dark."""
    height, width = canvas.shape[1:]
    moved = np.zeros_like(canvas)
    if abs(right) < width and abs(down) < height:
        moved[:, max(0, down) : height + min(0, down), max(0, right) : width + min(0, right)] = canvas[
            :, max(0, -down) : height - max(0, down), max(0, -right) : width - max(0, right)
        ]
    canvas[:] = moved
