"""Who sees whom; both limits are inclusive (decision 5)."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

from murmura import Scenario, Simulation
from murmura.core.vec import Vec, from_angle
from murmura.core.world.perception import SEES_ALL, attention, in_view, view_cosine
from murmura.scenario import Perception

TURNS = [math.radians(angle) for angle in range(0, 360, 7)]


def is_seen(fov: float, heading: float, bearing: float, distance: float) -> bool:
    """Whether an agent flying along `heading` sees a neighbour this many radians to its left."""
    offset = from_angle(heading + bearing, distance)
    cosine = Perception(field_of_view=fov).view_cosine
    return bool(in_view(cosine, from_angle(heading), offset, offset.length))


def test_the_default_field_of_view_is_270_degrees() -> None:
    # S4-2, S4-15: half of 270 degrees is 135, whose cosine is -0.70710678
    assert Perception().field_of_view == 270.0
    assert Perception().radius == 50.0
    assert Perception().view_cosine == pytest.approx(-0.70710678, abs=2e-6)


def test_the_radius_itself_counts() -> None:
    # S4-16 with decision 5
    beyond = float(np.nextafter(np.float32(38.0), np.float32(39.0)))
    places = [[50.0, 30.0], [56.0, 38.0], [60.0, 30.0], [50.0, 20.0], [56.0, beyond]]
    assert flock(360.0, places, [[1.0, 0.0]] * 5).neighbors(0).tolist() == [1, 2, 3]


@pytest.mark.parametrize("fov", [30.0, 90.0, 180.0, 270.0, 300.0])
def test_the_edge_of_view_itself_counts(fov: float) -> None:
    # S4-17 with decision 5 (S0-116 alone would be strict): in every direction, on both sides
    half = math.radians(fov / 2.0)
    for heading in TURNS:
        for side in (-1.0, 1.0):
            assert is_seen(fov, heading, side * half, 7.0)
            assert is_seen(fov, heading, side * (half - 0.003), 7.0)
            assert not is_seen(fov, heading, side * (half + 0.003), 7.0)


def test_behind_is_not_seen() -> None:
    # S4-18
    for heading in TURNS:
        assert not is_seen(270.0, heading, math.pi, 5.0)
        assert not is_seen(359.0, heading, math.pi, 5.0)
        assert is_seen(270.0, heading, 0.0, 5.0)


def test_a_full_circle_sees_behind() -> None:
    # decision 5
    for heading in TURNS:
        assert is_seen(360.0, heading, math.pi, 5.0)


def test_both_conditions_must_hold() -> None:
    # S4-15
    ahead, beyond, behind = from_angle(0.2, 9.99), from_angle(0.2, 10.01), from_angle(3.0, 9.99)
    places = [[50.0, 30.0], *([50.0 + float(way.x), 30.0 + float(way.y)] for way in (ahead, beyond, behind))]
    assert flock(270.0, places, [[2.0, 0.0]] * 4).neighbors(0).tolist() == [1]


def test_a_neighbour_in_the_same_place_is_seen() -> None:
    # S4-15: no direction is behind
    assert in_view(Perception().view_cosine, Vec(1.0, 0.0), Vec(0.0, 0.0), 0.0)


def test_the_slow_see_all_around() -> None:
    # S0-115: below |v|^2 = 0.01
    p = SimpleNamespace(view_cosine=-0.5)
    velocity = Vec(np.array([0.0, 0.0999, 0.1, 3.0]), np.zeros(4))
    assert view_cosine(p, velocity).tolist() == [SEES_ALL, SEES_ALL, -0.5, -0.5]


def test_angles_as_document_000_compares_them() -> None:
    # S0-116, S2-21: |bearing - heading| wrapped to [-pi, pi], against half the field of view
    rng = np.random.default_rng(8)
    for heading, bearing, fov in rng.uniform((-np.pi, -np.pi, 20.0), (np.pi, np.pi, 355.0), (2000, 3)):
        difference = bearing - heading
        if difference > math.pi:
            difference -= 2.0 * math.pi
        elif difference < -math.pi:
            difference += 2.0 * math.pi
        half = math.radians(fov / 2.0)
        if abs(abs(difference) - half) > 0.002:
            assert is_seen(fov, heading, bearing - heading, 4.0) == (-half < difference < half)


def test_attention_falls_from_ahead_to_behind() -> None:
    # S4-20
    p = SimpleNamespace(rear_attention=0.2)
    for heading in TURNS:
        for bearing, expected in (
            (0.0, 1.0),
            (math.pi / 2, 0.6),
            (-math.pi / 2, 0.6),
            (math.pi, 0.2),
            (math.pi / 3, 0.8),
        ):
            found = attention(p, from_angle(heading), from_angle(heading + bearing, 4.0), 0.25)
            assert found == pytest.approx(expected)


def flock(fov: float, positions: list[list[float]], velocities: list[list[float]]) -> Simulation:
    scenario = Scenario.from_data(
        {
            "world": {"width": 100.0, "height": 60.0, "boundary": "wrap"},
            "motion": {"max_speed": 10.0},
            "perception": {"radius": 10.0, "field_of_view": fov},
            "rules": {"separation": {"radius": 5.0}},
        }
    )
    return Simulation(scenario, backend="reference", positions=positions, velocities=velocities)


def test_neighbors_of_a_placed_flock() -> None:
    # S4-15…S4-18, S0-115, S2-21, S3-42: ahead, on the radius, on the edge of view, behind, beyond, over the seam
    places = [[50, 30], [55, 30], [60, 30], [45, 35], [45, 25], [44, 30], [61, 30], [50, 30]]
    still = [[0.0, 0.0]] * len(places)
    moving = [[2.0, 0.0], *still[1:]]
    assert flock(270.0, places, moving).neighbors(0).tolist() == [1, 2, 3, 4, 7]
    assert flock(180.0, places, moving).neighbors(0).tolist() == [1, 2, 7]
    assert flock(360.0, places, moving).neighbors(0).tolist() == [1, 2, 3, 4, 5, 7]
    assert flock(180.0, places, still).neighbors(0).tolist() == [1, 2, 3, 4, 5, 7]
    assert flock(180.0, [[98, 58], [2, 2], [94, 58]], [[2.0, 0.0]] * 3).neighbors(0).tolist() == [1]


def test_nobody_sees_itself() -> None:
    sim = flock(360.0, [[50, 30], [50, 30]], [[1.0, 0.0]] * 2)
    assert sim.neighbors(0).tolist() == [1]
    assert sim.neighbors(1).tolist() == [0]
