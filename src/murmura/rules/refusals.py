"""Error messages about scenarios that several rules share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

LARGEST_EXACT_ID = 2**24
"""Kernels carry ids as float32, which is exact for integers up to this."""


def in_order(rule: Any, name: str, *pairs: tuple[str, str]) -> list[str]:
    """An error for each pair of parameters that must be in ascending order and is not."""
    return [
        f"rules.{name}.{low} must be at most rules.{name}.{high} ({getattr(rule, high):g}), got {getattr(rule, low):g}"
        for low, high in pairs
        if getattr(rule, low) > getattr(rule, high)
    ]


def outside_world(path: str, place: Sequence[float | None], world: Any) -> list[str]:
    """The error for a position outside the world."""
    given = [
        (x, side, edge)
        for x, side, edge in zip(place, world.sides, world.edges, strict=False)
        if x is not None
    ]
    if all(edge == "open" or 0 <= x <= side for x, side, edge in given):
        return []
    where, extent = (
        ", ".join(words) for words in zip(*((f"{x:g}", f"0..{side:g}") for x, side, _ in given), strict=True)
    )
    return [f"{path}: ({where}) lies outside the world ({extent} [u]); move it inside"]


def exact_ids(name: str, scenario: Any) -> list[str]:
    """The error for too many agents for a rule that stores ids."""
    if scenario.agents <= LARGEST_EXACT_ID:
        return []
    return [
        f"rules.{name} knows agents by ids up to {LARGEST_EXACT_ID:,}, got agents = {scenario.agents:,}; use fewer "
        f"agents or set rules.{name}.enabled = false"
    ]


def room_for(name: str, most: int, scenario: Any) -> list[str]:
    """The error for a population cap below the initial number of agents."""
    if most >= scenario.agents:
        return []
    return [
        f"rules.{name}.most must be at least agents ({scenario.agents:,}), got {most:,}; raise it or start "
        "with fewer agents"
    ]
