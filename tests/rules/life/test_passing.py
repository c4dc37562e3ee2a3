"""Food in passing (document 003): one plain seek while hungry; whoever is near food eats, and no food is made."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from murmura import Scenario, Simulation
from murmura.engine.reading.surroundings import FOOD_COLUMNS
from tests.rules.scenes import MAX_FORCE, MAX_SPEED, make_scenario, place, rule_forces

DT = 0.015625
FOOD = (120.0, 80.0)
AMOUNT = FOOD_COLUMNS.index("amount")


def world(**values: Any) -> Scenario:
    food = {
        "manner": "passing", "sources": [{"x": FOOD[0], "y": FOOD[1]}], "count": 0, "margin": 20.0, "reach": 100.0,
        "hungry_below": 0.3, "landing_radius": 20.0, "respawn": "never",
    }  # fmt: skip
    return make_scenario({"energy": {"decay": 0.0}, "feeding": food | values})


def birds(scenario: Scenario, offsets: Any, velocities: Any = None, energy: Any = 0.2) -> Simulation:
    energies = np.broadcast_to(np.float64(energy), len(offsets)).tolist()
    return place(scenario, np.array(FOOD) + np.asarray(offsets, float), velocities, energy=energies)


# S3-4, S3-10: seek(food.position), at any distance; no arrival, no orbit
@pytest.mark.parametrize("distance", [90.0, 49.0, 21.0, 5.0, 0.5])
@pytest.mark.parametrize("velocity", [(0.0, 0.0), (-8.0, 0.0), (3.0, -6.0)])
def test_the_force_is_one_plain_seek(distance: float, velocity: tuple[float, float]) -> None:
    sim = birds(world(), [(distance, 0.0)], [velocity])
    wanted = np.array([-MAX_SPEED, 0.0]) - velocity
    longest = np.hypot(*wanted)
    force = wanted * min(1.0, MAX_FORCE / longest) if longest else wanted
    np.testing.assert_allclose(rule_forces(sim, "feeding")[0], force, atol=1e-9)


# S3-16: decided anew in every step
def test_only_the_hungry_seek_the_nearest_food_in_reach() -> None:
    two = world(sources=[{"x": FOOD[0], "y": FOOD[1]}, {"x": FOOD[0] + 60.0, "y": FOOD[1]}], reach=50.0)
    sim = birds(two, [(25.0, 0.0), (35.0, 0.0), (25.0, 0.0), (0.0, 70.0)], energy=[0.2, 0.2, 0.31, 0.2])
    forces = rule_forces(sim, "feeding")
    assert forces[0, 0] < 0.0 < forces[1, 0]
    assert not forces[2:].any()
    sim.step()
    assert sim.column("target_food_id").tolist() == [0, 1, -1, -1]


def test_whoever_is_near_eats_and_food_becomes_energy(backend: str) -> None:
    scenario = world(amount=0.5, energy_restore=0.6)
    offsets = [(3.0, 0.0), (0.0, 19.0), (0.0, 21.0), (-4.0, 1.0)]
    start = birds(scenario, offsets, energy=[0.5, 0.9, 0.5, 1.0]).state
    sim = Simulation(scenario, 0, backend, positions=np.zeros((4, 2)))
    sim.load_state(start)
    sim.step(2)  # one to count the eaters, one to hand out
    gained = sim.column("energy").astype(float) - [0.5, 0.9, 0.5, 1.0]
    np.testing.assert_allclose(gained, [0.6 * DT, 0.6 * DT, 0.0, 0.0], atol=1e-6)
    sim.step(60)
    eaten = float((sim.column("energy").astype(float) - [0.5, 0.9, 0.5, 1.0]).sum())
    assert sim.state.items["feeding"][0, AMOUNT] == 0.0
    assert eaten <= 0.6 * 0.5 + 1e-6
    assert eaten > 0.6 * 0.4, "the sated leave nothing on the plate but their last bite"


def test_above_the_capacity_all_get_less() -> None:
    sim = birds(world(capacity=3, energy_restore=0.6), [(k, 0.0) for k in range(12)], energy=0.5)
    sim.step(2)
    np.testing.assert_allclose(sim.column("energy"), 0.5 + 0.6 * DT * 3 / 12, atol=1e-6)


def test_a_meal_is_told_when_it_is_over() -> None:
    sim = birds(world(), [(-25.0, 0.0)], [(8.0, 0.0)], energy=0.9)
    sim.step(600)  # flies through: 40 u at 8 u/s are 5 s
    meals = [event for event in sim.events() if event["kind"] == "meal"]
    assert [(meal["id"], meal["other"]) for meal in meals] == [(0, 0)]
    left = float(sim.state.items["feeding"][0, AMOUNT])
    assert meals[0]["amount"] == pytest.approx(100.0 - left, rel=1e-4)


def test_panic_interrupts() -> None:
    sim = birds(world(), [(5.0, 0.0), (5.0, 5.0)], energy=0.2)
    state = sim.state.copy()
    state["panic"][1] = 0.8
    sim.load_state(state)
    assert rule_forces(sim, "feeding").any(axis=1).tolist() == [True, False]
    sim.step(3)
    assert sim.column("energy")[0] > 0.2 + 1e-6 and sim.column("energy")[1] == pytest.approx(0.2)
