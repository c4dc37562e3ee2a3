"""The classic models in space, against their formulas for simple flocks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import murmura as mm

QUIET = {f"rules.{name}.enabled": False for name in ("separation", "alignment", "cohesion", "boundary")}
CUBE = {"world.width": 60.0, "world.height": 60.0, "world.depth": 60.0, "world.boundary": "wrap"}


def simulation(velocities: Any, positions: Any = None, **values: Any) -> mm.Simulation:
    scenario = mm.Scenario().with_values({**CUBE, **QUIET, "perception.radius": 25.0, **values})
    velocities = np.asarray(velocities, float)
    places = np.random.default_rng(1).uniform(0.0, 60.0, velocities.shape) if positions is None else positions
    return mm.Simulation(scenario, seed=3, backend="reference", positions=places, velocities=velocities)


def units(vectors: Any) -> Any:
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


VICSEK = {
    "motion.policy": "constant", "motion.velocity_unit": "tick", "motion.speed": 0.5, "rules.vicsek.enabled": True,
    "perception.field_of_view": 360.0,
}  # fmt: skip


def test_without_noise_all_adopt_the_mean_heading_of_their_neighbours() -> None:
    rng = np.random.default_rng(2)
    places = 30.0 + rng.uniform(-4.0, 4.0, (12, 3))
    headings = units(rng.normal(size=(12, 3)))
    sim = simulation(headings * 0.5, places, **VICSEK, **{"rules.vicsek.noise": 0.0})
    sim.step(1)
    # As in the paper: all move along the headings they had, and then turn.
    np.testing.assert_allclose(sim.positions, places + 0.5 * headings, atol=1e-4)
    mean = headings.sum(axis=0) / np.linalg.norm(headings.sum(axis=0))
    np.testing.assert_allclose(units(sim.velocities), np.tile(mean, (12, 1)), atol=1e-4)


def test_vectorial_noise_destroys_order() -> None:
    rng = np.random.default_rng(2)
    order = {}
    for noise in (40.0, 360.0):
        sim = simulation(units(rng.normal(size=(80, 3))) * 0.5, **VICSEK, **{"rules.vicsek.noise": noise})
        sim.step(60)
        order[noise] = sim.measure(["polarization"])["polarization"]
    assert order[40.0] > 0.9 and order[360.0] < 0.5


ZONES = {
    "rules.zones.enabled": True, "rules.zones.repulsion": 1.0, "rules.zones.orientation": 10.0,
    "rules.zones.attraction": 5.0, "rules.zones.noise": 0.0, "perception.field_of_view": 360.0,
    "rules.zones.turning_rate": 40.0, "motion.time_step": 0.1, "motion.velocity_unit": "second",
}  # fmt: skip


def test_a_turn_is_at_most_the_turning_rate_and_stays_in_its_plane() -> None:
    here = [[30.0, 30.0, 30.0], [33.0, 30.0, 30.0]]
    sim = simulation([[3.0, 0.0, 0.0], [0.0, 0.0, 3.0]], here, **ZONES)
    before = units(sim.velocities)
    sim.step(1)
    after = units(sim.velocities)
    angles = np.degrees(np.arccos((before * after).sum(axis=1)))
    assert angles == pytest.approx([4.0, 4.0], abs=1e-3)  # 40 degrees per second for a tenth of a second
    np.testing.assert_allclose(sim.velocities[:, 1], 0.0, atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(sim.velocities, axis=1), 3.0, rtol=1e-5)


def test_errors_of_the_zones_are_normal_on_the_sphere() -> None:
    many = 3000
    values = ZONES | {"rules.zones.noise": 0.05, "rules.zones.turning_rate": 100_000.0, "agents": many}
    places = np.random.default_rng(3).uniform(0.0, 900.0, (many, 3))
    sim = simulation(
        np.tile([3.0, 0.0, 0.0], (many, 1)), places,
        **values | {"world.width": 1e4, "world.height": 1e4, "world.depth": 1e4, "perception.radius": 16.1},
    )  # fmt: skip
    sim.step(1)
    alone = sim.column("neighbors") == 0
    sideways = units(sim.velocities)[alone][:, 1:]
    assert alone.sum() > 1000
    assert sideways.std(axis=0) == pytest.approx([0.05, 0.05], rel=0.08) and np.abs(sideways.mean()) < 0.005


def test_jitter_turns_to_all_sides_equally() -> None:
    sim = simulation(
        np.tile([0.0, 0.0, 5.0], (2000, 1)), **{"rules.jitter.enabled": True, "rules.jitter.angle": 2.0}
    )
    sim.step(1)
    sideways = sim.velocities[:, :2] / 5.0
    assert np.degrees(np.arcsin(np.linalg.norm(sideways, axis=1).max())) <= 2.0 + 1e-3
    assert np.abs(sideways.mean(axis=0)).max() < 0.002 and sideways.std(axis=0)[0] == pytest.approx(
        sideways.std(axis=0)[1], rel=0.1
    )


@pytest.mark.parametrize("rule", ["noise", "wander"])
def test_wandering_leaves_the_plane(rule: str) -> None:
    sim = simulation(np.tile([5.0, 0.0, 0.0], (60, 1)), **{f"rules.{rule}.enabled": True})
    sim.step(120)
    spread = sim.velocities.std(axis=0)
    assert (spread[1:] > 0.05).all() and 0.2 < spread[1] / spread[2] < 5.0


def test_cucker_smale_agrees_in_three_dimensions() -> None:
    rng = np.random.default_rng(5)
    start = rng.normal(0.0, 2.0, (20, 3))
    sim = simulation(
        start, 30.0 + rng.uniform(-3.0, 3.0, (20, 3)),
        **{"rules.cucker_smale.enabled": True, "perception.field_of_view": 360.0, "rules.cucker_smale.strength": 2.0},
    )  # fmt: skip
    sim.step(240)
    np.testing.assert_allclose(sim.velocities.mean(axis=0), start.mean(axis=0), atol=1e-3)
    assert sim.velocities.std(axis=0).max() < 0.3 * start.std(axis=0).min()
