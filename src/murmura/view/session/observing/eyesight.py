"""How far animals really see: a genome may give each its own sight, whatever its species' perception radius."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np

from murmura.rules.evolution.phenotype import vision_range
from murmura.scenario import Scenario

EYES = ("gene_vision", "part_eye", "part_antenna")
"""The columns that decide about it."""
ASKED = 40
"""So many of a species are asked for its mean."""


def sight(kind: Scenario, own: Mapping[str, Any]) -> float:
    """How far one sees [u], given its species' scenario and its columns."""
    genome, radius = kind.rules.genome, kind.perception.radius
    if not genome.enabled or any(name not in own for name in EYES):
        return float(radius)
    numbers = {**genome.model_dump(), "reach": radius}
    me = SimpleNamespace(**{name: float(own[name]) for name in EYES})
    return float(vision_range(SimpleNamespace(**numbers), me))


def mean_sights(scenario: Scenario, columns: Mapping[str, Any]) -> list[float]:
    """How far the members of each species see on average [u]; of an empty one, as its scenario says."""
    found = []
    for number in range(max(1, len(scenario.species))):
        kind = scenario.of_species(number)
        members = np.flatnonzero(columns["species_id"] == number) if "species_id" in columns else None
        some = slice(ASKED) if members is None else members[:: max(1, len(members) // ASKED)]
        rows = zip(*(columns[name][some].tolist() for name in EYES), strict=True)
        sights = [sight(kind, dict(zip(EYES, row, strict=True))) for row in rows]
        found.append(float(np.mean(sights)) if sights else float(kind.perception.radius))
    return found
