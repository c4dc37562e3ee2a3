"""Every shipped scenario on the CPU against the reference, at its own density, step by step."""

from __future__ import annotations

import pytest

import murmura as mm
from murmura.scenario import Scenario

from .side_by_side import Comparison, compare_step

AGENTS = 200  # with fewer, the world of some scenarios would be narrower than their view


def scaled_down(name: str, agents: int = AGENTS) -> Scenario:
    """A shipped scenario with fewer agents in a world that is smaller in proportion."""
    scenario = mm.load_scenario(name)
    scale = min(1.0, (agents / scenario.agents) ** 0.5)
    return scenario.with_values(
        {
            "agents": agents,
            "world.width": scenario.world.width * scale,
            "world.height": scenario.world.height * scale,
            "start.margin": scenario.start.margin * scale,
            # Birds of `stardisplay` align with a normalised sum of differences. In a flock that flies one way these
            # cancel, and single precision has few digits left.
            "start.direction": None,
        }
    )


# S4-4
@pytest.mark.parametrize("name", mm.scenario_names())
def test_shipped_scenario(name: str):
    sim = mm.Simulation(scaled_down(name), seed=5, backend="cpu")
    found = Comparison()
    for pause in (0, 30, 200):
        sim.step(pause)
        compare_step(sim, found)
        compare_step(sim, found)
    found.check()
    assert sim.forces.any()


def test_a_frightened_flock_in_the_wind():
    """What shipped scenarios enable but does not act at the start: threats, and a wind that blows."""
    scenario = scaled_down("starlings", 300).with_values(
        {
            "rules.fear.threats": [{"x": 300.0, "y": 200.0, "radius": 120.0}],
            "rules.wind.speed": 8.0,
        }
    )
    sim = mm.Simulation(scenario, seed=6, backend="cpu")
    found = Comparison()
    for _ in range(3):
        compare_step(sim, found)
        sim.step(40)
    found.check()
    assert (sim.column("panic") > 0.0).sum() > 20
