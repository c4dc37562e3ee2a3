"""Hunters as dictionaries of words and numbers, from the rows of a state."""

from __future__ import annotations

import math
from typing import Any

from numpy.typing import NDArray

from murmura.rules.predators.kinds import KIND_NAMES
from murmura.rules.predators.row import layout_of
from murmura.rules.predators.states import IDLE, RECOVERING, SCANNING, STATE_NAMES

MOTION: tuple[str, ...] = ("x", "y", "z", "vx", "vy", "vz")
WITHOUT_TARGET = (IDLE, SCANNING, RECOVERING)


def hunters_in(rows: NDArray[Any] | None) -> list[dict[str, Any]]:
    """The hunters that are alive, a dictionary each (see `engine.reading.surroundings.hunters`)."""
    found: list[dict[str, Any]] = []
    for number, row in enumerate([] if rows is None else rows.astype(float).tolist()):
        it = dict(zip(layout_of(len(row)).columns, row, strict=False))
        if not it["alive"]:
            continue
        motion = {name: it[name] for name in MOTION if name in it}
        hunting = it["state"] not in WITHOUT_TARGET and it["target"] >= 0
        found.append(
            {
                "id": number,
                "kind": KIND_NAMES[int(it["kind"])],
                "state": STATE_NAMES[int(it["state"])],
                **motion,
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
