"""Hunters as dictionaries of words and numbers, from the rows of a state."""

from __future__ import annotations

import math
from typing import Any

from numpy.typing import NDArray

from murmura.core.layout import AXES
from murmura.rules.predators.kind import name_of_kind
from murmura.rules.predators.row import layout_of
from murmura.rules.predators.states import IDLE, RECOVERING, SCANNING, STATE_NAMES

MOTION: tuple[str, ...] = ("x", "y", "z", "vx", "vy", "vz")
STATS = ("max_energy", "energy_regen", "hunting_drain", "attack_cost", "exhaustion_threshold")
TIMES = ("time", "state_time", "cooldown")
UNDRAWN = ("stats", *TIMES, *(f"target_{axis}" for axis in AXES))
"""What a page or film does not draw."""
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
        prey = {f"target_{axis}": it[f"prey_{axis}"] if hunting else None for axis in AXES if axis in it}
        found.append(
            {
                "id": number,
                "kind": name_of_kind(it["kind"]),
                "state": STATE_NAMES[int(it["state"])],
                **motion,
                "heading": math.atan2(it["vy"], it["vx"]),
                **{name: it[name] for name in (*TIMES, "energy")},
                "stats": {name: it[name] for name in STATS},
                "target": int(it["target"]) if hunting else None,
                **prey,
                "altitude": it["altitude"],
                "fright": it["fright"],
                "hunts": int(it["hunts"]),
                "catches": int(it["catches"]),
                "failed_hunts": int(it["failed_hunts"]),
                "listed": bool(it["listed"]),
            }
        )
    return found


def drawn(it: dict[str, Any]) -> dict[str, Any]:
    """A hunter as pages and films draw it: its energy as a share."""
    known = {name: value for name, value in it.items() if name not in UNDRAWN}
    energy = it["energy"] / it["stats"]["max_energy"]
    return known | {"kind": "predator", "species": it["kind"], "energy": energy}
