"""Counts of a population: by species, by activity, and how many are paired, fighting or feeding.

Pure functions of plain columns, so that another thread can count while the flock is stepped.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.compute.plan import own_columns
from murmura.core.state import FeedingState, Gender, MatingState
from murmura.engine.census import hunting_species
from murmura.scenario import Scenario
from murmura.view.session.observing.eyesight import EYES, mean_sights
from murmura.view.session.source import ShownFlock
from murmura.view.wire.frames import stances_of

TRAITS = ("energy", "age", "health")
"""Columns whose means a page receives, for all agents and for each species."""
Columns = dict[str, NDArray[Any]]


def counted_columns(scenario: Scenario) -> tuple[str, ...]:
    """The columns that a count needs; none if all agents are alike and have no states."""
    rules = scenario.rules
    names = ["species_id"] if len(scenario.species) > 1 else []
    if rules.mating.enabled or rules.reproduction.enabled:
        names.append("gender")
    if rules.mating.enabled:
        names.append("mating_state")
    if rules.feeding.enabled:
        names.append("feeding_state")
    if "stance" in own_columns(scenario):
        names.append("stance")
    return (*names, *(EYES if rules.genome.enabled else ()))


def copied_columns(simulation: ShownFlock) -> Columns:
    """Copies of the current columns."""
    names = counted_columns(simulation.scenario)
    return {name: np.array(simulation.state[name]) for name in names}


def count_population(scenario: Scenario, columns: Columns) -> dict[str, Any]:
    """The counts that a page shows; those that do not apply to the scenario are absent."""
    found: dict[str, Any] = {}
    if "species_id" in columns:
        counts = np.bincount(columns["species_id"], minlength=len(scenario.species))
        found["species"] = dict(zip(scenario.species_names(), counts.tolist(), strict=False))
        hunters = int(counts[hunting_species(scenario)].sum())
        if hunting_species(scenario):
            found |= {"hunters": hunters, "prey": int(counts.sum()) - hunters}
    if "stance" in columns:
        names = stances_of(scenario)
        counts = np.bincount(columns["stance"].astype(int), minlength=len(names))
        found["stances"] = dict(zip(names, counts.tolist(), strict=False))
    if "gender" in columns:
        males = int(np.count_nonzero(columns["gender"] == Gender.MALE))
        found |= {"males": males, "females": len(columns["gender"]) - males}
    if all(name in columns for name in EYES):
        found["sights"] = mean_sights(scenario, columns)
    return found | _busy(columns)


def _busy(columns: Columns) -> dict[str, int]:
    """Counts of pairs and fights; each has two members."""
    found = {}
    if "mating_state" in columns:
        state = columns["mating_state"]
        courting = np.isin(state, (MatingState.COURTING, MatingState.MATING))
        found["pairs"] = int(np.count_nonzero(courting)) // 2
        found["fights"] = (int(np.count_nonzero(state == MatingState.FIGHTING)) + 1) // 2
    if "feeding_state" in columns:
        found["feeding"] = int(np.count_nonzero(columns["feeding_state"] == FeedingState.FEEDING))
    return found
