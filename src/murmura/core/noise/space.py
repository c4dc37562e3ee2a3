"""Perlin's gradient noise in space, and its fractal sum, in [-1, 1] for any finite coordinate.

Like `noise.plane`, with one more axis. Gradients are the 102 integer vectors of length 9, exact unit vectors once
divided by it; with Perlin's twelve, the lattice directions would stand out more. A vector field is three such fields,
shifted by whole lattice cells.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from murmura.core.algebra import Integer, Number, floor, halves, look_up, signed_bytes, to_integer
from murmura.core.noise.plane import PERMUTATION, fade
from murmura.core.vec import Vec

RADIUS = 9  # 81 is a sum of three squares in 102 ways
SHIFT = 85.0  # lattice cells between the fields of a vector: a third of the period


def _directions() -> NDArray[np.int32]:
    """All integer vectors of length RADIUS, shape (102, 3)."""
    span = np.arange(-RADIUS, RADIUS + 1)
    grid = np.stack(np.meshgrid(span, span, span, indexing="ij"), axis=-1).reshape(-1, 3)
    return grid[(grid * grid).sum(axis=1) == RADIUS * RADIUS].astype(np.int32)


def _packed_gradients() -> NDArray[np.int32]:
    """A gradient in three signed bytes for each entry; repeated once, since a permuted number and a plane are added."""
    three = _directions()[PERMUTATION % len(_directions())].astype(np.int8)
    four = np.concatenate([three, np.zeros((len(three), 1), np.int8)], axis=1)
    once = np.ascontiguousarray(four).view("<i4").ravel().astype(np.int32)
    return np.concatenate([once, once])


def _packed_permutation() -> NDArray[np.int32]:
    """The permutation of an entry and of the next, repeated once."""
    pairs = PERMUTATION | (np.roll(PERMUTATION, -1) << 16)
    return np.concatenate([pairs, pairs])


PERMUTATION_PAIRS = _packed_permutation()
GRADIENTS = np.concatenate([_packed_gradients(), _packed_gradients()[:1]])


def _cell(whole: Number) -> Integer:
    return to_integer(whole - 256.0 * floor(whole * 0.00390625))


def _corner(entry: Integer, x: Number, y: Number, z: Number) -> Number:
    a, b, c, _ = signed_bytes(look_up(GRADIENTS, entry))
    return a * x + b * y + c * z


def _mix(a: Number, b: Number, t: Number) -> Number:
    return a + (b - a) * t


def noise(x: Number, y: Number, z: Number) -> Number:
    """Smooth noise at a position, in [-1, 1], zero on the lattice."""
    wholes = [floor(c) for c in (x, y, z)]
    i, j, k = (_cell(whole) for whole in wholes)
    fx, fy, fz = (c - whole for c, whole in zip((x, y, z), wholes, strict=True))
    u, v, w = fade(fx), fade(fy), fade(fz)
    slabs = []
    for side, column in enumerate(halves(look_up(PERMUTATION_PAIRS, i))):
        lines = []
        for up, line in enumerate(halves(look_up(PERMUTATION_PAIRS, column + j))):
            near = _corner(line + k, fx - side, fy - up, fz)
            far = _corner(line + k + 1, fx - side, fy - up, fz - 1.0)
            lines.append(_mix(near, far, w))
        slabs.append(_mix(lines[0], lines[1], v))
    return _mix(slabs[0], slabs[1], u) * (1.0 / RADIUS)


def noise_vector(x: Number, y: Number, z: Number) -> Vec:
    """Three fields of noise as a vector."""
    return Vec(*(noise(x + shift, y + shift, z + shift) for shift in (0.0, SHIFT, 2.0 * SHIFT)))


def fractal_noise_vector(x: Number, y: Number, z: Number, octaves: int) -> Vec:
    """Octaves of noise vectors (gain 1/2, lacunarity 2), normalised back to [-1, 1] in each component."""
    total, weight, amplitude, frequency = noise_vector(x, y, z), 1.0, 1.0, 1.0
    for _ in range(octaves - 1):
        amplitude, frequency = amplitude * 0.5, frequency * 2.0
        total = total + noise_vector(x * frequency, y * frequency, z * frequency) * amplitude
        weight = weight + amplitude
    return total * (1.0 / weight)
