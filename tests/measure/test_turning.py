"""Turning rates and the speed of a turn, against turns made by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

import murmura as mm
from murmura.measure import information_speed, turn_times, turning_rate, turning_rates

from .oracle import Vectors, make_flock


def headed(degrees: Vectors, speed: float = 1.0) -> Vectors:
    angles = np.radians(degrees)
    return np.stack([np.cos(angles), np.sin(angles)], axis=-1) * speed


def test_turning_rates_of_known_turns() -> None:
    before, after = (
        np.array([0.0, 170.0, 10.0, 90.0, 45.0]),
        np.array([30.0, -170.0, -10.0, 90.0, 225.0 - 1e-6]),
    )
    flock = make_flock(np.zeros((5, 2)), headed(after, 3.0), before=headed(before), elapsed=0.5)
    assert turning_rates(flock) == pytest.approx([60.0, 40.0, -40.0, 0.0, 360.0], abs=1e-4)
    assert turning_rate(flock) == pytest.approx(100.0, abs=1e-4)


def test_turning_needs_earlier_velocities_and_a_heading() -> None:
    assert math.isnan(turning_rate(make_flock([[1.0, 1.0]])))
    standing = make_flock(np.zeros((2, 2)), [[0.0, 0.0], [1.0, 0.0]], before=[[1.0, 0.0], [0.0, 0.0]])
    assert np.isnan(turning_rates(standing)).all()
    assert math.isnan(turning_rate(make_flock(np.zeros((0, 2)), before=np.zeros((0, 2)))))
    with pytest.raises(ValueError, match="a row for each of the 1 agents, got 2"):
        make_flock([[1.0, 1.0]], before=np.ones((2, 2)))
    with pytest.raises(ValueError, match=r"elapsed must be a finite number > 0 \[s\], got 0"):
        make_flock([[1.0, 1.0]], before=[[1.0, 1.0]], elapsed=0)


@pytest.mark.parametrize("unit", ["second", "tick"])
def test_a_simulation_knows_how_it_turned(unit: str) -> None:
    scenario = mm.load_scenario("classic").with_values({"agents": 60, "motion.velocity_unit": unit})
    sim = mm.Simulation(scenario, seed=4, backend="reference")
    assert sim.measure()["turning_rate"] == pytest.approx(0.0, abs=1e-9)
    sim.step(20)
    before = np.arctan2(*sim.velocities.T[::-1].astype(float))
    sim.step()
    after = np.arctan2(*sim.velocities.T[::-1].astype(float))
    turns = np.degrees(np.abs((after - before + np.pi) % (2.0 * np.pi) - np.pi)) * 60.0
    # For agents whose speed was capped it is only approximate.
    assert sim.measure()["turning_rate"] == pytest.approx(turns.mean(), rel=0.02)
    assert turns.mean() > 1.0


def wave_of_a_turn(speed: float, wraps: bool = False) -> tuple[Vectors, Vectors, float]:
    """A flock of 400 in which a quarter turn propagates at a known speed from a place near its edge."""
    rng = np.random.default_rng(8)
    places = rng.random((400, 2)) * [60.0, 40.0]
    delays = np.hypot(*(places - [5.0, 20.0]).T) / speed
    times = np.arange(0.0, 14.0, 0.05)
    angles = 90.0 / (1.0 + np.exp(-8.0 * (times[:, None] - 2.0 - delays)))
    velocities = headed(angles, 0.2)
    paths = places + np.cumsum(velocities, axis=0) * 0.05
    return (np.mod(np.add(paths, [70.0, 45.0]), [100.0, 60.0]) if wraps else paths), velocities, 0.05


def test_turn_times_are_when_half_the_turn_is_made() -> None:
    _, velocities, seconds = wave_of_a_turn(10.0)
    places = np.random.default_rng(8).random((400, 2)) * [60.0, 40.0]
    delays = np.hypot(*(places - [5.0, 20.0]).T) / 10.0
    assert turn_times(velocities, seconds) == pytest.approx(2.0 + delays, abs=0.01)
    assert turn_times(velocities[:, :, ::-1], seconds) == pytest.approx(
        2.0 + delays, abs=0.01
    )  # to the other side


@pytest.mark.parametrize("wraps", [True, False])
@pytest.mark.parametrize("speed", [6.0, 12.0])
def test_the_speed_of_a_turn(speed: float, wraps: bool) -> None:
    positions, velocities, seconds = wave_of_a_turn(speed, wraps)
    found = information_speed(positions, velocities, seconds, 100.0, 60.0, wraps)
    assert found == pytest.approx(speed, rel=0.06)


def test_no_turn_has_no_speed() -> None:
    positions = np.random.default_rng(1).random((10, 6, 2))
    straight = np.tile(headed(np.zeros(6)), (10, 1, 1))
    assert np.isnan(turn_times(straight, 0.1)).all()
    assert math.isnan(information_speed(positions, straight, 0.1))
    at_once = headed(np.repeat(np.linspace(0.0, 90.0, 10)[:, None], 6, axis=1))
    assert information_speed(positions, at_once, 0.1) == math.inf


def test_refuses_invalid_frames() -> None:
    with pytest.raises(ValueError, match=r"velocities must have shape \(frames, agents, 2\) .* got \(3, 2\)"):
        turn_times(np.zeros((3, 2)), 0.1)
    with pytest.raises(ValueError, match="seconds between frames must be a finite number > 0, got 0"):
        turn_times(np.zeros((3, 4, 2)), 0)
    with pytest.raises(ValueError, match="the same agents, got 3 and 4"):
        information_speed(np.zeros((5, 3, 2)), np.ones((5, 4, 2)), 0.1)
    with pytest.raises(ValueError, match="velocities must be finite"):
        turn_times(np.full((3, 4, 2), np.nan), 0.1)
