"""Adjusts accepted values for the distance that is left (Beaumont, Zhang & Balding 2002).

Runs are accepted within a tolerance, so accepted values are spread wider than the posterior: a run whose summaries are
above those of the animals tends to have other values than one below. How values depend on summaries is estimated from
the accepted runs, by a weighted linear regression, and every value is moved to where its summaries would be the
animals'. Values are moved on the logit scale of their range, so they stay within it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
COMPONENTS = 3
"""How many numbers describe the difference in one measure."""
RUNS_EACH = 6.0
"""Fewer components are used if there are fewer effective runs for each than this."""
WITHIN = (0.05, 0.95)
"""Where the animals must lie among the accepted runs, in each component; beyond, nothing is extrapolated."""
EDGE = 1e-3
"""Shares of a range closer to its ends than this count as this far away."""
PENALTIES = 10.0 ** np.arange(-3.0, 3.5, 0.5)
LEAST_RUNS = 12
"""With fewer accepted runs, nothing is adjusted."""


def adjusted(
    shares: Numbers, weights: Numbers, distances: Numbers, summaries: Sequence[Mapping[str, Numbers]],
    observed: Mapping[str, Numbers],
) -> Numbers:  # fmt: skip
    """Shares of their ranges, as if every run had the summaries of the animals.

    Args:
        shares: Of each accepted run and number, (runs, numbers).
        weights: Of the runs.
        distances: Of the runs from the animals.
        summaries: Of the runs, by measure.
        observed: Of the animals.
    """
    if len(shares) < LEAST_RUNS:
        return shares
    near = weights * np.maximum(1.0 - (distances / (1.01 * distances.max())) ** 2, 0.0)
    near /= near.sum()
    design = _design(summaries, observed, near)
    logits = _logit(shares)
    moved = np.empty_like(logits)
    for k in range(shares.shape[1]):
        moved[:, k] = _at_zero(design, logits[:, k], near)
    found: Numbers = 1.0 / (1.0 + np.exp(-moved))
    return found


def _logit(shares: Numbers) -> Numbers:
    inner = np.clip(shares, EDGE, 1.0 - EDGE)
    found: Numbers = np.log(inner / (1.0 - inner))
    return found


def _design(
    summaries: Sequence[Mapping[str, Numbers]], observed: Mapping[str, Numbers], weights: Numbers
) -> Numbers:
    """How each run differs from the animals: the main components of the difference in each measure."""
    columns = []
    most = _components(weights, len(observed))
    for name, target in observed.items():
        rows = np.nan_to_num(np.array([summary[name] for summary in summaries]) - target)
        centred = rows - weights @ rows
        # Directions in which runs differ from each other; along others nothing can be learnt.
        directions = np.linalg.svd(centred * np.sqrt(weights)[:, None], full_matrices=False)[2][:most]
        found = rows @ directions.T
        spread = np.sqrt(weights @ (found - weights @ found) ** 2)
        columns.append(found[:, spread > 0.0] / spread[spread > 0.0])
    design = np.concatenate(columns, axis=1)
    # No run may be like the animals, if the model is wrong: then the nearest runs are as far as a line may be drawn.
    found = design - np.clip(0.0, *np.quantile(design, WITHIN, axis=0))
    return np.asarray(found)


def _components(weights: Numbers, measures: int) -> int:
    runs = 1.0 / float((weights**2).sum())
    return max(1, min(COMPONENTS, int(runs / (RUNS_EACH * measures))))


def _at_zero(design: Numbers, values: Numbers, weights: Numbers) -> Numbers:
    """The values moved along the regression to a difference of 0.

    What the regression leaves is widened by what its freedom took: otherwise few runs would look surer than they are.
    """
    root = np.sqrt(weights)[:, None]
    middle, centre = weights @ design, float(weights @ values)
    left, sizes, right = np.linalg.svd((design - middle) * root, full_matrices=False)
    target = left.T @ ((values - centre) * root[:, 0])
    runs = 1.0 / float((weights**2).sum())
    total = float(weights @ (values - centre) ** 2)
    best = None
    for penalty in PENALTIES:
        kept = sizes**2 / (sizes**2 + penalty)
        missed = total - float(((2.0 * kept - kept**2) * target**2).sum())
        freedom = 1.0 + float(kept.sum())
        if freedom >= 0.7 * runs:
            continue
        error = missed / (1.0 - freedom / runs) ** 2
        if best is None or error < best[0]:
            best = error, penalty, freedom
    if best is None:
        return values
    slope = right.T @ (sizes / (sizes**2 + best[1]) * target)
    there = centre - float(middle @ slope)
    rest = values - centre - (design - middle) @ slope
    found: Numbers = there + rest * np.sqrt(runs / (runs - best[2]))
    return found
