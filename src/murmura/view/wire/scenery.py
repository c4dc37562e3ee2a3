"""The message about hunters, food and other objects that live and change."""

from __future__ import annotations

from typing import Any

import numpy as np

from murmura.engine.reading.reader import Reader
from murmura.engine.reading.surroundings import surroundings

NO_SCENERY: dict[str, Any] = {"type": "scene", "objects": []}


def scenery_message(seen: Reader) -> dict[str, Any]:
    """The message; `NO_SCENERY` if there is nothing, always the same object, so that it is sent only once."""
    rules = seen.scenario.rules
    if not any(rule.enabled for rule in (rules.predators, rules.feeding, rules.remains, rules.daylight)):
        return NO_SCENERY  # without waiting for the state from a device
    time = seen.step_count * seen.scenario.motion.time_step
    objects = surroundings(seen.scenario, seen.state.items, time)
    for thing in objects:
        if thing.get("target") is not None:
            thing |= _place_of(seen, int(thing["target"]))
    return {"type": "scene", "objects": objects} if objects else NO_SCENERY


def _place_of(seen: Reader, agent: int) -> dict[str, float]:
    """The position of a hunter's target: after births and deaths a page cannot find it by id."""
    state = seen.state
    row = int(np.searchsorted(state.ids, agent))
    if row == len(state.ids) or state.ids[row] != agent:
        return {}
    axes = "xyz"[: seen.scenario.world.dimension]
    return {f"target_{axis}": float(state[f"position_{axis}"][row]) for axis in axes}
