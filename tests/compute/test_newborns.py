"""Newborns inherit their mothers' columns, and only survivors are kept."""

from __future__ import annotations

import numpy as np

import murmura as mm
from murmura.compute.newborns import Births
from murmura.core.events import EVENT_FIELDS, Event


def row(kind: Event, agent: int, other: int = -1) -> list[float]:
    values = {"kind": float(kind), "id": float(agent), "other": float(other)}
    return [values.get(name, 0.0) for name in EVENT_FIELDS]


def test_grandchildren_get_their_grandmothers_columns_and_dead_agents_are_dropped():
    state = mm.Simulation(mm.Scenario(agents=3), backend="reference").state
    state.columns["gender"] = np.array([5.0, 6.0, 7.0], np.float32)
    births = Births(state)
    births.note(
        np.array([row(Event.BIRTH, 4, 3), row(Event.BIRTH, 3, 1)])
    )  # mother and child in one batch, unordered
    births.note(np.array([row(Event.DEATH, 3), row(Event.BIRTH, 5, 2), row(Event.DEATH, 5)]))
    births.note(np.array([row(Event.BIRTH, 6, 4), row(Event.BIRTH, 8, 7)]))  # 7 is an immigrant
    assert set(births._origins) == {4, 6, 8}
    births.settle(state, np.array([0, 1, 2, 4, 6, 7, 8], np.int32), 9)
    assert state.columns["gender"].tolist() == [5.0, 6.0, 7.0, 6.0, 6.0, 0.0, 0.0]
    assert not births._origins
