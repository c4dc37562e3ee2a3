"""Who sees whom, from SciPy's periodic k-d tree and the angle between heading and neighbour, in double precision."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial import cKDTree

import murmura as mm

EPS = 2.0**-24


def sight(sim: mm.Simulation) -> tuple[Any, Any]:
    """Which agents (columns) each agent (row) sees, and which agents have a neighbour within rounding of a limit."""
    scenario, state = sim.scenario, sim.state
    n = len(state)
    seen = np.zeros((n, n), bool)
    if n < 2:
        return seen, np.zeros(n, bool)
    lives = [scenario.of_species(k) for k in range(max(1, len(scenario.species)))]
    radius = np.array([life.perception.radius for life in lives])[state["species"]]
    view = np.array([life.perception.field_of_view for life in lives])[state["species"]]
    places, velocities = sim.positions.astype(np.float64), sim.velocities.astype(np.float64)
    size = np.array([scenario.world.width, scenario.world.height])
    wraps = scenario.world.boundary == "wrap"
    # The difference of two positions is rounded; on a torus the image of the other position is rounded too.
    rounding = 4.0 * EPS * float(size.max() if wraps else radius.max())
    tree = cKDTree(places, boxsize=size if wraps else None)
    pairs = tree.query_pairs(float(radius.max()) + 2.0 * rounding, output_type="ndarray")
    me, other = np.concatenate([pairs, pairs[:, ::-1]]).T
    gap = places[other] - places[me]
    if wraps:
        gap -= size * np.round(gap / size)
    distance = np.hypot(*gap.T)
    speed = np.hypot(*velocities[me].T)
    cosine = np.where(
        (distance > 0.0) & (speed > 0.0),
        (gap * velocities[me]).sum(axis=1) / np.maximum(distance * speed, 1e-300),
        1.0,
    )
    least = np.cos(np.radians(view[me] / 2.0))
    # S0-115: agents slower than 0.1 look all around.
    all_around = (view[me] == 360.0) | (speed**2 < 0.01)
    in_view = all_around | (cosine >= least - 1e-9)
    seen[me, other] = (distance <= radius[me]) & in_view
    at_rim = np.abs(distance - radius[me]) <= rounding
    turned = ~all_around & (distance > 0.0)
    at_edge_of_view = turned & (np.abs(cosine - least) <= 3e-6 + rounding / np.maximum(distance, 1e-300))
    slow = np.abs(speed**2 - 0.01) < 1e-6
    doubtful = np.zeros(n, bool)
    doubtful[me[at_rim | at_edge_of_view | slow]] = True
    if scenario.perception.nearest is not None:
        doubtful |= _keep_nearest(seen, me, other, distance, scenario.perception.nearest)
    return seen, doubtful


def _keep_nearest(seen: Any, me: Any, other: Any, distance: Any, count: int) -> Any:
    """Drop all but the nearest; agents with a tie at the limit are doubtful."""
    far = np.full(seen.shape, np.inf)
    far[me, other] = distance
    far[~seen] = np.inf
    order = np.sort(far, axis=1)
    tied = np.zeros(len(seen), bool)
    if count < seen.shape[1]:
        last, next_one = order[:, count - 1], order[:, count]
        cut = np.isfinite(next_one)
        tied[cut] = next_one[cut] - last[cut] <= 1e-5 * last[cut] + 1e-6
        seen &= far <= last[:, None]
    return tied
