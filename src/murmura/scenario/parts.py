"""The parts of a scenario that can be validated alone: its sections, every rule, and the plain values beside them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from pydantic import create_model

from murmura.core.model import Model

if TYPE_CHECKING:
    from murmura.scenario.models import Scenario

PLAIN = ("name", "title", "agents")
SECTIONS = ("world", "motion", "perception", "start", "display")


@cache
def _plain_values() -> type[Model]:
    """The model of the plain values, whose path is empty. Others have paths like `motion` and `rules.wander`."""
    from murmura.scenario.models import Scenario

    fields = {name: (Scenario.model_fields[name].annotation, Scenario.model_fields[name]) for name in PLAIN}
    return create_model("PlainValues", __base__=Model, **fields)  # type: ignore[call-overload, no-any-return]


def part_of(path: str, scenario: Scenario) -> str | None:
    """The path of the part that has a value. None: a list, or a rule of the user's, whose class may have changed."""
    first, *rest = path.split(".")
    if first in PLAIN and not rest:
        return ""
    if first in SECTIONS and len(rest) == 1:
        return first
    is_built_in = first == "rules" and len(rest) > 1 and rest[0] in type(scenario.rules).model_fields
    return f"rules.{rest[0]}" if is_built_in else None


def part_at(scenario: Scenario, path: str) -> Model:
    if not path:
        return _plain_values().model_construct(**{name: getattr(scenario, name) for name in PLAIN})
    first, _, rule = path.partition(".")
    found: Model = getattr(scenario.rules, rule) if rule else getattr(scenario, first)
    return found


def with_numbers(part: Model, numbers: Mapping[str, Any]) -> Model:
    return validated(part, {**part.model_dump(mode="json"), **numbers})


def validated(part: Model, data: Any) -> Model:
    """A part with other values. Raises ValidationError, or another ValueError or TypeError if the data is not plain."""
    return type(part).model_validate_json(json.dumps(data, default=plain_number))


def plain_number(value: Any) -> Any:
    """NumPy's numbers, which sweeps produce, as plain numbers."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"got {type(value).__name__} {value!r:.80}")


def with_parts(scenario: Scenario, parts: Mapping[str, Model]) -> Scenario:
    """A copy with other parts, which nobody has checked together."""
    update: dict[str, Any] = {}
    rules: dict[str, Any] = {}
    for path, part in parts.items():
        first, _, rule = path.partition(".")
        if rule:
            rules[rule] = part
        elif first:
            update[first] = part
        else:
            update |= dict(part)
    if rules:
        update["rules"] = scenario.rules.model_copy(update=rules)
    return scenario.model_copy(update=update)


def by_part(numbers: Mapping[str, float]) -> dict[str, dict[str, float]]:
    """The numbers of a species, by the part that has them and the name there."""
    found: dict[str, dict[str, float]] = {}
    for path, number in numbers.items():
        part, _, name = path.rpartition(".")
        found.setdefault(part, {})[name] = number
    return found


def dumps(scenario: Scenario, paths: Iterable[str]) -> dict[str, Any]:
    """Plain data with only these parts, in the layout of a scenario."""
    data: dict[str, Any] = {}
    for path in paths:
        first, _, rule = path.partition(".")
        values = part_at(scenario, path).model_dump(mode="json")
        if rule:
            data.setdefault("rules", {})[rule] = values
        elif first:
            data[first] = values
        else:
            data |= values
    return data
