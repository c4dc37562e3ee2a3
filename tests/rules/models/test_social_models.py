"""Pedestrians, lattices and informed groups against plain NumPy in double precision."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import murmura as mm

OFF = {
    f"rules.{name}.enabled": False for name in ("separation", "alignment", "cohesion", "noise", "boundary")
}


def flock(values: dict[str, Any], places: Any, velocities: Any, seed: int = 1) -> mm.Simulation:
    """A flock in an open world unless the values say otherwise."""
    plain = {
        "agents": len(places), "perception.field_of_view": 360.0, "world.boundary": "open", "motion.panic_speed": 0.0,
        "motion.max_speed": 50.0,
    }  # fmt: skip
    scenario = mm.Scenario().with_values(OFF | plain | values)
    return mm.Simulation(scenario, seed, positions=places, velocities=velocities, announce=None)


def push(r: Any, v: Any) -> float:
    """Helbing's potential: 2.1 exp(-b / 0.3), with the ellipse of a step of 2 s at the other's speed, its way."""
    step = 2.0 * v
    b = 0.5 * np.sqrt((np.linalg.norm(r) + np.linalg.norm(r - step)) ** 2 - step @ step)
    return float(2.1 * np.exp(-b / 0.3))


def gradient(r: Any, v: Any, h: float = 1e-6) -> Any:
    """The potential's gradient by central differences."""
    axes = np.eye(2) * h
    return np.array([(push(r + e, v) - push(r - e, v)) / (2.0 * h) for e in axes])


def test_pedestrians_obey_social_forces() -> None:
    """dw/dt = (v0 e - v) / tau - sum of w grad V + walls, by finite differences of the published potential."""
    rng = np.random.default_rng(4)
    x, angle = np.c_[5.0 + 4.0 * rng.random(12), 0.3 + 2.4 * rng.random(12)], 2.0 * np.pi * rng.random(12)
    v = np.c_[np.cos(angle), np.sin(angle)]
    values = {
        "world.width": 50.0, "world.height": 3.0, "world.boundary": "wrap", "world.boundary_y": "reflect",
        "perception.radius": 1.45, "motion.time_step": 0.01, "rules.pedestrians.speed_spread": 0.0,
        "rules.pedestrians.fastest": 3.0,
    }  # fmt: skip
    sim = flock(values, x, v)
    sim.step()  # from now on each knows where the others want to go
    x, v = sim.positions.astype(float), sim.velocities.astype(float)
    sim.step()
    for k in range(12):
        change = (np.array([1.34, 0.0]) - v[k]) / 0.5
        for j in range(12):
            if j != k and np.linalg.norm(x[k] - x[j]) <= 1.45:
                force = -gradient(x[k] - x[j], np.array([np.linalg.norm(v[j]), 0.0]))
                seen = -force[0] >= np.linalg.norm(force) * np.cos(np.radians(100.0))
                change = change + force * (1.0 if seen else 0.5)
        change[1] += 50.0 * (np.exp(-x[k, 1] / 0.2) - np.exp(-(3.0 - x[k, 1]) / 0.2))
        after = v[k] + 0.01 * change
        after *= min(1.0, 3.0 * 1.34 / np.linalg.norm(after))
        if 0.0 < (x[k] + 0.01 * after)[1] < 3.0:
            np.testing.assert_allclose(
                sim.velocities[k], after, atol=2e-3 * max(1.0, np.linalg.norm(change) * 0.01)
            )


def sigma(square: Any) -> Any:
    return (np.sqrt(1.0 + 0.1 * square) - 1.0) / 0.1


def energy(x: Any, v: Any, goal: float) -> float:
    """Olfati-Saber's Hamiltonian: pair potentials by numerical integration, the goal's spring, kinetic energy."""
    z = np.linspace(0.0, sigma(8.4**2), 20_001)
    bump = np.where(z / z[-1] < 0.2, 1.0, 0.5 * (1.0 + np.cos(np.pi * (z / z[-1] - 0.2) / 0.8)))
    stretch = z - sigma(7.0**2)
    slope = bump * 5.0 * stretch / np.sqrt(1.0 + stretch**2)
    potential = np.concatenate([[0.0], np.cumsum(0.5 * (slope[1:] + slope[:-1])) * (z[1] - z[0])])
    square = ((x[:, None] - x[None]) ** 2).sum(axis=-1)[np.triu_indices(len(x), 1)]
    pairs = np.interp(sigma(square), z, potential)
    return float(pairs.sum() + 0.5 * (v**2).sum() + 0.5 * goal * ((x - 50.0) ** 2).sum())


@pytest.mark.parametrize("goal", [0.0, 0.3])
def test_the_energy_of_a_lattice_never_grows_and_its_distances_become_d(goal: float) -> None:
    rng = np.random.default_rng(2)
    values = {
        "world.width": 100.0, "world.height": 100.0, "perception.radius": 8.4, "motion.time_step": 0.005,
        "rules.olfati_saber.goal_pull": goal, "rules.olfati_saber.goal_friction": 0.5 if goal else 0.0,
        "rules.olfati_saber.goal_x": 50.0, "rules.olfati_saber.goal_y": 50.0,
    }  # fmt: skip
    sim = flock(values, 40.0 + 20.0 * rng.random((12, 2)), 0.5 * rng.standard_normal((12, 2)))
    energies = []
    for _ in range(40):
        x, v = sim.positions.astype(float), sim.velocities.astype(float)
        energies.append(energy(x, v, goal))
        sim.step(50)
    assert energies[0] - energies[-1] > 1.0
    assert max(np.diff(energies)) < 2e-3 * abs(energies[0])
    pair = flock(
        values | {"rules.olfati_saber.goal_pull": 0.0}, [[40.0, 50.0], [46.8, 50.0]], np.zeros((2, 2))
    )
    pair.step(8000)
    assert np.linalg.norm(np.diff(pair.positions, axis=0)) == pytest.approx(7.0, abs=2e-3)


def test_informed_animals_weigh_their_preference_against_the_others() -> None:
    """One step without an error, from the paper's formulas."""
    rng = np.random.default_rng(6)
    x, angle = 20.0 + 8.0 * rng.random((25, 2)), 2.0 * np.pi * rng.random(25)
    values = {
        "perception.radius": 6.0, "motion.policy": "constant", "motion.speed": 1.0, "motion.time_step": 0.2,
        "rules.informed.noise": 0.0, "rules.informed.preference": 0.5, "rules.informed.direction": 90.0,
        "rules.informed.turning_rate": 1e4,
    }  # fmt: skip
    sim = flock(values, x, np.c_[np.cos(angle), np.sin(angle)])
    x, v = sim.positions.astype(float), sim.velocities.astype(float)
    sim.step()
    crowded = 0
    for k in range(25):
        way = np.delete(x - x[k], k, axis=0)
        distance = np.linalg.norm(way, axis=1)
        unit = way / distance[:, None]
        if (distance < 1.0).any():
            wish = -unit[distance < 1.0].sum(axis=0)
            crowded += 1
        else:
            near = distance < 6.0
            social = unit[near].sum(axis=0) + np.delete(v, k, axis=0)[near].sum(axis=0)
            wish = social / np.linalg.norm(social) + np.array([0.0, 0.5])
        np.testing.assert_allclose(sim.velocities[k], wish / np.linalg.norm(wish), atol=1e-4)
    assert 3 <= crowded <= 22
