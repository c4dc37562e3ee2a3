"""Why an agent does what it does: neighbours and forces of each rule, and their sum, before the step is taken."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import murmura as mm

TRIO = ("separation", "alignment", "cohesion")


def scene(**values: Any) -> mm.Simulation:
    """An agent with one neighbour near, one farther away, one behind and one out of reach."""
    scenario = mm.load_scenario("classic").with_values({"perception.field_of_view": 270.0, **values})
    return mm.Simulation(
        scenario,
        backend="reference",
        positions=[[100, 100], [110, 100], [100, 140], [90, 100], [160, 100]],
        velocities=[[2, 0], [1, 1], [0, 2], [2, 1], [1, 0]],
    )


def used(simulation: mm.Simulation) -> dict[str, list[int]]:
    return {name: part["neighbors"] for name, part in simulation.explain(0)["rules"].items()}


# S4-41, S4-69
def test_rules_name_the_neighbours_they_use() -> None:
    assert used(scene()) == {"separation": [1], "alignment": [1, 2], "cohesion": [1, 2]}
    assert scene().explain(0)["neighbors"] == [1, 2]


# S4-41
@pytest.mark.parametrize("name", TRIO)
def test_toggling_a_rule_changes_which_neighbours_contribute(name: str) -> None:
    everything = used(scene())
    off = used(scene(**{f"rules.{name}.enabled": False}))
    assert off == {rule: ids for rule, ids in everything.items() if rule != name}
    simulation = scene()
    simulation.retune({f"rules.{name}.enabled": False})
    assert used(simulation) == off
    simulation.retune({f"rules.{name}.enabled": True})
    assert used(simulation) == everything


# S4-41
def test_radii_and_view_change_which_neighbours_contribute() -> None:
    assert used(scene(**{"rules.separation.radius": 40.0}))["separation"] == [1, 2]
    assert used(scene(**{"rules.separation.radius": 5.0}))["separation"] == []
    assert used(scene(**{"rules.alignment.radius": 10.0}))["alignment"] == [1]
    assert used(scene(**{"perception.field_of_view": 360.0}))["cohesion"] == [1, 2, 3]
    assert used(scene(**{"perception.field_of_view": 90.0}))["cohesion"] == [1]
    assert used(scene(**{"perception.radius": 60.0}))["cohesion"] == [1, 2, 4]
    assert used(scene(**{"perception.nearest": 1}))["cohesion"] == [1]


# S4-69
def test_forces_of_the_rules_are_the_documents_formulas() -> None:
    found = scene().explain(0)["rules"]

    def steer(x: float, y: float, weight: float) -> list[float]:
        """Reynolds' formula with max speed 3, max force 0.08 and the velocity (2, 0)."""
        size = math.hypot(x, y)
        fx, fy = 3 * x / size - 2, 3 * y / size
        size = math.hypot(fx, fy)
        return [weight * fx * min(1, 0.08 / size), weight * fy * min(1, 0.08 / size)]

    assert found["separation"]["force"] == pytest.approx(steer(-1, 0, 1.5), abs=1e-7)
    assert found["alignment"]["force"] == pytest.approx(steer(1 + 0, 1 + 2, 1.0), abs=1e-7)
    assert found["cohesion"]["force"] == pytest.approx(steer(10 + 0, 0 + 40, 1.0), abs=1e-7)
    total = np.sum([part["force"] for part in found.values()], axis=0)
    assert scene().explain(0)["steering"] == pytest.approx(total, abs=1e-12)


# S4-69
@pytest.mark.parametrize("name", ["classic", "roadmap", "starlings", "mixed"])
def test_the_net_steering_is_the_force_of_the_next_step(name: str, backend: str) -> None:
    scenario = mm.load_scenario(name)
    shrunk = {"world.width": scenario.world.width / 3, "world.height": scenario.world.height / 3}
    values = {**shrunk, "agents": 60, "start.margin": 0.0}
    if name == "starlings":
        values |= {"rules.wind.speed": 5.0, "rules.fear.threats": [{"x": 250.0, "y": 150.0}]}
    simulation = mm.Simulation(scenario.with_values(values), seed=6, backend=backend)
    simulation.step(5)
    explained = [simulation.explain(k) for k in range(60)]
    simulation.step()
    assert simulation.forces == pytest.approx(np.array([e["steering"] for e in explained]), abs=2e-5)
    assert simulation.column("local_density").tolist() == [len(e["neighbors"]) for e in explained]
    assert sum(len(e["neighbors"]) for e in explained) > 60


