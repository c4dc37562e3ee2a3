"""Perlin's gradient noise and its fractal sum, in [-1, 1] for any finite coordinate (S0-105, S0-106).

The lattice repeats every 256 cells. The fraction is taken before anything else, so large coordinates lose
resolution but never range. With unit gradients the value stays within sqrt(1/2).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from murmura.core.algebra import Integer, Number, floor, look_up, to_integer
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


def permuted(i: Integer) -> Integer:
    return look_up(PERMUTATION, i)


def gradient_x(i: Integer) -> Number:
    return look_up(GRADIENT_X, i)


def gradient_y(i: Integer) -> Number:
    return look_up(GRADIENT_Y, i)


def fade(t: Number) -> Number:
    """Perlin's quintic: zero slope and curvature at both ends."""
    return t * t * t * (t * (t * 6.0 - 15.0) + 10.0)


def _in_cell(column: Integer, row: Integer, fx: Number, fy: Number, u: Number, v: Number) -> Number:
    """The noise of one lattice cell at the fractions (fx, fy), whose fades are (u, v)."""
    left = permuted(column) + row
    right = permuted(column + 1) + row
    n00 = gradient_x(left) * fx + gradient_y(left) * fy
    n10 = gradient_x(right) * (fx - 1.0) + gradient_y(right) * fy
    n01 = gradient_x(left + 1) * fx + gradient_y(left + 1) * (fy - 1.0)
    n11 = gradient_x(right + 1) * (fx - 1.0) + gradient_y(right + 1) * (fy - 1.0)
    low = n00 + (n10 - n00) * u
    high = n01 + (n11 - n01) * u
    return low + (high - low) * v


def _cell(whole: Number) -> Integer:
    """The lattice line of a whole coordinate: it repeats every 256."""
    return to_integer(whole - 256.0 * floor(whole * 0.00390625))


def noise(x: Number, y: Number) -> Number:
    """Smooth noise at (x, y), in [-1, 1], zero on the lattice."""
    whole_x = floor(x)
    whole_y = floor(y)
    fx = x - whole_x
    fy = y - whole_y
    return _in_cell(_cell(whole_x), _cell(whole_y), fx, fy, fade(fx), fade(fy))


def noise_pair(x: Number, y: Number, shift: Number) -> tuple[Number, Number]:
    """Noise at (x, y) and at (x + shift, y + shift) for a whole shift: two fields for little more than one."""
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
    return total / weight


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
    return first / weight, second / weight
