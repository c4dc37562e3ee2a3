"""Neighbours found by the kernel, against NumPy's comparison of all pairs: counts and ids, in all kinds of worlds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import murmura as mm
from tests.cuda.neighbor_probe import check_neighbors, headings, scene, uniform

RNG = np.random.default_rng(5)


def begin(scenario: Any, places: Any, velocities: Any) -> mm.Simulation:
    """A flock on the device in which every agent has a number."""
    sim = mm.Simulation(
        scenario, seed=3, backend="webgpu", positions=places, velocities=velocities, announce=None
    )
    state = sim.state.copy()
    state["feeding_timer"][:] = np.random.default_rng(len(state)).permutation(4095)[: len(state)] + 1
    sim.load_state(state)
    return sim


@pytest.mark.parametrize("boundary", ["wrap", "soft", "open"])
@pytest.mark.parametrize("radius", [7.0, 60.0, 140.0])
def test_every_agent_meets_the_neighbours_it_sees(boundary: str, radius: float):
    places = uniform(RNG, 300)
    places[:60] = (places[:60] * 0.05 + [395.0, 295.0]) % [400.0, 300.0]  # a clump across the edge
    if boundary == "open":
        places[::5] += [-900.0, 600.0]
    sim = begin(scene(boundary, perception_radius=radius), places, headings(RNG, 300))
    assert check_neighbors(sim) > 100
    assert check_neighbors(sim) > 100


def test_the_nearest_only():
    sim = begin(
        scene("wrap", perception_radius=60.0, perception_nearest=5), uniform(RNG, 300), headings(RNG, 300)
    )
    check_neighbors(sim)
    assert sim.column("local_density").max() == 5


def test_more_bins_than_one_workgroup_adds_up():
    """A wide world with a small radius: the sums of blocks matter."""
    scenario = scene("wrap", perception_radius=4.0)
    scenario = scenario.with_values({"world.width": 1200.0, "world.height": 900.0})
    places = uniform(RNG, 9000, 1200.0, 900.0)
    sim = begin(scenario, places[:4200:2], headings(RNG, 2100))
    assert sim._backend._layout.blocks > 1
    assert check_neighbors(sim) > 50


def test_one_agent_and_none():
    sim = begin(scene("wrap"), [(1.0, 1.0)], [(1.0, 0.0)])
    sim.step(3)
    assert sim.positions[0] == pytest.approx([4.0, 1.0])
    sim.remove_agents(sim.ids)
    sim.step(2)
    assert (sim.agent_count, sim.step_count) == (0, 5)
