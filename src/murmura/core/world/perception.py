"""Who sees whom: within the radius, and inside the field of view. Both limits are inclusive."""

from __future__ import annotations

from typing import Any

from murmura.core.algebra import Condition, Number, where
from murmura.core.vec import Vec

# An agent slower than this sees all around (S0-115): its heading is meaningless.
SLOW_SQUARED = 0.01
# Cosines are compared with this slack, so that a neighbour exactly on the edge of the field of view is seen
# although its cosine was rounded (S4-17). It widens the view by at most 0.08 degrees.
EDGE = 1e-6
SEES_ALL = -2.0
MOST_NEAREST = 256
"""Maximum number of nearest neighbours."""
FEW_NEAREST = 64
"""Up to so many, kernels for GPUs reserve less memory for each agent."""
TIE = 1e-6  # for the k nearest, squared distances whose relative difference is less than this are equal


def view_cosine(p: Any, velocity: Vec) -> Number:
    """The least cosine between heading and neighbour that is still in view."""
    return where(velocity.square < SLOW_SQUARED, SEES_ALL, p.view_cosine)


def in_view(cosine: Number, heading: Vec, offset: Vec, distance: Number) -> Condition:
    """Whether a neighbour lies inside the field of view (S4-15)."""
    return heading.dot(offset) >= cosine * distance


def faces(cosine: Number, velocity: Vec, offset: Vec, square: Number) -> Condition:
    """The same for an agent with this velocity, without a square root. `square` is the squared length of the offset."""
    ahead = velocity.dot(offset)
    inside = ahead * ahead
    edge = cosine * cosine * velocity.square * square
    wide = (ahead >= 0.0) | (inside <= edge)
    narrow = (ahead >= 0.0) & (inside >= edge)
    return (cosine < 0.0) & wide | (cosine >= 0.0) & narrow


def attention(p: Any, heading: Vec, offset: Vec, inverse: Number) -> Number:
    """How much a neighbour counts by its angle: 1 ahead, `rear_attention` straight behind (S4-20)."""
    ahead = 0.5 + 0.5 * heading.dot(offset) * inverse
    return p.rear_attention + (1.0 - p.rear_attention) * ahead
