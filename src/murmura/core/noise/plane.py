"""Perlin's gradient noise and its fractal sum, in [-1, 1] for any finite coordinate (S0-105, S0-106).

The lattice repeats every 256 cells. The fraction is computed first, so at large coordinates the noise
loses resolution but stays in range. With unit gradients the value stays within sqrt(1/2).

Table look-ups dominate the cost of noise on lanes, so tables are packed: one entry holds the permutation of two
neighbouring columns, another the gradients of two neighbouring rows. Four signed bytes hold two gradients, so
these are the 36 integer vectors of length 65: exact unit vectors once divided by it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from murmura.core.algebra import Integer, Number, floor, halves, look_up, signed_bytes, to_integer
from murmura.core.world.randomness import STREAM_NOISE_OFFSET, threefry

PERIOD = 256.0
PER_RADIUS = 1.0 / 65.0
RADIUS = 65  # 65^2 is a sum of two squares in 36 ways


def _permutation() -> NDArray[np.int32]:
    words, _ = threefry(0, STREAM_NOISE_OFFSET, np.arange(256), 0)
    return np.argsort(words, kind="stable").astype(np.int32)


def _directions() -> NDArray[np.int32]:
    """All integer vectors of length RADIUS, shape (36, 2), by angle."""
    x, y = (grid.ravel() for grid in np.mgrid[-RADIUS : RADIUS + 1, -RADIUS : RADIUS + 1])
    on_circle = x * x + y * y == RADIUS * RADIUS
    found = np.stack([x[on_circle], y[on_circle]], axis=1)
    return found[np.argsort(np.arctan2(found[:, 1], found[:, 0]), kind="stable")].astype(np.int32)


PERMUTATION = _permutation()
GRADIENTS = _directions()[PERMUTATION % len(_directions())]
"""Gradient of each lattice point as an integer vector, in the order in which the permutation reads them."""


def _packed_permutation() -> NDArray[np.int32]:
    return PERMUTATION | (np.roll(PERMUTATION, -1) << 16)


def _packed_gradients() -> NDArray[np.int32]:
    """Gradients of entry k and k + 1 in four signed bytes; repeated once, since row and permutation are added."""
    here = np.concatenate([GRADIENTS, GRADIENTS])
    four = np.concatenate([here, np.roll(here, -1, axis=0)], axis=1).astype(np.int8)
    return np.ascontiguousarray(four).view("<i4").ravel().astype(np.int32)


PERMUTATION_PAIRS = _packed_permutation()
GRADIENT_PAIRS = _packed_gradients()


def permuted_pair(i: Integer) -> Integer:
    return look_up(PERMUTATION_PAIRS, i)


def gradient_pair(i: Integer) -> Integer:
    return look_up(GRADIENT_PAIRS, i)


def fade(t: Number) -> Number:
    """Perlin's quintic: zero slope and curvature at both ends."""
    return t * t * t * (t * (t * 6.0 - 15.0) + 10.0)


def _in_cell(column: Integer, row: Integer, fx: Number, fy: Number, u: Number, v: Number) -> Number:
    """The noise of one lattice cell at the fractions (fx, fy), whose fades are (u, v)."""
    left, right = halves(permuted_pair(column))
    ax, ay, bx, by = signed_bytes(gradient_pair(left + row))
    cx, cy, dx, dy = signed_bytes(gradient_pair(right + row))
    ex = fx - 1.0
    ey = fy - 1.0
    n00 = ax * fx + ay * fy
    n01 = bx * fx + by * ey
    n10 = cx * ex + cy * fy
    n11 = dx * ex + dy * ey
    low = n00 + (n10 - n00) * u
    high = n01 + (n11 - n01) * u
    return (low + (high - low) * v) * PER_RADIUS


def _cell(whole: Number) -> Integer:
    """The lattice index of a whole coordinate; the lattice repeats every 256."""
    return to_integer(whole - 256.0 * floor(whole * 0.00390625))


def noise(x: Number, y: Number) -> Number:
    """Smooth noise at (x, y), in [-1, 1], zero on the lattice."""
    whole_x = floor(x)
    whole_y = floor(y)
    fx = x - whole_x
    fy = y - whole_y
    return _in_cell(_cell(whole_x), _cell(whole_y), fx, fy, fade(fx), fade(fy))


def noise_pair(x: Number, y: Number, shift: Number) -> tuple[Number, Number]:
    """Noise at (x, y) and at (x + shift, y + shift) for a whole shift: little more work than one field."""
    whole_x = floor(x)
    whole_y = floor(y)
    fx = x - whole_x
    fy = y - whole_y
    u = fade(fx)
    v = fade(fy)
    return (
        _in_cell(_cell(whole_x), _cell(whole_y), fx, fy, u, v),
        _in_cell(_cell(whole_x + shift), _cell(whole_y + shift), fx, fy, u, v),
    )


def fractal_noise(
    x: Number, y: Number, octaves: int = 4, gain: float = 0.5, lacunarity: float = 2.0
) -> Number:
    """Octaves of noise, each finer and weaker than the last, normalised back to [-1, 1]."""
    amplitude = 1.0
    frequency = 1.0
    total = noise(x, y)
    weight = 1.0
    for _ in range(octaves - 1):
        amplitude = amplitude * gain
        frequency = frequency * lacunarity
        total = total + amplitude * noise(x * frequency, y * frequency)
        weight = weight + amplitude
    return total * (1.0 / weight)


def fractal_noise_pair(x: Number, y: Number, shift: Number, octaves: int) -> tuple[Number, Number]:
    """Fractal noise (gain 1/2, lacunarity 2) at (x, y) and at (x + shift, y + shift) for a whole shift."""
    first, second = noise_pair(x, y, shift)
    amplitude = 1.0
    frequency = 1.0
    weight = 1.0
    for _ in range(octaves - 1):
        amplitude = amplitude * 0.5
        frequency = frequency * 2.0
        a, b = noise_pair(x * frequency, y * frequency, shift * frequency)
        first = first + amplitude * a
        second = second + amplitude * b
        weight = weight + amplitude
    share = 1.0 / weight
    return first * share, second * share
