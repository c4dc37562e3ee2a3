"""How large the errors of tracking are.

An error in a frame appears twice: the model starts from it, and the frame before is compared with it. So what a model
misses of an animal is anticorrelated from one frame to the next, which measures the error.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from murmura.lab.infer.prediction import Predictor

CLEAR = 1.0
"""An anticorrelation of less than this many standard errors is none. Errors that are overlooked cost more than a
correction that was not needed: that makes intervals wider, the former makes them wrong."""


def tracking_error(predictor: Predictor, missed: NDArray[np.float64]) -> float:
    """The standard deviation of an error of tracking in each component of a velocity; 0 if none is seen."""
    transitions = predictor.recording.transitions
    ids = np.concatenate([t.ids for t in transitions])[predictor.rows]
    frames = np.array([t.frame for t in transitions])[predictor.owners]
    gap = int(np.median(np.diff([t.frame for t in transitions]))) if len(transitions) > 1 else 1
    if gap * len(transitions) == 0 or predictor.recording.every != gap:
        return 0.0  # consecutive predictions do not share a frame
    order = np.lexsort((frames, ids))
    ids, frames, missed = ids[order], frames[order], missed[order]
    following = (ids[1:] == ids[:-1]) & (frames[1:] - frames[:-1] == gap)
    products = (missed[1:] * missed[:-1])[following]
    if len(products) < 10:
        return 0.0
    means, errors = products.mean(axis=0), products.std(axis=0) / np.sqrt(len(products))
    clear = means < -CLEAR * errors
    return float(np.sqrt(-means[clear].mean())) if clear.any() else 0.0
