"""Who sees whom: within the radius, and inside the field of view. Both edges count as seen."""

from __future__ import annotations

from typing import Any

from murmura.core.algebra import Number, where

# An agent slower than this sees all around (S0-115): its heading means nothing.
SLOW_SQUARED = 0.01
# Cosines are compared with this slack, so that a neighbour exactly on the edge of the field of view is seen
# although its cosine was rounded (S4-17). It widens the view by at most 0.08 degrees.
EDGE = 1e-6
SEES_ALL = -2.0
TIE = 1e-6  # squared distances closer than this (relative) are the same distance for the k nearest


def view_cosine(p: Any, vx: Number, vy: Number) -> Number:
    """The least cosine between heading and neighbour that is still in view."""
    return where(vx * vx + vy * vy < SLOW_SQUARED, SEES_ALL, p.view_cosine)


def sees(
    reach_squared: Number,
    cosine: Number,
    hx: Number,
    hy: Number,
    dx: Number,
    dy: Number,
    d2: Number,
    d: Number,
) -> Any:
    """Whether a neighbour at (dx, dy) is perceived (S4-15)."""
    return (d2 <= reach_squared) & (hx * dx + hy * dy >= cosine * d)


def attention(p: Any, hx: Number, hy: Number, dx: Number, dy: Number, inv_d: Number) -> Number:
    """How much a neighbour counts by its angle: 1 ahead, `rear_attention` straight behind (S4-20)."""
    ahead = 0.5 + 0.5 * (hx * dx + hy * dy) * inv_d
    return p.rear_attention + (1.0 - p.rear_attention) * ahead
