"""Flocks stay round: no scene presses them into boxes whose sides are parallel to the axes."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import murmura as mm
from murmura.cli.live import live
from tests.sizes import size

from .outline import ROUND, share_along_axes

MINUTE = 3600  # steps
DEFAULT = inspect.signature(live).parameters["scenario"].default


def mean_share(scenario: mm.Scenario, seed: int) -> float:
    """The mean share from the second minute on, every ten seconds."""
    sim = mm.Simulation(scenario, seed=seed, backend="cpu", threads=1)
    sim.step(MINUTE)
    found = []
    for _ in range(6 * size(5, 19)):
        sim.step(MINUTE // 6)
        found.append(share_along_axes(sim.positions.astype(np.float64)))
    return float(np.mean(found))


def fewer(name: str) -> mm.Scenario:
    scenario = mm.load_scenario(name)
    return scenario.with_values({"agents": size(300, scenario.agents)})


def test_the_measure() -> None:
    rng = np.random.default_rng(1)
    box = rng.uniform(0.0, 300.0, (2000, 2))
    ball = rng.normal(0.0, 60.0, (2000, 2))
    assert share_along_axes(box) > 0.8
    assert share_along_axes(ball) == pytest.approx(ROUND, abs=0.2)


@pytest.mark.parametrize("name", [DEFAULT, "starling-bowl", "fish-bowl", "herring-bowl"])
def test_flocks_stay_round(name: str) -> None:
    assert np.mean([mean_share(fewer(name), seed) for seed in range(1, size(4, 6))]) < 0.37


def test_a_rectangular_edge_makes_boxes() -> None:
    """What these scenes avoid, and the measure sees: the preset as printed."""
    assert np.mean([mean_share(fewer("herring"), seed) for seed in range(1, 4)]) > 0.5
