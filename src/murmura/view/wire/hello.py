"""What a page needs to know of a scenario before its first frame."""

from __future__ import annotations

from functools import cache
from typing import Any

from murmura.measure import MEASURES
from murmura.scenario import Scenario, load_scenario, scenario_names
from murmura.view.session.editing.placement import PLACEABLE, hunters_to_place
from murmura.view.wire.frames import extras_of, stances_of

UNNAMED = {"name": "default", "color": "#4cc9f0"}


def hello_facts(scenario: Scenario) -> dict[str, Any]:
    """The scenario itself, what can be changed in it, who lives in it and what can be seen of them."""
    from murmura import __version__

    return {
        "version": __version__,
        "scenario": scenario.model_dump(mode="json"),
        "schema": _schema(),
        "scenarios": _shipped(),
        "species": [{"name": species.name, "color": species.color} for species in scenario.species]
        or [UNNAMED],
        "columns": extras_of(scenario),
        "stances": stances_of(scenario),
        "places": list(PLACEABLE),
        "hunters": hunters_to_place(scenario),
        "measures": _measures(),
    }


@cache
def _schema() -> dict[str, Any]:
    return Scenario.model_json_schema()


@cache
def _shipped() -> list[dict[str, Any]]:
    return [preset_facts(load_scenario(name)) for name in scenario_names()]


def preset_facts(scenario: Scenario) -> dict[str, Any]:
    """What a list of presets says of one; the page groups those in space by `deep`."""
    return {"name": scenario.name, "title": scenario.title, "deep": scenario.world.depth is not None}


def _measures() -> dict[str, dict[str, str]]:
    """Units and meanings of the measures that a page draws; those of traits say it by their names."""
    return {name: {"unit": measure.unit, "meaning": measure.meaning} for name, measure in MEASURES.items()}
