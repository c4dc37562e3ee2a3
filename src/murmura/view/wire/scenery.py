"""The message about what lives and changes beside the flock."""

from __future__ import annotations

from typing import Any

from murmura.engine.reader import Reader
from murmura.engine.surroundings import surroundings

NO_SCENERY: dict[str, Any] = {"type": "scene", "objects": []}


def scenery_message(seen: Reader) -> dict[str, Any]:
    """The message; always the same `NO_SCENERY` where there is nothing, so that it is sent once only."""
    rules = seen.scenario.rules
    if not any(rule.enabled for rule in (rules.predators, rules.feeding, rules.remains, rules.daylight)):
        return NO_SCENERY  # without waiting for the state from a device
    time = seen.step_count * seen.scenario.motion.time_step
    objects = surroundings(seen.scenario, seen.state.items, time)
    return {"type": "scene", "objects": objects} if objects else NO_SCENERY
