"""Takes back one change to the lists of placed objects, whatever was placed before or after it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from murmura.scenario import Scenario

SWITCHES = {
    "obstacles": (),
    "rules.attractors.points": ("rules.attractors.enabled",),
    "rules.feeding.sources": (),
    "rules.predators.hunters": ("rules.predators.enabled", "rules.fear.enabled"),
}
"""The lists that tools change, each with the rules that the first object in it switches on."""
Items = list[dict[str, Any]]


@dataclass(frozen=True)
class Trace:
    """What one change did to the lists: by path, what it added, what it removed, and the rules that were off before."""

    added: Mapping[str, Items]
    removed: Mapping[str, Items]
    off: frozenset[str]


def trace_of(before: Scenario, after: Scenario) -> Trace:
    """What a change from one scenario to another did."""
    lists = {path: (_value(before, path), _value(after, path)) for path in SWITCHES}
    return Trace(
        {path: _without(new, old) for path, (old, new) in lists.items()},
        {path: _without(old, new) for path, (old, new) in lists.items()},
        frozenset(
            switch for switches in SWITCHES.values() for switch in switches if not _value(before, switch)
        ),
    )


def values_without(scenario: Scenario, trace: Trace) -> dict[str, Any]:
    """The values by path that take this change back; none if nothing is left of it."""
    values: dict[str, Any] = {}
    for path, switches in SWITCHES.items():
        now = _value(scenario, path)
        items = _without(now, trace.added[path]) + trace.removed[path]
        if items == now:
            continue
        # Naming a value of a rule would switch it on.
        values |= {switch: _value(scenario, switch) for switch in switches}
        values |= {switch: False for switch in switches if not items and switch in trace.off}
        values[path] = items
    return values


def _value(scenario: Scenario, path: str) -> Any:
    found: Any = scenario
    for name in path.split("."):
        found = getattr(found, name)
    return [item.model_dump(mode="json") for item in found] if isinstance(found, list | tuple) else found


def _without(items: Items, others: Items) -> Items:
    """The items without the others, one each; of equal ones the last goes."""
    left = list(items)
    for other in others:
        if other in left:
            del left[len(left) - 1 - left[::-1].index(other)]
    return left
