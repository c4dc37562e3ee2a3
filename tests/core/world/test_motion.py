"""From force to position: the order of a step, speed policies, headings."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from murmura import Clock, Scenario, Simulation
from murmura.core.vec import Vec
from murmura.core.world.motion import accelerate, heading_of, new_angle, top_speed
from murmura.scenario import Motion, load_scenario
from tests.sizes import size

quick = settings(max_examples=size(80, 200), deadline=None, derandomize=True)
parts = st.integers(-50_000, 50_000).map(lambda k: k / 1024.0)  # sums and differences are exact
shares = st.floats(0.0, 1.0)


def policy(**options: Any) -> Any:
    """The parameters of motion that rules see: top speed 15, not lowered by hunger."""
    known = {
        "policy_constant": False,
        "policy_overdamped": False,
        "top_speed": 15.0,
        "tired_speed": 1.0,
        "panic_speed": 0.5,
    }
    return SimpleNamespace(**known | {"has_min_speed": False, "min_speed": 0.0} | options)


def agent(vx: float, vy: float, panic: float = 0.0, energy: float = 1.0) -> Any:
    size = math.hypot(vx, vy)
    heading = Vec(vx / size, vy / size) if size else Vec(1.0, 0.0)
    return SimpleNamespace(velocity=Vec(vx, vy), heading=heading, panic=panic, energy=energy)


def moved(p: Any, me: Any, fx: float, fy: float, thrust: float = 1.0) -> tuple[float, float]:
    vx, vy = accelerate(p, me, Vec(fx, fy), SimpleNamespace(thrust=thrust))
    return float(vx), float(vy)


@pytest.mark.parametrize(("energy", "share"), [(0.0, 0.3), (0.25, 0.475), (0.5, 0.65), (1.0, 1.0)])
def test_the_tired_are_slow(energy: float, share: float) -> None:
    # S0-24
    assert top_speed(policy(tired_speed=0.3), 0.0, energy) == pytest.approx(15.0 * share)


@pytest.mark.parametrize(("panic", "factor"), [(0.0, 1.0), (0.4, 1.2), (1.0, 1.5)])
def test_the_frightened_are_fast(panic: float, factor: float) -> None:
    # S0-25
    assert top_speed(policy(), panic, 1.0) == pytest.approx(15.0 * factor)


@given(shares, shares, shares)
@quick
def test_both_factors_multiply(panic: float, energy: float, tired: float) -> None:
    # S0-24, S0-25
    expected = 15.0 * (tired + (1.0 - tired) * energy) * (1.0 + 0.5 * panic)
    assert top_speed(policy(tired_speed=tired), panic, energy) == pytest.approx(expected)


@given(parts, parts, parts, parts, shares, shares)
@quick
def test_velocity_is_capped_at_the_effective_top_speed(
    vx: float, vy: float, fx: float, fy: float, panic: float, energy: float
) -> None:
    # S0-21, S0-26, S4-7
    new_x, new_y = vx + fx * 0.5, vy + fy * 0.5
    size = math.hypot(new_x, new_y)
    top = 15.0 * (0.3 + 0.7 * energy) * (1.0 + 0.5 * panic)
    factor = top / size if size > top else 1.0
    found = moved(policy(tired_speed=0.3), agent(vx, vy, panic, energy), fx, fy, thrust=0.5)
    assert found == pytest.approx((new_x * factor, new_y * factor), abs=1e-9)


@given(parts, parts, parts, parts, shares)
@quick
def test_constant_speed_holds_whatever_the_force(
    vx: float, vy: float, fx: float, fy: float, panic: float
) -> None:
    # S4-1, S4-9, S4-31
    found = moved(policy(policy_constant=True, top_speed=2.5), agent(vx, vy, panic), fx, fy)
    assert math.hypot(*found) == pytest.approx(2.5 * (1.0 + 0.5 * panic), rel=1e-9)


@given(st.floats(-3.1, 3.1))
@quick
def test_constant_speed_turns_by_the_force(angle: float) -> None:
    # S4-31: the new direction is that of v + f
    vx, vy = math.cos(angle), math.sin(angle)
    found = moved(policy(policy_constant=True, top_speed=1.0), agent(vx, vy), 0.3, -0.2)
    assert math.atan2(found[1], found[0]) == pytest.approx(math.atan2(vy - 0.2, vx + 0.3))


def test_constant_speed_is_never_stuck() -> None:
    # S4-1, S4-31: an agent whose velocity a force cancels keeps its heading
    p = policy(policy_constant=True, top_speed=2.0)
    for angle in np.linspace(-3.0, 3.0, 13):
        vx, vy = 2.0 * math.cos(angle), 2.0 * math.sin(angle)
        assert moved(p, agent(vx, vy), -vx, -vy) == pytest.approx((vx, vy))
    assert moved(p, agent(0.0, 0.0), 0.0, 0.0) == (2.0, 0.0)


@given(parts, parts, parts, parts)
@quick
def test_a_minimum_speed_is_kept_under_the_cap(vx: float, vy: float, fx: float, fy: float) -> None:
    found = moved(policy(has_min_speed=True, min_speed=4.0), agent(vx, vy), fx, fy)
    new = (vx + fx, vy + fy)
    expected = min(15.0, max(4.0, math.hypot(*new)))
    assert math.hypot(*found) == pytest.approx(expected)
    if math.hypot(*new) > 1e-6:
        assert math.atan2(found[1], found[0]) == pytest.approx(math.atan2(new[1], new[0]), abs=1e-9)


def test_a_minimum_speed_restarts_an_agent_that_was_stopped() -> None:
    p = policy(has_min_speed=True, min_speed=4.0)
    assert moved(p, agent(0.0, -6.0), 0.0, 6.0) == pytest.approx((0.0, -4.0))


def test_the_cap_of_the_tired_is_below_their_minimum_speed() -> None:
    # S0-26: otherwise they would alternate between the two
    p = policy(has_min_speed=True, min_speed=4.0, tired_speed=0.1)
    for speed in (0.5, 1.5, 3.0, 4.0, 9.0):
        assert moved(p, agent(0.0, speed, energy=0.0), 0.0, 0.0) == pytest.approx((0.0, 1.5))


def test_a_species_without_a_minimum_speed_may_stand_still() -> None:
    assert moved(policy(has_min_speed=True, min_speed=0.0), agent(0.0, 0.0), 0.0, 0.0) == (0.0, 0.0)


def test_no_minimum_speed_by_default() -> None:
    assert Motion().min_speed == 0.0
    assert moved(policy(), agent(1.0, 0.0), -1.0, 0.0) == (0.0, 0.0)


def test_heading_is_kept_while_too_slow() -> None:
    # S0-27, S2-16: updated only when |v|^2 > 0.01
    vx = np.array([0.0, 0.09, 0.11, -3.0])
    vy = np.array([0.0, 0.0, 0.0, 4.0])
    expected = [2.0, 2.0, 0.0, math.atan2(4.0, -3.0)]
    assert new_angle(Vec(vx, vy), np.full(4, 2.0)).tolist() == pytest.approx(expected)


@given(parts, parts)
@quick
def test_the_heading_is_the_velocity_at_length_one(vx: float, vy: float) -> None:
    heading, speed = heading_of(Vec(vx, vy))
    size = math.hypot(vx, vy)
    assert float(speed) == pytest.approx(size)
    expected = (vx / size, vy / size) if size else (1.0, 0.0)
    assert tuple(map(float, heading)) == pytest.approx(expected)


def test_an_agent_at_rest_heads_along_the_first_axis_in_any_dimension() -> None:
    for dimension in (2, 3):
        heading, speed = heading_of(Vec(*[0.0] * dimension))
        assert tuple(map(float, heading)) == (1.0, 0.0, 0.0)[:dimension]
        assert float(speed) == 0.0


def pulled(x: float = 200.0, **motion: Any) -> Simulation:
    """Forty agents that an attractor pulls, otherwise left alone."""
    rng = np.random.default_rng(4)
    silent = {name: {"enabled": False} for name in ("separation", "alignment", "cohesion", "boundary")}
    scenario = Scenario.from_data(
        {
            "world": {"width": 400.0, "height": 300.0, "boundary": "open"},
            "motion": {"max_speed": 8.0, "max_force": 0.5} | motion,
            "rules": silent
            | {"attractors": {"points": [{"x": x, "y": 150.0, "strength": 2.0, "radius": 4000.0}]}},
        }
    )
    positions = rng.uniform((50.0, 50.0), (350.0, 250.0), (40, 2))
    velocities = rng.normal(0.0, 4.0, (40, 2))
    return Simulation(scenario, backend="reference", positions=positions, velocities=velocities)


def capped(velocities: Any, most: float) -> Any:
    sizes = np.hypot(*velocities.T)[:, None]
    return velocities * np.minimum(1.0, most / sizes)


@pytest.mark.parametrize("dt", [1.0 / 60.0, 1.0 / 30.0, 0.1])
def test_semi_implicit_euler_with_velocities_per_second(dt: float) -> None:
    # S0-21, S0-22, S0-26, S4-7, S2-18: v += a dt 60; limit; x += v dt, with the new v
    sim = pulled(time_step=dt)
    x, v = sim.positions.astype(float), sim.velocities.astype(float)
    for _ in range(3):
        sim.step()
        v = capped(v + sim.forces * dt * 60.0, 8.0)
        x = x + v * dt
        np.testing.assert_allclose(sim.velocities, v, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(sim.positions, x, rtol=1e-6, atol=1e-4)
    assert (np.hypot(*sim.forces.T) > 0.1).all()
    assert (np.hypot(*sim.velocities.T) <= 8.0 + 1e-5).all()


def test_euler_with_velocities_per_tick() -> None:
    # S1-3, S1-4, S1-8: V += A, then capped; P += the new V; the length of the step does not matter
    for dt in (1.0 / 60.0, 0.2):
        sim = pulled(velocity_unit="tick", time_step=dt)
        x, v = sim.positions.astype(float), sim.velocities.astype(float)
        sim.step()
        v = capped(v + sim.forces, 8.0)
        np.testing.assert_allclose(sim.velocities, v, rtol=1e-5)
        np.testing.assert_allclose(sim.positions, x + v, rtol=1e-6)


def test_sixty_times_the_time_step_makes_forces_independent_of_the_rate() -> None:
    # S0-22: a sixth of a second in ten steps or in five gives nearly the same change of velocity
    fine, coarse = (pulled(2000.0, time_step=dt, max_speed=50.0) for dt in (1.0 / 60.0, 1.0 / 30.0))
    before = fine.velocities
    fine.step(10)
    coarse.step(5)
    assert np.hypot(*(fine.velocities - before).T).min() > 4.0
    assert np.abs(fine.velocities - coarse.velocities).max() < 0.01


def test_acceleration_starts_from_zero_each_step() -> None:
    # S0-28, S1-3, S2-19
    sim = pulled()
    assert not sim.forces.any()
    sim.step()
    assert sim.forces.any()
    sim.retune({"rules.attractors.enabled": False})
    before = sim.velocities
    sim.step()
    assert not sim.forces.any()
    assert np.array_equal(sim.velocities, before)


def test_headings_are_cached() -> None:
    # S0-27, S2-16
    sim = pulled()
    sim.step(2)
    v = sim.velocities.astype(float)
    np.testing.assert_allclose(sim.column("heading"), np.arctan2(v[:, 1], v[:, 0]), atol=1e-5)
    scenario = sim.scenario.with_values({"rules.attractors.enabled": False, "motion.max_speed": 0.0625})
    slow = Simulation(scenario, backend="reference", positions=[[50.0, 50.0]], velocities=[[-3.0, 0.0]])
    slow.step()
    assert slow.velocities.tolist() == [[-0.0625, 0.0]]
    assert slow.column("heading")[0] == pytest.approx(math.pi)  # from the start, when it was fast


def test_a_crowd_at_constant_speed_keeps_it() -> None:
    # S4-1, S4-7, S4-9, S4-31: clamped steering, semi-implicit Euler, then the speed is reset
    sim = Simulation(
        load_scenario("roadmap").with_values({"agents": 80, "world.width": 60, "world.height": 40}),
        3,
        "reference",
    )
    for _ in range(20):
        x, v = sim.positions.astype(float), sim.velocities.astype(float)
        sim.step()
        new = v + sim.forces
        new /= np.hypot(*new.T)[:, None]
        np.testing.assert_allclose(sim.velocities, new, atol=1e-5)
        np.testing.assert_allclose(np.hypot(*sim.velocities.T), 1.0, rtol=1e-5)
        assert (np.hypot(*sim.forces.T) <= 0.1 + 1e-6).all()
        step = (sim.positions - x - new + 20.0) % (60.0, 40.0) - 20.0
        assert np.abs(step).max() < 1e-4


def test_real_time_runs_in_fixed_steps() -> None:
    # S0-32: a long frame counts as 0.1 s, `speed` scales the time to simulate, and a remainder is carried over
    sim = pulled()
    clock = Clock(sim)
    assert [clock.advance(1.0 / 120.0) for _ in range(4)] == [0, 1, 0, 1]
    assert clock.advance(30.0) == 6
    assert sim.step_count == 8
    assert sim.time == pytest.approx(8.0 / 60.0)
    assert Clock(pulled(), speed=2.0).advance(0.05) == 6
