"""What may happen to an agent: one code for each kind of event, and one for each cause of death."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Event(IntEnum):
    """Kinds of events. 0 stands for none."""

    BIRTH = 1
    DEATH = 2
    CAPTURE = 3
    MEAL = 4
    MATING = 5
    FIGHT = 6


class Cause(IntEnum):
    """Why an agent died. 0 stands for: it lives."""

    PREDATION = 1
    STARVATION = 2
    AGE = 3
    COMBAT = 4


EVENT_FIELDS = ("step", "kind", "id", "other", "x", "y", "cause", "amount")


def readable(rows: NDArray[Any]) -> list[dict[str, Any]]:
    """Rows of EVENT_FIELDS as dictionaries, in an order that no thread decides: by step, kind, id."""
    ordered = rows[np.lexsort((rows[:, 3], rows[:, 2], rows[:, 1], rows[:, 0]))]
    return [
        {
            "step": int(step),
            "kind": Event(int(kind)).name.lower(),
            "id": int(agent),
            "other": None if other < 0 else int(other),
            "x": float(x),
            "y": float(y),
            "cause": Cause(int(cause)).name.lower() if cause else None,
            "amount": float(amount),
        }
        for step, kind, agent, other, x, y, cause, amount in ordered.tolist()
    ]
