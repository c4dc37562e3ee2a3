"""Splits frames into planes of similar numbers, rounded to visible precision, so that they compress well."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from murmura.view.wire import space_frames
from murmura.view.wire.frames import HEADER


@dataclass(frozen=True)
class Layout:
    """How the frames of a kind of world are split into planes.

    Args:
        header: Bytes before the first agent.
        places: Number of planes that are coordinates, of two bytes; the others have one.
        coarse: Lower bits of each plane that are dropped: positions are accurate to 1/8000 of the world.
        bits: Remaining bits of each plane.
    """

    header: int
    places: int
    coarse: tuple[int, ...]
    bits: tuple[int, ...]


PLANE = Layout(HEADER.size, 2, (3, 3, 3, 4, 0, 4), (13, 13, 5, 4, 8, 4))
"""x, y, heading, speed, species, extra."""
SPACE = Layout(space_frames.HEADER.size, 3, (3, 3, 3, 2, 2, 1, 1, 0, 4), (13, 13, 13, 6, 6, 4, 4, 6, 4))
"""x, y, z, the two bytes of the direction, speed, roll, species, extra."""


def layout_of(frame: bytes) -> Layout:
    return SPACE if frame[:4] == space_frames.MAGIC else PLANE


def planes_of(frame: bytes, share: int) -> Any:
    """The planes of every n-th agent, shape (agents, planes)."""
    layout = layout_of(frame)
    count = int(HEADER.unpack_from(frame)[2])
    words = np.frombuffer(frame, np.uint32, 2 * count, layout.header).reshape(-1, 2)[::share].astype(np.int64)
    first, second = words[:, 0], words[:, 1]
    if layout is PLANE:
        rest = [second & 0xFF, second >> 8 & 0xFF, second >> 16 & 0xFF, second >> 24]
        parts = [first & 0xFFFF, first >> 16, *rest]
    else:
        looks = np.frombuffer(frame, np.uint8, 3 * count, layout.header + 8 * count).reshape(-1, 3)[::share]
        packed = looks[:, 0].astype(np.int64) | looks[:, 1].astype(np.int64) << 8
        ahead = [second >> 16 & 0xFF, second >> 24]
        told = [packed & 31, packed >> 5 & 31, packed >> 10, looks[:, 2].astype(np.int64)]
        parts = [first & 0xFFFF, first >> 16, second & 0xFFFF, *ahead, *told]
    return np.stack(parts, axis=1).astype(np.int32) >> np.array(layout.coarse)
