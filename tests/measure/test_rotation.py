"""Motion about the centre and the size of a flock, against rigid rotation and brute force."""

from __future__ import annotations

import math

import numpy as np
import pytest

from murmura.measure import Flock, measure_flock
from murmura.measure.motion import velocities_about_center
from murmura.measure.structure.angles import egocentric_angles
from tests.measure.oracle import make_flock, random_flock


def swirl(dimension: int, count: int = 60) -> Flock:
    """Places that are symmetric about (50, 30), moving with (3, -1), rotating at 0.5 / s and growing by 0.2 / s."""
    half = np.random.default_rng(3).normal(scale=5.0, size=(count // 2, dimension))
    if dimension == 3:
        half = np.concatenate([half[: count // 4], half[: count // 4] * [1.0, 1.0, -1.0]])
    places = np.concatenate([half, -half])
    turned = np.stack([-places[:, 1], places[:, 0], *([np.zeros(len(places))] * (dimension - 2))], axis=1)
    drift, middle = np.array([3.0, -1.0, 0.0])[:dimension], np.array([50.0, 30.0, 20.0])[:dimension]
    more = {"depth": 40.0} if dimension == 3 else {}
    return make_flock(middle + places, drift + 0.2 * places - 0.5 * turned, **more)


@pytest.mark.parametrize("dimension", [2, 3])
def test_rotation_and_growth_are_separated(dimension: int):
    flock = swirl(dimension)
    r = flock.positions - flock.positions.mean(axis=0)
    away = np.sqrt((r**2).sum(axis=1))
    distances, radial, tangential = velocities_about_center(flock)
    assert distances == pytest.approx(away)
    assert radial == pytest.approx(0.2 * away)
    assert tangential == pytest.approx(0.5 * (r[:, :2] ** 2).sum(axis=1) / away)
    found = measure_flock(flock, ["radial_velocity", "tangential_velocity"])
    assert list(found.values()) == pytest.approx([radial.mean(), tangential.mean()])


@pytest.mark.parametrize("depth", [None, 30.0])
@pytest.mark.parametrize("count", [2, 40, 1500])
def test_the_extent_is_the_greatest_distance(count: int, depth: float | None):
    rng = np.random.default_rng(count)
    places = (
        rng.random((count, 2 if depth is None else 3)) * np.array([100.0, 60.0, 30.0])[: 3 if depth else 2]
    )
    flock = make_flock(places, places, depth=depth)
    greatest = max(float(np.sqrt(((places - place) ** 2).sum(axis=1)).max()) for place in places)
    assert measure_flock(flock, ["extent"])["extent"] == pytest.approx(greatest)


def test_the_extent_on_a_line_and_across_the_edge_of_a_torus():
    line = np.column_stack([np.linspace(10.0, 40.0, 1200), np.linspace(10.0, 50.0, 1200)])
    assert measure_flock(make_flock(line), ["extent"])["extent"] == pytest.approx(50.0)
    around = make_flock([[99.0, 30.0], [2.0, 30.0], [97.0, 30.0]], wraps=True)
    assert measure_flock(around, ["extent"])["extent"] == pytest.approx(5.0)
    assert math.isnan(measure_flock(make_flock(np.zeros((0, 2))), ["extent"])["extent"])


@pytest.mark.parametrize("wraps", [False, True])
def test_angles_to_the_nearest_are_those_of_all_pairs(wraps: bool):
    flock = random_flock(seed=5, count=60, wraps=wraps)
    expected = []
    for i in range(60):
        apart = flock.positions - flock.positions[i]
        if wraps:
            apart = (apart + flock.size / 2.0) % flock.size - flock.size / 2.0
        lengths = np.hypot(*apart.T)
        lengths[i] = np.inf
        x, y = apart[lengths.argmin()]
        turn = math.atan2(y, x) - math.atan2(flock.velocities[i, 1], flock.velocities[i, 0])
        expected.append(math.degrees((turn + math.pi) % (2.0 * math.pi) - math.pi))
    assert egocentric_angles(flock) == pytest.approx(expected)
    mean = measure_flock(flock, ["egocentric_angle"])["egocentric_angle"]
    assert mean == pytest.approx(np.abs(expected).mean())


def test_a_neighbor_at_the_right_hand_has_an_angle_of_90_degrees():
    # y grows downwards, as on the page: who heads along x has y on its right.
    assert egocentric_angles(make_flock([[10.0, 10.0], [10.0, 12.0]])).tolist() == [90.0, -90.0]
    in_space = make_flock([[1.0, 1.0, 1.0], [2.0, 1.0, 1.0]], np.tile([1.0, 0.0, 0.0], (2, 1)), depth=9.0)
    assert egocentric_angles(in_space).tolist() == [0.0, 180.0]


def test_who_shares_its_place_or_stands_still_has_no_angle():
    same = make_flock([[1.0, 1.0], [1.0, 1.0], [9.0, 1.0]], [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    assert len(egocentric_angles(same)) == 0
