"""Rates of births and deaths."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from murmura.measure.flock import Flock

LOOK_BACK = 60.0
"""[s] How far back births and deaths are counted: a measure must not depend on how often it is taken."""


@dataclass(frozen=True, eq=False)
class Lives:
    """Births and deaths in a flock in the last minute, or since its beginning if that is less.

    Attributes:
        span: How long that is [s].
        births: How many were born.
        deaths: How many died, by cause.
        parents: Ids of the parents of those born, one entry for each parent of each.
    """

    span: float
    births: int = 0
    deaths: Mapping[str, int] = field(default_factory=dict)
    parents: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))

    def a_minute(self, count: float) -> float:
        """A number of events as a rate [1/min]; NaN where no time has passed."""
        return 60.0 * count / self.span if self.span > 0.0 else math.nan


def births(flock: Flock) -> float:
    """Count births in the last minute [1/min]."""
    return math.nan if flock.lives is None else flock.lives.a_minute(flock.lives.births)


def deaths(flock: Flock) -> float:
    """Count deaths in the last minute [1/min]."""
    return math.nan if flock.lives is None else flock.lives.a_minute(sum(flock.lives.deaths.values()))


def deaths_by(cause: str) -> Callable[[Flock], float]:
    """The measure that counts deaths from one cause [1/min]."""

    def measure(flock: Flock) -> float:
        return math.nan if flock.lives is None else flock.lives.a_minute(flock.lives.deaths.get(cause, 0))

    return measure