# S0-45
def test_the_net_steering_is_clamped_if_the_scenario_clamps_it() -> None:
    simulation = mm.Simulation(
        mm.load_scenario("roadmap").with_values({"agents": 80}), seed=1, backend="reference"
    )
    clamped = 0
    for k in range(80):
        found = simulation.explain(k)
        total = np.sum([part["force"] for part in found["rules"].values()], axis=0)
        size = math.hypot(*total)
        assert found["steering"] == pytest.approx(total * min(1.0, 0.1 / max(size, 1e-12)), abs=1e-8)
        clamped += size > 0.1
    assert clamped > 5


def test_the_state_is_described_in_words() -> None:
    simulation = mm.Simulation(
        "mixed",
        backend="reference",
        positions=[[100, 100], [200, 100]],
        velocities=[[3, 4], [1, 0]],
        species=[3, 0],
    )
    found = simulation.explain(0)
    assert found["id"] == 0
    assert found["position"] == [100.0, 100.0]
    assert found["velocity"] == [3.0, 4.0]
    assert found["target"] == {"food": -1, "mate": -1}
    assert found["state"] == {
        "species": "hunter",
        "gender": ["female", "male"][simulation.column("gender")[0]],
        "panic": 0.0,
        "energy": 1.0,
        "feeding": "none",
        "mating": "none",
    }
    assert simulation.explain(1)["state"]["species"] == "explorer"


def test_a_chase_uses_the_nearest_prey_alone() -> None:
    simulation = mm.Simulation(
        "mixed",
        backend="reference",
        positions=[[100, 100], [140, 100], [120, 100], [110, 100]],
        velocities=[[5, 0]] * 4,
        species=[3, 0, 1, 3],
    )
    found = simulation.explain(0)["rules"]
    assert found["chase"]["neighbors"] == [2]
    assert found["chase"]["force"][0] > 0
    assert found["flee"]["neighbors"] == []
    assert simulation.explain(1)["rules"]["chase"]["neighbors"] == []


def test_explaining_changes_nothing() -> None:
    simulation = mm.Simulation(
        mm.load_scenario("starlings").with_values({"agents": 30}), seed=2, backend="cpu"
    )
    simulation.step(3)
    before = simulation.state_hash()
    simulation.explain(4)
    simulation.neighbors(4)
    simulation.measure()
    assert simulation.state_hash() == before


# S2-8, S2-11
def test_stages_are_described_in_words() -> None:
    scenario = mm.load_scenario("courtship").with_values({"agents": 4})
    simulation = mm.Simulation(scenario, seed=1, backend="reference")
    state = simulation.state.copy()
    state["feeding_state"][0], state["target_food_id"][0], state["feeding_timer"][0] = 3, 2, 1.26
    state["mating_state"][:] = [0, 5, 6, 0]
    state["target_mate_id"][1], state["rival_id"][1] = 3, 2
    simulation.load_state(state)
    said = [simulation.explain(k)["doing"] for k in range(4)]
    assert [len(lines) for lines in said] == [1, 1, 1, 1]
    assert said[0][0].startswith("feeding at food 2 for 1.3 s: sits at its source")
    assert said[1][0].startswith("fighting agent 2 over agent 3 for 0.0 s: ")
    assert said[2][0].startswith("cooldown for 0.0 s: rests")
    assert said[3] == ["flies with the flock"]


def test_the_hunters_around_an_agent_are_named() -> None:
    """The hunters an agent flees from and those that hunt it, by kind and state, nearest first; others get none."""
    hunters = [{"kind": "hawk", "x": 300.0, "y": 300.0}, {"kind": "owl", "x": 900.0, "y": 700.0}]
    scenario = mm.load_scenario("murmuration-hawk").with_values(
        {"agents": 3, "rules.predators.hunters": hunters}
    )
    simulation = mm.Simulation(
        scenario,
        backend="reference",
        positions=[[330, 300], [100, 900], [300, 305]],
        velocities=[[1, 0], [1, 0], [1, 0]],
    )
    found = [simulation.explain(agent) for agent in range(3)]
    assert "hunters" not in found[1] and len(found[1]["doing"]) == 1
    for k, distance in ((0, 30.0), (2, 5.0)):
        [hawk] = found[k]["hunters"]
        assert (hawk["id"], hawk["kind"], hawk["frightens"], hawk["hunts"]) == (0, "hawk", True, False)
        assert hawk["distance"] == pytest.approx(distance)
        assert found[k]["doing"][0] == f"flees from hawk 0 ({hawk['state']}), {distance:.0f} u away"
    for _ in range(600):
        simulation.step()
        prey = mm.hunters(simulation)[0]["target"]
        if prey is not None and prey in simulation.ids:
            break
    told = [it for it in simulation.explain(prey)["hunters"] if it["hunts"]]
    assert [(it["id"], it["kind"]) for it in told] == [(0, "hawk")]
    assert any(line.startswith("hunted by hawk 0") for line in simulation.explain(prey)["doing"])
