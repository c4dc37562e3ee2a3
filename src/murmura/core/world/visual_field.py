"""What an eye sees where bodies are opaque: a field of equal bins all around, each showing the nearest body in it.

Bins are numbered from straight behind counter-clockwise, so the middle of the field is straight ahead. One ray leaves
the eye through the middle of each bin. A body takes the bins whose rays its silhouette meets, and at least the bin that
its middle lies in: anything smaller than a bin looks as large as one. Definition: docs/model.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.core.algebra import Condition, Number, arctan, bearing, floor, minimum, to_integer, where
from murmura.core.vec import Vec

WORD_BITS = 16
"""Bins in one word of the mask of covered bins: integers of this many bits are exact in single precision."""


def bins_taken(bins: int, heading: Vec, seen: Any, half_width: Number) -> tuple[Number, Number]:
    """The first bin that a silhouette takes, and how many bins counter-clockwise from it.

    A negative first bin counts back from the end of the field. The inverse distance of `seen` saves two divisions for
    each neighbour.
    """
    per_radian = bins / (2.0 * math.pi)
    angle = bearing(heading.cross(seen.offset) * seen.inverse, heading.dot(seen.offset) * seen.inverse)
    middle = angle * per_radian + 0.5 * bins
    tangent = half_width * seen.inverse
    broad = tangent > 1.0
    narrow = arctan(where(broad, seen.distance * (1.0 / half_width), tangent)) * per_radian
    reach = where(broad, 0.25 * bins - narrow, narrow)
    own = minimum(floor(middle), bins - 1.0)
    first = minimum(-floor(reach - middle + 0.5), own)
    last = floor(middle + reach - 0.5)
    count = where(last > own, last, own) - first + 1.0
    return first, count


def ray_table(bins: int) -> NDArray[np.float64]:
    """Cosines and sines, relative to the heading, of the rays through the middles of the bins: (2, bins)."""
    angles = -np.pi + (np.arange(bins) + 0.5) * (2.0 * np.pi / bins)
    return np.stack([np.cos(angles), np.sin(angles)])


def border_table(bins: int) -> NDArray[np.float64]:
    """Cosines and sines of the directions at which the bins begin: (2, bins)."""
    angles = -np.pi + np.arange(bins) * (2.0 * np.pi / bins)
    return np.stack([np.cos(angles), np.sin(angles)])


def area_of_bin(bins: int) -> float:
    """The integral of cos over a bin, divided by the cosine of its middle."""
    return 2.0 * math.sin(math.pi / bins)


def word_count(bins: int) -> int:
    """How many words hold a bit for each bin."""
    return -(-bins // WORD_BITS)


class Eye:
    """Which bins of an agent's visual field are covered, for its rules: `me.eye`.

    Attributes:
        covered: The share of the bins that are covered, from 0 to 1.
        area: The integral of (cos, sin) of the bearing over all covered bins: (ahead, to the left) [rad].
        edges: The sum of (cos, sin) of the bearing over all edges between covered and free bins.
        edge_count: How many such edges there are.
    """

    def __init__(
        self, bins: int, words: Sequence[Any], covered: Any, area: Vec, edges: Vec, edge_count: Any
    ) -> None:
        self._bins, self._words = bins, words
        self.covered, self.area, self.edges, self.edge_count = covered, area, edges, edge_count

    def covers(self, bearing: Number) -> Condition:
        """Whether something is seen at a bearing [rad] in [-pi, pi], counter-clockwise from the heading."""
        place = floor(bearing * (self._bins / (2.0 * math.pi)) + 0.5 * self._bins)
        place = where(place >= float(self._bins), place - float(self._bins), place)
        number = to_integer(place)
        word: Any = self._words[0]
        for k, other in enumerate(self._words[1:], 1):
            word = where(number >= k * WORD_BITS, other, word)
        bit = to_integer(word) >> (number & (WORD_BITS - 1))
        return (bit & 1) == 1
