"""Validation of many species takes one check each, not one per pair."""

from __future__ import annotations

from typing import Any

import pytest

import murmura as mm
from murmura.compute.plan import Plan
from murmura.core.errors import ScenarioError
from murmura.scenario import consistency
from murmura.scenario.models import MOST_SPECIES


def with_species(count: int) -> dict[str, Any]:
    data = mm.load_scenario("classic").model_dump(mode="json")
    data["species"] = [
        {"name": f"s{k}", "values": {"motion.max_speed": 2.0 + 0.01 * k}} for k in range(count)
    ]
    return data


def test_a_scenario_is_checked_once_for_each_species(monkeypatch: pytest.MonkeyPatch) -> None:
    data, checks = with_species(40), []
    plain = consistency.problems_of
    monkeypatch.setattr(consistency, "problems_of", lambda *given: checks.append(given) or plain(*given))
    scenario = mm.Scenario.from_data(data)
    plan = Plan(scenario)
    assert len(checks) == 41
    assert plan.species_count == 40
    assert scenario.of_species(7).motion.max_speed == pytest.approx(2.07)


def test_an_error_names_the_species() -> None:
    data = with_species(3)
    data["species"][1]["values"] = {"motion.max_speed": -1.0}
    with pytest.raises(ScenarioError, match=r"species\.1 \(s1\).*motion\.max_speed"):
        mm.Scenario.from_data(data)


def test_the_number_of_species_has_a_limit() -> None:
    with pytest.raises(ScenarioError, match=f"species.*{MOST_SPECIES}"):
        mm.Scenario.from_data(with_species(MOST_SPECIES + 1))
