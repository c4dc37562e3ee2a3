"""What an estimation finds: numbers, the noise that is left, and errors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from murmura.lab.infer.transitions import Vectors

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Noise:
    """The standard deviation of what a prediction misses, in speed and across the way [velocity]."""

    along: float
    across: float


@dataclass(frozen=True)
class Solution:
    """The smooth numbers that fit best, as shares of their ranges, for given thresholds."""

    shares: Numbers
    cost: float
    noise: Noise
    velocities: Vectors
    """The predictions."""
    derivatives: tuple[Vectors, ...] = ()
    """How they change with each share, as speeds and turns."""


@dataclass(frozen=True)
class Estimate:
    """One number: its estimate, its standard error and an interval that holds 90 %."""

    path: str
    value: float
    error: float
    low: float
    high: float
    smooth: bool
    profile: tuple[tuple[float, float], ...] = ()
    """For a threshold: values, and how much the logarithm of the likelihood is below the best."""
