"""A slider in a world with hunters, food or births: a check for every backend."""

from __future__ import annotations

from typing import Any

import pytest

import murmura as mm
from murmura.compute.plan import Plan

HAWK = {"rules.predators.hunters.0.max_speed": 3.0, "rules.alignment.weight": 2.0}
FOOD = {"rules.feeding.consumption": 40.0, "rules.cohesion.weight": 0.4}
LIFE = {"rules.reproduction.cooldown": 9.0, "rules.feeding.respawn_time": 3.0}


def check_a_slider_loads_nothing(
    backend: str, name: str, values: dict[str, Any], agents: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """New numbers reach the kernel in place, and act as they do when the whole flock is loaded again."""
    scenario = mm.load_scenario(name).with_values({"agents": agents})
    tuned, loaded = (mm.Simulation(scenario, 3, backend, 1, announce=None) for _ in range(2))
    for simulation in (tuned, loaded):
        simulation.step(20)
    with monkeypatch.context() as patch:
        patch.setattr(Plan, "same_stateful_items", lambda plan, other: False)
        loaded.retune(values)
    with monkeypatch.context() as patch:
        for method in ("load", "replan", "prepare"):
            patch.setattr(type(tuned._backend), method, None)
        tuned.retune(values)
    assert tuned.state_hash() == loaded.state_hash()
    for simulation in (tuned, loaded):
        simulation.step(20)
    assert tuned.state_hash() == loaded.state_hash()
    assert str(tuned.events()) == str(loaded.events())
