"""The rule `stardisplay` against the equations of the paper, written out again over pairs of birds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import murmura as mm
from murmura.core.errors import ScenarioError

DT, MASS = 0.005, 0.08
ALONE = {
    "motion.min_speed": 0.0,
    "rules.banking.enabled": False,
    "rules.cruise.enabled": False,
    "rules.boundary.enabled": False,
}


def birds(places: Any, velocities: Any, **values: Any) -> mm.Simulation:
    chosen = {"rules.stardisplay.randomness": 0.0, **ALONE, **values}
    scenario = mm.load_scenario("stardisplay").with_values({"agents": len(places), **chosen})
    return mm.Simulation(scenario, 1, "reference", positions=places, velocities=velocities)


def expected(
    places: np.ndarray, velocities: np.ndarray, ranges: np.ndarray, k: int
) -> tuple[np.ndarray, float]:
    """The force on a bird [N] and its next range [m], by the paper's equations and numbers."""
    heading = velocities / np.linalg.norm(velocities, axis=1)[:, None]
    away, towards, along, middle = (np.zeros(3) for _ in range(4))
    near = seen = crowd = 0
    for j in range(len(places)):
        d = float(np.linalg.norm(places[j] - places[k]))
        if j == k or d > 2.0 * ranges[k]:
            continue
        e = (places[j] - places[k]) / d
        crowd, middle = crowd + 1, middle + e
        if d > ranges[k]:
            continue
        near += 1
        if d <= 4.0:
            away -= e * (1.0 if d <= 0.2 else np.exp(-(((d - 0.2) / 1.37) ** 2)))
        if e @ heading[k] < -np.cos(np.radians(45.0)):
            continue
        seen += 1
        towards += e * (d > 0.2)
        along += heading[j] - heading[k]
    force = away / max(near, 1) + np.linalg.norm(middle) / max(crowd, 1) * towards / max(seen, 1)
    if along.any():
        force += 0.5 * along / np.linalg.norm(along)
    out = places[k, :2] - 200.0
    far = np.linalg.norm(out)
    if far > 150.0:
        n = np.append(out / far, 0.0)
        left = np.cross([0.0, 0.0, 1.0], heading[k])
        left /= np.linalg.norm(left)
        force -= np.sign(left @ n) * left * 0.01 * (far - 150.0) * (0.5 + 0.5 * heading[k] @ n)
    force[2] += 0.02 * (100.0 - places[k, 2])
    widened = ranges[k] + 0.1 * DT * (100.0 * (1.0 - near / 6.5) - ranges[k])
    return force, float(np.clip(widened, 0.1, 30.0))


@pytest.mark.parametrize("where", [(200.0, 200.0, 100.0), (370.0, 240.0, 96.0)])
def test_forces_are_those_of_the_paper(where: tuple[float, ...]) -> None:
    rng = np.random.default_rng(4)
    places = (rng.normal(0.0, 1.6, (24, 3)) + where).astype(np.float32)
    velocities = (rng.normal(0.0, 3.0, (24, 3)) + np.array([6.0, 2.0, 0.0])).astype(np.float32)
    sim = birds(places, velocities)
    ranges = rng.uniform(0.5, 4.0, 24).astype(np.float32)
    state = sim.state.copy()
    state["range"][:] = ranges
    sim.load_state(state)
    sim.step()
    gained = (sim.velocities - velocities).astype(float) / DT * MASS
    for k in range(24):
        force, widened = expected(places.astype(float), velocities.astype(float), ranges.astype(float), k)
        np.testing.assert_allclose(gained[k], force, atol=2e-3)
        np.testing.assert_allclose(sim.column("range")[k], widened, rtol=1e-5)


def test_the_range_finds_its_number_of_neighbours() -> None:
    """On a fixed lattice the range grows or shrinks until it holds about 6.5 others."""
    grid = np.stack(np.meshgrid(*[np.arange(5) * 1.5] * 3), axis=-1).reshape(-1, 3) + np.array(
        [190.0, 190.0, 90.0]
    )
    sim = birds(grid, np.tile([10.0, 0.0, 0.0], (len(grid), 1)), **{"rules.stardisplay.weight": 1e-9})
    sim.step(400)
    middle = int(np.argmin(np.linalg.norm(sim.positions - sim.positions.mean(axis=0), axis=1)))
    held = (
        np.linalg.norm(sim.positions - sim.positions[middle], axis=1) <= sim.column("range")[middle]
    ).sum() - 1
    assert 4 <= held <= 18  # a lattice has 6 at 1.5 m and 12 more at 2.1 m
    assert 1.4 < sim.column("range")[middle] < 2.3


def test_it_needs_a_depth() -> None:
    with pytest.raises(ScenarioError, match=r"rules\.stardisplay needs a 3-D world"):
        mm.Scenario().with_values({"rules.stardisplay.enabled": True})


def test_a_flock_becomes_flat_and_its_neighbours_fly_at_its_sides() -> None:
    """The paper's result in miniature: 60 birds of the shipped scenario, which begin as a ball and stay one flock."""
    scenario = mm.load_scenario("stardisplay").with_values({"agents": 60, "start.radius": 4.0})
    sim = mm.Simulation(scenario, 1, "cpu", 1)
    sim.step(5000)
    _, axes = np.linalg.eigh(np.cov(sim.positions.T.astype(float)))
    found = mm.measure_flock(
        sim.flock(), ("polarization", "thickness_to_length", "largest_group", "anisotropy")
    )
    assert found["polarization"] > 0.95
    assert found["largest_group"] == 60
    assert abs(axes[2, 0]) > 0.9  # the thinnest axis is vertical
    assert found["thickness_to_length"] < 0.75
    assert found["anisotropy"] > 0.5
