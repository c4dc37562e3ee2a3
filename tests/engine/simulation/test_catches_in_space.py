"""Hunters of the shipped scenarios in space make catches, with few animals to be quick."""

from __future__ import annotations

import pytest

import murmura as mm


@pytest.mark.parametrize(("name", "agents", "seconds"), [("school", 150, 180), ("murmuration", 150, 180)])
def test_a_hunter_in_space_catches_somebody(name: str, agents: int, seconds: int) -> None:
    sim = mm.Simulation(
        mm.load_scenario(name).with_values({"agents": agents}), seed=1, backend="cpu", threads=1
    )
    for _ in range(seconds // 10):
        sim.step(round(10.0 / sim.scenario.motion.time_step))
        if len(sim.ids) < agents:
            break
    (hunter,) = mm.hunters(sim)
    assert hunter["catches"] >= 1
    assert 0 <= hunter["catches"] - (agents - len(sim.ids)) <= 1  # the last one may die in the next step
