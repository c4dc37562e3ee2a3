"""Simple independent implementations: Threefry in Python integers, Perlin noise point by point."""

from __future__ import annotations

import math

from murmura.core.noise import PERMUTATION

WORD = 2**32


def threefry(key: tuple[int, int], counter: tuple[int, int]) -> tuple[int, int]:
    """Threefry-2x32-20 after Salmon et al. 2011, section 4.1: rotations by a table, a key word every fourth round."""
    rotations = (13, 15, 26, 6, 17, 29, 16, 24)
    keys = (key[0], key[1], 0x1BD11BDA ^ key[0] ^ key[1])
    a, b = (counter[0] + keys[0]) % WORD, (counter[1] + keys[1]) % WORD
    for round_number in range(20):
        a = (a + b) % WORD
        bits = rotations[round_number % 8]
        b = ((b << bits) | (b >> (32 - bits))) % WORD ^ a
        if round_number % 4 == 3:
            k = round_number // 4 + 1
            a = (a + keys[k % 3]) % WORD
            b = (b + keys[(k + 1) % 3] + k) % WORD
    return a, b


WHOLE_VECTORS = sorted(
    ((x, y) for x in range(-65, 66) for y in range(-65, 66) if x * x + y * y == 65 * 65),
    key=lambda vector: math.atan2(vector[1], vector[0]),
)


def gradient(column: int, row: int) -> tuple[float, float]:
    """The unit gradient at a lattice point: one of the 36 integer vectors of length 65, chosen by the permutation."""
    p = [int(k) for k in PERMUTATION]
    x, y = WHOLE_VECTORS[p[(p[column % 256] + row) % 256] % 36]
    return x / 65.0, y / 65.0


def perlin(x: float, y: float) -> float:
    """Document 000, section 7, with the fraction taken first (decision 13)."""
    column, row = math.floor(x), math.floor(y)
    fx, fy = x - column, y - row

    def corner(i: int, j: int) -> float:
        gx, gy = gradient(column + i, row + j)
        return gx * (fx - i) + gy * (fy - j)

    def fade(t: float) -> float:
        return 6.0 * t**5 - 15.0 * t**4 + 10.0 * t**3

    def lerp(a: float, b: float, t: float) -> float:
        return a + (b - a) * t

    low = lerp(corner(0, 0), corner(1, 0), fade(fx))
    high = lerp(corner(0, 1), corner(1, 1), fade(fx))
    return lerp(low, high, fade(fy))


def fractal(x: float, y: float, octaves: int = 4, gain: float = 0.5, lacunarity: float = 2.0) -> float:
    """Document 000's fbm loop."""
    value = most = 0.0
    for k in range(octaves):
        value += gain**k * perlin(x * lacunarity**k, y * lacunarity**k)
        most += gain**k
    return value / most
