"""Changes a scenario by path, and switches on the rules that a change or a file implies.

A change of plain values validates only the parts that hold them, and what concerns several parts. Any other change
reads the whole scenario again. Both accept and refuse the same.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from murmura.core.errors import ScenarioError
from murmura.core.model import Model
from murmura.core.rule import REGISTRY
from murmura.scenario.consistency import problems_of
from murmura.scenario.parts import (
    PLAIN,
    by_part,
    dumps,
    part_at,
    part_of,
    validated,
    with_numbers,
    with_parts,
)
from murmura.scenario.paths import assign

if TYPE_CHECKING:
    from murmura.scenario.models import Scenario


def changed(scenario: Scenario, values: Mapping[str, Any]) -> Scenario:
    """A copy of a scenario with some values changed, by path, and the rules switched on that this implies."""
    if not isinstance(values, Mapping):
        raise ScenarioError(
            f'values are a table from path to value, as {{"rules.alignment.weight": 2.0}}, got {values!r}'
        )
    named = _named_rules(values)
    used = [name for name, is_on in named.items() if is_on]
    on = {name: rule.enabled for name, rule in scenario.rules} if used else {}
    needed = _needed_rules(used, lambda name: on.get(name, False), named)
    switches = [name for name in used if on.get(name) is False and not _says_so_itself(name, values)]
    values = {**values, **{f"rules.{name}.enabled": True for name in (*switches, *needed)}}
    result = _with_few_parts(scenario, values) or read_again(scenario, values)
    kept = {name: why for name, why in scenario._switched_on.items() if name not in named}
    result._switched_on = {**kept, **result._switched_on, **needed}
    return result


def read_again(scenario: Scenario, values: Mapping[str, Any]) -> Scenario:
    """The slow way, which says what is wrong; it switches nothing on."""
    data = scenario.model_dump(mode="json")
    for path, value in values.items():
        assign(data, path, value, scenario)
    return type(scenario).from_data(data)


# Rules that are switched on


def _named_rules(values: Mapping[str, Any]) -> dict[str, bool]:
    """The rules that a change names, and whether it wants them on."""
    found: dict[str, bool] = {}
    for path in values:
        first, _, rest = str(path).partition(".")
        name = rest.partition(".")[0]
        if first == "rules" and name:
            table = values.get(f"rules.{name}", {})
            switch = values.get(f"rules.{name}.enabled")
            found[name] = _is_on(table) if switch is None else switch is True
    return found


def _says_so_itself(name: str, values: Mapping[str, Any]) -> bool:
    return f"rules.{name}" in values or f"rules.{name}.enabled" in values


def _is_on(table: Any) -> bool:
    """Whether a table of a rule switches it on."""
    return isinstance(table, Mapping) and table.get("enabled", True) is True


def _needed_rules(
    names: Iterable[str], is_on: Callable[[str], bool], named: Container[str]
) -> dict[str, str]:
    """Rules that these need, which are off and which nobody names; the reason for each."""
    found: dict[str, str] = {}
    asking = list(names)
    for name in asking:  # it grows: what is needed needs others
        for other, why in REGISTRY[name].needs.items() if name in REGISTRY else ():
            if other in REGISTRY and other not in named and other not in found and not is_on(other):
                found[other] = f"rules.{other} is on too, because rules.{name} needs it: {why}"
                asking.append(other)
    return found


def with_needed_rules(data: Any) -> tuple[Any, dict[str, str]]:
    """A scenario's data with a table for each rule that others need and the data does not name; the reasons."""
    tables = data.get("rules") if isinstance(data, Mapping) else None
    if not isinstance(tables, Mapping):
        return data, {}
    used = [str(name) for name, table in tables.items() if _is_on(table)]
    needed = _needed_rules(used, lambda name: REGISTRY[name].on_by_default, tables)
    return {**data, "rules": {**tables, **{name: {} for name in needed}}}, needed


# The quick way


def _with_few_parts(scenario: Scenario, values: Mapping[str, Any]) -> Scenario | None:
    """The changed scenario; None if it must be read again: to say what is wrong, or because lists change."""
    owners = [part_of(str(path), scenario) for path in values]
    paths = [path for path in dict.fromkeys(owners) if path is not None]
    if None in owners:
        return None
    data = dumps(scenario, paths)
    for path, value in values.items():
        assign(data, path, value, scenario)
    try:
        parts = {path: validated(part_at(scenario, path), _at(data, path)) for path in paths}
        result = with_parts(scenario, parts)
        if problems_of(result, parts):
            return None
        lives = _lives_after(result, scenario, parts)
    except (ValueError, TypeError, RecursionError):
        return None
    if lives is None:
        return None
    result._lives, result._switched_on = lives, {}
    return result


def _at(data: dict[str, Any], path: str) -> Any:
    if not path:
        return {name: data[name] for name in PLAIN}
    first, _, rule = path.partition(".")
    return data[first][rule] if rule else data[first]


def _lives_after(
    result: Scenario, before: Scenario, parts: Mapping[str, Model]
) -> tuple[Scenario, ...] | None:
    """The lives of the species after some parts have changed; None if one of them is refused."""
    result._lives = ()
    alone = result.model_copy(update={"species": ()})
    found = []
    for species, life in zip(before.species, before._lives, strict=True):
        if not species.values:
            found.append(alone)
            continue
        own = by_part(species.values)
        theirs = {
            path: with_numbers(part, own[path]) if path in own else part for path, part in parts.items()
        }
        found.append(with_parts(life, theirs))
        if problems_of(found[-1], theirs):
            return None
    return tuple(found)
