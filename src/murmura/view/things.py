"""What a page draws beside the flock: hunters, food, the hour."""

from __future__ import annotations

from typing import Any

from murmura.engine.food import food
from murmura.engine.hunters import hunters
from murmura.engine.simulation import Simulation
from murmura.engine.snapshot import Snapshot
from murmura.rules.daylight import sky

NOTHING: dict[str, Any] = {"type": "scene", "objects": []}


def scene_of(seen: Simulation | Snapshot) -> dict[str, Any]:
    """The message about all that lives and changes beside the flock; `NOTHING` where there is none.

    Obstacles, attractors, home ranges and wind stand in the scenario, where the page finds them itself.
    """
    rules, motion = seen.scenario.rules, seen.scenario.motion
    objects = (
        [{**it, "kind": "predator", "species": it["kind"]} for it in hunters(seen)]
        if rules.predators.enabled
        else []
    )
    if rules.feeding.enabled:
        objects += [
            {"kind": "food", "x": it["x"], "y": it["y"], "radius": 0.3 * it["radius"], "amount": it["amount"],
             "capacity": it["full"]}
            for it in food(seen)
            if it["amount"] > 0.0
        ]  # fmt: skip
    if rules.daylight.enabled:
        now = sky(rules.daylight, seen.step_count * motion.time_step)
        objects.append({"kind": "sky", "daylight": now.light, "clock": now.clock})
    return {"type": "scene", "objects": objects} if objects else NOTHING
