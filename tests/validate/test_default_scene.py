"""The scene that `murmura` opens stays a flock: it does not become a box whose sides are parallel to the axes."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import murmura as mm
from murmura.cli.live import live
from tests.sizes import size

MINUTE = 3600  # steps
DEFAULT = inspect.signature(live).parameters["scenario"].default


def flight_along_the_axes(scenario: mm.Scenario, seed: int) -> list[float]:
    """The mean of cos(4 x heading) after each minute: 1 if all agents fly along an axis, 0 for headings at random."""
    sim = mm.Simulation(scenario, seed=seed, backend="cpu", threads=1)
    found = []
    for _ in range(size(6, 20)):
        sim.step(MINUTE)
        angles = np.arctan2(sim.velocities[:, 1], sim.velocities[:, 0])
        found.append(float(np.cos(4.0 * angles).mean()))
    return found


def fewer(name: str) -> mm.Scenario:
    scenario = mm.load_scenario(name)
    return scenario.with_values({"agents": size(300, scenario.agents)})


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_default_scene_does_not_become_a_box(seed: int):
    assert max(flight_along_the_axes(fewer(DEFAULT), seed)) < 0.5


def test_a_soft_edge_makes_a_box():
    """What the default scene avoids, and the measure sees."""
    assert max(flight_along_the_axes(fewer("fish"), 2)) > 0.8
