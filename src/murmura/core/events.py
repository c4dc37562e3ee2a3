"""Codes for events and for causes of death, and events as dictionaries."""

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
    ARRIVAL = 7


class Cause(IntEnum):
    """Why an agent died. 0 means that it lives."""

    PREDATION = 1
    STARVATION = 2
    AGE = 3
    COMBAT = 4


EVENT_FIELDS = ("step", "kind", "id", "other", "x", "y", "cause", "amount", "z")
"""For a birth, `other` is the mother and `amount` the father (-1: none); for an arrival, `amount` is the species. In
the plane, z is 0."""


def readable(rows: NDArray[Any], dimension: int = 2) -> list[dict[str, Any]]:
    """Rows of EVENT_FIELDS as dictionaries, sorted by step, kind and id, so that thread order does not matter."""
    ordered = rows[np.lexsort((rows[:, 3], rows[:, 2], rows[:, 1], rows[:, 0]))].tolist()
    if dimension == 2:
        return [_as_dict(*row[:8]) for row in ordered]
    return [_as_dict(*row[:8]) | {"z": row[8]} for row in ordered]


def _as_dict(
    step: float, kind: float, agent: float, other: float, x: float, y: float, cause: float, amount: float
) -> dict[str, Any]:
    code = Event(int(kind))
    named = code in (Event.BIRTH, Event.ARRIVAL)  # these use `amount` for an id or a species
    event = {
        "step": int(step),
        "kind": code.name.lower(),
        "id": int(agent),
        "other": _id_or_none(other),
        "x": x,
        "y": y,
        "cause": Cause(int(cause)).name.lower() if cause else None,
        "amount": 0.0 if named else amount,
    }
    if code == Event.BIRTH:
        return event | {"father": _id_or_none(amount)}
    return event | {"species": int(amount)} if code == Event.ARRIVAL else event


def _id_or_none(name: float) -> int | None:
    return None if name < 0 else int(name)
