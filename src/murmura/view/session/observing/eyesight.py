"""The actual sight of animals: a genome may give each its own range, whatever the perception radius of its species."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np

from murmura.rules.evolution.phenotype import vision_range
from murmura.scenario import Scenario

EYES = ("gene_vision", "part_eye", "part_antenna")
"""The columns that determine it."""
ASKED = 40
"""Number of members that are sampled for the mean of a species."""


def sight(kind: Scenario, own: Mapping[str, Any]) -> float:
    """The range of an animal's sight [u], given the scenario of its species and its columns."""
    genome, radius = kind.rules.genome, kind.perception.radius
    if not genome.enabled or any(name not in own for name in EYES):
        return float(radius)
    numbers = {**genome.model_dump(), "reach": radius}
    me: Any = SimpleNamespace(**{name: float(own[name]) for name in EYES})
    p: Any = SimpleNamespace(**numbers)
    return float(vision_range(p, me))


def mean_sights(scenario: Scenario, columns: Mapping[str, Any]) -> list[float]:
    """The mean range of sight of each species [u]; for an empty one, that of its scenario."""
    found = []
    for number in range(max(1, len(scenario.species))):
        kind = scenario.of_species(number)
        members = np.flatnonzero(columns["species_id"] == number) if "species_id" in columns else None
        some = slice(ASKED) if members is None else members[:: max(1, len(members) // ASKED)]
        rows = zip(*(columns[name][some].tolist() for name in EYES), strict=True)
        sights = [sight(kind, dict(zip(EYES, row, strict=True))) for row in rows]
        found.append(float(np.mean(sights)) if sights else float(kind.perception.radius))
    return found
