"""What a page needs to know about a scenario before its first frame."""

from __future__ import annotations

import threading
from functools import cache
from typing import Any

from murmura.measure import MEASURES
from murmura.rules.predators.kind import looks_of_kinds
from murmura.scenario import Scenario, load_scenario, scenario_names
from murmura.scenario.files import scenario_titles, scenarios_in_space
from murmura.scenario.sliders import schema_for
from murmura.view.session.editing.placement import PLACEABLE, hunters_to_place
from murmura.view.wire.frames import extras_of, stances_of

_making = threading.Lock()
UNNAMED = {"name": "default", "color": "#4cc9f0"}


def hello_facts(scenario: Scenario) -> dict[str, Any]:
    """The scenario, what can be changed in it, its species, and the columns that can be shown."""
    from murmura import __version__

    with _making:  # otherwise two threads would both create it
        shipped = _shipped()
    return {
        "version": __version__,
        "scenario": scenario.model_dump(mode="json"),
        "idle": scenario.idle_rules(),
        "schema": schema_for(scenario),
        "scenarios": shipped,
        "species": [{"name": species.name, "color": species.color} for species in scenario.species]
        or [UNNAMED],
        "columns": extras_of(scenario),
        "stances": stances_of(scenario),
        "places": list(PLACEABLE),
        "hunters": hunters_to_place(scenario),
        "kinds": looks_of_kinds(),
        "measures": _measures(),
    }


def loaded_facts(scenario: Scenario) -> dict[str, Any]:
    """The scenario as it was loaded, and whether it is a shipped one."""
    return {"loaded": scenario.model_dump(mode="json"), "shipped": is_shipped(scenario)}


def is_shipped(scenario: Scenario) -> bool:
    """Whether it is the shipped scenario of its name, unchanged, so that the name alone stands for it."""
    return scenario.name in scenario_names() and load_scenario(scenario.name) == scenario


@cache
def _shipped() -> list[dict[str, Any]]:
    """The list of shipped scenarios."""
    deep = scenarios_in_space()
    return [{"name": name, "title": title, "deep": name in deep} for name, title in scenario_titles().items()]


def preset_facts(scenario: Scenario) -> dict[str, Any]:
    """What a list of presets needs to know about one; the page groups 3-D worlds."""
    return {"name": scenario.name, "title": scenario.title, "deep": scenario.world.depth is not None}


def _measures() -> dict[str, dict[str, str]]:
    """Units and meanings of the measures that a page draws, except traits."""
    return {name: {"unit": measure.unit, "meaning": measure.meaning} for name, measure in MEASURES.items()}
