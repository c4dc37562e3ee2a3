"""Ranges of sliders that follow a scenario: the schema's ranges are made for a world of 1600 u (decision 40).

Lengths shrink with a smaller world, coordinates span it, and a number that is far below the end of its range, such as
the speed of a scenario per tick, gets a range about itself. The page, exported pages and descriptions use this.
"""

from __future__ import annotations

import math
from copy import deepcopy
from functools import cache
from typing import Any

from murmura.core.model import HEIGHTS, PLACES
from murmura.scenario.models import Scenario

USUAL = 1600.0
"""Larger side [u] of the worlds for which ranges are declared."""
SECTIONS = ("motion", "perception", "start")
FAR = 10.0
"""How many times its value a range may reach; beyond, the useful part would be a few pixels wide."""
SPANS = (PLACES, HEIGHTS)
AXES = {"x": "width", "y": "height", "z": "depth"}


def schema_for(scenario: Scenario) -> dict[str, Any]:
    """The JSON Schema of scenarios, with slider ranges for this one."""
    schema = deepcopy(_schema())
    for section in SECTIONS:
        _follow(schema, schema["properties"][section], getattr(scenario, section), scenario)
    rules = _resolved(schema, schema["properties"]["rules"])["properties"]
    for name, rule in scenario.rules:
        if name in rules:
            _follow(schema, rules[name], rule, scenario)
    followed = {rule.__name__ for rule in (type(rule) for _, rule in scenario.rules)}
    for title, definition in schema["$defs"].items():
        for name, field in definition.get("properties", {}).items():
            if title not in followed and tuple(field.get("slider", ())) in SPANS:
                field["slider"] = slider_range(scenario, name, field, None)
    return schema


def slider_range(scenario: Scenario, name: str, field: dict[str, Any], value: Any) -> list[float]:
    """The range of a field that declares a "slider", about its value in this scenario if that is not the default."""
    low, high = field["slider"]
    if (low, high) in SPANS:
        # The last letter of a coordinate is its axis.
        side = getattr(scenario.world, AXES.get(name[-1], ""), None)
        return [0.0, float(side or high)]
    unit = str(field.get("unit", ""))
    if unit == "u":
        share = min(1.0, max(scenario.world.width, scenario.world.height) / USUAL)
        low, high = low * share, high * share
    if (unit.startswith("u") or field.get("scales")) and isinstance(value, int | float) and value > 0.0:
        high = _nice(4.0 * value) if value * FAR < high else high
        low = value / FAR if value < low else low
    return [float(f"{end:.2g}") for end in (low, high)]


@cache
def _schema() -> dict[str, Any]:
    return Scenario.model_json_schema()


def _resolved(schema: dict[str, Any], node: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in node:
        node = schema["$defs"][node["$ref"].rsplit("/", 1)[1]]
    return node


def _follow(schema: dict[str, Any], node: dict[str, Any], values: Any, scenario: Scenario) -> None:
    for name, field in _resolved(schema, node).get("properties", {}).items():
        if "slider" in field:
            value = getattr(values, name, None)
            own = None if value == field.get("default") else value
            field["slider"] = slider_range(scenario, name, field, own)


def _nice(end: float) -> float:
    """The next of 1, 2 and 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(end))
    return next(factor * power for factor in (1.0, 2.0, 5.0, 10.0) if factor * power >= 0.999 * end)
