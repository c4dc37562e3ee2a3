"""Hunters as a reader wants them: in words and plain numbers, from the rows of a state."""

from __future__ import annotations

import math
from typing import Any

from numpy.typing import NDArray

from murmura.rules.predators.kinds import KIND_NAMES
from murmura.rules.predators.row import LAYOUT
from murmura.rules.predators.states import IDLE, RECOVERING, SCANNING, STATE_NAMES

WITHOUT_TARGET = (IDLE, SCANNING, RECOVERING)


def hunters_in(rows: NDArray[Any] | None) -> list[dict[str, Any]]:
    """The hunters that are alive, a dictionary each (see `engine.surroundings.hunters`)."""
    found = []
    for number, row in enumerate([] if rows is None else rows.astype(float).tolist()):
        # Rows of an older recording may lack fields that were added since.
        it = dict(zip(LAYOUT.columns, row, strict=False))
        if not it["alive"]:
            continue
        hunting = it["state"] not in WITHOUT_TARGET and it["target"] >= 0
        found.append(
            {
                "id": number,
                "kind": KIND_NAMES[int(it["kind"])],
                "state": STATE_NAMES[int(it["state"])],
                "x": it["x"],
                "y": it["y"],
                "vx": it["vx"],
                "vy": it["vy"],
                "heading": math.atan2(it["vy"], it["vx"]),
                "energy": it["energy"] / it["max_energy"],
                "target": int(it["target"]) if hunting else None,
                "altitude": it["altitude"],
                "fright": it["fright"],
                "hunts": int(it["hunts"]),
                "catches": int(it["catches"]),
                "failed_hunts": int(it["failed_hunts"]),
                "listed": bool(it["listed"]),
            }
        )
    return found
