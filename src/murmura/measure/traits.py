"""What a population is made of: distributions of traits, selection on them, and how much agents differ.

A trait is any column of the agents. Its measures are named after it: `gene_speed_mean`, `energy_q95`; with `@` and the
name of a species they cover that species alone: `gene_speed_mean@predator`. So there is no list of them;
`trait_measure` reads the name.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from murmura.measure.flock import Flock

GENE, PART = "gene_", "part_"
"""How columns of genes and of body parts begin."""
GENE_SPANS = {"gene_size": 2.5}
"""The range of a gene where it is not 1; differences are measured in units of it."""
STATISTICS: dict[str, Callable[[NDArray[np.float64]], float]] = {
    "mean": lambda values: float(values.mean()),
    "sd": lambda values: float(values.std()),
    "min": lambda values: float(values.min()),
    "q05": lambda values: float(np.quantile(values, 0.05)),
    "q25": lambda values: float(np.quantile(values, 0.25)),
    "median": lambda values: float(np.median(values)),
    "q75": lambda values: float(np.quantile(values, 0.75)),
    "q95": lambda values: float(np.quantile(values, 0.95)),
    "max": lambda values: float(values.max()),
}
COLOR = "gene_hue"
"""Angles on a circle: their mean and differences say nothing about a population."""
SELECTION = "selection"
POPULATION = "population"


def genes_among(columns: Iterable[str]) -> list[str]:
    """The columns that are genes; the colour is left out."""
    return [name for name in columns if name.startswith(GENE) and name != COLOR]


def trait_measure(
    name: str, columns: tuple[str, ...], kinds: tuple[str, ...]
) -> Callable[[Flock], float] | None:
    """The measure of this name, given the columns and species of a flock; None if it is not a measure of a trait."""
    whole, at, kind = name.partition("@")
    if at and kind not in kinds:
        return None
    if whole == POPULATION and at:
        return lambda flock: float(_chosen(flock, kind).sum()) if flock.species is not None else math.nan
    column, _, word = whole.rpartition("_")
    if column not in columns:
        return None
    if word == SELECTION:
        return lambda flock: _selection(flock, column, kind)
    if word in STATISTICS:
        return lambda flock: _statistic(flock, column, kind, STATISTICS[word])
    return None


def _statistic(
    flock: Flock, column: str, kind: str, statistic: Callable[[NDArray[np.float64]], float]
) -> float:
    values = flock.columns.get(column)
    if values is None:
        return math.nan
    values = values[_chosen(flock, kind)]
    return statistic(values) if len(values) else math.nan


def _chosen(flock: Flock, kind: str) -> NDArray[np.bool_]:
    if not kind or flock.species is None:
        return np.ones(flock.agent_count, bool)
    return np.asarray(flock.species == flock.species_names.index(kind))


def _selection(flock: Flock, column: str, kind: str) -> float:
    values = flock.columns.get(column)
    if values is None or flock.lives is None or flock.ids is None:
        return math.nan
    chosen = _chosen(flock, kind)
    return selection_differential(flock.ids[chosen], values[chosen], flock.lives.parents)


def selection_differential(ids: ArrayLike, values: ArrayLike, parents: ArrayLike) -> float:
    """Measure how far breeding agents differ from all in a trait (Lush 1937; weighted by offspring, Falconer 1960).

        S = sum over agents i of w_i z_i / sum of w_i  -  mean of all z_i

    where w_i is how often agent i is among the parents. Between two instants: `ids` and `values` of the first, and the
    parents of all born until the second. Parents that are not alive at the first instant do not count.

    Args:
        ids: Living agents, shape (n,).
        values: Their trait z, shape (n,).
        parents: Ids of parents, one entry for each parent of each young.

    Returns:
        S in the unit of the trait; NaN without agents or without parents among them.
    """
    names, traits = np.asarray(ids), np.asarray(values, np.float64)
    order = np.argsort(names)
    given = np.asarray(parents)
    if not len(names):
        return math.nan
    places = np.minimum(np.searchsorted(names[order], given), len(names) - 1)
    places = places[names[order][places] == given]
    if not len(places):
        return math.nan
    return float(traits[order][places].mean() - traits.mean())


def gene_diversity(flock: Flock) -> float:
    """Take the root mean square genetic distance of two agents of one species.

        D = sqrt(mean over pairs i < j of one species of  mean over genes g of ((z_gi - z_gj) / span_g)^2)

    The mean square distance of pairs of n values is twice their variance with divisor n - 1, so no pairs are needed.
    """
    genes = genes_among(flock.columns)
    if not genes:
        return math.nan
    kinds = np.zeros(flock.agent_count, int) if flock.species is None else flock.species
    total = weight = 0.0
    for kind in np.unique(kinds):
        members = kinds == kind
        n = int(members.sum())
        if n < 2:
            continue
        squares = [2.0 * (flock.columns[g][members] / GENE_SPANS.get(g, 1.0)).var(ddof=1) for g in genes]
        total += n * (n - 1) * float(np.mean(squares))
        weight += n * (n - 1)
    return math.sqrt(total / weight) if weight else math.nan


def part_heterozygosity(flock: Flock) -> float:
    """Estimate the probability that two agents differ in the number of a body part, averaged over parts (Nei 1978).

        H = mean over parts of  n / (n - 1) * (1 - sum over counts k of p_k^2)

    where p_k is the share of agents that have k of the part.
    """
    parts = [name for name in flock.columns if name.startswith(PART)]
    n = flock.agent_count
    if not parts or n < 2:
        return math.nan
    found = []
    for part in parts:
        _, counts = np.unique(flock.columns[part], return_counts=True)
        found.append(n / (n - 1) * (1.0 - float(((counts / n) ** 2).sum())))
    return float(np.mean(found))
