"""Our measures."""

import numpy as np

from murmura.measure import Flock, register_measure


@register_measure("drift", unit="u/s", meaning="The speed of the whole flock.")
def drift(flock: Flock) -> float:
    return float(np.linalg.norm(flock.velocities.mean(axis=0))) if flock.agent_count else float("nan")
