"""The hunters of a simulation as a reader wants them: in words and plain numbers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from murmura.rules.hunting.kinds import KIND_NAMES
from murmura.rules.hunting.row import (
    ALIVE,
    ALTITUDE,
    CATCHES,
    ENERGY,
    FAILED_HUNTS,
    FRIGHT,
    HUNTS,
    KIND,
    LISTED,
    MAX_ENERGY,
    STATE,
    TARGET,
    VX,
    VY,
    X,
    Y,
)
from murmura.rules.hunting.states import IDLE, RECOVERING, SCANNING, STATE_NAMES

if TYPE_CHECKING:
    from murmura.engine.simulation import Simulation
    from murmura.engine.snapshot import Snapshot

WITHOUT_TARGET = (IDLE, SCANNING, RECOVERING)


def hunters(of: Simulation | Snapshot) -> list[dict[str, Any]]:
    """The hunters that are alive.

    Each is a dictionary: id (its number, which is also `other` in events of capture), kind, state, x, y, vx, vy,
    heading [rad], energy (0..1), target (an agent's id or None), altitude (0..1), fright (how far it frightens now
    [u]), hunts, catches, failed_hunts, listed (whether the scenario names it, or it was born).
    """
    return hunters_in(of.state.items.get("predators"))


def hunters_in(rows: NDArray[Any] | None) -> list[dict[str, Any]]:
    """The same from the rows of a state."""
    found = []
    for number, it in enumerate([] if rows is None else rows.astype(float).tolist()):
        if not it[ALIVE]:
            continue
        hunting = it[STATE] not in WITHOUT_TARGET and it[TARGET] >= 0
        found.append(
            {
                "id": number,
                "kind": KIND_NAMES[int(it[KIND])],
                "state": STATE_NAMES[int(it[STATE])],
                "x": it[X],
                "y": it[Y],
                "vx": it[VX],
                "vy": it[VY],
                "heading": math.atan2(it[VY], it[VX]),
                "energy": it[ENERGY] / it[MAX_ENERGY],
                "target": int(it[TARGET]) if hunting else None,
                "altitude": it[ALTITUDE],
                "fright": it[FRIGHT],
                "hunts": int(it[HUNTS]),
                "catches": int(it[CATCHES]),
                "failed_hunts": int(it[FAILED_HUNTS]),
                "listed": bool(it[LISTED]),
            }
        )
    return found
