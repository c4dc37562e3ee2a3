"""The metrics of document 004 with its typical weights: its scenario as shipped."""

from __future__ import annotations

import pytest

import murmura as mm

NAMES = ("polarization", "nearest_neighbor_distance", "clustering_coefficient")


# S4-49, S4-50, S4-51, S4-67
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_metrics_of_the_roadmap_are_in_sensible_ranges(seed: int) -> None:
    scenario = mm.load_scenario("roadmap")
    sim = mm.Simulation(scenario, seed=seed, backend="cpu", threads=1)
    start = mm.measure_flock(sim.flock(), NAMES)
    sim.step(1200)
    found = mm.measure_flock(sim.flock(), NAMES)
    d_min, reach = scenario.rules.separation.radius, scenario.perception.radius
    # From headings and places at random to a flock that flies one way, d_min apart.
    assert start["polarization"] < 0.2 and 0.85 < found["polarization"] <= 1.0
    assert 0.9 * d_min < found["nearest_neighbor_distance"] < 1.5 * d_min < reach / 2
    assert start["nearest_neighbor_distance"] > found["nearest_neighbor_distance"]
    assert start["clustering_coefficient"] + 0.05 < found["clustering_coefficient"] < 0.85
