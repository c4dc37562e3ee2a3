"""Plane vectors as two numbers. Each function takes and returns components, so nothing is allocated (S0-20)
and the same text runs on floats, arrays, lanes and CUDA threads."""

from __future__ import annotations

from murmura.core.algebra import Number, arctan2, sin_cos, sqrt, where

Pair = tuple[Number, Number]

TINY = 1e-30  # keeps 1 / length finite for the zero vector; far below any squared length that matters


def length_squared(x: Number, y: Number) -> Number:
    return x * x + y * y


def length(x: Number, y: Number) -> Number:
    return sqrt(x * x + y * y)


def normalize(x: Number, y: Number) -> Pair:
    """The unit vector; the zero vector stays zero."""
    scale = 1.0 / sqrt(x * x + y * y + TINY)
    return x * scale, y * scale


def with_length(x: Number, y: Number, size: Number) -> Pair:
    """The same direction with a new length; the zero vector stays zero."""
    scale = size / sqrt(x * x + y * y + TINY)
    return x * scale, y * scale


def limit(x: Number, y: Number, size: Number) -> Pair:
    """The vector, shortened to `size` if it is longer."""
    square = x * x + y * y
    scale = where(square > size * size, size / sqrt(square + TINY), 1.0)
    return x * scale, y * scale


def add(ax: Number, ay: Number, bx: Number, by: Number) -> Pair:
    return ax + bx, ay + by


def subtract(ax: Number, ay: Number, bx: Number, by: Number) -> Pair:
    return ax - bx, ay - by


def scale(x: Number, y: Number, factor: Number) -> Pair:
    return x * factor, y * factor


def divide(x: Number, y: Number, divisor: Number) -> Pair:
    """Division by zero leaves the vector as it is."""
    safe = where(divisor == 0.0, 1.0, divisor)
    return x / safe, y / safe


def heading(x: Number, y: Number) -> Number:
    """The direction in radians, in [-pi, pi]."""
    return arctan2(y, x)


def rotate(x: Number, y: Number, angle: Number) -> Pair:
    """The vector turned counter-clockwise by `angle` radians."""
    s, c = sin_cos(angle)
    return x * c - y * s, x * s + y * c


def distance(ax: Number, ay: Number, bx: Number, by: Number) -> Number:
    return length(bx - ax, by - ay)


def distance_squared(ax: Number, ay: Number, bx: Number, by: Number) -> Number:
    return length_squared(bx - ax, by - ay)


def dot(ax: Number, ay: Number, bx: Number, by: Number) -> Number:
    return ax * bx + ay * by


def cross(ax: Number, ay: Number, bx: Number, by: Number) -> Number:
    return ax * by - ay * bx


def from_angle(angle: Number, size: Number = 1.0) -> Pair:
    s, c = sin_cos(angle)
    return c * size, s * size


def lerp(ax: Number, ay: Number, bx: Number, by: Number, t: Number) -> Pair:
    return ax + (bx - ax) * t, ay + (by - ay) * t


def is_zero(x: Number, y: Number) -> Number:
    return (x == 0.0) & (y == 0.0)
