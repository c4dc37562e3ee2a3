"""The event buffer: events wait until they are read, compactly and within a limit."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import murmura as mm
from murmura.core.events import EVENT_FIELDS, Event
from murmura.engine.event_buffer import EventBuffer


def meals(*steps: int) -> np.ndarray:
    rows = np.zeros((len(steps), len(EVENT_FIELDS)))
    rows[:, EVENT_FIELDS.index("step")] = steps
    rows[:, EVENT_FIELDS.index("kind")] = Event.MEAL
    return rows


def test_events_come_once_in_order_of_steps():
    buffer = EventBuffer()
    buffer.add(meals(1, 1))
    buffer.add(meals())
    buffer.add(meals(2))
    assert [event["step"] for event in buffer.take(2)] == [1, 1, 2]
    assert buffer.take(2) == []


def test_above_the_limit_the_oldest_are_dropped_and_one_warning_says_so():
    buffer = EventBuffer(most=3)
    buffer.add(meals(1, 1))
    with pytest.warns(RuntimeWarning, match="Call sim.events"):
        buffer.add(meals(2, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        buffer.add(meals(3, 3))
    assert [event["step"] for event in buffer.take(2)] == [3, 3]


def test_unread_events_are_not_stored_as_dictionaries():
    sim = mm.Simulation(mm.load_scenario("ecosystem"), seed=1, backend="cpu")
    sim.step(60)
    assert all(isinstance(piece, np.ndarray) for piece in sim._events._pieces)
    assert len(sim.events()) > 50
    assert sim.events() == []
