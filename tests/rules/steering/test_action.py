"""Steering from outside: forces along the agent's own axes or those of the world."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import murmura as mm
from tests.rules.scenes import MAX_FORCE, close, make_scenario, rule_forces

AHEAD, LEFT, UP = (3.0, 4.0, 0.0), (-4.0, 3.0, 0.0), (0.0, 0.0, 5.0)  # of a velocity along (3, 4), times 5


def steered(axes: str, action: dict[str, float], **more: Any) -> mm.Simulation:
    scenario = make_scenario({"action": {"axes": axes, "weight": 0.5}}, **more)
    depth = scenario.world.depth is not None
    where, flight = [[50.0, 50.0, 20.0][: 2 + depth]], [AHEAD[: 2 + depth]]
    sim = mm.Simulation(scenario, 1, "reference", positions=where, velocities=flight)
    sim.assign(action)
    return sim


@pytest.mark.parametrize(("axes", "x", "y"), [("own", AHEAD, LEFT), ("world", (5.0, 0.0), (0.0, 5.0))])
def test_forces_are_shares_of_the_greatest_force(axes: str, x: Any, y: Any) -> None:
    sim = steered(axes, {"action_x": 0.4, "action_y": -0.8})
    expected = (0.4 * np.array(x[:2]) - 0.8 * np.array(y[:2])) / 5.0 * 0.5 * MAX_FORCE
    close(rule_forces(sim, "action"), [expected])


def test_in_space_the_third_axis_leads_upwards() -> None:
    sim = steered("own", {"action_x": 0.2, "action_y": 0.6, "action_z": -0.5}, world={"depth": 120.0})
    expected = (0.2 * np.array(AHEAD) + 0.6 * np.array(LEFT) - 0.5 * np.array(UP)) / 5.0 * 0.5 * MAX_FORCE
    close(rule_forces(sim, "action"), [expected])
    sim = steered("world", {"action_x": 0.2, "action_y": 0.6, "action_z": -0.5}, world={"depth": 120.0})
    close(rule_forces(sim, "action"), [np.array([0.2, 0.6, -0.5]) * 0.5 * MAX_FORCE])


def test_only_the_species_with_a_weight_is_steered() -> None:
    kinds = [{"name": "free"}, {"name": "tame", "values": {"rules.action.weight": 1.0}}]
    scenario = make_scenario({"action": {"weight": 0.0}, "cohesion": {}}, agents=20, species=kinds)
    flocks = [mm.Simulation(scenario, 1, "reference") for _ in range(2)]
    flocks[1].assign({"action_y": 1.0})
    for sim in flocks:
        sim.step(1)
    changed = (flocks[0].velocities != flocks[1].velocities).any(axis=1)
    assert np.array_equal(changed, flocks[0].column("species") == 1)
