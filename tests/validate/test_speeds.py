"""Top speeds of document 000's table are reached and not exceeded."""

from __future__ import annotations

import numpy as np
import pytest

import murmura as mm


# S0-107, S0-25, S2-41
def test_a_starling_flies_15_and_in_panic_22_and_a_half(backend: str) -> None:
    values = {
        "world.width": 16_000.0,
        "world.height": 10_000.0,
        "rules.noise.gain": 0.0,
        "rules.wind.speed": 40.0,
        "rules.wind.turbulence": 0.0,
        "rules.fear.fade": 1.0,
    }
    scenario = mm.load_scenario("starlings").with_values(values)
    simulation = mm.Simulation(scenario, backend=backend, positions=[[2000, 2000]], velocities=[[5, 0]])
    simulation.step(60)
    assert simulation.velocities == pytest.approx(np.array([[15.0, 0.0]]), abs=1e-4)
    simulation.add_agents([[4000, 4000], [6000, 6000]], [[5, 0], [5, 0]], {"panic": [1.0, 0.5]})
    simulation.step(100)
    assert simulation.column("panic").tolist() == [0.0, 1.0, 0.5]
    assert np.hypot(*simulation.velocities.T) == pytest.approx([15.0, 22.5, 18.75], abs=1e-3)


# S0-29, S0-107
def test_panic_fades_and_with_it_the_speed(backend: str) -> None:
    scenario = mm.load_scenario("starlings").with_values(
        {"rules.noise.gain": 0.0, "rules.wind.speed": 40.0, "rules.wind.turbulence": 0.0, "agents": 0}
    )
    simulation = mm.Simulation(scenario, backend=backend)
    simulation.add_agents([[200, 500]], [[22.5, 0]], {"panic": [1.0]})
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
