"""What of a recorded scenario is not registered here: rules and kinds of hunters of somebody else."""

from __future__ import annotations

from typing import Any

from murmura.core.rule import REGISTRY
from murmura.rules.predators.kind import KINDS


def without_unknown(data: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """A scenario's data without tables of unknown rules, and with plain hunters in place of unknown kinds."""
    rules = data.get("rules")
    if not isinstance(rules, dict):
        return data, []
    missing = sorted(name for name in rules if name not in REGISTRY)
    kept = {name: table for name, table in rules.items() if name in REGISTRY}
    kinds = _unknown_kinds(kept)
    if not (missing or kinds):
        return data, []
    if kinds:
        hunters = [
            hunter | {"kind": "hawk", "numbers_from": "hawk"} if hunter["kind"] in kinds else hunter
            for hunter in kept["predators"]["hunters"]
        ]
        kept["predators"] = {**kept["predators"], "hunters": hunters}
    species = [_without_values(one, missing) for one in data.get("species", ())]
    found = data | {"rules": kept} | ({"species": species} if species else {})
    return found, [f"rule {name!r}" for name in missing] + [f"kind of hunter {name!r}" for name in kinds]


def _unknown_kinds(rules: dict[str, Any]) -> list[str]:
    predators = rules.get("predators")
    hunters = predators.get("hunters", ()) if isinstance(predators, dict) else ()
    named = {str(hunter["kind"]) for hunter in hunters if isinstance(hunter, dict) and "kind" in hunter}
    return sorted(named - KINDS.keys())


def _without_values(species: Any, rules: list[str]) -> Any:
    if not isinstance(species, dict) or not isinstance(species.get("values"), dict):
        return species
    kept = {
        path: value
        for path, value in species["values"].items()
        if not str(path).startswith(tuple(f"rules.{rule}." for rule in rules))
    }
    return species | {"values": kept}
