"""A scenario with values of a target in place of its numbers, so that derived numbers can be traced too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from murmura.core.algebra import Value
from murmura.scenario import Scenario


def lives_of(scenario: Scenario) -> list[Scenario]:
    """The scenario of each species."""
    return [scenario.of_species(k) for k in range(max(1, len(scenario.species)))]


def substituted(scenario: Scenario, values: Mapping[str, Value]) -> list[Scenario]:
    """The scenario of each species, with other numbers at these paths, unless the species has its own."""
    return [
        _with(life, {path: x for path, x in values.items() if path not in own})
        for life, own in zip(lives_of(scenario), [s.values for s in scenario.species] or [{}], strict=True)
    ]


def _with(life: Scenario, values: Mapping[str, Value]) -> Scenario:
    changes: dict[str, dict[str, Any]] = {}
    for path, x in values.items():
        owner, _, name = path.rpartition(".")
        changes.setdefault(owner, {})[name] = x
    rules = {
        name: rule.model_copy(update=changes[f"rules.{name}"])
        for name, rule in life.rules
        if f"rules.{name}" in changes
    }
    parts: dict[str, Any] = {
        name: getattr(life, name).model_copy(update=changes.get(name, {}))
        for name in ("motion", "perception")
    }
    return life.model_copy(update=parts | {"rules": life.rules.model_copy(update=rules)})
