"""Arithmetic that a rule may use: the same words for a float, a NumPy array, SIMD lanes and a CUDA thread.

Rules are branch-free: they say `where(condition, a, b)` and combine conditions with `&` and `|`. The
functions here are the plain NumPy meaning, which the reference backend runs; a backend that compiles rules
swaps each of them for its own (see `backends/primitives.py`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

Number = Any  # float, array of floats, lanes: whatever the backend calls a number
Integer = Any  # likewise, 32-bit and wrapping round


def where(condition: Any, a: Number, b: Number) -> Number:
    """`a` where the condition holds, else `b`. Both are always computed."""
    return np.where(condition, a, b)


def sqrt(x: Number) -> Number:
    return np.sqrt(x)


def minimum(a: Number, b: Number) -> Number:
    return np.minimum(a, b)


def maximum(a: Number, b: Number) -> Number:
    return np.maximum(a, b)


def absolute(x: Number) -> Number:
    return np.abs(x)


def floor(x: Number) -> Number:
    return np.floor(x)


def sin_cos(angle: Number) -> tuple[Number, Number]:
    """Sine and cosine of an angle in radians."""
    return np.sin(angle), np.cos(angle)


def arctan2(y: Number, x: Number) -> Number:
    """The angle of (x, y) in radians, in [-pi, pi]."""
    return np.arctan2(y, x)


def to_integer(x: Number) -> Integer:
    """A whole number held in a float, as an integer that can index a table."""
    return np.asarray(x).astype(np.int64)


def to_number(i: Integer) -> Number:
    """A non-negative integer as a number."""
    return np.asarray(i).astype(np.float64)


def look_up(table: Any, index: Integer) -> Number:
    """The table's entries at these indices."""
    return table[index]


def halves(i: Integer) -> tuple[Integer, Integer]:
    """The lower and the upper 16 bits of a non-negative integer."""
    return i & 0xFFFF, i >> 16


def signed_bytes(i: Integer) -> tuple[Number, Number, Number, Number]:
    """The four bytes of an integer, lowest first, as signed numbers."""
    first, second, third, fourth = (
        np.ascontiguousarray(np.asarray(i, "<i4")[..., None]).view(np.int8).T.astype(np.float64)
    )
    return first.T, second.T, third.T, fourth.T


def add_32(a: Integer, b: Integer) -> Integer:
    """Sum modulo 2**32."""
    return (np.asarray(a, np.uint64) + np.asarray(b, np.uint64)) & np.uint64(0xFFFFFFFF)


def xor_32(a: Integer, b: Integer) -> Integer:
    return np.asarray(a, np.uint64) ^ np.asarray(b, np.uint64)


def rotate_left_32(a: Integer, bits: int) -> Integer:
    wide = np.asarray(a, np.uint64)
    return ((wide << np.uint64(bits)) | (wide >> np.uint64(32 - bits))) & np.uint64(0xFFFFFFFF)


def unit_interval(a: Integer) -> Number:
    """The upper 24 bits as a number in [0, 1): exact in single precision."""
    return (np.asarray(a, np.uint64) >> np.uint64(8)).astype(np.float64) * 2.0**-24
