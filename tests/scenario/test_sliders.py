"""Ranges of sliders follow the scenario."""

from __future__ import annotations

from typing import Any

import pytest

import murmura as mm
from murmura.cli.options import chosen_scenario
from murmura.scenario.about import about
from murmura.scenario.sliders import schema_for


def slider(schema: dict[str, Any], owner: str, name: str) -> tuple[float, float]:
    low, high = schema["$defs"][owner]["properties"][name]["slider"]
    return low, high


# S4-40, S4-66, S4-68: the ranges that document 004 gives are a good part of each slider
@pytest.mark.parametrize(
    ("owner", "name", "low", "high", "share"),
    [
        ("Perception", "radius", 6.0, 10.0, 0.2),
        ("Separation", "radius", 2.0, 3.0, 0.12),
        ("Motion", "max_force", 0.05, 0.2, 0.3),
    ],
)
def test_the_roadmaps_documented_ranges_are_wide(
    owner: str, name: str, low: float, high: float, share: float
) -> None:
    bottom, top = slider(schema_for(mm.load_scenario("roadmap")), owner, name)
    assert bottom < low < high < top
    assert (high - low) / (top - bottom) >= share


@pytest.mark.parametrize("name", ["roadmap", "starlings", "couzin-space"])
@pytest.mark.parametrize("owner", ["Seek", "FleePoint", "Attractor", "Threat"])
def test_coordinates_span_the_world(name: str, owner: str) -> None:
    scenario = mm.load_scenario(name)
    schema, world = schema_for(scenario), scenario.world
    assert slider(schema, owner, "x") == (0.0, world.width)
    assert slider(schema, owner, "y") == (0.0, world.height)
    properties = schema["$defs"][owner]["properties"]
    assert "z" not in properties or properties["z"]["slider"] == [0.0, world.depth or 1000.0]


def test_in_a_world_of_the_usual_size_lengths_keep_their_ranges() -> None:
    scenario = mm.Scenario()
    declared, found = mm.Scenario.model_json_schema(), schema_for(scenario)
    changed = {
        (owner, name)
        for owner, definition in declared["$defs"].items()
        for name, field in definition.get("properties", {}).items()
        if field != found["$defs"][owner]["properties"][name]
    }
    assert {name[-1] for _, name in changed} <= {"x", "y"}
    assert declared == mm.Scenario.model_json_schema(), "the declared schema itself is untouched"


@pytest.mark.parametrize("name", mm.scenario_names())
def test_every_range_goes_up(name: str) -> None:
    for owner, definition in schema_for(mm.load_scenario(name))["$defs"].items():
        for field, about_it in definition.get("properties", {}).items():
            low, high = about_it.get("slider", (0, 1))
            assert low < high, (owner, field)


def test_a_description_gives_the_same_range() -> None:
    assert "usually 0.5 to 20" in about(mm.load_scenario("roadmap"), "perception.radius")
    assert "usually 5 to 200" in about(mm.load_scenario("starlings"), "perception.radius")


# S4-40: a number of a rule that cannot act
def test_setting_a_number_of_a_rule_that_cannot_act_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    chosen_scenario("roadmap", None, ["rules.boundary.margin=20"], None)
    assert capsys.readouterr().err == (
        "murmura: rules.boundary.margin does nothing: rules.boundary acts only where world.boundary is soft\n"
    )
    chosen_scenario("roadmap", None, ["rules.boundary.margin=20", "world.boundary=soft"], None)
    chosen_scenario("roadmap", None, ["rules.separation.radius=2"], None)
    assert capsys.readouterr().err == ""


def test_every_built_in_rule_that_may_be_idle_says_where_it_acts() -> None:
    for name in mm.scenario_names():
        for rule, where in mm.load_scenario(name).idle_rules().items():
            assert where.startswith("where "), rule
            assert "takes_part" not in where, rule
