"""Reynolds' steering formula."""

from __future__ import annotations

import math
from types import SimpleNamespace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from murmura.core.vec import Vec
from murmura.rules.steering.towards import steer_at_speed, steer_towards
from tests.sizes import size

quick = settings(max_examples=size(60, 150), deadline=None, derandomize=True)
parts = st.integers(-100_000, 100_000).map(lambda k: k / 1024.0)


def agent(vx: float, vy: float, keeps_speed: bool = False) -> SimpleNamespace:
    return SimpleNamespace(velocity=Vec(vx, vy), max_speed=8.0, max_force=0.5, keeps_speed=keeps_speed)


@given(parts, parts, parts, parts, st.floats(0.0, 20.0))
@quick
def test_desired_minus_current_limited(x: float, y: float, vx: float, vy: float, speed: float) -> None:
    # S0-33, S1-9, S3-4, S4-54
    size = math.hypot(x, y)
    assume(size > 0.0)
    wanted = (x / size * speed - vx, y / size * speed - vy)
    force = math.hypot(*wanted)
    factor = 0.5 / force if force > 0.5 else 1.0
    found = tuple(map(float, steer_at_speed(Vec(x, y), speed, agent(vx, vy))))
    assert found == pytest.approx((wanted[0] * factor, wanted[1] * factor), abs=1e-9)
    assert math.hypot(*found) <= 0.5 + 1e-12


def test_full_speed_is_the_agents_own() -> None:
    # S0-33, S4-54
    found = steer_towards(Vec(3.0, 4.0), agent(4.75, 6.5))
    assert tuple(map(float, found)) == pytest.approx((8.0 * 0.6 - 4.75, 8.0 * 0.8 - 6.5))


def test_at_constant_speed_no_other_is_asked_for() -> None:
    # S4-54, S4-73: braking would not slow it down, but would weaken the turn towards its goal
    me = agent(8.0, 0.0, keeps_speed=True)
    assert tuple(map(float, steer_at_speed(Vec(2.0, 0.0), 0.5, me))) == (0.0, 0.0)
    aside = tuple(map(float, steer_at_speed(Vec(0.0, 2.0), 0.5, me)))
    assert aside == pytest.approx((-math.sqrt(0.125), math.sqrt(0.125)))


def test_already_as_desired() -> None:
    # S0-33
    assert tuple(map(float, steer_towards(Vec(0.0, 5.0), agent(0.0, 8.0)))) == (0.0, 0.0)


def test_no_direction_no_force() -> None:
    # S0-33, S1-11
    assert tuple(map(float, steer_towards(Vec(0.0, 0.0), agent(3.0, -2.0)))) == (0.0, 0.0)
