"""Worlds that wrap, have walls or are open."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from murmura import Scenario, Simulation
from murmura.core.vec import Vec
from murmura.core.world.space import confine, offset, point, shortest, wrapped
from tests.sizes import size

quick = settings(max_examples=size(80, 200), deadline=None, derandomize=True)
sizes = st.floats(1.0, 1e4)
shares = st.floats(0.0, 1.0, exclude_max=True)


def make_world(**options: Any) -> Any:
    return SimpleNamespace(**{"size": Vec(100.0, 60.0), "edges": ("open", "open")} | options)


def confined(world: Any, x: Any, y: Any, vx: Any, vy: Any) -> tuple[Any, ...]:
    position, velocity = confine(world, Vec(x, y), Vec(vx, vy))
    return (*position, *velocity)


@given(shares, shares, sizes)
@quick
def test_distance_on_a_circle(a: float, b: float, size: float) -> None:
    # S3-43: document 003's formula
    a, b = a * size, b * size
    apart = abs(a - b)
    assert abs(shortest(a - b, size)) == pytest.approx(min(apart, size - apart), abs=1e-9 * size)


@given(shares, shares, sizes)
@quick
def test_difference_on_a_circle(a: float, b: float, size: float) -> None:
    # S3-44: document 003's branches
    a, b = a * size, b * size
    difference = a - b
    if abs(difference) > size / 2.0:
        difference = difference - size if difference > 0.0 else difference + size
    found = float(shortest(a - b, size))
    if abs(abs(difference) - size / 2.0) < 1e-9 * size:
        difference = math.copysign(difference, found)  # exactly opposite: both ways are equally short
    assert found == pytest.approx(difference, abs=1e-9 * size)


@given(st.floats(-1e6, 1e6), sizes)
@quick
def test_a_difference_is_never_longer_than_half_a_circle(difference: float, size: float) -> None:
    # S3-44
    assert abs(shortest(difference, size)) <= size / 2.0 * (1.0 + 1e-9)


def test_offset_crosses_the_edge_only_where_the_world_wraps() -> None:
    # S3-42, S3-44
    start, end = Vec(95.0, 3.0), Vec(5.0, 58.0)
    assert tuple(offset(make_world(edges=("wrap", "wrap")), start, end)) == pytest.approx((10.0, -5.0))
    assert tuple(offset(make_world(), start, end)) == pytest.approx((-90.0, 55.0))
    assert tuple(point(make_world(), 3.0, 4.0)) == (3.0, 4.0)


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        (0.0, 0.0),
        (99.5, 99.5),
        (100.0, 0.0),
        (103.25, 3.25),
        (-0.25, 99.75),
        (-100.0, 0.0),
        (731.5, 31.5),
        (-731.5, 68.5),
    ],
)
def test_wrapping_keeps_the_remainder(x: float, expected: float) -> None:
    # S1-15 with decision 22, S3-42, S4-42, S4-44
    assert float(wrapped(x, 100.0)) == expected


@given(st.floats(-1e7, 1e7), sizes)
@quick
def test_wrapped_positions_lie_inside_and_are_equivalent(x: float, size: float) -> None:
    # S4-44, S1-15
    found = float(wrapped(x, size))
    assert 0.0 <= found < size
    turns = (x - found) / size
    assert turns == pytest.approx(round(turns), abs=1e-6)


@given(st.floats(-1e7, 1e7), sizes)
@quick
def test_wrapping_twice_changes_nothing(x: float, size: float) -> None:
    # S4-44
    once = wrapped(x, size)
    assert wrapped(once, size) == once


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_just_outside_does_not_round_to_the_far_edge(kind: type) -> None:
    # S4-44: -1e-9 + 100 rounds to 100, which is not inside
    hairs = np.array([-1e-9, -1e-20, -1e-38], kind)
    found = wrapped(hairs, kind(100.0))
    assert (found >= 0.0).all()
    assert (found < 100.0).all()


def test_all_four_sides_wrap() -> None:
    # S1-15, S4-42
    x = np.array([101.0, -2.0, 50.0, 50.0])
    y = np.array([30.0, 30.0, 63.0, -4.0])
    vx, vy = np.array([1.0, -2.0, 0.0, 0.0]), np.array([0.0, 0.0, 3.0, -4.0])
    found = confined(make_world(edges=("wrap", "wrap")), x, y, vx, vy)
    assert found[0].tolist() == [1.0, 98.0, 50.0, 50.0]
    assert found[1].tolist() == [30.0, 30.0, 3.0, 56.0]
    assert found[2] is vx
    assert found[3] is vy


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((104.0, 30.0, 5.0, 1.0), (96.0, 30.0, -5.0, 1.0)),
        ((-4.0, 30.0, -5.0, 1.0), (4.0, 30.0, 5.0, 1.0)),
        ((50.0, 61.0, 1.0, 5.0), (50.0, 59.0, 1.0, -5.0)),
        ((50.0, -1.0, 1.0, -5.0), (50.0, 1.0, 1.0, 5.0)),
        ((104.0, -1.0, 5.0, -5.0), (96.0, 1.0, -5.0, 5.0)),
        ((50.0, 30.0, 5.0, -5.0), (50.0, 30.0, 5.0, -5.0)),
        ((100.0, 60.0, 5.0, 5.0), (100.0, 60.0, 5.0, 5.0)),
        ((104.0, 30.0, -5.0, 1.0), (96.0, 30.0, -5.0, 1.0)),
    ],
)
def test_walls_reflect_place_and_velocity(before: tuple[float, ...], after: tuple[float, ...]) -> None:
    # the last one: an agent that already flies inwards is not turned back out
    assert tuple(map(float, confined(make_world(edges=("soft", "reflect")), *before))) == after


@given(st.floats(-1e5, 1e5), st.floats(-1e5, 1e5), st.floats(-9.0, 9.0), st.floats(-9.0, 9.0))
@quick
def test_walls_hold_and_keep_the_speed(x: float, y: float, vx: float, vy: float) -> None:
    nx, ny, ux, uy = map(float, confined(make_world(edges=("soft", "reflect")), x, y, vx, vy))
    assert 0.0 <= nx <= 100.0
    assert 0.0 <= ny <= 60.0
    assert (abs(ux), abs(uy)) == (abs(vx), abs(vy))


def test_an_open_world_has_no_edges() -> None:
    assert confined(make_world(), -500.0, 900.0, -1.0, 2.0) == (-500.0, 900.0, -1.0, 2.0)


def lone_flight(boundary: str) -> Simulation:
    """One agent, three units from the right edge, four units a tick to the right."""
    silent = {name: {"enabled": False} for name in ("separation", "alignment", "cohesion", "boundary")}
    scenario = Scenario.from_data(
        {
            "world": {"width": 100.0, "height": 60.0, "boundary": boundary},
            "motion": {"velocity_unit": "tick", "max_speed": 10.0},
            "perception": {"radius": 10.0},
            "rules": silent,
        }
    )
    sim = Simulation(scenario, backend="reference", positions=[[97.0, 30.0]], velocities=[[4.0, 0.0]])
    sim.step()
    return sim


def test_an_agent_crosses_meets_or_ignores_the_edge() -> None:
    # S1-15, S3-42, S4-42
    assert lone_flight("wrap").positions.tolist() == [[1.0, 30.0]]
    assert lone_flight("reflect").positions.tolist() == [[99.0, 30.0]]
    assert lone_flight("reflect").velocities.tolist() == [[-4.0, 0.0]]
    assert lone_flight("open").positions.tolist() == [[101.0, 30.0]]
