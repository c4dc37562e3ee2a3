"""Typed edits: what an editor completes and mypy refuses. mypy also checks this file: see pyproject.toml."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import assert_type

import pytest

import murmura as mm
from murmura.core.errors import ScenarioError
from murmura.core.rule import REGISTRY
from murmura.rules import quantity
from murmura.rules.environment.terrain import Circle
from murmura.scenario import Species

CLASSIC = mm.load_scenario("classic")


def test_a_table_changes_what_it_names() -> None:
    edited = CLASSIC.edit(
        agents=50,
        world={"width": 800.0},
        rules={"alignment": {"weight": 2.5}, "wind": {"enabled": True, "speed": 3}},
    )
    paths = {
        "agents": 50, "world.width": 800.0, "rules.alignment.weight": 2.5, "rules.wind.enabled": True,
        "rules.wind.speed": 3,
    }  # fmt: skip
    assert edited == CLASSIC.with_values(paths)
    assert mm.load_scenario("classic") == CLASSIC
    assert CLASSIC.edit() == CLASSIC


def test_a_list_is_replaced_by_models_or_tables() -> None:
    round_one = Circle(x=100.0, y=90.0, radius=20.0)
    night = {"name": "night", "share": 2.0, "values": {"motion.max_speed": 4.0}}
    edited = CLASSIC.edit(obstacles=[round_one], species=[Species(name="day"), night])
    assert edited.obstacles == (round_one,)
    assert edited.species_names() == ("day", "night") and edited.of_species(1).motion.max_speed == 4.0


def test_values_of_rules_have_types() -> None:
    assert_type(CLASSIC.rules.alignment.weight, float)
    assert_type(CLASSIC.rules.alignment.radius, float | None)
    assert_type(CLASSIC.edit(agents=3), mm.Scenario)


def test_what_mypy_refuses_is_refused_with_a_hint() -> None:
    """If mypy accepted one of these lines, it would report the ignore comment as unused."""
    with pytest.raises(ScenarioError, match="did you mean 'agents'"):
        CLASSIC.edit(agnets=3)  # type: ignore[call-arg]
    with pytest.raises(ScenarioError, match=r"did you mean 'rules.alignment.weight'"):
        CLASSIC.edit(rules={"alignment": {"wieght": 2.0}})  # type: ignore[typeddict-unknown-key]
    with pytest.raises(ScenarioError, match=r"did you mean 'rules.alignment.weight'"):
        CLASSIC.edit(rules={"alinment": {"weight": 2.0}})  # type: ignore[typeddict-unknown-key]
    with pytest.raises(ScenarioError, match=r"rules.alignment.weight: input should be a valid number"):
        CLASSIC.edit(rules={"alignment": {"weight": "much"}})  # type: ignore[typeddict-item]
    with pytest.raises(ScenarioError, match=r"world.boundary must be"):
        CLASSIC.edit(world={"boundary": "bounce"})  # type: ignore[typeddict-item]
    with pytest.raises(ScenarioError, match=r"rules.separation.weight must be"):
        CLASSIC.edit(rules={"separation": {"weight": -1.0}})


def test_rules_of_your_own_can_be_edited() -> None:
    @mm.register_rule("hover")
    class Hover(mm.Rule):
        """Does nothing."""

        weight: float = quantity(1.0, "How much.")

    try:
        edited = CLASSIC.edit(rules={"hover": {"weight": 0.25}})  # type: ignore[typeddict-unknown-key]
        assert edited.rules.hover.weight == 0.25
    finally:
        del REGISTRY["hover"]


def _script() -> ModuleType:
    path = Path(__file__).parents[2] / "scripts" / "make_typed.py"
    spec = importlib.util.spec_from_file_location("make_typed", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_types_are_those_of_all_rules() -> None:
    script = _script()
    assert script.FILE.read_text(encoding="utf-8") == script.text(), "run `python scripts/make_typed.py`"
