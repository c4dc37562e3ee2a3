"""Hunters in a 3-D world: a falcon waits on above the flock and stoops down on it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import murmura as mm


def hunt(kind: str, **values: Any) -> mm.Simulation:
    hunter = {"kind": kind, "x": 200.0, "y": 150.0, "z": 250.0}
    scenario = mm.Scenario().with_values(
        {
            "agents": 60, "world.width": 400.0, "world.height": 400.0, "world.depth": 500.0,
            "world.boundary": "reflect", "start.layout": "disc", "start.radius": 60.0, "start.speed": 0.5,
            "motion.max_speed": 0.5, "motion.max_force": 0.01, "rules.fear.enabled": True,
            "rules.predators.enabled": True, "rules.predators.aggression": 1.0,
            "rules.predators.hunters": [hunter], **values,
        }
    )  # fmt: skip
    return mm.Simulation(scenario, seed=5, backend="cpu", threads=1)


def test_a_falcon_waits_on_above_and_stoops_down() -> None:
    sim = hunt("falcon")
    heights, stoops = [], []
    for _ in range(500):
        sim.step(6)
        [falcon] = mm.hunters(sim)
        above = falcon["z"] - float(sim.positions[:, 2].mean())
        if falcon["state"] in ("climbing", "diving"):
            heights.append(above)
        if falcon["state"] == "diving":
            stoops.append((above, falcon["vz"]))
        if len(stoops) > 5:
            break
    assert stoops, "it never stooped"
    assert heights[0] > 40.0, "it must be high above the flock before it hunts"
    assert stoops[0][1] < -5.0 and stoops[-1][0] < stoops[0][0]


@pytest.mark.parametrize("kind", ["eagle", "osprey"])
def test_others_hunt_in_three_dimensions(kind: str) -> None:
    sim = hunt(kind, **{"rules.predators.on_capture": "count"})
    places = []
    for _ in range(60):
        sim.step(20)
        [hunter] = mm.hunters(sim)
        places.append([hunter["x"], hunter["y"], hunter["z"]])
    path = np.array(places)
    assert np.isfinite(path).all() and (path >= 0.0).all() and (path <= [400.0, 400.0, 500.0]).all()
    assert (path.std(axis=0) > 0.5).all()
    assert hunter["hunts"] >= 1
