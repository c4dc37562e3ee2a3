"""How a flock turns: how fast headings change, and how fast a turn propagates."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from murmura.measure.flock import Flock, lengths_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

FIRST_SHARE = 0.05
"""The agents that turn first and so mark where a turn begins, as a share of all (but at least three)."""


def turning_rates(flock: Flock) -> NDArray[np.float64]:
    """Measure how fast each agent's heading changes [deg/s], shape (n,); in the plane positive is counter-clockwise.

    NaN for agents that stood or stand still, and for all if earlier velocities are unknown.
    """
    if flock.before is None:
        return np.full(flock.agent_count, math.nan)
    if flock.dimension == 3:
        across = lengths_of(np.cross(flock.before, flock.velocities))
        angles = np.degrees(np.arctan2(across, (flock.before * flock.velocities).sum(axis=1)))
        moved = flock.is_moving & (lengths_of(flock.before) > 0.0)
        return np.where(moved, angles / flock.elapsed, math.nan)
    (ux, uy), (vx, vy) = flock.before.T, flock.velocities.T
    angles = np.degrees(np.arctan2(ux * vy - uy * vx, ux * vx + uy * vy))
    return np.where(flock.is_moving & ((ux != 0.0) | (uy != 0.0)), angles / flock.elapsed, math.nan)


def turning_rate(flock: Flock) -> float:
    """Average how fast headings change, to either side [deg/s]."""
    rates = np.abs(turning_rates(flock))
    known = rates[np.isfinite(rates)]
    return float(known.mean()) if len(known) else math.nan


def turn_times(velocities: ArrayLike, seconds: float) -> NDArray[np.float64]:
    """Find when each agent was halfway through the flock's turn.

    Args:
        velocities: Shape (frames, n, 2): the same agents in each frame.
        seconds: Time between two frames [s].

    Returns:
        Seconds after the first frame, shape (n,), interpolated between frames; NaN for an agent that never got
        halfway, and for all if the flock as a whole turned by less than a degree.
    """
    frames = _frames("velocities", velocities)
    if not (math.isfinite(seconds) and seconds > 0.0):
        raise ValueError(f"seconds between frames must be a finite number > 0, got {seconds!r}")
    headings = np.unwrap(np.arctan2(frames[..., 1], frames[..., 0]), axis=0)
    turned = headings - headings[0]
    whole = float(turned[-1].mean()) if turned.size else 0.0
    times = np.full(turned.shape[1], math.nan)
    if abs(whole) < math.radians(1.0):
        return times
    share = turned / (0.5 * whole)
    past = share >= 1.0
    agents = np.flatnonzero(past.any(axis=0))
    frame = past[:, agents].argmax(axis=0)
    now, earlier = share[frame, agents], share[frame - 1, agents]
    times[agents] = (frame - 1 + (1.0 - earlier) / (now - earlier)) * seconds
    return times


def information_speed(
    positions: ArrayLike,
    velocities: ArrayLike,
    seconds: float,
    width: float = math.inf,
    height: float = math.inf,
    wraps: bool = False,
) -> float:
    """Measure how fast a turn propagates through a flock [u/s] (after Attanasi et al. 2014).

    The turn begins where the first twentieth of the agents (at least three) begin it; the speed is the slope of
    the line of best fit through (delay, distance from there) of all agents, with positions at the first turn.

    Args:
        positions: Shape (frames, n, 2) [u].
        velocities: Shape (frames, n, 2).
        seconds: Time between two frames [s].
        width: Size of the world along x [u]; needed where the world wraps.
        height: Size of the world along y [u]; likewise.
        wraps: Whether the world is a torus.

    Returns:
        The speed [u/s]; NaN if fewer than four agents turned, infinity if all turned at the same time.
    """
    places = _frames("positions", positions)
    times = turn_times(velocities, seconds)
    if len(places[0]) != len(times):
        raise ValueError(
            f"positions and velocities must show the same agents, got {len(places[0])} and {len(times)}"
        )
    turned = np.flatnonzero(np.isfinite(times))
    if len(turned) < 4:
        return math.nan
    delays = times[turned] - times[turned].min()
    frame = min(len(places) - 1, round(float(times[turned].min()) / seconds))
    here = places[frame, turned]
    first = np.argsort(delays, kind="stable")[: max(3, round(FIRST_SHARE * len(turned)))]
    # A `Flock` of the first ones gives their centre on a torus, and the shortest way from it.
    sides = (width, height) if wraps else (1.0, 1.0)
    starters = Flock(here[first], np.ones((len(first), 2)), sides[0], sides[1], wraps, 1.0)
    away = starters.shortest(here - starters.center)
    distances = np.hypot(away[:, 0], away[:, 1])
    spread = delays - delays.mean()
    variance = float((spread**2).mean())
    if variance <= (1e-9 * seconds) ** 2:
        return math.inf
    return float((spread * (distances - distances.mean())).mean()) / variance


def _frames(name: str, values: ArrayLike) -> NDArray[np.float64]:
    array = np.asarray(values, np.float64)
    if array.ndim != 3 or array.shape[2] != 2 or len(array) < 2:
        raise ValueError(
            f"{name} must have shape (frames, agents, 2) with two frames or more, got {array.shape}"
        )
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite; leave out agents that do not live through all frames")
    return array
