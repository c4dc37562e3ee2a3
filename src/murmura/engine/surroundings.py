"""What lives and changes beside the flock, as whoever draws it wants it: hunters, food, carcasses, the hour.

Obstacles, attractors, home ranges and wind stand in the scenario, where everybody finds them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from murmura.scenario import Scenario


def surroundings(scenario: Scenario, items: Mapping[str, NDArray[Any]], time: float) -> list[dict[str, Any]]:
    """The objects of a moment, a dictionary each with its `kind`: predator, food, carcass, sky.

    Args:
        scenario: The scenario.
        items: Rows of items by rule, as a state holds them; rules whose rows are not there leave nothing.
        time: Simulated time [s].
    """
    return [
        thing
        for name, rule in scenario.rules
        if rule.enabled
        for thing in rule.objects(items.get(name), time)
    ]
