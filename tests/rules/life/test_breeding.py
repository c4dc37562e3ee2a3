"""Births and starvation: inheritance, costs, and times of death."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from murmura import Simulation
from murmura.core.state import State
from tests.rules.scenes import MAX_SPEED, close, make_scenario, place

DT = 0.015625
MATING, COOLDOWN = 4, 6
RULES: dict[str, Any] = {
    "mating": {"search_radius": 60.0, "mating_duration": 0.0, "seek_rate": 0.0},
    "mating_cooldown": {},
}


def pairs(count: int, rules: dict[str, Any], seed: int = 0) -> Simulation:
    """Pairs that end their mating in the next step; mothers have even ids."""
    n = 2 * count
    places = np.stack([10.0 + 11.0 * (np.arange(n) // 2 % 20), 20.0 + 3.0 * (np.arange(n) % 2)], axis=1)
    scenario = make_scenario(RULES | rules, perception={"radius": 64.0}, agents=n)
    return place(
        scenario, places, seed=seed, gender=[0, 1] * count, energy=[0.8, 0.7] * count, aggression=[0.0, 0.9] * count,
        mating_state=[MATING] * n, target_mate_id=np.arange(n) ^ 1,
    )  # fmt: skip


# S2-1, S2-2, S2-3, S2-4, S2-15
def test_a_mating_yields_one_young() -> None:
    sim = pairs(1, {"breeding": {"gift": 0.4, "maturity": 5.0, "most": 50}})
    sim.step()
    assert sim.ids.tolist() == [0, 1, 2]
    told = {event["kind"]: event for event in sim.events()}
    assert set(told) == {"mating", "birth"}
    birth = told["birth"]
    assert (birth["id"], birth["other"], birth["father"], birth["amount"]) == (2, 0, 1, 0.0)
    assert "father" not in told["mating"]
    energies = sim.column("energy")
    close(energies[[0, 2]], [0.7 * 0.6, 0.7 * 0.4])
    close(energies[1], 0.6)
    assert (sim.positions[2] == sim.positions[0]).all()
    assert np.hypot(*sim.velocities[2]) == pytest.approx(0.3 * MAX_SPEED, rel=1e-5)
    assert sim.column("mating_state").tolist() == [COOLDOWN] * 3
    close(sim.column("mating_cooldown"), [8.0 - DT, 8.0 - DT, 5.0])
    assert sim.column("target_mate_id").tolist() == [-1] * 3
    sim.step()
    assert math.dist(*sim.positions[[0, 2]]) > 0.01, "mother and young part"


# S2-3, S2-15
def test_sex_and_aggression_are_drawn_as_for_founders() -> None:
    sim = pairs(100, {"breeding": {"most": 500}}, seed=5)
    sim.step()
    assert sim.agent_count == 300
    fresh = Simulation(sim.scenario.with_values({"agents": 300}), seed=5, backend="reference")
    assert (sim.column("gender")[200:] == fresh.column("gender")[200:]).all()
    close(sim.column("aggression")[200:], fresh.column("aggression")[200:])
    assert 30 < (sim.column("gender")[200:] == 1).sum() < 70


def test_nobody_is_born_beyond_the_cap() -> None:
    sim = pairs(10, {"breeding": {"most": 24}})
    sim.step()
    assert sim.agent_count == 24
    births = [event for event in sim.events() if event["kind"] == "birth"]
    assert [event["other"] for event in births] == [0, 2, 4, 6], "mothers in the order of their ids"


def test_without_breeding_nobody_is_born() -> None:
    sim = pairs(3, {})
    sim.step()
    assert sim.agent_count == 6
    assert [event["kind"] for event in sim.events()] == ["mating"] * 3


def test_an_agent_without_energy_for_long_enough_dies() -> None:
    scenario = make_scenario({"energy": {"decay": 0.0}, "starvation": {"after": 0.25}})
    sim = place(scenario, [[20.0 + 40.0 * k, 50.0] for k in range(3)], energy=[0.0, 0.01, 1.0])
    sim.step(17)
    assert sim.agent_count == 3
    close(sim.column("starving"), [17 * DT, 0.0, 0.0])
    sim.step()
    assert sim.ids.tolist() == [1, 2]
    (death,) = sim.events()
    assert (death["kind"], death["id"], death["cause"], death["other"]) == ("death", 0, "starvation", None)


def test_food_in_time_prevents_starvation() -> None:
    food = {"sources": [{"x": 50.0, "y": 50.0}], "count": 0, "margin": 10.0}
    scenario = make_scenario({"energy": {"decay": 0.0}, "starvation": {"after": 0.25}, "feeding": food})
    sim = place(scenario, [[50.0, 50.0]], energy=[0.0], feeding_state=[3], target_food_id=[0])
    sim.step(40)
    assert sim.agent_count == 1
    assert sim.column("starving")[0] == 0.0


def test_the_young_do_not_inherit_their_mothers_activities() -> None:
    sim = pairs(1, {"breeding": {"most": 50}})
    state: State = sim.state.copy()
    state["target_food_id"][0], state["feeding_timer"][0] = 3, 2.0
    sim.load_state(state)
    sim.step()
    assert sim.column("feeding_state")[2] == 0
    assert sim.column("target_food_id")[2] == -1
    assert sim.column("feeding_timer")[2] == sim.column("mating_timer")[2] == 0.0
    assert sim.column("rival_id")[2] == -1
