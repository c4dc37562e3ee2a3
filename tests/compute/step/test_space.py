"""A step in space against a brute-force oracle, neighbours against SciPy, and flat flocks against the plane."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial import cKDTree

import murmura as mm
from tests.compute.step.space_oracle import between, stepped

SIDES = {"world.width": 130.0, "world.height": 110.0, "world.depth": 120.0}
TRIO = {
    "agents": 90,
    "perception.radius": 40.0,
    "rules.separation.radius": 18.0,
    "rules.boundary.margin": 30.0,
}
EDGES = {
    "torus": {"world.boundary": "wrap"},
    "soft": {"world.boundary": "soft"},
    "open": {"world.boundary": "open"},
    "sky": {"world.boundary": "wrap", "world.boundary_z": "soft"},
    "tank": {"world.boundary": "reflect", "world.boundary_z": "open"},
}


def scenario(**values: Any) -> mm.Scenario:
    return mm.Scenario().with_values(SIDES | TRIO | values)


def flock(count: int = 90) -> tuple[Any, Any]:
    rng = np.random.default_rng(5)
    sides = np.array(list(SIDES.values()))
    return rng.random((count, 3)).astype(np.float32) * sides, rng.normal(0.0, 6.0, (count, 3))


def simulation(values: dict[str, Any], backend: str) -> mm.Simulation:
    places, velocities = flock()
    return mm.Simulation(
        scenario(**values), seed=1, backend=backend, threads=1, positions=places, velocities=velocities
    )


@pytest.mark.parametrize("edges", EDGES)
def test_a_step_agrees_with_the_oracle(edges: str, backend: str) -> None:
    sim = simulation(EDGES[edges], backend)
    for _ in range(2):
        expected = stepped(sim.scenario, sim.positions, sim.velocities)
        sim.step()
        sure = ~expected.doubtful
        assert sure.sum() > 0.9 * len(sure)
        np.testing.assert_allclose(sim.forces[sure], expected.forces[sure], atol=2e-5)
        np.testing.assert_allclose(sim.velocities[sure], expected.velocities[sure], atol=5e-5)
        gap = np.abs(sim.positions[sure] - expected.positions[sure])
        assert np.minimum(gap, np.abs(gap - list(SIDES.values()))).max() < 5e-5


@pytest.mark.parametrize("view", [(360.0, None), (200.0, None), (300.0, 6)])
def test_neighbour_counts_are_exact(view: tuple[float, int | None], backend: str) -> None:
    values = {"world.boundary": "wrap", "perception.field_of_view": view[0], "perception.nearest": view[1]}
    sim = simulation(values, backend)
    expected = stepped(sim.scenario, sim.positions, sim.velocities)
    for k in (0, 17, 89):
        if not expected.doubtful[k]:
            assert sim.neighbors(k).tolist() == np.flatnonzero(expected.sees[k]).tolist()
    sim.step()
    counts = sim.column("neighbors")
    sure = ~expected.doubtful
    assert np.array_equal(counts[sure], expected.sees.sum(axis=1)[sure])


@pytest.mark.parametrize(
    ("edges", "nearest"), [("torus", None), ("torus", 6), ("sky", None), ("open", None), ("tank", None)]
)
def test_in_a_crowd_no_neighbour_is_missed(edges: str, nearest: int | None) -> None:
    """With many candidates, the kernel cuts their runs to where the spheres of sight intersect a column."""
    rng = np.random.default_rng(8)
    sides = np.array(list(SIDES.values()))
    middles = np.array([[0.0, 0.0, 0.0], [65.0, 55.0, 60.0], [20.0, 100.0, 40.0]])
    places = middles[np.arange(700) % 3] + rng.normal(0.0, 14.0, (700, 3))
    chosen = scenario(**EDGES[edges], **{"perception.nearest": nearest, "agents": 700})
    for axis, edge in enumerate(chosen.world.edges):
        if edge == "wrap":
            places[:, axis] %= sides[axis]
        elif edge != "open":
            places[:, axis] = np.clip(places[:, axis], 0.0, sides[axis])
    velocities = rng.normal(0.0, 4.0, (700, 3))
    sim = mm.Simulation(chosen, 2, "cpu", 1, positions=places.astype(np.float32), velocities=velocities)
    expected = stepped(chosen, sim.positions, sim.velocities)
    sim.step()
    sure = ~expected.doubtful
    assert sure.sum() > 500 and expected.sees.sum(axis=1).mean() > (5 if nearest else 30)
    assert np.array_equal(sim.column("neighbors")[sure], expected.sees.sum(axis=1)[sure])


def test_neighbours_are_those_of_a_periodic_tree(backend: str) -> None:
    sim = simulation({"world.boundary": "wrap", "perception.field_of_view": 360.0}, backend)
    places = sim.positions.astype(np.float64)
    tree = cKDTree(places, boxsize=list(SIDES.values()))
    found = [set(near) - {k} for k, near in enumerate(tree.query_ball_point(places, 40.0))]
    assert all(set(sim.neighbors(k).tolist()) == found[k] for k in range(0, 90, 7))
    sim.step()
    rim = np.abs(np.sqrt((between(sim.scenario.world, places) ** 2).sum(axis=2)) - 40.0).min(axis=1) < 1e-4
    assert np.array_equal(sim.column("neighbors")[~rim], np.array([len(near) for near in found])[~rim])


def test_a_flock_in_one_plane_flies_as_in_the_plane(backend: str) -> None:
    places, velocities = flock()
    values = TRIO | {"world.width": 130.0, "world.height": 110.0, "world.boundary": "wrap"}
    plane = mm.Scenario().with_values(values)
    level = np.full((len(places), 1), 33.0)
    flat = mm.Simulation(plane, backend="reference", positions=places[:, :2], velocities=velocities[:, :2])
    deep = mm.Simulation(
        plane.with_values({"world.depth": 120.0}), backend=backend, positions=np.hstack([places[:, :2], level]),
        velocities=np.hstack([velocities[:, :2], 0.0 * level]),
    )  # fmt: skip
    for _ in range(3):
        flat.step()
        deep.step()
    np.testing.assert_allclose(deep.positions[:, :2], flat.positions, atol=1e-4)
    assert (deep.positions[:, 2] == 33.0).all() and (deep.velocities[:, 2] == 0.0).all()


def test_bits_do_not_depend_on_threads_or_ids() -> None:
    """On the CPU: one thread or three, and any order of ids, for a flock with clumps across the edges."""
    rng = np.random.default_rng(8)
    sides = np.array(list(SIDES.values()))
    places = np.mod(rng.normal(0.0, 25.0, (700, 3)), sides).astype(np.float32)
    places = np.minimum(places, np.nextafter(sides.astype(np.float32), np.float32(0.0)))
    velocities = rng.normal(0.0, 6.0, (700, 3)).astype(np.float32)
    made = scenario(agents=700, **{"world.boundary": "wrap"})
    shuffled = rng.permutation(700)
    flocks = []
    for threads, ids in ((1, None), (3, None), (3, shuffled)):
        sim = mm.Simulation(
            made, seed=1, backend="cpu", threads=threads, positions=places, velocities=velocities, ids=ids
        )
        sim.step(30)
        order = np.arange(700) if ids is None else ids
        flocks.append(np.hstack([sim.positions, sim.velocities])[order])
    assert np.array_equal(flocks[0], flocks[1]) and np.array_equal(flocks[0], flocks[2])
