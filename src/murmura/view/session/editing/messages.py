"""Reads and validates numbers and positions in messages of pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from murmura.core.errors import ScenarioError
from murmura.scenario import Scenario

Message = Mapping[str, Any]
FARTHEST = 1e9
"""Greatest coordinate in a message [u]."""


def number_of(message: Message, key: str, low: float, high: float, default: float | None = None) -> float:
    value = message.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise ScenarioError(f"{key} must be a number from {low:g} to {high:g}, got {value!r}")
    return float(value)


def place_of(message: Message) -> tuple[float, float]:
    return number_of(message, "x", -FARTHEST, FARTHEST), number_of(message, "y", -FARTHEST, FARTHEST)


def height_of(scenario: Scenario, message: Message, key: str = "z") -> float | None:
    """The height in a message [u]; None, which means halfway up, if there is none. A plane has no heights."""
    if message.get(key) is None:
        return None
    if scenario.world.depth is None:
        raise ScenarioError(
            f"{key} has no meaning in a plane, got {message[key]!r}: omit it, or load a 3-D world"
        )
    return number_of(message, key, -FARTHEST, FARTHEST)


def with_height(scenario: Scenario, message: Message, key: str = "z") -> dict[str, float]:
    """The height in a message, as part of a position; empty if there is none."""
    z = height_of(scenario, message, key)
    return {} if z is None else {key: z}
