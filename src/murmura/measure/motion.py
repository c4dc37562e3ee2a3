"""How a flock moves: measures of headings and speeds.

Agents that stand still have no heading and are left out where headings count.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from murmura.measure.flock import NOISE, Flock, by_columns, chosen_rows, column_means, unit_vectors

if TYPE_CHECKING:
    from numpy.typing import NDArray


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


def radial_velocity(flock: Flock) -> float:
    """Average how fast agents move away from the centre [u/s], relative to the flock: below 0 as it contracts."""
    _, radial, _ = velocities_about_center(flock)
    return float(radial.mean()) if len(radial) else math.nan


def tangential_velocity(flock: Flock) -> float:
    """Average how fast agents circle the centre [u/s], in the direction in which the flock rotates."""
    _, _, tangential = velocities_about_center(flock)
    return float(tangential.mean()) if len(tangential) else math.nan


def velocities_about_center(
    flock: Flock,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Distance from the centre [u], and velocity [u/s] away from it and around it, of agents off the centre.

    Velocities are relative to the mean velocity. The axis of rotation, or in the plane its sign, is that for which
    the mean velocity around the centre is greatest.
    """
    known = flock.distances > NOISE * flock.extent
    outward = unit_vectors(chosen_rows(flock.offsets, known))
    if not len(outward):
        return np.empty(0), np.empty(0), np.empty(0)
    relative = by_columns(np.subtract, flock.velocities, column_means(flock.velocities))
    relative = chosen_rows(relative, known)
    radial = np.einsum("ij,ij->i", outward, relative)
    if flock.dimension == 2:
        turns = outward[:, 0] * relative[:, 1] - outward[:, 1] * relative[:, 0]
        around = turns if turns.sum() >= 0.0 else -turns
    else:
        turns = np.cross(outward, relative)
        around = turns @ np.nan_to_num(unit_vectors(column_means(turns)[None])[0])
    return flock.distances[known], radial, around
