"""What a page needs to know of a scenario before its first frame."""

from __future__ import annotations

import threading
from functools import cache
from typing import Any

from murmura.measure import MEASURES
from murmura.scenario import Scenario
from murmura.scenario.files import scenario_titles
from murmura.view.session.editing.placement import PLACEABLE, hunters_to_place
from murmura.view.wire.frames import extras_of, stances_of

_making = threading.Lock()
UNNAMED = {"name": "default", "color": "#4cc9f0"}


def hello_facts(scenario: Scenario) -> dict[str, Any]:
    """The scenario itself, what can be changed in it, who lives in it and what can be seen of them."""
    from murmura import __version__

    with _making:  # else two threads would both make it
        unchanging = _unchanging()
    return {
        "version": __version__,
        "scenario": scenario.model_dump(mode="json"),
        **unchanging,
        "species": [{"name": species.name, "color": species.color} for species in scenario.species]
        or [UNNAMED],
        "columns": extras_of(scenario),
        "stances": stances_of(scenario),
        "places": list(PLACEABLE),
        "hunters": hunters_to_place(scenario),
        "measures": _measures(),
    }


@cache
def _unchanging() -> dict[str, Any]:
    """What is the same for every scenario, and takes a tenth of a second to make."""
    shipped = [{"name": name, "title": title} for name, title in scenario_titles().items()]
    return {"schema": Scenario.model_json_schema(), "scenarios": shipped}


def _measures() -> dict[str, dict[str, str]]:
    """Units and meanings of the measures that a page draws; those of traits say it by their names."""
    return {name: {"unit": measure.unit, "meaning": measure.meaning} for name, measure in MEASURES.items()}
