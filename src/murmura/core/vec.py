"""Vectors in two or three dimensions. Rules compute with these rather than with components."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from murmura.core.algebra import Composite, Condition, Number, arctan2, maximum, sin_cos, sqrt, where

TINY = 1e-30  # keeps 1 / length finite for the zero vector; far below any squared length that matters


class Vec(Composite):
    """A vector. Operators act componentwise, and broadcast plain numbers."""

    __slots__ = ("parts",)
    __array_ufunc__ = None

    def __init__(self, *parts: Any) -> None:
        self.parts = parts

    @classmethod
    def of(cls, parts: Iterable[Any]) -> Vec:
        return cls(*parts)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.parts)

    def __len__(self) -> int:
        return len(self.parts)

    def __repr__(self) -> str:
        return f"Vec{self.parts!r}"

    @property
    def x(self) -> Any:
        return self.parts[0]

    @property
    def y(self) -> Any:
        return self.parts[1]

    @property
    def z(self) -> Any:
        return self.parts[2]

    def map(self, function: Callable[..., Any], *others: Any) -> Vec:
        """Apply a function to each component."""
        columns = [other.parts if isinstance(other, Vec) else (other,) * len(self.parts) for other in others]
        return Vec(*(function(*parts) for parts in zip(self.parts, *columns, strict=True)))

    def __add__(self, other: Any) -> Vec:
        return self.map(lambda a, b: a + b, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Vec:
        return self.map(lambda a, b: a - b, other)

    def __rsub__(self, other: Any) -> Vec:
        return self.map(lambda a, b: b - a, other)

    def __mul__(self, other: Any) -> Vec:
        return self.map(lambda a, b: a * b, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Vec:
        return self.map(lambda a, b: a / b, other)

    def __neg__(self) -> Vec:
        return self.map(lambda a: -a)

    def chosen(self, condition: Condition, other: Any, *, first: bool) -> Vec:
        if first:
            return self.map(lambda a, b: where(condition, a, b), other)
        return self.map(lambda a, b: where(condition, b, a), other)

    def dot(self, other: Vec) -> Number:
        first, *rest = (a * b for a, b in zip(self.parts, other.parts, strict=True))
        for product in rest:
            first = first + product
        return first

    def cross(self, other: Vec) -> Any:
        """The cross product: a vector in space, a signed number in the plane (positive if `other` is to the left)."""
        if len(self.parts) == 2:
            (ax, ay), (bx, by) = self.parts, other.parts
            return ax * by - ay * bx
        (ax, ay, az), (bx, by, bz) = self.parts, other.parts
        return Vec(ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx)

    @property
    def square(self) -> Number:
        """The squared length."""
        return self.dot(self)

    @property
    def length(self) -> Number:
        return sqrt(self.square)

    @property
    def angle(self) -> Number:
        """The direction in radians, in [-pi, pi]; in space, that of the horizontal part."""
        x, y, *_ = self.parts
        return arctan2(y, x)

    @property
    def left(self) -> Vec:
        """The vector turned left by 90 degrees; in space, the horizontal part turned left."""
        x, y, *up = self.parts
        return Vec(-y, x, *(0.0 for _ in up))

    @property
    def is_zero(self) -> Condition:
        """Whether every component is 0."""
        first, *rest = (part == 0.0 for part in self.parts)
        for condition in rest:
            first = first & condition
        return first

    def divided(self, divisor: Number) -> Vec:
        """The vector divided by a number; unchanged if that is 0."""
        return self / where(divisor == 0.0, 1.0, divisor)

    def lerp(self, other: Vec, t: Number) -> Vec:
        """Linear interpolation: this vector at t = 0, the other at t = 1."""
        return self + (other - self) * t

    def normalized(self) -> Vec:
        """The unit vector; the zero vector stays zero."""
        return self * (1.0 / sqrt(self.square + TINY))

    def with_length(self, size: Number) -> Vec:
        """The same direction with a new length; the zero vector stays zero."""
        return self * (size / sqrt(self.square + TINY))

    def limited(self, size: Number) -> Vec:
        """The vector, shortened to `size` if it is longer."""
        square = self.square
        return self * where(square > size * size, size / sqrt(square + TINY), 1.0)

    def rotated(self, turn: Any) -> Vec:
        """The vector turned counter-clockwise by an angle in radians, in space about the vertical.

        In space the turn may be a vector: its direction is the axis, its length the angle (Rodrigues' formula).
        """
        if isinstance(turn, Vec):
            return self._turned_about(turn)
        s, c = sin_cos(turn)
        x, y, *up = self.parts
        return Vec(x * c - y * s, x * s + y * c, *up)

    def _turned_about(self, turn: Vec) -> Vec:
        square = turn.square
        angle = sqrt(square + TINY)
        s, c = sin_cos(angle)
        # sin(a)/a and (1 - cos(a))/a^2, the second from the half angle: 1 - cos(a) loses all digits where a is small.
        half, _ = sin_cos(angle * 0.5)
        part = half / angle
        return self * c + turn.cross(self) * (s / angle) + turn * (turn.dot(self) * (2.0 * part * part))

    def turn_to(self, other: Vec) -> Any:
        """The shortest turn from this direction to another, for `rotated`; no turn from or to the zero vector.

        In the plane an angle in [-pi, pi], in space a rotation vector; of a half turn the axis is arbitrary.
        """
        across, along = self.cross(other), self.dot(other)
        if len(self.parts) == 2:
            return arctan2(across, along)
        size = across.length
        opposite = (size <= PARALLEL * -along) & (along < 0.0)
        side = where(opposite, self.perpendicular, across)
        return side.with_length(arctan2(where(opposite, 0.0, size), along))

    @property
    def perpendicular(self) -> Vec:
        """In space: some vector perpendicular to this one, chosen to avoid cancellation."""
        x, y, z = self.parts
        flat = x * x + y * y >= z * z
        return where(flat, Vec(-y, x, 0.0 * z), Vec(0.0 * x, -z, y))


PARALLEL = 1e-6
"""Sine of the angle below which the axis of a half turn is numerically undefined."""


def from_angle(angle: Number, size: Number = 1.0, dimension: int = 2) -> Vec:
    """The vector of a direction in radians; horizontal in space."""
    s, c = sin_cos(angle)
    return Vec(c * size, s * size, *(0.0 * c for _ in range(dimension - 2)))


def random_direction(angle: Number, chance: Number, size: Number, dimension: int) -> Vec:
    """A random direction from an angle and, in space, a second number in [0, 1).

    Heights on the unit sphere are uniformly distributed (Archimedes), so every direction is equally likely.
    """
    if dimension == 2:
        return from_angle(angle, size)
    height = 2.0 * chance - 1.0
    flat = sqrt(maximum(0.0, 1.0 - height * height)) * size
    s, c = sin_cos(angle)
    return Vec(c * flat, s * flat, height * size)
