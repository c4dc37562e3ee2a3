"""Values by path: `rules.alignment.weight`. Used by `with_values`, `--set`, sweeps and species."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from murmura.core.errors import ScenarioError, nearest
from murmura.core.rule import REGISTRY
from murmura.scenario.document_names import path_of

if TYPE_CHECKING:
    from murmura.scenario.models import Scenario


LONGEST_SHOWN = 200
"""Maximum length of a path in a message."""


def value_paths(model: BaseModel, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Every path of a model with its value: plain values and lists are leaves."""
    for name, value in model:
        if isinstance(value, BaseModel):
            yield from value_paths(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def assign(data: dict[str, Any], path: str, value: Any, scenario: Scenario) -> None:
    """Set the value at a path in a scenario's plain data; the path must exist."""
    *parents, last = _parts(str(path))
    place: Any = data
    for depth, part in enumerate(parents):
        if depth == 1 and parents[0] == "rules" and part in REGISTRY and isinstance(place, dict):
            place.setdefault(part, {})
        place = _child(place, part, path, scenario)
    if isinstance(place, list):
        _child(place, last, path, scenario)
        place[int(last)] = value
    elif isinstance(place, dict) and (last in place or _own_rule(parents, last) or is_species_value(path)):
        place[last] = value
    else:
        raise _unknown(path, scenario)


def edited_values(model: Any, changes: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Paths and values of nested tables. A table in place of anything but a model is itself a value."""
    for name, change in changes.items():
        part = getattr(model, name, None)
        if isinstance(change, Mapping) and (isinstance(part, BaseModel) or prefix == "rules."):
            yield from edited_values(part, change, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", _plain(change)


def _plain(value: Any) -> Any:
    """Models as plain data, including those inside sequences and tables."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


def is_species_value(path: str) -> bool:
    """Whether a path is an override of a species: `species.0.values.rules.alignment.weight`."""
    words = str(path).split(".", 3)
    return len(words) == 4 and words[0] == "species" and words[2] == "values"


def _parts(path: str) -> list[str]:
    """The words of a path; in a species' table of values, a path is one word."""
    return path.split(".", 3) if is_species_value(path) else path.split(".")


def _own_rule(parents: list[str], last: str) -> bool:
    if parents == ["rules"]:
        return last in REGISTRY
    return len(parents) == 2 and parents[0] == "rules" and last in REGISTRY[parents[1]].model_fields


def _child(place: Any, part: str, path: str, scenario: Scenario) -> Any:
    if isinstance(place, list) and is_place(part, place):
        return place[int(part)]
    if isinstance(place, dict) and part in place:
        return place[part]
    raise _unknown(path, scenario)


def is_place(part: str, items: Sequence[Any]) -> bool:
    """Whether a part of a path is a valid index. ASCII digits only: int() accepts others."""
    return part.isascii() and part.isdecimal() and len(part) < 10 and int(part) < len(items)


def _unknown(path: str, scenario: Scenario) -> ScenarioError:
    known = [name for name, _ in value_paths(scenario)]
    if path in known:
        return ScenarioError(
            f"{path} cannot be set: the same change puts something else in place of its table"
        )
    if isinstance(path, str) and len(path) > LONGEST_SHOWN:
        path = f"{path[:LONGEST_SHOWN]}..."
    documented = path_of(str(path))
    if documented:
        return ScenarioError(f"a scenario has no value {path!r}: here it is called {documented!r}")
    hint = (
        _with_part(path, known)
        or nearest(path, known)
        or ". `murmura scenarios NAME` lists the paths of a scenario"
    )
    return ScenarioError(f"a scenario has no value {path!r}{hint}")


def _with_part(name: object, known: list[str]) -> str:
    """A suggestion for a bare name that is part of paths: alignment is probably rules.alignment.weight."""
    word = str(name).lower()
    weight = f"rules.{word}.weight"
    found = [weight] if weight in known else [path for path in known if path.lower().endswith(f".{word}")]
    return f" (did you mean {' or '.join(map(repr, found[:2]))}?)" if found else ""


def field_at(scenario: Scenario, path: str) -> FieldInfo | None:
    """The field at a path, with its unit, type and description; None if the path ends in a list or table."""
    if is_species_value(path):
        return field_at(scenario, path.split(".", 3)[3])
    place: Any = scenario
    *parents, last = path.split(".")
    for part in parents:
        if isinstance(place, tuple | list):
            place = place[int(part)] if is_place(part, place) else None
        else:
            place = getattr(place, part, None)
    return type(place).model_fields.get(last) if isinstance(place, BaseModel) else None


def unit_at(scenario: Scenario, path: str) -> str:
    """The unit of the value at a path, for labels: "u", "deg", "u/s"; empty if there is none."""
    field = field_at(scenario, path)
    extra = field.json_schema_extra if field is not None else None
    unit = str(extra.get("unit", "")) if isinstance(extra, dict) else ""
    # Speeds are per second or per tick, depending on `motion.velocity_unit`.
    per_second, separator, per_tick = unit.partition(" or ")
    return per_tick if separator and scenario.motion.velocity_unit == "tick" else per_second


def read_value(text: str) -> Any:
    """Parse a value from the command line: as JSON if possible, else as a word."""
    try:
        return json.loads(text)
    except ValueError:
        return text
    except RecursionError:
        raise ScenarioError(f"expected a value, got something nested too deeply: {text[:40]}...") from None
