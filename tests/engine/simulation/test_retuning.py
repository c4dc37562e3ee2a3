"""Values changed between two steps take effect immediately, as if the run had begun with them, or are refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import murmura as mm
from murmura.core.errors import ScenarioError

from .sliders import FOOD, HAWK, LIFE, check_a_slider_loads_nothing

BACKENDS = ["reference", "cpu"]


def begin(name: str, backend: str, agents: int = 60, **values: Any) -> mm.Simulation:
    return mm.Simulation(
        mm.load_scenario(name).with_values({"agents": agents, **values}), seed=4, backend=backend
    )


CHANGES = [
    {"rules.alignment.weight": 3.0},
    {"rules.separation.radius": 40.0, "rules.cohesion.weight": 0.0},
    {"motion.max_speed": 2.0, "motion.max_force": 0.2},
    {"perception.radius": 80.0, "perception.field_of_view": 120.0},
]


@pytest.mark.parametrize("values", CHANGES)
def test_retuning_at_step_0_equals_starting_with_the_value(values: dict[str, Any], backend: str) -> None:
    retuned, begun, plain = (
        begin("classic", backend),
        begin("classic", backend, **values),
        begin("classic", backend),
    )
    retuned.retune(values)
    assert retuned.scenario == begun.scenario
    for simulation in (retuned, begun, plain):
        simulation.step(5)
    assert retuned.state_hash() == begun.state_hash()
    assert retuned.state_hash() != plain.state_hash()


# S4-33
def test_a_disabled_rule_equals_a_rule_of_weight_0(backend: str) -> None:
    off, light = begin("classic", backend), begin("classic", backend)
    off.retune({"rules.cohesion.enabled": False})
    light.retune({"rules.cohesion.weight": 0.0})
    off.step(5)
    light.step(5)
    assert off.positions == pytest.approx(light.positions, abs=1e-4)
    assert off.velocities == pytest.approx(light.velocities, abs=1e-5)


def test_retuning_acts_without_a_restart(backend: str) -> None:
    simulation = begin("classic", backend)
    simulation.step(10)
    positions, time = simulation.positions, simulation.time
    simulation.retune({"motion.max_speed": 0.5})
    assert (simulation.positions == positions).all()
    assert (simulation.time, simulation.step_count) == (time, 10)
    assert np.hypot(*simulation.velocities.T).max() > 0.6
    simulation.step()
    assert np.hypot(*simulation.velocities.T).max() <= 0.5 + 1e-6
    simulation.retune({"motion.max_speed": 3.0})
    simulation.step(60)
    assert np.hypot(*simulation.velocities.T).max() > 0.6


def test_changing_a_value_back_changes_nothing(backend: str) -> None:
    steady, moved = begin("starlings", backend, 40), begin("starlings", backend, 40)
    for simulation in (steady, moved):
        simulation.step(3)
    moved.retune({"rules.alignment.weight": 4.0, "rules.wind.speed": 9.0})
    moved.retune({"rules.alignment.weight": 1.0, "rules.wind.speed": 0.0})
    for simulation in (steady, moved):
        simulation.step(3)
    assert steady.state_hash() == moved.state_hash()


@pytest.mark.parametrize(
    ("name", "values"), [("murmuration-hawk", HAWK), ("feeding-grounds", FOOD), ("ecosystem", LIFE)]
)
def test_a_slider_with_hunters_or_food_reloads_nothing(
    name: str, values: dict[str, Any], backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_a_slider_loads_nothing(backend, name, values, 30, monkeypatch)


@pytest.mark.parametrize(
    "values",
    [
        {"rules.alignment.weight": -1.0},
        {"rules.alignment.wieght": 1.0},
        {"rules.cohesion.weight": 2.0, "rules.separation.radius": 90.0},
        {"world.width": 50.0},
        {"species": [{"name": "a"}, {"name": "b"}]},
    ],
)
def test_a_refused_value_does_not_change_the_run(values: dict[str, Any], backend: str) -> None:
    simulation, untouched = begin("classic", backend), begin("classic", backend)
    simulation.step(2)
    with pytest.raises(ScenarioError):
        simulation.retune(values)
    assert simulation.scenario == untouched.scenario
    simulation.step(2)
    untouched.step(4)
    assert simulation.state_hash() == untouched.state_hash()


def test_species_cannot_be_added_or_removed_in_a_run() -> None:
    with pytest.raises(ScenarioError, match="species cannot be added or removed while a simulation runs"):
        begin("mixed", "reference").retune({"species": []})


@pytest.mark.parametrize("boundary", ["wrap", "reflect"])
def test_a_smaller_world_moves_its_flock_inside(boundary: str) -> None:
    used = BACKENDS if boundary == "wrap" else ["reference"]
    both = [begin("classic", backend, **{"world.boundary": boundary}) for backend in used]
    for simulation in both:
        before = simulation.positions.astype(float)
        simulation.retune({"world.width": 400.0, "world.height": 300.0})
        after = before % [400, 300] if boundary == "wrap" else np.minimum(before, [400, 300])
        assert simulation.positions == pytest.approx(after, abs=1e-3)
        simulation.step()
        assert (simulation.positions >= 0).all()
        assert (simulation.positions <= [400, 300]).all()
    assert both[0].positions == pytest.approx(both[-1].positions, abs=1e-3)


def test_a_wider_view_finds_neighbours_immediately(backend: str) -> None:
    simulation = mm.Simulation(
        "classic", backend=backend, positions=[[100, 100], [170, 100]], velocities=[[0, 2], [0, 2]]
    )
    simulation.step()
    assert simulation.column("local_density").tolist() == [0, 0]
    simulation.retune({"perception.radius": 90.0})
    assert simulation.neighbors(0).tolist() == [1]
    simulation.step()
    assert simulation.column("local_density").tolist() == [1, 1]
    assert simulation.forces[0, 0] > 0 > simulation.forces[1, 0]


def test_a_genome_switched_on_makes_founders_of_all(backend: str) -> None:
    """As if they had begun with it, each according to its species."""
    values = {"rules.genome.enabled": True}
    scenario = mm.load_scenario("mixed").with_values({"agents": 40})
    data = scenario.model_dump(mode="json")
    data["species"][1]["values"]["rules.genome.speed"] = 0.9
    simulation = mm.Simulation(mm.Scenario.from_data(data), seed=4, backend=backend)
    simulation.step(2)
    simulation.remove_agents([0, 7])
    simulation.adopt(simulation.scenario.with_values(values))
    begun = mm.Simulation(simulation.scenario, seed=4, backend="reference")
    here = np.isin(begun.ids, simulation.ids)
    for name in begun.state.own_columns:
        assert np.array_equal(simulation.column(name), begun.column(name)[here]), name
    speeds, kinds = simulation.column("gene_speed"), simulation.column("species")
    assert (speeds[kinds == 1] > 0.8).all() and (speeds[kinds != 1] < 0.6).all()
    assert len(np.unique(speeds)) > 30
    simulation.step(2)


def test_genes_kept_by_other_rules_survive_switching_the_genome_off_and_on() -> None:
    simulation = begin("arms-race", "reference", 20)
    state = simulation.state.copy()
    state["gene_speed"][:] = np.linspace(0.1, 0.9, 20)
    simulation.load_state(state)
    before = {name: simulation.column(name) for name in simulation.state.own_columns}
    for enabled in (False, True):
        simulation.retune({"rules.genome.enabled": enabled})
    assert {name: simulation.column(name).tolist() for name in before} == {
        name: values.tolist() for name, values in before.items()
    }


def test_adding_or_removing_food_does_not_change_other_sources() -> None:
    """Added food is full and at its place, and no other source is filled, emptied or moved."""
    from murmura.engine.reading.surroundings import food

    scenario = mm.load_scenario("feeding-grounds").with_values({"agents": 40, "rules.energy.decay": 0.2})
    simulation = mm.Simulation(scenario, 3, "cpu", 1)
    simulation.step(900)
    before = food(simulation)
    assert any(0.0 < it["amount"] < it["full"] for it in before)
    simulation.retune({"rules.feeding.sources": [{"x": 321.0, "y": 123.0}, {"x": 600.0, "y": 700.0}]})
    *others, first, second = food(simulation)
    assert others == before
    assert [(it["x"], it["y"], it["amount"]) for it in (first, second)] == [(321, 123, 300), (600, 700, 300)]
    simulation.step(1)
    before = food(simulation)
    simulation.retune({"rules.feeding.sources": [{"x": 600.0, "y": 700.0}]})
    gone = len(before) - 2
    kept = [it for it in before if it["id"] != gone]
    assert food(simulation) == [{**it, "id": number} for number, it in enumerate(kept)]
    simulation.step(10)
