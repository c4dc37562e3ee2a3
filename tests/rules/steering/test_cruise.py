"""Birds return to their cruise speed exponentially, whichever way they fly."""

from __future__ import annotations

import numpy as np
import pytest

import murmura as mm

QUIET = {f"rules.{name}.enabled": False for name in ("separation", "alignment", "cohesion", "boundary")}


def test_a_difference_decays_exponentially_with_the_relaxation_time(backend: str) -> None:
    scenario = mm.load_scenario("starlings").with_values(
        QUIET
        | {"agents": 2, "rules.noise.enabled": False, "rules.wind.enabled": False, "motion.max_speed": 40.0}
        | {"rules.cruise.enabled": True, "rules.cruise.speed": 8.0, "rules.cruise.relaxation": 0.5}
    )
    sim = mm.Simulation(
        scenario,
        backend=backend,
        positions=[[100.0, 100.0], [900.0, 500.0]],
        velocities=[[12.0, 0.0], [0.0, -3.0]],
    )
    steps = 30  # half a second
    sim.step(steps)
    left = (1.0 - scenario.motion.time_step / 0.5) ** steps
    assert left == pytest.approx(np.exp(-1.0), rel=0.05)
    assert np.allclose(sim.velocities, [[8.0 + 4.0 * left, 0.0], [0.0, -8.0 + 5.0 * left]], atol=1e-4)
