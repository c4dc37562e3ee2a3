"""Counts a population at given steps from its family tree, for a recorded run and a live flock alike."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from murmura.engine.lineage import Lineage
from murmura.measure.atmosphere import Census
from murmura.scenario import Scenario


def hunting_species(scenario: Scenario) -> list[int]:
    """Numbers of the species that chase another."""
    names = scenario.species_names()
    return [
        number
        for number, species in enumerate(scenario.species)
        if any(species.interaction(other).chase > 0.0 for other in names if other != species.name)
    ]


def censuses(
    tree: Lineage, steps: ArrayLike, window: float, hunters: Sequence[int], energies: ArrayLike
) -> list[Census]:
    """The population at each of some steps, and its births and deaths within the window before [s].

    Args:
        tree: The family tree of the run.
        steps: When to count.
        window: How far back to look [s].
        hunters: Numbers of the predator species; if empty, there is no share of predators.
        energies: Mean energy at each of the steps; NaN where it is unknown.
    """
    now = np.asarray(steps, np.int64)
    back = np.maximum(tree.first, now - round(window / tree.time_step))
    predators = sum((tree.population(now, species) for species in hunters), np.zeros(len(now)))
    columns = (
        now * tree.time_step,
        tree.population(now),
        tree.population(back),
        tree.births(now) - tree.births(back),
        tree.deaths(now) - tree.deaths(back),
        predators if hunters else np.full(len(now), math.nan),
        np.asarray(energies, np.float64),
    )
    return [Census(*row) for row in zip(*(column.tolist() for column in columns), strict=True)]
