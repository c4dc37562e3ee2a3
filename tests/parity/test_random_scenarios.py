"""Random scenarios: the CPU against the reference in steps 1, 3 and 37, every column.

Each compared step begins with the same state on both sides, so that chaos cannot grow. MURMURA_LONG=1 looks at 200
scenarios instead of 12.
"""

from __future__ import annotations

import functools

import numpy as np
import pytest

import murmura as mm
from tests.sizes import size

from .random_scenario import RandomScenario, rules_of_the_plane
from .scenes import loud_rules
from .side_by_side import Comparison, compare_step

COUNT = size(12, 200)
COMPARED = (1, 3, 37)


@functools.cache
def drawn(seed: int) -> mm.Scenario:
    return RandomScenario(seed).drawn()


def stir(sim: mm.Simulation, seed: int) -> None:
    """Put some of the flock together, and give all some energy and fear, so that rules have something to decide."""
    rng = np.random.default_rng(seed)
    state = sim.state.copy()
    near = slice(0, len(state) // 2)
    world = sim.scenario.world
    for name, side in (("position_x", world.width), ("position_y", world.height)):
        state[name][near] = side * (0.3 + 0.3 * rng.random(len(state) // 2))
    state["energy"][:] = rng.uniform(0.1, 1.0, len(state))
    state["panic"][:] = np.where(rng.random(len(state)) < 0.3, rng.random(len(state)), 0.0)
    sim.load_state(state)


def check(sim: mm.Simulation) -> None:
    found = Comparison()
    for step in COMPARED:
        if sim.agent_count == 0:
            return
        sim.step(step - 1 - sim.step_count)
        compare_step(sim, found)
    # In small flocks a few agents at a discontinuity are a large share, but never most of them.
    assert found.left_out < 0.4 * found.agents


@pytest.mark.parametrize("seed", range(COUNT))
def test_a_random_scenario_is_the_same_on_the_cpu(seed: int):
    scenario = drawn(seed)
    sim = mm.Simulation(scenario, seed=seed, backend="cpu")
    if not scenario.obstacles:
        stir(sim, seed)
    check(sim)


# S3-4: a gene scales the radius, and the nearest are searched within the scaled one.
@pytest.mark.parametrize("boundary", ["wrap", "soft", "open"])
@pytest.mark.parametrize("nearest", [1, 7])
def test_the_nearest_are_those_within_a_scaled_radius(boundary: str, nearest: int):
    scenario = mm.Scenario().with_values(
        {
            "agents": 300,
            "world.width": 400.0,
            "world.height": 400.0,
            "world.boundary": boundary,
            "rules.genome.enabled": True,
            "rules.genome.max_vision": 30.0,
            "rules.genome.least_vision": 5.0,
            "perception.nearest": nearest,
        }
    )
    sim = mm.Simulation(scenario, seed=1, backend="cpu")
    twin = mm.Simulation(scenario, seed=1, backend="reference")
    sim.step()
    twin.step()
    seen = sim.column("local_density")
    assert np.array_equal(seen, twin.column("local_density"))
    assert np.count_nonzero(seen < nearest) > 0, "the scaled radius leaves many with fewer than the nearest"
    check(mm.Simulation(scenario, seed=2, backend="cpu"))


def test_the_search_covers_every_rule_occlusion_and_the_nearest_with_a_scaled_radius():
    """Not only the few that run by default, but any sixty."""

    scenarios = [drawn(seed) for seed in range(60)]
    met = [set(loud_rules(scenario)) for scenario in scenarios]
    missing = set(rules_of_the_plane()) - set().union(*met)
    assert missing == set()
    scaled = [
        scenario
        for scenario, rules in zip(scenarios, met, strict=True)
        if scenario.perception.nearest is not None and rules & {"genome", "daylight", "behavior"}
    ]
    assert scaled
    opaque = [scenario.perception for scenario in scenarios if scenario.perception.occlusion]
    assert {eyes.nearest is None for eyes in opaque} == {True, False}
