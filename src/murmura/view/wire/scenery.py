"""The message about what lives and changes beside the flock."""

from __future__ import annotations

from typing import Any

import numpy as np

from murmura.engine.simulation import Simulation
from murmura.engine.snapshot import Snapshot
from murmura.engine.surroundings import surroundings

NOTHING: dict[str, Any] = {"type": "scene", "objects": []}


def scene_of(seen: Simulation | Snapshot) -> dict[str, Any]:
    """What a page is told; `NOTHING` where there is nothing, so that it is not told again and again."""
    rules = seen.scenario.rules
    if not any(rule.enabled for rule in (rules.predators, rules.feeding, rules.remains, rules.daylight)):
        return NOTHING  # and on a device the state need not be waited for
    time = seen.step_count * seen.scenario.motion.time_step
    objects = surroundings(seen.scenario, seen.state.items, time)
    for thing in objects:
        if thing.get("target") is not None:
            thing |= _place_of(seen, int(thing["target"]))
    return {"type": "scene", "objects": objects} if objects else NOTHING


def _place_of(seen: Simulation | Snapshot, agent: int) -> dict[str, float]:
    """Where a hunter's target is: a page cannot know by its id, once somebody was born or died."""
    state = seen.state
    row = int(np.searchsorted(state.ids, agent))
    if row == len(state.ids) or state.ids[row] != agent:
        return {}
    return {"target_x": float(state["position_x"][row]), "target_y": float(state["position_y"][row])}
