"""Neighbour sets of the kernel itself against SciPy's periodic k-d tree plus the field of view."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import murmura as mm
from murmura.core.errors import ScenarioError
from tests.sizes import size

from .neighbor_probe import begin, check_neighbors, headings, scatter, scene

BOUNDARIES = ("wrap", "reflect", "open")


def uniform(rng: np.random.Generator, n: int, width: float = 400.0, height: float = 300.0) -> np.ndarray:
    places = (rng.random((n, 2)) * [width, height]).astype(np.float32)
    return np.minimum(places, np.nextafter(np.float32([width, height]), np.float32(0)))


# S4-47, S4-46, S3-41, S4-72: rows as high as the radius and bins of a quarter of it find what brute force finds.
@pytest.mark.parametrize("boundary", BOUNDARIES)
@pytest.mark.parametrize("view", [360.0, 270.0, 90.0])
def test_random_scenes(boundary: str, view: float):
    rng = np.random.default_rng(1)
    met = 0
    for radius in (12.0, 50.0, 90.0):
        scenario = scene(boundary, **{"perception.radius": radius, "perception.field_of_view": view})
        met += check_neighbors(begin(scenario, uniform(rng, 300), headings(rng, 300)))
    assert met > 500


# S4-64
@pytest.mark.parametrize("boundary", BOUNDARIES)
def test_a_hundred_random_frames(boundary: str):
    rng = np.random.default_rng(2)
    sim = begin(scene(boundary, **{"perception.radius": 40.0}), uniform(rng, 120), headings(rng, 120))
    for frame in range(100):
        if frame % 4 == 0:
            # Three frames of flight in between: the flock is then nearly sorted, as in a real run.
            scatter(sim, uniform(rng, 120), headings(rng, 120))
        check_neighbors(sim)


def test_small_flocks_by_name():
    """Sets of up to twenty agents, decoded one by one: few agents leave most bins and rows empty."""
    rng = np.random.default_rng(3)
    for boundary in BOUNDARIES:
        for width, height in ((400.0, 300.0), (130.0, 110.0)):
            for _ in range(size(4, 10)):
                n = int(rng.integers(2, 21))
                values = {"world.width": width, "world.height": height, "perception.field_of_view": 300.0}
                sim = begin(scene(boundary, **values), uniform(rng, n, width, height), headings(rng, n))
                check_neighbors(sim)


@pytest.mark.parametrize("boundary", ["reflect", "open"])
@pytest.mark.parametrize("size", [(20.0, 300.0), (300.0, 20.0), (30.0, 30.0)])
def test_worlds_smaller_than_the_radius(boundary: str, size: tuple[float, float]):
    """All agents are in the first and last bin simultaneously: rows are adjacent in memory and must not mix."""
    rng = np.random.default_rng(4)
    for n in (3, 7, 20, 61):
        values = {"world.width": size[0], "world.height": size[1], "perception.field_of_view": 360.0}
        scenario = scene(boundary, **values | {"motion.max_speed": 2.0})
        assert check_neighbors(begin(scenario, uniform(rng, n, *size), headings(rng, n, 2.0))) > 0


@pytest.mark.parametrize("boundary", BOUNDARIES)
@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_very_small_flocks(boundary: str, n: int):
    places = np.array([[10.0, 10.0], [30.0, 20.0], [390.0, 290.0]])[:n].reshape(-1, 2)
    scenario = scene(boundary, **{"perception.field_of_view": 360.0})
    sim = begin(scenario, places, np.full((n, 2), 3.0))
    # 1 and 2 see each other; 3 is across both edges, 28.3 from 1 and 50 from 2: seen where the world wraps.
    expected = {0: 0, 1: 0, 2: 2, 3: 6 if boundary == "wrap" else 2}[n]
    assert check_neighbors(sim, exact=True) == expected
    sim.step(5)
    assert sim.step_count == 6
    assert sim.agent_count == n


@pytest.mark.parametrize("boundary", BOUNDARIES)
def test_all_in_one_cell(boundary: str):
    rng = np.random.default_rng(5)
    places = uniform(rng, 250, 3.0, 3.0) + np.array([201.0, 151.0])
    scenario = scene(boundary, **{"perception.field_of_view": 200.0})
    assert check_neighbors(begin(scenario, places, headings(rng, 250))) > 20_000


@pytest.mark.parametrize("boundary", BOUNDARIES)
def test_all_in_one_place(boundary: str):
    """In exactly the same place all are at distance 0: seen by all, whatever their headings."""
    sim = begin(scene(boundary), np.full((37, 2), 100.0), np.full((37, 2), 2.0))
    assert check_neighbors(sim, exact=True) == 37 * 36


# S3-42, S4-42
def test_edges_and_corners_of_a_torus():
    rng = np.random.default_rng(6)
    scenario = scene("wrap", **{"perception.radius": 30.0, "perception.field_of_view": 360.0})
    near = rng.uniform(0.0, 20.0, (160, 2))
    places = np.where(rng.random((160, 2)) < 0.5, near, np.array([400.0, 300.0]) - near)  # four corners
    places[:40, 0] = rng.uniform(0.0, 400.0, 40)  # along the lower and upper edge
    places[40:80, 1] = rng.uniform(0.0, 300.0, 40)  # along the left and right one
    places = np.minimum(places.astype(np.float32), np.nextafter(np.float32([400.0, 300.0]), np.float32(0)))
    sim = begin(scenario, places, headings(rng, 160))
    met = check_neighbors(sim)
    across = np.abs(places[:, None] - places[None]) > [200.0, 150.0]
    assert met > 3000
    assert across.any(axis=2).sum() > 3000
    for _ in range(10):
        check_neighbors(sim)


def test_exactly_on_the_edges_of_the_world():
    below = np.nextafter(np.float32([400.0, 300.0]), np.float32(0))
    places = [(x, y) for x in (0.0, 200.0, below[0]) for y in (0.0, 150.0, below[1])]
    scenario = scene("wrap", **{"perception.radius": 40.0, "perception.field_of_view": 360.0})
    assert check_neighbors(begin(scenario, places, np.full((9, 2), 1.0))) == 4 * 3 + 4 * 1
    places = [(x, y) for x in (0.0, 200.0, 400.0) for y in (0.0, 150.0, 300.0)]
    scenario = scene("reflect", **{"perception.radius": 150.0, "perception.field_of_view": 360.0})
    assert check_neighbors(begin(scenario, places, np.full((9, 2), 1.0)), exact=True) == 12


# S4-16, S4-17 for the kernel: both limits of the view are inclusive, also across the edges of a torus.
@pytest.mark.parametrize("boundary", BOUNDARIES)
@pytest.mark.parametrize("view", [360.0, 270.0, 180.0, 90.0])
def test_limits_are_inclusive(boundary: str, view: float):
    """On a lattice of whole numbers (3, 4) and (0, 5) lie exactly at radius 5, and diagonals at the limits of views."""
    values = {
        "world.width": 64.0,
        "world.height": 48.0,
        "perception.radius": 5.0,
        "perception.field_of_view": view,
    }
    rng = np.random.default_rng(7)
    lattice = np.array(list(itertools.product(range(64), range(48))), np.float64)
    places = lattice[rng.permutation(len(lattice))[:400]]
    compass = np.array([(1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1)], np.float64)
    sim = begin(scene(boundary, **values), places, compass[rng.integers(0, 8, 400)])
    gap = places[:, None] - places[None]
    if boundary == "wrap":
        gap -= np.array([64.0, 48.0]) * np.round(gap / [64.0, 48.0])
    assert ((gap**2).sum(axis=2) == 25.0).sum() > 100
    check_neighbors(sim, exact=True)


@pytest.mark.parametrize("factor", [2.0003, 2.01, 2.3, 2.6, 3.2])
def test_a_world_barely_larger_than_two_radii(factor: float):
    rng = np.random.default_rng(8)
    side = 50.0 * factor
    values = {"world.width": side, "world.height": side, "perception.field_of_view": 330.0}
    sim = begin(scene("wrap", **values), uniform(rng, 150, side, side), headings(rng, 150))
    for _ in range(5):
        assert check_neighbors(sim) > 5_000


def test_a_radius_of_half_a_wrapping_world_is_refused():
    with pytest.raises(ScenarioError, match=r"perception\.radius must be below half .* got 160"):
        scene("wrap", **{"perception.radius": 160.0})
    with pytest.raises(
        ScenarioError, match="an agent would see others twice; enlarge the world or lower the radius"
    ):
        scene("wrap", **{"perception.radius": 150.0})
    assert scene("reflect", **{"perception.radius": 160.0}).perception.radius == 160.0
    with pytest.raises(ScenarioError, match=r"species.0 .*perception\.radius must be below half"):
        scene("wrap", species=[{"name": "far", "values": {"perception.radius": 151.0}}])


@pytest.mark.parametrize("boundary", BOUNDARIES)
@pytest.mark.parametrize("size", [(1e6, 1e6), (3e6, 150.0), (150.0, 3e6)])
def test_huge_sparse_worlds(boundary: str, size: tuple[float, float]):
    """Far fewer bins than the radius would require; some agents are in pairs, also across the edges."""
    rng = np.random.default_rng(9)
    places = uniform(rng, 200, *size)
    places[100:] = places[:100] + rng.uniform(-30.0, 30.0, (100, 2)).astype(np.float32)
    places[:6, 0] = [0.0, 1.0, size[0] - 8.0, size[0] - 2.0, 5.0, size[0] - 30.0]
    places = np.clip(places, 0.0, np.nextafter(np.float32(size), np.float32(0)))
    values = {"world.width": size[0], "world.height": size[1], "perception.field_of_view": 360.0}
    sim = begin(scene(boundary, **values), places, headings(rng, 200))
    assert check_neighbors(sim) > 100


# S3-42
@pytest.mark.parametrize("threads", [1, 3])
def test_a_blob_in_a_corner_overflows_the_room_for_ghosts(threads: int):
    """Every agent has three ghosts; the sorted copy must grow in the middle of a run without losing a step."""
    rng = np.random.default_rng(10)
    places = np.concatenate([uniform(rng, 1600, 15.0, 15.0), uniform(rng, 100, 1000.0, 1000.0)])
    values = {"world.width": 1000.0, "world.height": 1000.0, "perception.radius": 25.0}
    sim = begin(scene("wrap", **values), places, headings(rng, 1700), threads=threads)
    room = sim._backend._arrays["table"].shape[1]
    assert check_neighbors(sim) > 1_000_000
    assert sim._backend._arrays["table"].shape[1] > room
    assert sim.step_count == 1
    # The same blob, drifting into the corner during a single call of many steps.
    spread = np.concatenate([uniform(rng, 1600, 15.0, 15.0) + 40.0, uniform(rng, 100, 1000.0, 1000.0)])
    drift = np.full((1700, 2), -5.0)
    one = begin(scene("wrap", **values), spread, drift, threads=threads)
    many = begin(scene("wrap", **values), spread, drift, threads=threads)
    many.step(12)
    for _ in range(12):
        one.step()
    assert many._backend._arrays["table"].shape[1] > room
    assert many.state_hash() == one.state_hash()


@pytest.mark.parametrize("origin", [(0.0, 0.0), (-5000.0, 3000.0), (1e6, -1e6), (-3e7, 2e7)])
def test_open_worlds_far_from_the_origin(origin: tuple[float, float]):
    rng = np.random.default_rng(11)
    places = (uniform(rng, 200) + origin).astype(np.float32)
    scenario = scene("open", **{"perception.field_of_view": 300.0, "perception.radius": 60.0})
    sim = begin(scenario, places, headings(rng, 200))
    assert check_neighbors(sim, exact=max(map(abs, origin)) > 1e7) > 500


@pytest.mark.parametrize("line", ["row", "column", "diagonal", "two far groups"])
def test_open_worlds_of_every_shape(line: str):
    rng = np.random.default_rng(12)
    along = rng.uniform(0.0, 900.0, 90)
    still = np.full(90, 7.0)
    places = {
        "row": np.stack([along, still], axis=1),
        "column": np.stack([still, along], axis=1),
        "diagonal": np.stack([along, -along], axis=1),
        "two far groups": uniform(rng, 90) + np.where(np.arange(90) < 40, 0.0, 2e5)[:, None],
    }[line]
    sim = begin(scene("open", **{"perception.field_of_view": 360.0}), places, headings(rng, 90))
    for _ in range(3):
        assert check_neighbors(sim) > 200


@pytest.mark.parametrize("nearest", [1, 6, 64])
def test_nearest_neighbors_of_two_species(nearest: int):
    """Topological perception, and species with different radii and fields of view."""
    rng = np.random.default_rng(13)
    species = [
        {"name": "near", "values": {"perception.radius": 25.0, "perception.field_of_view": 120.0}},
        {"name": "far", "values": {"perception.radius": 70.0}},
    ]
    scenario = scene("wrap", species=species, nearest=nearest)
    for n in (2, 20, 260):
        sim = begin(scenario, uniform(rng, n), headings(rng, n), species=np.arange(n) % 2)
        check_neighbors(sim)
        check_neighbors(sim)
    assert sim.column("local_density").max() <= nearest
    assert sim.column("local_density").max() >= min(nearest, 25)


def test_slow_agents_look_all_around():
    """S0-115 on the kernel: below a speed of 0.1 the field of view does not matter."""
    places = [(100.0, 100.0), (90.0, 100.0)]
    narrow = scene("wrap", **{"perception.field_of_view": 90.0})
    fast = begin(narrow, places, [(1.0, 0.0), (-1.0, 0.0)])
    assert check_neighbors(fast, exact=True) == 0
    slow = begin(narrow, places, [(0.05, 0.0), (0.0, 0.0)])
    assert check_neighbors(slow, exact=True) == 2


def test_neighbors_refuses_unknown_ids():
    sim = mm.Simulation(scene("wrap"), positions=[(1.0, 1.0)], velocities=[(1.0, 0.0)], backend="cpu")
    assert list(sim.neighbors(0)) == []
    with pytest.raises(KeyError, match="no agent has the id 7"):
        sim.neighbors(7)
