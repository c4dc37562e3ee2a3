"""Steps of Levenberg and Marquardt's method, and starts for it, for numbers as shares of their ranges."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]


def moved(shares: Numbers, jacobian: Numbers, missed: Numbers, lam: float) -> Numbers:
    """The next point of Levenberg and Marquardt's method within the ranges."""
    normal, gradient = jacobian.T @ jacobian, jacobian.T @ missed
    free = np.ones(len(shares), bool)
    step = np.zeros(len(shares))
    for _ in range(len(shares) + 1):  # numbers that would leave their range stay at its end
        part = normal[np.ix_(free, free)]
        damped = part + lam * np.diag(np.maximum(np.diag(part), 1e-12))
        step[free] = np.linalg.solve(damped, gradient[free])
        out = free & (((shares <= 0.0) & (step < 0.0)) | ((shares >= 1.0) & (step > 0.0)))
        if not out.any():
            break
        free &= ~out
        step[out] = 0.0
        if not free.any():
            break
    return np.clip(shares + step, 0.0, 1.0)


def flat(jacobian: Numbers) -> Numbers:
    """Derivatives as a matrix: a row for each animal and axis."""
    return jacobian.reshape(math.prod(jacobian.shape[:-1]), jacobian.shape[-1])


def spread_points(count: int, dimensions: int) -> Numbers:
    """Points that fill the unit cube, the first in its middle: steps by powers of one irrational (Roberts 2018)."""
    root = 2.0
    for _ in range(40):
        root = (1.0 + root) ** (1.0 / (dimensions + 1))
    steps = root ** -np.arange(1.0, dimensions + 1.0)
    found: Numbers = (0.5 + np.arange(count)[:, None] * steps) % 1.0
    return found
