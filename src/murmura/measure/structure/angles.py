"""Where an agent sees the one nearest to it, relative to its own heading."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from murmura.measure.flock import Flock, lengths_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


def egocentric_angle(flock: Flock) -> float:
    """Average the angle between headings and the directions to nearest neighbours [deg]: 90 without preference."""
    angles = egocentric_angles(flock)
    return float(np.abs(angles).mean()) if len(angles) else math.nan


def egocentric_angles(flock: Flock) -> NDArray[np.float64]:
    """The angle from the heading to the nearest neighbour [deg], for agents that move and share their place with none.

    In the plane -180 to 180, above 0 to the right, as on the page, where y grows downwards; in space 0 to 180.
    """
    if flock.agent_count < 2:
        return np.empty(0)
    _, near = flock.tree.query(flock.positions, k=2)
    # Where two share one place, an agent may find itself second.
    other = np.where(near[:, 1] == np.arange(flock.agent_count), near[:, 0], near[:, 1])
    away = flock.shortest(flock.positions[other] - flock.positions)
    known = flock.is_moving & (lengths_of(away) > 0.0)
    away, headings = away[known], flock.headings[known]
    ahead = np.einsum("ij,ij->i", away, headings)
    if flock.dimension == 2:
        aside = away[:, 1] * headings[:, 0] - away[:, 0] * headings[:, 1]
    else:
        aside = lengths_of(np.cross(headings, away))
    return np.asarray(np.degrees(np.arctan2(aside, ahead)))
