"""The JSON Schema behind sliders and docs: every number has a description, a unit and a default."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import murmura as mm

SCHEMA = mm.Scenario.model_json_schema()
UNITS = {
    ("World", "width"): "u",
    ("World", "height"): "u",
    ("Motion", "time_step"): "s",
    ("Motion", "max_speed"): "u/s or u/tick",
    ("Motion", "speed"): "u/s or u/tick",
    ("Perception", "radius"): "u",
    ("Perception", "field_of_view"): "deg",
    ("Separation", "radius"): "u",
    ("Alignment", "radius"): "u",
    ("Cohesion", "radius"): "u",
    ("Wind", "direction"): "deg",
    ("Wind", "scale"): "1/u",
    ("Jitter", "angle"): "deg",
    ("Jitter", "max_turn_rate"): "deg/s",
    ("Boundary", "margin"): "u",
    ("Containment", "foresight"): "s",
    ("Energy", "decay"): "1/s",
    ("Pursue", "lead"): "s",
    ("Chase", "lead"): "step",
    ("Attractor", "radius"): "u",
    ("Threat", "radius"): "u",
    ("Circle", "radius"): "u",
}


def properties() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for owner, model in {"Scenario": SCHEMA, **SCHEMA["$defs"]}.items():
        for name, field in model.get("properties", {}).items():
            yield owner, name, field


def is_number(field: dict[str, Any]) -> bool:
    kinds = {field.get("type"), *(option.get("type") for option in field.get("anyOf", []))}
    return bool(kinds & {"number", "integer"}) and "const" not in field


NUMBERS = [(owner, name) for owner, name, field in properties() if is_number(field)]
FIELDS = {(owner, name): field for owner, name, field in properties()}


def test_the_schema_covers_the_stable_numbers() -> None:
    assert len(NUMBERS) > 80
    assert {("Scenario", "agents"), *UNITS} <= set(NUMBERS)


@pytest.mark.parametrize(("owner", "name"), NUMBERS)
def test_every_number_has_a_description_a_unit_and_a_range(owner: str, name: str) -> None:
    field = FIELDS[owner, name]
    assert field["description"].endswith(".")
    assert isinstance(field["unit"], str)
    low, high = field.get("slider", (0, 1))
    assert low < high
    required = SCHEMA["$defs"].get(owner, SCHEMA).get("required", [])
    assert "default" in field or name in required


@pytest.mark.parametrize("owner_and_name", UNITS)
def test_lengths_angles_and_times_have_a_unit(owner_and_name: tuple[str, str]) -> None:
    assert FIELDS[owner_and_name]["unit"] == UNITS[owner_and_name]


def test_switches_and_choices_have_a_description_too() -> None:
    silent = [
        (owner, name)
        for owner, name, field in properties()
        if (field.get("type") == "boolean" or "enum" in field) and not field.get("description")
    ]
    assert silent == []


def test_every_rule_is_described() -> None:
    rules = SCHEMA["$defs"]["Rules"]["properties"]
    assert {"separation", "alignment", "cohesion", "noise", "wind", "fear", "seek", "wander"} <= set(rules)
    for name, field in rules.items():
        kind = field["$ref"].rsplit("/", 1)[-1]
        assert len(SCHEMA["$defs"][kind]["description"]) > 20, name


def test_slider_ranges_lie_within_the_hard_bounds() -> None:
    for owner, name, field in properties():
        options = [field, *field.get("anyOf", [])]
        low, high = field.get("slider", (None, None))
        if low is None:
            continue
        for option in options:
            assert low >= option.get("minimum", low), (owner, name)
            assert low >= option.get("exclusiveMinimum", low) or low == 0, (owner, name)
            assert high <= option.get("maximum", high), (owner, name)


def test_defaults_lie_within_the_slider_or_say_none() -> None:
    for owner, name, field in properties():
        if "slider" in field and isinstance(field.get("default"), int | float):
            low, high = field["slider"]
            assert low <= field["default"] <= high, (owner, name)
