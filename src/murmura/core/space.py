"""The plane the flock lives in: shortest differences on a torus, and what happens at the edges."""

from __future__ import annotations

from typing import Any

from murmura.core.algebra import Number, floor, maximum, minimum, where


def shortest(difference: Number, size: Number) -> Number:
    """The shortest of the differences that are equal on a circle of this size (S3-43, S3-44)."""
    return difference - size * floor(difference * (1.0 / size) + 0.5)


def offset(world: Any, x0: Number, y0: Number, x1: Number, y1: Number) -> tuple[Number, Number]:
    """The way from (x0, y0) to (x1, y1), the shortest one round where the world wraps."""
    dx = x1 - x0
    dy = y1 - y0
    if world.wraps:
        dx = shortest(dx, world.width)
        dy = shortest(dy, world.height)
    return dx, dy


def wrapped(x: Number, size: Number) -> Number:
    """The place in [0, size) that is the same on a circle of this size (decision 22: the remainder is kept)."""
    x = x - size * floor(x * (1.0 / size))
    # A tiny negative x rounds to exactly `size`; just below `size` the product may round up to a whole.
    x = where(x >= size, x - size, x)
    return maximum(x, 0.0)


def confine(
    world: Any, x: Number, y: Number, vx: Number, vy: Number
) -> tuple[Number, Number, Number, Number]:
    """Apply the world's edges to a moved agent."""
    if world.wraps:
        x = wrapped(x, world.width)
        y = wrapped(y, world.height)
    if world.walled:
        vx = where((x < 0.0) & (vx < 0.0) | (x > world.width) & (vx > 0.0), -vx, vx)
        vy = where((y < 0.0) & (vy < 0.0) | (y > world.height) & (vy > 0.0), -vy, vy)
        x = minimum(
            maximum(where(x > world.width, 2.0 * world.width - x, where(x < 0.0, -x, x)), 0.0), world.width
        )
        y = minimum(
            maximum(where(y > world.height, 2.0 * world.height - y, where(y < 0.0, -y, y)), 0.0), world.height
        )
    return x, y, vx, vy
