"""Perlin's gradient noise and its fractal sum, in [-1, 1] for any finite coordinate (S0-105, S0-106).

The lattice repeats every 256 cells. The fraction is taken before anything else, so large coordinates lose
resolution but never range. With unit gradients the value stays within sqrt(1/2).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from murmura.core.algebra import Number, floor, look_up, to_integer
from murmura.core.randomness import STREAM_NOISE_OFFSET, threefry

PERIOD = 256.0


def _permutation() -> NDArray[np.int32]:
    words, _ = threefry(0, STREAM_NOISE_OFFSET, np.arange(256), 0)
    return np.argsort(words, kind="stable").astype(np.int32)


def _gradients(order: NDArray[np.int32]) -> NDArray[np.float32]:
    """Unit gradients in the order in which the doubled permutation reads them."""
    angles = 2.0 * np.pi * np.concatenate([order, order, order[:2]]) / 256.0
    return np.stack([np.cos(angles), np.sin(angles)]).astype(np.float32)


PERMUTATION = np.concatenate([_permutation(), _permutation()[:2]])
GRADIENT_X, GRADIENT_Y = _gradients(_permutation())


def fade(t: Number) -> Number:
    """Perlin's quintic: zero slope and curvature at both ends."""
    return t * t * t * (t * (t * 6.0 - 15.0) + 10.0)


def noise(x: Number, y: Number) -> Number:
    """Smooth noise at (x, y), in [-1, 1], zero on the lattice."""
    floor_x = floor(x)
    floor_y = floor(y)
    fx = x - floor_x
    fy = y - floor_y
    column = to_integer(floor_x - 256.0 * floor(floor_x / 256.0))
    row = to_integer(floor_y - 256.0 * floor(floor_y / 256.0))
    left = look_up(PERMUTATION, column) + row
    right = look_up(PERMUTATION, column + 1) + row
    n00 = look_up(GRADIENT_X, left) * fx + look_up(GRADIENT_Y, left) * fy
    n10 = look_up(GRADIENT_X, right) * (fx - 1.0) + look_up(GRADIENT_Y, right) * fy
    n01 = look_up(GRADIENT_X, left + 1) * fx + look_up(GRADIENT_Y, left + 1) * (fy - 1.0)
    n11 = look_up(GRADIENT_X, right + 1) * (fx - 1.0) + look_up(GRADIENT_Y, right + 1) * (fy - 1.0)
    u = fade(fx)
    low = n00 + (n10 - n00) * u
    high = n01 + (n11 - n01) * u
    return low + (high - low) * fade(fy)


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
    return total / weight
