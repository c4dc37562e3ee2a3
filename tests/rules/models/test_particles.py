"""Models of physics against exact answers: vectorial noise, mills, active Brownian particles, spins on a lattice."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import murmura as mm

OFF = {
    f"rules.{name}.enabled": False for name in ("separation", "alignment", "cohesion", "noise", "boundary")
}


def flock(values: dict[str, Any], **more: Any) -> mm.Simulation:
    """A flock in a world without edges unless the values say otherwise."""
    plain = {"perception.field_of_view": 360.0, "world.boundary": "open", "motion.panic_speed": 0.0}
    return mm.Simulation(mm.Scenario().with_values(OFF | plain | values), announce=None, **more)


# papers.md 1: the rule, as written in the codes named there
def test_vectorial_noise_is_added_to_the_sum_of_headings() -> None:
    """One step by brute force: the random vector has the length of noise times the number of headings."""
    side, n, eta = 8.0, 60, 0.6
    values = {
        "agents": n, "world.width": side, "world.height": side, "world.boundary": "wrap", "perception.radius": 1.0,
        "motion.policy": "constant", "motion.speed": 0.5, "motion.time_step": 1.0, "rules.vicsek.vectorial": True,
        "rules.vicsek.noise": 360.0 * eta,
    }  # fmt: skip
    sim = flock(values, seed=5, backend="cpu")
    x, v = sim.positions.astype(np.float64), sim.velocities.astype(np.float64)
    sim.step()
    way = (x[None] - x[:, None] + side / 2.0) % side - side / 2.0
    seen = (way**2).sum(axis=-1) <= 1.0  # itself too
    total = seen.astype(float) @ v / 0.5
    after = sim.velocities / 0.5
    # after = unit(total + eta n xi): for some unit vector xi, the circle around the total must meet the new heading
    distance = np.abs(total[:, 0] * after[:, 1] - total[:, 1] * after[:, 0])
    assert (distance <= eta * seen.sum(axis=1) + 1e-5).all()
    free = seen.sum(axis=1) == 1
    turn = np.arccos(np.clip((after * v / 0.5).sum(axis=1), -1.0, 1.0))
    assert free.sum() >= 5 and turn[free].max() <= np.arcsin(eta) + 1e-5
    moved = (sim.positions - x + side / 2.0) % side - side / 2.0
    np.testing.assert_allclose(moved, sim.velocities, atol=1e-5)


# papers.md 2: R = 4.1429 solves alpha / beta = R sum of U'(2 R sin(pi j / N)) sin(pi j / N) m / N, m / N = 5
def test_a_particle_of_dorsogna_finds_its_speed_and_a_ring_keeps_its_radius() -> None:
    n, radius, speed = 20, 4.1429, np.sqrt(1.6 / 0.5)
    values = {
        "agents": n, "motion.time_step": 0.002, "motion.max_speed": 10.0, "perception.radius": 20.0,
        "world.width": 100.0, "world.height": 100.0, "rules.dorsogna.coupling": 5.0,
    }  # fmt: skip
    angle = 2.0 * np.pi * np.arange(n) / n
    out, along = np.c_[np.cos(angle), np.sin(angle)], np.c_[-np.sin(angle), np.cos(angle)]
    sim = flock(values, positions=50.0 + radius * out, velocities=speed * along, seed=1)
    for _ in range(5):
        sim.step(500)
        now = np.linalg.norm(sim.positions - 50.0, axis=1)
        assert np.abs(now / radius - 1.0).max() < 5e-3
    one = flock(values | {"agents": 1}, positions=[[5.0, 5.0]], velocities=[[0.2, 0.1]], seed=1)
    one.step(5000)
    assert np.linalg.norm(one.velocities) == pytest.approx(speed, rel=1e-3)


@pytest.mark.parametrize(("depth", "dt"), [(None, 0.5), (200.0, 0.5), (None, 0.02)])
def test_active_brownian_particles_spread_as_the_exact_formula_says(depth: float | None, dt: float) -> None:
    """The mean squared displacement of a walk with steps v dt whose directions decay by exp(-(d-1) D dt)."""
    n, rate, thermal, steps = 4000, 0.4, 0.3, 12
    values = {
        "agents": n, "motion.policy": "overdamped", "motion.time_step": dt, "perception.radius": 0.01,
        "motion.max_speed": 100.0, "world.depth": depth, "rules.active_brownian.swim_speed": 2.0,
        "rules.active_brownian.turning": rate, "rules.active_brownian.thermal": thermal, "world.width": 300.0,
        "world.height": 300.0,
    }  # fmt: skip
    sim = flock(values, seed=8)
    before = sim.positions.astype(np.float64)
    sim.step(steps)
    square = ((sim.positions - before) ** 2).sum(axis=1)
    d = 2 if depth is None else 3
    memory = np.exp(-(d - 1) * rate * dt)
    lags = np.abs(np.subtract.outer(np.arange(steps), np.arange(steps)))
    expected = (2.0 * dt) ** 2 * (memory**lags).sum() + 2.0 * d * thermal * dt * steps
    assert abs(square.mean() - expected) < 3.0 * square.std() / np.sqrt(n)


def test_directions_in_space_decay_as_they_should_in_large_steps() -> None:
    """Two diffusing angles: the mean cosine is exp(-2 D dt), here exp(-0.6), after a single step."""
    n = 100_000
    values = {
        "agents": n, "motion.policy": "overdamped", "motion.time_step": 0.5, "perception.radius": 0.01,
        "world.width": 300.0, "world.height": 300.0, "world.depth": 300.0, "rules.active_brownian.turning": 0.6,
        "rules.active_brownian.swim_speed": 1.0,
    }  # fmt: skip
    sim = flock(values, seed=8)
    sim.step()
    before = np.stack([sim.column(f"facing_{axis}") for axis in "xyz"])
    sim.step()
    cosine = (before * np.stack([sim.column(f"facing_{axis}") for axis in "xyz"])).sum(axis=0)
    assert abs(cosine.mean() - np.exp(-0.6)) < 3.0 * cosine.std() / np.sqrt(n) + 5e-4


def spins(side: int, values: dict[str, Any], velocities: Any) -> mm.Simulation:
    """Agents on a square lattice, so slow that they stay there, who see their four neighbours."""
    x, y = np.meshgrid(np.arange(side) + 0.5, np.arange(side) + 0.5, indexing="ij")
    plain = {
        "agents": side * side, "world.width": float(side), "world.height": float(side), "world.boundary": "wrap",
        "perception.radius": 1.2, "motion.policy": "constant", "motion.speed": 1e-6, "motion.time_step": 0.05,
    }  # fmt: skip
    return flock(plain | values, positions=np.c_[x.ravel(), y.ravel()], velocities=velocities * 1e-6, seed=3)


# papers.md 4: omega = sqrt(J Lambda(k) / chi - eta^2 / 4 chi^2), damped by eta / 2 chi
def test_a_wave_of_turns_travels_as_the_dispersion_relation_says() -> None:
    side, chi, stiffness, friction = 16, 1.25, 0.8, 0.1
    k = 2.0 * np.pi / side
    x = np.repeat(np.arange(side), side)
    angle = 0.02 * np.cos(k * x)
    values = {"rules.inertial_spin.friction": friction, "rules.inertial_spin.temperature": 0.0}
    sim = spins(side, values, np.c_[np.cos(angle), np.sin(angle)])
    seen = []
    for _ in range(240):
        sim.step(2)
        seen.append(2.0 * np.mean(np.arctan2(*sim.velocities.T[::-1]) * np.cos(k * x)) / 0.02)
    t, decay = 0.1 * np.arange(1, 241), friction / (2.0 * chi)
    omega = np.sqrt(stiffness * 2.0 * (1.0 - np.cos(k)) / chi - decay**2)
    exact = np.exp(-decay * t) * (np.cos(omega * t) + decay / omega * np.sin(omega * t))
    assert np.abs(np.array(seen) - exact).max() < 0.02


@pytest.mark.parametrize("depth", [None, 100.0])
def test_spins_have_the_variance_of_their_temperature(depth: float | None) -> None:
    """Equipartition: inertia times temperature for each component across the velocity; free agents, steps of 4 s."""
    n = 4000
    values = {
        "agents": n, "world.depth": depth, "motion.policy": "constant", "motion.speed": 1.0, "perception.radius": 0.01,
        "motion.time_step": 4.0, "rules.inertial_spin.temperature": 0.2, "rules.inertial_spin.friction": 0.5,
    }  # fmt: skip
    sim = flock(values, seed=4)
    sim.step(5)
    square = (
        sim.column("inertial_spin") ** 2 if depth is None else (sim.column("inertial_spins") ** 2).sum(axis=1)
    )
    components = 1 if depth is None else 2
    expected = components * 1.25 * 0.2
    assert abs(square.mean() / expected - 1.0) < 4.0 * np.sqrt(2.0 / (components * n))
    if depth is not None:
        headings = sim.velocities / np.linalg.norm(sim.velocities, axis=1, keepdims=True)
        # A heading that turned about the spin is still across it.
        assert np.abs((sim.column("inertial_spins") * headings).sum(axis=1)).max() < 1e-4
