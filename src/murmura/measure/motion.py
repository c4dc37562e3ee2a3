"""How a flock moves: measures of headings and speeds.

Agents that stand still have no heading and are left out where headings count.
"""

from __future__ import annotations

import math

import numpy as np

from murmura.measure.flock import NOISE, Flock, chosen_rows, column_means, unit_vectors


def polarization(flock: Flock) -> float:
    """Measure how far all agree on a direction: 0 not at all, 1 completely (Vicsek et al. 1995)."""
    headings = chosen_rows(flock.headings, flock.is_moving)
    if len(headings) == 0:
        return math.nan
    return min(1.0, math.hypot(*column_means(headings)))


def milling(flock: Flock) -> float:
    """Measure how far all circle the centre the same way: 0 not at all, 1 a perfect mill (Couzin et al. 2002).

    In space, about the axis with the greatest value, which is the length of the mean cross product of direction and
    heading.
    """
    # An agent at the centre has no direction from it; rounding would invent one.
    counts = flock.is_moving & (flock.distances > NOISE * flock.extent)
    if not counts.any():
        return math.nan
    outward, headings = unit_vectors(chosen_rows(flock.offsets, counts)), chosen_rows(flock.headings, counts)
    if flock.dimension == 3:
        return min(1.0, math.hypot(*column_means(np.cross(outward, headings))))
    turns = outward[:, 0] * headings[:, 1] - outward[:, 1] * headings[:, 0]
    return min(1.0, abs(float(turns.mean())))


def mean_speed(flock: Flock) -> float:
    """Average the speeds of all agents [u/s], standing ones included."""
    return float(flock.speeds.mean()) if flock.agent_count else math.nan


def speed_deviation(flock: Flock) -> float:
    """Take the standard deviation of the speeds [u/s], over all agents (divisor n)."""
    return float(flock.speeds.std()) if flock.agent_count else math.nan
