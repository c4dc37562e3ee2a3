"""The observer: when observations are due, and measures in the background."""

from __future__ import annotations

import pytest

import murmura as mm
from murmura.view.session.observing.observer import Observer, Pace
from tests.view.live import flock, until


def beats(pace: Pace, times: list[float], took: float = 0.0) -> list[float]:
    found = []
    for now in times:
        if pace.is_due(now):
            found.append(now)
            pace.done(now + took)
    return found


def test_a_rhythm_keeps_its_beat_though_looks_at_it_come_late():
    looks = [100.0 + 0.013 * k for k in range(1000)]
    assert len(beats(Pace(1 / 60), looks)) == pytest.approx(780, abs=2)
    # Sixty per second out of 130 calls per second, not every second or third call.
    assert len(beats(Pace(1 / 60), [100.0 + k / 130.0 for k in range(1300)])) == pytest.approx(600, abs=2)


def test_what_takes_long_takes_at_most_its_share():
    found = beats(Pace(0.1, share=0.1), [100.0 + 0.01 * k for k in range(1000)], took=0.05)
    assert len(found) == pytest.approx(10.0 / 0.5, abs=1)


def test_one_slow_time_does_not_silence_it_for_long():
    pace = Pace(0.2)
    assert pace.is_due(100.0)
    pace.done(160.0)
    assert not pace.is_due(160.1) and pace.is_due(163.0)


def test_being_called_for_often_does_not_put_the_next_time_off():
    pace = Pace(0.2)
    for k in range(500):
        assert pace.is_due(100.0 + k * 0.001, anyway=True)
    assert pace.is_due(100.0 + 0.5 + 0.2)


def test_measures_are_those_of_the_simulation():
    sim = mm.Simulation(flock(80), 3, "reference")
    sim.step(5)
    observer = Observer()
    observer.observe(sim, 100.0)
    until(lambda: observer.reading_of(sim)["measures"])
    told = observer.reading_of(sim)
    expected = {key: value for key, value in sim.measure().items() if value == value}
    found = {key: value for key, value in told["measures"].items() if value is not None}
    assert found == pytest.approx(expected)
    assert told["measured"] == sim.time
    observer.observe(sim, 100.1)  # not yet
    until(lambda: not observer._is_busy)
    assert observer.reading_of(sim) is told
    assert observer.reading_of(mm.Simulation(flock(8), 3, "reference"))["measures"] == {}


def test_a_flock_that_is_not_finite_is_not_measured():
    sim = mm.Simulation(flock(8), 3, "reference")
    sim.state["position_x"][:] = float("nan")
    observer = Observer()
    observer.observe(sim, 100.0)
    until(lambda: observer.reading_of(sim)["measured"] is not None)
    assert observer.reading_of(sim)["measures"] == {}
