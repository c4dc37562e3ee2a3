"""Values by path: `rules.alignment.weight`. Used by `with_values`, `--set`, sweeps and species."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from murmura.core.errors import ScenarioError, nearest
from murmura.core.rule import REGISTRY

if TYPE_CHECKING:
    from murmura.scenario.models import Scenario


def value_paths(model: BaseModel, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Every path of a model with its value: plain values and lists are leaves."""
    for name, value in model:
        if isinstance(value, BaseModel):
            yield from value_paths(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def assign(data: dict[str, Any], path: str, value: Any, scenario: Scenario) -> None:
    """Set the value at a path in a scenario's plain data; the path must exist."""
    *parents, last = str(path).split(".")
    place: Any = data
    for depth, part in enumerate(parents):
        if depth == 1 and parents[0] == "rules" and part in REGISTRY:
            place.setdefault(part, {})
        place = _child(place, part, path, scenario)
    if isinstance(place, list):
        _child(place, last, path, scenario)
        place[int(last)] = value
    elif isinstance(place, dict) and (last in place or _own_rule(parents, last)):
        place[last] = value
    else:
        raise _unknown(path, scenario)


def _own_rule(parents: list[str], last: str) -> bool:
    if parents == ["rules"]:
        return last in REGISTRY
    return len(parents) == 2 and parents[0] == "rules" and last in REGISTRY[parents[1]].model_fields


def _child(place: Any, part: str, path: str, scenario: Scenario) -> Any:
    if isinstance(place, list) and part.isdigit() and int(part) < len(place):
        return place[int(part)]
    if isinstance(place, dict) and part in place:
        return place[part]
    raise _unknown(path, scenario)


def _unknown(path: str, scenario: Scenario) -> ScenarioError:
    known = [name for name, _ in value_paths(scenario)]
    hint = nearest(path, known) or ". `murmura scenarios NAME` lists the paths of a scenario"
    return ScenarioError(f"a scenario has no value {path!r}{hint}")
