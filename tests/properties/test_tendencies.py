"""Tendencies of flocks: separation spreads a crowd, alignment makes headings agree."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import pdist

import murmura as mm

from .flocks import Array, quick

SEEDS = st.integers(0, 2**32)


def heading_variance(velocities: Array) -> float:
    """Circular variance: 0 when all fly the same way, 1 when headings cancel."""
    numbers = velocities[:, 0] + 1j * velocities[:, 1]
    return 1.0 - abs(np.exp(1j * np.angle(numbers)).mean())


def weights(separation: float, alignment: float, cohesion: float) -> dict[str, float]:
    return {
        "rules.separation.weight": separation,
        "rules.alignment.weight": alignment,
        "rules.cohesion.weight": cohesion,
    }


# S4-52
@pytest.mark.parametrize(("name", "crowd"), [("classic", 20.0), ("roadmap", 2.0)])
@pytest.mark.parametrize("others", [0.0, 1.0])
@quick
@given(seed=SEEDS)
def test_separation_thins_a_dense_start(name: str, crowd: float, others: float, seed: int) -> None:
    scenario = mm.load_scenario(name)
    own = scenario.rules.separation.weight
    rng = np.random.default_rng(seed)
    middle = np.array([scenario.world.width, scenario.world.height]) / 2
    simulation = mm.Simulation(
        scenario.with_values(weights(own, others, others)),
        backend="cpu",
        positions=middle + rng.uniform(-crowd, crowd, (60, 2)),
        velocities=rng.normal(size=(60, 2)),
    )
    medians = [float(np.median(pdist(simulation.positions)))]
    for _ in range(3):
        simulation.step(10)
        medians.append(float(np.median(pdist(simulation.positions))))
    assert medians[-1] > medians[0] * 1.05
    if others == 0.0:
        assert medians == sorted(medians)


# S4-26, S4-53
@pytest.mark.parametrize("name", ["classic", "roadmap"])
@quick
@given(seed=SEEDS, count=st.integers(3, 50))
def test_alignment_alone_lowers_heading_variance(name: str, seed: int, count: int) -> None:
    scenario = mm.load_scenario(name)
    rng = np.random.default_rng(seed)
    middle = np.array([scenario.world.width, scenario.world.height]) / 2
    angles = rng.uniform(-1.4, 1.4, count) + rng.uniform(0, 2 * math.pi)
    near = scenario.perception.radius / 4  # almost every agent sees almost every other
    simulation = mm.Simulation(
        scenario.with_values({**weights(0.0, 1.0, 0.0), "perception.field_of_view": 360.0}),
        backend="cpu",
        positions=middle + rng.uniform(-near, near, (count, 2)),
        velocities=np.column_stack([np.cos(angles), np.sin(angles)]) * scenario.motion.top_speed,
    )
    variances = [heading_variance(simulation.velocities.astype(float))]
    for _ in range(6):
        simulation.step(5)
        variances.append(heading_variance(simulation.velocities.astype(float)))
    assert variances[-1] < variances[0] + 1e-6
    if count > 20:
        assert variances[-1] < variances[0] * 0.5


# S4-53
@quick
@given(seed=SEEDS)
def test_alignment_alone_makes_a_whole_world_agree_more(seed: int) -> None:
    scenario = mm.load_scenario("roadmap").with_values({**weights(0.0, 1.0, 0.0), "agents": 300})
    simulation = mm.Simulation(scenario, seed=seed, backend="cpu")
    before = heading_variance(simulation.velocities.astype(float))
    simulation.step(300)
    after = heading_variance(simulation.velocities.astype(float))
    assert before > 0.8
    assert after < before - 0.1


# S4-27
@quick
@given(seed=SEEDS)
def test_without_neighbours_nobody_turns(seed: int) -> None:
    rng = np.random.default_rng(seed)
    corners = np.array([[100, 100], [800, 100], [100, 500], [800, 500]]) + rng.uniform(0, 100, (4, 2))
    velocities = rng.normal(size=(4, 2))
    simulation = mm.Simulation("classic", backend="cpu", positions=corners, velocities=velocities)
    simulation.step(10)
    assert (simulation.forces == 0).all()
    limit = np.minimum(1.0, 3.0 / np.hypot(*velocities.T))[:, None]
    assert simulation.velocities == pytest.approx(velocities * limit, abs=1e-6)
