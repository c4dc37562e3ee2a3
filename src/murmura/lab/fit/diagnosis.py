"""What a user must know to trust a posterior: how far it was contracted, how many runs carry it, if it was done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.lab.fit.summaries import MAPS
from murmura.lab.sweeps.axes import Axis

Numbers = NDArray[np.float64]
STILL_FALLING = 0.05
"""A tolerance that fell by more than this share in the last generation had not reached its end."""
FEW = 30.0
"""With an effective sample size below this, the ends of an interval rest on one or two runs."""
CONSTANT = 1e-5
"""Observations that vary by less than this share are constant."""


def share_of(axis: Axis, value: float) -> float:
    """Where a value lies in its range: 0 at its lower end, 1 at its upper one, uniform under the prior."""
    if axis.log:
        return float(np.log(value / axis.low) / np.log(axis.high / axis.low))
    if axis.whole:
        return (value - axis.low + 0.5) / (axis.high - axis.low + 1.0)
    return (value - axis.low) / (axis.high - axis.low)


def effective_size(weights: Numbers) -> float:
    """The number of runs of equal weight that would be as good (Kish)."""
    return float(weights.sum() ** 2 / (weights**2).sum()) if len(weights) else 0.0


def contraction(axis: Axis, values: Numbers, weights: Numbers) -> float:
    """How much of the prior's variance is gone: 0 if the data say nothing, 1 if they determine the number."""
    shares = np.array([share_of(axis, float(value)) for value in values])
    middle = np.average(shares, weights=weights)
    variance = float(np.average((shares - middle) ** 2, weights=weights))
    return 1.0 - variance / (1.0 / 12.0)


def warnings_of(generations: Sequence[Mapping[str, Any]], asked: int) -> list[str]:
    """What is amiss with the end of a fit, in sentences."""
    found = []
    if len(generations) > 1 and len(generations) == asked:
        before, last = (float(one["epsilon"]) for one in generations[-2:])
        if last < (1.0 - STILL_FALLING) * before:
            found.append(
                f"the accepted distance was still falling when the fit stopped ({before:.3g}, then {last:.3g}): the "
                f"intervals are wider than they must be; ask for more than {asked} --generations"
            )
    size = float(generations[-1]["effective_size"])
    if size < FEW:
        found.append(
            f"the posterior rests on {size:.0f} effective runs: the ends of its intervals are rough; raise --population"
        )
    return found


def constants(observed: Mapping[str, Numbers]) -> list[str]:
    """Measures that never change in the data, in sentences."""
    found = []
    for name, values in observed.items():
        known = values[np.isfinite(values)]
        if name in MAPS or len(known) < 2:
            continue
        middle = float(np.median(known))
        if np.ptp(known) <= CONSTANT * max(abs(middle), 1e-12):
            hint = " (such as motion.speed, if the speed is constant)" if name == "speeds" else ""
            found.append(
                f"{name} are {middle:.6g} throughout the data, which fixes a number that gives them alone{hint}: set "
                "it with --set, and leave it out of --vary"
            )
    return found
