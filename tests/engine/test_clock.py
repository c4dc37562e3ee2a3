"""Real time in whole steps: the accumulator, the clamp, the speed factor."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import murmura as mm
from murmura.core.errors import ScenarioError
from tests.sizes import size


def clock(speed: float = 1.0, **values: Any) -> mm.Clock:
    scenario = mm.load_scenario("classic").with_values({"agents": 1, **values})
    return mm.Clock(mm.Simulation(scenario, backend="reference"), speed)


# S0-32, S4-3
def test_frames_of_a_sixtieth_are_a_step_each() -> None:
    c = clock()
    assert [c.advance(1 / 60) for _ in range(120)] == [1] * 120
    assert c.simulation.step_count == 120
    assert c.simulation.time == pytest.approx(2.0)


# S0-32
def test_short_frames_add_up() -> None:
    c = clock()
    assert [c.advance(1 / 240) for _ in range(8)] == [0, 0, 0, 1, 0, 0, 0, 1]
    c = clock()
    assert [c.advance(0.025) for _ in range(4)] == [1, 2, 1, 2]


# S0-32
@pytest.mark.parametrize("frame", [0.1, 0.11, 1.0, 3600.0, math.inf])
def test_a_long_frame_counts_as_a_tenth_of_a_second(frame: float) -> None:
    c = clock()
    assert c.advance(frame) == 6
    assert c.advance(1 / 60) == 1


# S0-32, S2-51
@pytest.mark.parametrize(("speed", "steps"), [(0.0, 0), (0.25, 15), (1.0, 60), (2.0, 120), (3.5, 210)])
def test_speed_scales_the_number_of_steps_not_their_length(speed: float, steps: int) -> None:
    c = clock(speed)
    before = c.simulation.scenario.motion.time_step
    assert sum(c.advance(1 / 60) for _ in range(60)) == steps
    assert c.simulation.scenario.motion.time_step == before
    assert c.simulation.time == pytest.approx(steps / 60)


def test_the_clamp_comes_before_the_speed() -> None:
    assert clock(2.0).advance(5.0) == 12


def test_the_speed_may_change_between_frames() -> None:
    c = clock()
    c.advance(0.05)
    c.speed = 2.0
    assert c.advance(0.05) == 6


# S4-3
def test_frames_do_not_change_the_flight() -> None:
    def flight(frames: list[float]) -> str:
        scenario = mm.load_scenario("roadmap").with_values({"agents": 20})
        c = mm.Clock(mm.Simulation(scenario, seed=1, backend="reference"))
        while c.simulation.step_count < 6:
            c.advance(frames.pop(0))
        assert c.simulation.step_count == 6
        return c.simulation.state_hash()

    assert flight([1 / 60] * 6) == flight([0.1]) == flight([0.01] * 10) == flight([0.07, 0.03])


# S0-32
@settings(max_examples=size(15, 50), deadline=None, derandomize=True)
@given(frames=st.lists(st.floats(0.0, 0.3), min_size=1, max_size=12), speed=st.floats(0.0, 3.0))
def test_no_time_is_lost_or_gained(frames: list[float], speed: float) -> None:
    c = clock(speed)
    total = 0.0
    for frame in frames:
        c.advance(frame)
        total += min(frame, 0.1) * speed
        assert total * 60 - 1.0 - 1e-6 <= c.simulation.step_count <= total * 60 + 1e-6


@pytest.mark.parametrize("frame", [-0.1, -1e-9, math.nan, -math.inf])
def test_a_frame_cannot_be_negative(frame: float) -> None:
    c = clock()
    with pytest.raises(ScenarioError, match="a frame lasts 0 seconds or more, got"):
        c.advance(frame)
    assert c.simulation.step_count == 0


@pytest.mark.parametrize("speed", [-1.0, math.nan, math.inf])
def test_the_speed_is_a_finite_number_not_below_zero(speed: float) -> None:
    c = clock(speed)
    with pytest.raises(ScenarioError, match="speed must be a number from 0 to"):
        c.advance(0.1)
    assert c.simulation.step_count == 0
