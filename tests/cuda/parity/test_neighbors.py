"""Neighbours found by the kernel, against NumPy's comparison of all pairs: counts and ids, in all kinds of worlds."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tests.cuda.machine import ON_HOST
from tests.cuda.neighbor_probe import begin, check_neighbors, headings, scene, uniform

BOUNDARIES = ("wrap", "reflect", "open")
CORNER = np.array([300.0, 240.0])


@pytest.mark.parametrize("boundary", BOUNDARIES)
@pytest.mark.parametrize("view", [360.0, 250.0, 90.0])
def test_random_scenes(boundary: str, view: float, size: tuple[int, int]):
    rng = np.random.default_rng(1)
    n = size[0]
    met = 0
    for radius in (60.0,) if ON_HOST else (12.0, 30.0, 50.0, 90.0, 149.0):
        scenario = scene(boundary, perception_radius=radius, perception_field_of_view=view)
        sim = begin(scenario, uniform(rng, n), headings(rng, n))
        met += check_neighbors(sim)
        if not ON_HOST:
            # After some flight the flock lies sorted in memory, as in a real run.
            sim.step(size[1])
            met += check_neighbors(sim)
    assert met > n // 2


# Far more bins than agents, rows and columns that are empty, and nobody at all.
@pytest.mark.parametrize("boundary", BOUNDARIES)
@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_very_small_flocks(boundary: str, n: int):
    places = np.array([[10.0, 10.0], [30.0, 20.0], [390.0, 290.0]])[:n].reshape(-1, 2)
    sim = begin(scene(boundary, perception_field_of_view=360.0), places, np.full((n, 2), 3.0))
    # 1 and 2 see each other; 3 is across both edges, 28.3 from 1 and 50 from 2: seen where the world wraps.
    expected = {0: 0, 1: 0, 2: 2, 3: 6 if boundary == "wrap" else 2}[n]
    assert check_neighbors(sim, exact=True) == expected
    sim.step()
    assert (sim.step_count, sim.agent_count) == (2, n)


@pytest.mark.parametrize("boundary", BOUNDARIES)
def test_all_in_one_cell(boundary: str, size: tuple[int, int]):
    rng = np.random.default_rng(5)
    places = uniform(rng, size[0], 3.0, 3.0) + np.array([201.0, 151.0])
    scenario = scene(boundary, perception_field_of_view=200.0)
    assert check_neighbors(begin(scenario, places, headings(rng, size[0]))) > 0.3 * size[0] ** 2


@pytest.mark.parametrize("boundary", BOUNDARIES)
def test_all_in_one_place(boundary: str):
    """At distance 0 all are seen by all, whatever their headings."""
    sim = begin(scene(boundary), np.full((23, 2), 100.0), np.full((23, 2), 2.0))
    assert check_neighbors(sim, exact=True) == 23 * 22


def test_edges_and_corners_of_a_torus(size: tuple[int, int]):
    rng = np.random.default_rng(6)
    n = size[0]
    near = rng.uniform(0.0, 20.0, (n, 2))
    places = np.where(rng.random((n, 2)) < 0.5, near, np.array([400.0, 300.0]) - near)  # four corners
    places[: n // 4, 0] = rng.uniform(0.0, 400.0, n // 4)  # along the lower and upper edge
    places[n // 4 : n // 2, 1] = rng.uniform(0.0, 300.0, n // 4)  # along the left and right one
    scenario = scene("wrap", perception_radius=30.0, perception_field_of_view=300.0)
    sim = begin(scenario, np.minimum(places, [399.99, 299.99]), headings(rng, n))
    across = (np.abs(places[:, None] - places[None]) > [200.0, 150.0]).any(axis=2)
    assert across.sum() > n * n / 4
    assert check_neighbors(sim) > n * n / 10
    for _ in range(size[1] - 1):  # agents cross the edges meanwhile
        check_neighbors(sim)


def test_exactly_on_the_edges_of_the_world():
    below = np.nextafter(np.float32([400.0, 300.0]), np.float32(0))
    places = [(x, y) for x in (0.0, 200.0, below[0]) for y in (0.0, 150.0, below[1])]
    scenario = scene("wrap", perception_radius=40.0, perception_field_of_view=360.0)
    assert check_neighbors(begin(scenario, places, np.full((9, 2), 1.0))) == 4 * 3 + 4 * 1
    places = [(x, y) for x in (0.0, 200.0, 400.0) for y in (0.0, 150.0, 300.0)]
    scenario = scene("reflect", perception_radius=150.0, perception_field_of_view=360.0)
    assert check_neighbors(begin(scenario, places, np.full((9, 2), 1.0)), exact=True) == 12


@pytest.mark.parametrize("boundary", BOUNDARIES)
@pytest.mark.parametrize("view", [360.0, 180.0, 90.0])
def test_limits_are_inclusive(boundary: str, view: float, size: tuple[int, int]):
    """On whole numbers, (3, 4), (5, 0) and (0, 5) lie exactly at radius 5, and 45 degrees exactly at limits of view."""
    rng = np.random.default_rng(7)
    width, height = (16.0, 12.0) if ON_HOST else (64.0, 48.0)
    lattice = np.array(list(itertools.product(range(int(width)), range(int(height)))), np.float64)
    places = lattice[rng.permutation(len(lattice))[: size[0]]]
    compass = np.array([(1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1)], np.float64)
    values = {"world_width": width, "world_height": height, "perception_radius": 5.0, "motion_max_speed": 2.0}
    scenario = scene(boundary, **values, perception_field_of_view=view)
    sim = begin(scenario, places, compass[rng.integers(0, 8, len(places))])
    gap = places[:, None] - places[None]
    if boundary == "wrap":
        gap -= np.array([width, height]) * np.round(gap / [width, height])
    assert ((gap**2).sum(axis=2) == 25.0).sum() > size[0]
    check_neighbors(sim, exact=True)


@pytest.mark.parametrize("factor", [2.0003, 2.3, 3.2])
def test_a_world_barely_larger_than_two_radii(factor: float, size: tuple[int, int]):
    rng = np.random.default_rng(8)
    side, n = 50.0 * factor, size[0]
    scenario = scene("wrap", world_width=side, world_height=side, perception_field_of_view=330.0)
    assert check_neighbors(begin(scenario, uniform(rng, n, side, side), headings(rng, n))) > 0.2 * n * n


@pytest.mark.parametrize("boundary", ["reflect", "open"])
@pytest.mark.parametrize("ground", [(20.0, 300.0), (300.0, 20.0), (30.0, 30.0)])
def test_worlds_smaller_than_the_radius(boundary: str, ground: tuple[float, float]):
    rng = np.random.default_rng(4)
    values = {"world_width": ground[0], "world_height": ground[1], "motion_max_speed": 4.0}
    scenario = scene(boundary, **values, perception_field_of_view=360.0)
    assert check_neighbors(begin(scenario, uniform(rng, 30, *ground), headings(rng, 30, 2.0))) > 100


@pytest.mark.parametrize("boundary", BOUNDARIES)
@pytest.mark.parametrize("ground", [(1e6, 1e6), (3e6, 150.0), (150.0, 3e6)])
def test_huge_sparse_worlds(boundary: str, ground: tuple[float, float]):
    """Far fewer bins than the radius would require; some agents are in pairs, also across the edges."""
    rng = np.random.default_rng(9)
    places = uniform(rng, 40, *ground)
    places[20:] = places[:20] + rng.uniform(-30.0, 30.0, (20, 2)).astype(np.float32)
    places[:6, 0] = [0.0, 1.0, ground[0] - 8.0, ground[0] - 2.0, 5.0, ground[0] - 30.0]
    places[:6, 1] = 75.0
    places = np.clip(places, 0.0, np.nextafter(np.float32(ground), np.float32(0)))
    scenario = scene(boundary, world_width=ground[0], world_height=ground[1], perception_field_of_view=360.0)
    assert check_neighbors(begin(scenario, places, headings(rng, 40))) >= 28


@pytest.mark.parametrize("origin", [(-5000.0, 3000.0), (1e6, -1e6)])
def test_open_worlds_far_from_the_origin(origin: tuple[float, float], size: tuple[int, int]):
    rng = np.random.default_rng(11)
    n = size[0]
    places = (uniform(rng, n, 200.0, 150.0) + origin).astype(np.float32)
    scenario = scene("open", perception_field_of_view=360.0, perception_radius=60.0)
    sim = begin(scenario, places, headings(rng, n))
    # A million away, places are whole sixteenths, and the squares of their differences are exact.
    assert check_neighbors(sim, exact=max(map(abs, origin)) >= 1e6) > 3 * n


@pytest.mark.parametrize("line", ["row", "column", "diagonal", "two far groups", "one place"])
def test_open_worlds_of_every_shape(line: str):
    rng = np.random.default_rng(12)
    along = rng.uniform(0.0, 500.0, 40)
    still = np.full(40, 7.0)
    places = {
        "row": np.stack([along, still], axis=1),
        "column": np.stack([still, along], axis=1),
        "diagonal": np.stack([along, -along], axis=1),
        "two far groups": uniform(rng, 40, 100.0, 100.0) + np.where(np.arange(40) < 15, 0.0, 2e5)[:, None],
        "one place": np.full((40, 2), -3.0),
    }[line]
    sim = begin(scene("open", perception_field_of_view=360.0), places, headings(rng, 40))
    assert check_neighbors(sim, exact=line == "one place") > 80


@pytest.mark.parametrize("nearest", [1, 6, 64])
def test_nearest_neighbors_of_two_species(nearest: int, size: tuple[int, int]):
    """Topological perception, and species with different radii and fields of view."""
    rng = np.random.default_rng(13)
    species = (
        {"name": "near", "values": {"perception.radius": 25.0, "perception.field_of_view": 120.0}},
        {"name": "far", "values": {"perception.radius": 70.0}},
    )
    scenario = scene("wrap", species, perception_nearest=nearest)
    for n in (2, size[0]):
        places = uniform(rng, n, 160.0, 120.0) + CORNER if n > 2 else [(1.0, 1.0), (390.0, 290.0)]
        sim = begin(scenario, np.mod(places, [400.0, 300.0]), headings(rng, n), np.arange(n) % 2)
        check_neighbors(sim)
    most = sim.column("local_density").max()
    assert most == nearest if nearest < 10 else 10 < most <= nearest


def test_slow_agents_look_all_around():
    """S0-115 on the device: below a speed of 0.1 the field of view does not matter."""
    places = [(100.0, 100.0), (90.0, 100.0)]
    narrow = scene("wrap", perception_field_of_view=90.0)
    assert check_neighbors(begin(narrow, places, [(1.0, 0.0), (-1.0, 0.0)]), exact=True) == 0
    assert check_neighbors(begin(narrow, places, [(0.05, 0.0), (0.0, 0.0)]), exact=True) == 2


def test_neighbors_are_exactly_those_of_sim_neighbors(size: tuple[int, int]):
    """What `sim.neighbors` says before a step is what the kernel counted in it."""
    rng = np.random.default_rng(14)
    n = size[0]
    sim = begin(scene("wrap", perception_radius=60.0), uniform(rng, n), headings(rng, n))
    named = [list(sim.neighbors(k)) for k in range(0, n, 7)]
    calls = sim.column("feeding_timer")
    sim.step()
    for row, names in zip(range(0, n, 7), named, strict=True):
        assert sim.column("local_density")[row] == len(names)
        assert sim.column("aggression_level")[row] == calls[names].sum()
