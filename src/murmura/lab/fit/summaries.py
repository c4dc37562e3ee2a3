"""What a fit compares: summaries of a flock's motion in a few numbers per measure, and the distance between two.

A measure of the catalogue becomes the distribution of its values over the instants; the measures in the plural (speeds,
nearest_neighbor_distances, turning_rates) become the distribution over all agents and instants. Both are stored as
quantiles, maps bin by bin. Animals and simulations are summarised by the same code.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.core.errors import ScenarioError, nearest
from murmura.lab.observations import Triple
from murmura.measure import (
    MEASURES,
    alignment_by_distance,
    measure_flock,
    neighbor_map,
    response_map,
    turning_rates,
)

Values = NDArray[np.float64]
SHARES = (np.arange(32) + 0.5) / 32.0
"""The probabilities of the stored quantiles."""
MAP_BINS, CURVE_BINS = 10, 12
FAR = 1e6
"""The distance if there is nothing to compare: a failed run, or a measure that is never defined."""
LEAST_COMMON = 0.25
"""Least share of bins that must be known in both maps for a comparison."""


@dataclass(frozen=True)
class Scope:
    """The settings common to all summaries of a fit.

    Attributes:
        measures: Names of what is compared.
        interval: Time between an instant and the moments before and after it [s].
        reach: Range of maps [u].
        radius: Greatest distance of neighbours in measures of the catalogue [u].
    """

    measures: tuple[str, ...]
    interval: float
    reach: float
    radius: float

    @property
    def looks_ahead(self) -> bool:
        """Whether any measure needs the moment after an instant."""
        return "response_map" in self.measures


def _speeds(triples: Sequence[Triple], scope: Scope) -> Values:
    return np.concatenate([now.speeds for _, now, _ in triples])


def _nearest(triples: Sequence[Triple], scope: Scope) -> Values:
    found = [now.tree.query(now.positions, k=2)[0][:, 1] for _, now, _ in triples if now.agent_count > 1]
    return np.concatenate(found) if found else np.zeros(0)


def _turning(triples: Sequence[Triple], scope: Scope) -> Values:
    return np.asarray(np.abs(np.concatenate([turning_rates(now) for _, now, _ in triples])))


def _density(triples: Sequence[Triple], scope: Scope) -> Values:
    return neighbor_map((now for _, now, _ in triples), scope.reach, MAP_BINS).density


def _response(triples: Sequence[Triple], scope: Scope) -> Values:
    """Both maps: means over all triples, weighted by the number of visits to each bin."""
    counts, turning, speeding = (np.zeros((MAP_BINS, MAP_BINS)) for _ in range(3))
    for triple in triples:
        found = response_map(triple, scope.interval, scope.reach, MAP_BINS)
        counts += found.counts
        turning += np.nan_to_num(found.turning) * found.counts
        speeding += np.nan_to_num(found.speeding) * found.counts
    known = np.where(counts > 0, counts, math.nan)
    return np.concatenate([turning / known, speeding / known])


def _alignment(triples: Sequence[Triple], scope: Scope) -> Values:
    return alignment_by_distance((now for _, now, _ in triples), scope.reach, CURVE_BINS)[1]


DISTRIBUTIONS: dict[str, Callable[[Sequence[Triple], Scope], Values]] = {
    "speeds": _speeds,
    "nearest_neighbor_distances": _nearest,
    "turning_rates": _turning,
}
MAPS: dict[str, Callable[[Sequence[Triple], Scope], Values]] = {
    "neighbor_map": _density,
    "response_map": _response,
    "alignment_curve": _alignment,
}


def check_names(names: Iterable[str]) -> tuple[str, ...]:
    """The names of the measures to compare, without duplicates."""
    known = [*DISTRIBUTIONS, *MAPS, *(name for name, measure in MEASURES.items() if measure.of == "any")]
    chosen = tuple(dict.fromkeys(names))
    if not chosen:
        raise ScenarioError(f"say what to compare: --measure with one or more of {', '.join(known)}")
    for name in chosen:
        if name not in known:
            raise ScenarioError(
                f"a fit cannot compare {name!r}{nearest(name, known)}; it can {', '.join(known)}"
            )
    return chosen


def summarize(triples: Sequence[Triple], scope: Scope) -> dict[str, Values | None]:
    """The summary of a flock's motion, by measure; None if a measure is undefined."""
    found: dict[str, Values | None] = {}
    listed = [name for name in scope.measures if name in MEASURES]
    rows = [measure_flock(now, listed) for _, now, _ in triples]
    for name in scope.measures:
        if name in MAPS:
            values = MAPS[name](triples, scope)
            found[name] = values.reshape(-1) if np.isfinite(values).any() else None
        elif name in DISTRIBUTIONS:
            found[name] = _quantiles(DISTRIBUTIONS[name](triples, scope))
        else:
            found[name] = _quantiles(np.array([row[name] for row in rows]))
    return found


def _quantiles(values: Values) -> Values | None:
    known = values[np.isfinite(values)]
    return np.quantile(known, SHARES) if len(known) else None


def summary_size(name: str) -> int:
    """The number of values in a summary."""
    return {"neighbor_map": MAP_BINS**2, "response_map": 2 * MAP_BINS**2, "alignment_curve": CURVE_BINS}.get(
        name, len(SHARES)
    )


def wasserstein(one: Values, other: Values) -> float:
    """The area between two distribution functions, from their quantiles."""
    return float(np.abs(one - other).mean())


def energy(one: Values, other: Values) -> float:
    """The energy distance of two distributions (Székely & Rizzo 2013), from their quantiles."""
    from scipy.stats import energy_distance

    return float(energy_distance(one, other))


def between_maps(one: Values, other: Values) -> float:
    """The root mean square difference over the bins that are known in both."""
    known = np.isfinite(one) & np.isfinite(other)
    if known.mean() < LEAST_COMMON:
        return FAR
    return float(np.sqrt(((one - other)[known] ** 2).mean()))


METRICS = {"wasserstein": wasserstein, "energy": energy}


def distance_of(name: str, metric: str) -> Callable[[Any, Any], float]:
    """The distance between two summaries of a measure."""
    compare = between_maps if name in MAPS else METRICS[metric]

    def measure(one: Any, other: Any) -> float:
        if one is None or other is None:
            return FAR
        a, b = (np.asarray(values, np.float64) for values in (one, other))
        if not np.isfinite(a).any() or not np.isfinite(b).any():
            return FAR
        return min(compare(a, b), FAR)

    return measure
