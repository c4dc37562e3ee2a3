"""Geometry of the world: shortest differences on a torus, and the edges.

`world.edges` says how the edges of each axis behave. Those along y and z may differ from those along x.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from murmura.core.algebra import Number, floor, maximum, minimum, where
from murmura.core.vec import Vec

WALLS = ("soft", "reflect")
"""Edges that agents cannot cross."""


def shortest(difference: Number, size: Number) -> Number:
    """The shortest equivalent of a difference on a circle of this size (S3-43, S3-44)."""
    return difference - size * floor(difference * (1.0 / size) + 0.5)


def offset(world: Any, start: Vec, end: Vec) -> Vec:
    """The vector from one position to another; the shortest one in a wrapping world."""
    return along_axes(world, {"wrap": shortest}, end - start)


def along_axes(world: Any, ways: Mapping[str, Callable[[Number, Number], Number]], vector: Vec) -> Vec:
    """A vector with each coordinate mapped according to the edge of its axis: ways[edge](coordinate, size)."""
    return Vec(
        *(
            ways[edge](x, size) if edge in ways else x
            for x, size, edge in zip(vector, world.size, world.edges, strict=True)
        )
    )


def point(world: Any, x: Number, y: Number, z: Number | None = None) -> Vec:
    """A position from coordinates; in space, z defaults to half the depth."""
    if len(world.size) == 2:
        return Vec(x, y)
    return Vec(x, y, 0.5 * world.size.z if z is None else z)


def inside(world: Any, place: Vec) -> Vec:
    """The position wrapped on a torus, or clamped in a world with walls."""
    held = lambda x, size: minimum(maximum(x, 0.0), size)  # noqa: E731
    return along_axes(world, {"wrap": wrapped, "soft": held, "reflect": held}, place)


def wrapped(x: Number, size: Number) -> Number:
    """The equivalent coordinate in [0, size) on a circle of this size (decision 22: the remainder is kept)."""
    x = x - size * floor(x * (1.0 / size))
    # A tiny negative x rounds to exactly `size`; just below `size` the product may round up to an integer.
    x = where(x >= size, x - size, x)
    return maximum(x, 0.0)


def mirrored(x: Number, size: Number) -> Number:
    """The coordinate reflected by a wall at 0 or `size`, always inside."""
    return minimum(maximum(where(x > size, 2.0 * size - x, where(x < 0.0, -x, x)), 0.0), size)


def turned_back(velocity: Number, x: Number, size: Number) -> Number:
    """The velocity, reversed if it points outwards."""
    outwards = (x < 0.0) & (velocity < 0.0) | (x > size) & (velocity > 0.0)
    return where(outwards, -velocity, velocity)


def confine(world: Any, position: Vec, velocity: Vec) -> tuple[Vec, Vec]:
    """Apply the world's edges to a moved agent."""
    moved = along_axes(world, {"wrap": wrapped, "soft": mirrored, "reflect": mirrored}, position)
    turned = (
        turned_back(v, x, size) if edge in WALLS else v
        for v, x, size, edge in zip(velocity, position, world.size, world.edges, strict=True)
    )
    return moved, Vec(*turned)
