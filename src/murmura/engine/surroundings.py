"""What lives and changes beside the flock, as whoever draws it wants it: hunters, food, carcasses, the hour.

Obstacles, attractors, home ranges and wind stand in the scenario, where everybody finds them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from murmura.core.layout import Layout
from murmura.engine.food import food_in
from murmura.engine.hunters import hunters_in
from murmura.rules import Remains
from murmura.rules.daylight import sky
from murmura.scenario import Scenario

DRAWN_FOOD = 0.3  # of the radius in which feeders gather: they shall be seen around it, not on it


def surroundings(scenario: Scenario, items: Mapping[str, NDArray[Any]], time: float) -> list[dict[str, Any]]:
    """The objects of a moment, a dictionary each with its `kind`: predator, food, carcass, sky.

    Args:
        scenario: The scenario.
        items: Rows of items by rule, as a state holds them; rules whose rows are not there leave nothing.
        time: Simulated time [s].
    """
    rules = scenario.rules
    objects = []
    if rules.predators.enabled:
        objects += [
            {**it, "kind": "predator", "species": it["kind"]} for it in hunters_in(items.get("predators"))
        ]
    if rules.feeding.enabled:
        objects += [
            {"kind": "food", "x": it["x"], "y": it["y"], "radius": DRAWN_FOOD * it["radius"],
             "amount": it["amount"], "capacity": it["full"]}
            for it in food_in(items.get("feeding"), rules.feeding)
            if it["amount"] > 0.0
        ]  # fmt: skip
    if rules.remains.enabled:
        objects += _carcasses(items.get("remains"), rules.remains)
    if rules.daylight.enabled:
        now = sky(rules.daylight, time)
        objects.append({"kind": "sky", "daylight": now.light, "clock": now.clock})
    return objects


def _carcasses(rows: NDArray[Any] | None, remains: Remains) -> list[dict[str, Any]]:
    """Those that are still worth eating; how much there was at first is known for an animal of usual size only."""
    found = []
    columns = Layout((*remains.item_fields, *remains.memory_fields)).columns
    for row in [] if rows is None else rows.astype(float).tolist():
        it = dict(zip(columns, row, strict=True))
        if it["amount"] > 0.0:
            full = max(it["amount"], remains.share)
            found.append(
                {"kind": "carcass", "x": it["x"], "y": it["y"], "amount": it["amount"], "capacity": full}
            )
    return found
