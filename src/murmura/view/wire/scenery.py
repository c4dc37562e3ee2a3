"""The message about what lives and changes beside the flock."""

from __future__ import annotations

from typing import Any

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
    return {"type": "scene", "objects": objects} if objects else NOTHING
