"""The documents' own names of values lead to paths: in messages, in the schema that the page searches, in the docs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import murmura as mm
from murmura.cli.options import chosen_scenario
from murmura.core.errors import ScenarioError
from murmura.scenario import value_paths
from murmura.scenario.document_names import NAMES

MODEL = Path(__file__).parents[2] / "docs" / "model.md"


def known_paths() -> set[str]:
    """Every path of a scenario, with N for the number of a hunter."""
    scenario = mm.load_scenario("murmuration-hawk")
    (hunter,) = scenario.rules.predators.hunters
    return {path for path, _ in value_paths(scenario)} | {
        f"rules.predators.hunters.N.{name}" for name, _ in hunter
    }


# S2-39…S2-58
def test_every_name_leads_to_a_value() -> None:
    assert {path for path, _ in NAMES.values()} <= known_paths()
    defaults = dict(value_paths(mm.load_scenario("starlings")))
    printed = {
        "birdCount": 2000, "particleSize": 1.0, "maxSpeed": 15, "maxForce": 0.5, "perceptionRadius": 50,
        "separationRadius": 25, "alignmentWeight": 1.0, "cohesionWeight": 1.0, "separationWeight": 1.5,
        "fieldOfView": 270, "boundaryMargin": 100, "boundaryForce": 0.8, "simulationSpeed": 1.0,
        "noiseStrength": 0.05, "wanderStrength": 0.1, "energyEnabled": False, "energyDecayRate": 0.02,
        "minEnergySpeed": 0.3, "foodEnergyRestore": 0.3,
    }  # fmt: skip
    assert {name: defaults[NAMES[name][0]] for name in printed} == printed


@pytest.mark.parametrize("name", NAMES)
def test_setting_a_documents_name_is_answered_with_the_path(name: str) -> None:
    path = NAMES[name][0]
    for written in (name, name.lower(), f"rules.{name}"):
        with pytest.raises(ScenarioError, match=f"here it is called '{re.escape(path)}'"):
            mm.load_scenario("starlings").with_values({written: 1})


def test_the_command_line_answers_too() -> None:
    with pytest.raises(ScenarioError, match=r"'maxSpeed': here it is called 'motion\.max_speed'"):
        chosen_scenario("starlings", None, ["maxSpeed=20"], None)


def test_the_schema_has_the_names_for_the_page() -> None:
    found = mm.Scenario.model_json_schema()["names"]
    assert found["rules.separation.radius"] == ["separationRadius", "d_min"]
    assert {name: path for path, names in found.items() for name in names} == {
        name: path for name, (path, _) in NAMES.items()
    }


def test_the_table_of_the_docs_has_them_all() -> None:
    text = MODEL.read_text(encoding="utf-8")
    table = text.split("## The documents' parameters by path")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (\w+) \| `([^`]+)` \| (S\d-\d+) \|$", table, re.M)
    assert {name: (path, statement) for name, path, statement in rows} == NAMES and len(rows) == len(NAMES)
