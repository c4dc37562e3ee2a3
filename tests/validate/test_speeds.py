"""Top speeds of document 000's table are reached and not exceeded."""

from __future__ import annotations

import numpy as np
import pytest

import murmura as mm


# S0-107, S0-25, S2-41
def test_a_starling_flies_15_and_in_panic_22_and_a_half(backend: str) -> None:
    """`starlings` as shipped. No bird sees another, and all begin at their limit or above."""
    calm, frightened = [[300, 500], [300, 300]], [[600, 500], [600, 300], [900, 500], [900, 300]]
    simulation = mm.Simulation("starlings", backend=backend, positions=calm, velocities=[[30, 0], [0, 15]])
    panic = [1.0, 1.0, 0.5, 0.5]
    simulation.add_agents(frightened, [[30, 0], [0, 22.5], [30, 0], [0, 18.75]], {"panic": panic})
    simulation.step()
    limits = [15.0, 15.0, 22.5, 22.5, 18.75, 18.75]
    assert np.hypot(*simulation.velocities.T) == pytest.approx(limits, abs=1e-4)


# S0-29, S0-107
def test_panic_fades_and_with_it_the_speed(backend: str) -> None:
    """`starlings` as shipped: one bird in the middle of the world, in full panic."""
    simulation = mm.Simulation("starlings", backend=backend, positions=[[100, 100]], velocities=[[15, 0]])
    simulation.add_agents([[700, 500]], [[22.5, 0]], {"panic": [1.0]})
    simulation.remove_agents([0])
    panics, speeds = [], []
    for _ in range(240):
        simulation.step()
        panics.append(float(simulation.column("panic")[0]))
        speeds.append(float(np.hypot(*simulation.velocities[0])))
    steps = np.arange(1, 241)
    expected = 0.98**steps
    expected[expected < 0.01] = 0.0
    assert panics == pytest.approx(expected.tolist(), abs=1e-5)
    assert panics[-1] == 0.0
    # The cap of a step depends on the panic at its beginning.
    assert speeds == pytest.approx(
        (15 * (1 + 0.5 * np.concatenate([[1.0], expected[:-1]]))).tolist(), abs=1e-3
    )


# S0-25, S0-107, S2-41
def test_no_starling_of_the_preset_as_shipped_is_faster_than_its_panic_allows() -> None:
    scenario = mm.load_scenario("starlings").with_values({"agents": 500})
    sim = mm.Simulation(scenario, seed=1, backend="cpu", threads=1)
    sim.step(300)
    assert 14.5 < np.hypot(*sim.velocities.T).max() <= 15.0 + 1e-4
    crowd = np.random.default_rng(1).uniform([200, 200], [1400, 800], (200, 2))
    sim.add_agents(crowd, np.full((200, 2), 15.0 / np.sqrt(2.0)), {"panic": np.ones(200)})
    fastest = 0.0
    for _ in range(20):
        panic = sim.column("panic")
        sim.step()
        speeds, limit = np.hypot(*sim.velocities.T), np.maximum(panic, sim.column("panic") / 0.98)
        assert (speeds <= 15.0 * (1.0 + 0.5 * np.minimum(1.0, limit)) + 1e-3).all()
        fastest = max(fastest, float(speeds.max()))
    assert 16.0 < fastest <= 22.5
