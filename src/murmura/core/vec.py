"""Vectors of as many numbers as the world has dimensions. Rules are written on these and name no component."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from murmura.core.algebra import Composite, Condition, Number, arctan2, sin_cos, sqrt, where

TINY = 1e-30  # keeps 1 / length finite for the zero vector; far below any squared length that matters


class Vec(Composite):
    """A vector; operators act on each component, and a plain number counts for all of them."""

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
        """The function of each component."""
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

    def cross(self, other: Vec) -> Number:
        """In the plane: how far `other` lies to the left, times both lengths."""
        (ax, ay), (bx, by) = self.parts, other.parts
        return ax * by - ay * bx

    @property
    def square(self) -> Number:
        """The squared length."""
        return self.dot(self)

    @property
    def length(self) -> Number:
        return sqrt(self.square)

    @property
    def angle(self) -> Number:
        """In the plane: the direction in radians, in [-pi, pi]."""
        x, y = self.parts
        return arctan2(y, x)

    @property
    def left(self) -> Vec:
        """In the plane: the vector turned by a quarter to the left."""
        x, y = self.parts
        return Vec(-y, x)

    @property
    def is_zero(self) -> Condition:
        """Whether every component is 0."""
        first, *rest = (part == 0.0 for part in self.parts)
        for condition in rest:
            first = first & condition
        return first

    def divided(self, divisor: Number) -> Vec:
        """The vector divided by a number; by 0, the vector as it is."""
        return self / where(divisor == 0.0, 1.0, divisor)

    def lerp(self, other: Vec, t: Number) -> Vec:
        """The place on the line to another vector: this one at t = 0, the other at t = 1."""
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

    def rotated(self, angle: Number) -> Vec:
        """In the plane: the vector turned counter-clockwise by `angle` radians."""
        s, c = sin_cos(angle)
        x, y = self.parts
        return Vec(x * c - y * s, x * s + y * c)


def from_angle(angle: Number, size: Number = 1.0) -> Vec:
    """In the plane: the vector of a direction in radians."""
    s, c = sin_cos(angle)
    return Vec(c * size, s * size)
