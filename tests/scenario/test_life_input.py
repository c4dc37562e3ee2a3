"""Inconsistent settings of food, courtship and young are refused with a message that says what to do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import murmura as mm
from murmura.core.errors import ScenarioError

FEEDING = {"rules.energy.enabled": True, "rules.feeding.enabled": True}
MATING = {"rules.mating.enabled": True, "rules.mating_cooldown.enabled": True, "perception.radius": 80.0}


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (FEEDING | {"rules.feeding.count": 0}, ["rules.feeding", "need food", "count = 0"]),
        (FEEDING | {"rules.energy.enabled": False}, ["rules.feeding", "rules.energy.enabled = true"]),
        (
            {"rules.starvation.enabled": True, "rules.energy.enabled": False},
            ["rules.starvation", "rules.energy.enabled = true"],
        ),
        (
            FEEDING | {"rules.feeding.sources": [{"x": 5000.0, "y": 10.0}]},
            ["rules.feeding.sources.0", "(5000, 10)", "outside the world", "move it inside"],
        ),
        (FEEDING | {"rules.feeding.margin": 500.0}, ["rules.feeding.margin", "less than 500", "got 500"]),
        (
            FEEDING | {"rules.feeding.landing_radius": 60.0},
            ["landing_radius", "rules.feeding.gather_radius (50)", "60"],
        ),
        (
            FEEDING | {"rules.feeding.gather_from": 3.0},
            ["gather_from", "rules.feeding.lost_from (2)", "got 3"],
        ),
        (FEEDING | {"rules.feeding.hungry_below": 0.95}, ["hungry_below", "rules.feeding.sated_above (0.9)"]),
        (FEEDING | {"rules.feeding.capacity": 0}, ["rules.feeding.capacity", "1"]),
        (
            MATING | {"rules.mating.fight_radius": 90.0, "perception.occlusion": True},
            ["fight_radius", "perception.radius (80 [u])", "perception.occlusion", "got 90"],
        ),
        (
            MATING | {"rules.mating.mating_distance": 90.0},
            ["mating_distance", "courting_distance (30)", "got 90"],
        ),
        (
            MATING | {"rules.mating.courting_distance": 81.0},
            ["courting_distance", "search_radius (80)", "got 81"],
        ),
        (MATING | {"perception.nearest": 7}, ["rules.mating", "perception.nearest = 7", "leave"]),
        (MATING | {"rules.mating_cooldown.enabled": False}, ["rules.mating_cooldown.enabled = true"]),
        (
            {"rules.breeding.enabled": True, "rules.mating.enabled": False},
            ["rules.breeding", "rules.mating.enabled = true"],
        ),
        (
            MATING | {"rules.breeding.enabled": True, "rules.breeding.most": 500},
            ["most", "agents (2,000)", "500"],
        ),
        (
            MATING | {"agents": 17_000_000, "world.width": 1e6, "world.height": 1e6},
            ["rules.mating", "16,777,216", "17,000,000"],
        ),
    ],
)
def test_a_message_says_what_to_do(values: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(ScenarioError) as error:
        mm.load_scenario("starlings").with_values(values)
    for word in words:
        assert word in str(error.value)


def test_the_same_values_are_fine_while_the_rules_are_off() -> None:
    mm.load_scenario("starlings").with_values(
        {
            "rules.feeding.count": 0, "rules.feeding.enabled": False,
            "rules.mating.mating_distance": 90.0, "rules.mating.enabled": False,
        }
    )  # fmt: skip


def test_species_share_the_food() -> None:
    scenario = mm.load_scenario("courtship")
    kinds = [kind.model_dump(mode="json") for kind in scenario.species]
    kinds[0]["values"] = {"rules.feeding.capacity": 3}
    with pytest.raises(ScenarioError, match=r"may differ between species, got 'rules\.feeding\.capacity'"):
        mm.Scenario.from_data(scenario.model_dump(mode="json") | {"species": kinds})
    kinds[0]["values"] = {"rules.feeding.hungry_below": 0.3}
    mm.Scenario.from_data(scenario.model_dump(mode="json") | {"species": kinds})


def test_ids_that_single_precision_cannot_hold_are_refused() -> None:
    scenario = mm.load_scenario("starlings").with_values(MATING)
    for largest, fine in ((2**24 - 1, True), (2**24, False)):
        start = {"positions": [[100.0, 100.0]], "velocities": [[1.0, 0.0]], "ids": np.array([largest])}
        if fine:
            mm.Simulation(scenario, backend="reference", **start)
        else:
            with pytest.raises(ScenarioError, match="ids up to 16,777,216, got agents up to 16,777,216"):
                mm.Simulation(scenario, backend="reference", **start)
