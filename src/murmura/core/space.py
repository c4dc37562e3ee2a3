"""The space the flock lives in: shortest differences on a torus, and what happens at the edges."""

from __future__ import annotations

from typing import Any

from murmura.core.algebra import Number, floor, maximum, minimum, where
from murmura.core.vec import Vec


def shortest(difference: Number, size: Number) -> Number:
    """The shortest of the differences that are equal on a circle of this size (S3-43, S3-44)."""
    return difference - size * floor(difference * (1.0 / size) + 0.5)


def offset(world: Any, start: Vec, end: Vec) -> Vec:
    """The way from one place to another, the shortest one round where the world wraps."""
    difference = end - start
    return difference.map(shortest, world.size) if world.wraps else difference


def point(world: Any, x: Number, y: Number) -> Vec:
    """A place by its coordinates."""
    return Vec(x, y)


def wrapped(x: Number, size: Number) -> Number:
    """The place in [0, size) that is the same on a circle of this size (decision 22: the remainder is kept)."""
    x = x - size * floor(x * (1.0 / size))
    # A tiny negative x rounds to exactly `size`; just below `size` the product may round up to a whole.
    x = where(x >= size, x - size, x)
    return maximum(x, 0.0)


def mirrored(x: Number, size: Number) -> Number:
    """The place that a wall at 0 or `size` throws back, inside in any case."""
    return minimum(maximum(where(x > size, 2.0 * size - x, where(x < 0.0, -x, x)), 0.0), size)


def turned_back(velocity: Number, x: Number, size: Number) -> Number:
    """A velocity that does not lead further out."""
    outwards = (x < 0.0) & (velocity < 0.0) | (x > size) & (velocity > 0.0)
    return where(outwards, -velocity, velocity)


def confine(world: Any, position: Vec, velocity: Vec) -> tuple[Vec, Vec]:
    """Apply the world's edges to a moved agent."""
    if world.wraps:
        return position.map(wrapped, world.size), velocity
    if world.walled:
        return position.map(mirrored, world.size), velocity.map(turned_back, position, world.size)
    return position, velocity
