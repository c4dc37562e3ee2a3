"""Births and deaths: ids are stable and never reused, and runs stay reproducible."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import murmura as mm
from murmura.core.errors import ScenarioError, UnknownNameError
from murmura.engine.simulation import Simulation


def begin(backend: str, name: str = "classic", agents: int = 40, seed: int = 2) -> Simulation:
    scenario = mm.load_scenario(name).with_values(
        {"agents": agents, "world.width": 500.0, "world.height": 400.0}
    )
    if name == "starlings":
        scenario = scenario.with_values({"start.margin": 0.0})
    return mm.Simulation(scenario, seed=seed, backend=backend)


def test_ids_are_stable_and_never_reused(backend: str) -> None:
    simulation = begin(backend)
    born = simulation.add_agents([[10, 10], [20, 20]], [[1, 0], [0, 1]])
    assert born.tolist() == [40, 41]
    simulation.remove_agents([41, 0, 7])
    simulation.step(3)
    assert simulation.add_agents([[30, 30]], [[1, 0]]).tolist() == [42]
    simulation.remove_agents([42])
    assert simulation.add_agents([[30, 30]], [[1, 0]]).tolist() == [43]
    expected = [k for k in range(41) if k not in (0, 7)] + [43]
    assert simulation.ids.tolist() == expected
    assert simulation.agent_count == len(expected)
    simulation.step(3)
    assert simulation.ids.tolist() == expected
    with pytest.raises(UnknownNameError, match="no agent has the id 7"):
        simulation.neighbors(7)


def test_survivors_keep_their_columns(backend: str) -> None:
    simulation = begin(backend, "starlings")
    simulation.step(3)
    before = {
        name: simulation.column(name)
        for name in ("position_x", "velocity_y", "heading", "gender", "local_density")
    }
    simulation.remove_agents(np.arange(0, 40, 3))
    keep = np.arange(40) % 3 != 0
    for name, column in before.items():
        assert (simulation.column(name) == column[keep]).all()
    assert simulation.step_count == 3


@pytest.mark.parametrize("name", ["classic", "starlings"])
def test_a_run_with_births_and_deaths_is_reproducible(name: str, backend: str) -> None:
    def flight() -> str:
        simulation = begin(backend, name)
        simulation.step(4)
        simulation.remove_agents([3, 1, 4, 15])
        simulation.step(2)
        simulation.add_agents([[100, 100], [300, 200]], [[1, 1], [-1, 0]], {"energy": [0.5, 0.75]})
        simulation.step(4)
        return simulation.state_hash()

    assert flight() == flight()


def test_the_world_continues_as_if_it_had_begun_with_the_living(backend: str) -> None:
    # Document 001's rules draw no random numbers, so only the living and their order can matter.
    simulation = begin(backend)
    simulation.step(4)
    simulation.remove_agents([0, 5, 39])
    simulation.add_agents([[100, 100], [300, 200]], [[1, 1], [-1, 0]])
    fresh = mm.Simulation(
        simulation.scenario,
        seed=99,
        backend=backend,
        positions=simulation.positions,
        velocities=simulation.velocities,
        ids=simulation.ids,
    )
    simulation.step(6)
    fresh.step(6)
    assert (simulation.positions == fresh.positions).all()
    assert (simulation.velocities == fresh.velocities).all()


def test_newborns_act_and_are_seen_immediately(backend: str) -> None:
    simulation = mm.Simulation("classic", backend=backend, positions=[[100, 100]], velocities=[[2, 0]])
    simulation.step()
    assert (simulation.forces == 0).all()
    simulation.add_agents([[110, 120]], [[0, 2]])
    assert simulation.neighbors(0).tolist() == [1]
    simulation.step()
    assert (np.abs(simulation.forces).sum(axis=1) > 0.01).all()
    simulation.remove_agents([0])
    simulation.step()
    assert simulation.forces.tolist() == [[0, 0]]


# S2-3, S2-15
def test_newborns_have_a_random_sex_and_the_given_columns() -> None:
    simulation = begin("reference")
    n = 400
    rng = np.random.default_rng(3)
    simulation.add_agents(rng.uniform(0, 400, (n, 2)), rng.normal(size=(n, 2)), {"panic": np.full(n, 0.25)})
    male = simulation.column("gender")[40:] == 1
    assert 0.4 < male.mean() < 0.6
    assert (simulation.column("aggression")[40:][male] >= 0.5).all()
    assert (simulation.column("aggression")[40:][~male] == 0).all()
    assert (simulation.column("panic") == [0.0] * 40 + [0.25] * n).all()
    assert (simulation.column("energy") == 1.0).all()
    vx, vy = simulation.velocities[40:].T
    moving = np.hypot(vx, vy) > 0.1
    assert simulation.column("heading")[40:][moving] == pytest.approx(np.arctan2(vy, vx)[moving], abs=1e-5)


def test_newborns_use_the_numbers_of_their_species(backend: str) -> None:
    simulation = begin(backend, "mixed", 4)
    simulation.remove_agents(simulation.ids)
    simulation.add_agents([[100, 100], [300, 300]], [[90, 0], [90, 0]], {"species": [3, 0]})
    simulation.step()
    assert np.hypot(*simulation.velocities.T) == pytest.approx([17, 15], abs=1e-4)


def test_a_flock_may_die_out_and_start_again(backend: str) -> None:
    simulation = begin(backend, agents=3)
    simulation.remove_agents([0, 1, 2])
    simulation.step(2)
    assert simulation.agent_count == 0
    assert simulation.add_agents([[10, 10]], [[1, 0]]).tolist() == [3]
    simulation.step(2)
    assert simulation.positions == pytest.approx(np.array([[12.0, 10.0]]))


def test_adding_and_removing_nobody_changes_nothing() -> None:
    simulation = begin("reference")
    before = simulation.state_hash()
    simulation.remove_agents([])
    assert simulation.add_agents(np.zeros((0, 2)), np.zeros((0, 2))).tolist() == []
    assert simulation.state_hash() == before


PLACE, SPEED = [[100.0, 100.0]], [[1.0, 0.0]]


@pytest.mark.parametrize(
    ("positions", "velocities", "columns", "words"),
    [
        ([[-1.0, 5.0]], SPEED, {}, ["positions", "in the world"]),
        ([[np.nan, 5.0]], SPEED, {}, ["positions", "finite"]),
        ([100.0, 100.0], SPEED, {}, ["positions", "(n, 2)"]),
        (PLACE, [[1.0, 0.0], [1.0, 0.0]], {}, ["velocities", "1 positions", "got 2"]),
        (PLACE, SPEED, {"species": [1]}, ["species", "0 to 0", "1"]),
        (PLACE, SPEED, {"species_id": [-1]}, ["species", "0 to 0", "-1"]),
        (PLACE, SPEED, {"gender": [7]}, ["gender", "0 (female), 1 (male)", "7"]),
        (PLACE, SPEED, {"feeding_state": [4]}, ["feeding_state", "3 (feeding)", "4"]),
        (PLACE, SPEED, {"mating_state": [-1]}, ["mating_state", "6 (cooldown)", "-1"]),
        (PLACE, SPEED, {"panic": [np.nan]}, ["panic_level", "finite", "nan"]),
        (PLACE, SPEED, {"energy": [1e39]}, ["energy", "finite", "1e+39"]),
        (PLACE, SPEED, {"energy": [0.5, 0.5]}, ["energy", "1 finite"]),
        (PLACE, SPEED, {"energy": [[0.5]]}, ["energy", "1 finite"]),
        (PLACE, SPEED, {"energy": ["much"]}, ["energy", "1 numbers", "much"]),
        (PLACE, SPEED, {"target_food_id": [0.5]}, ["target_food_id", "whole"]),
        (PLACE, SPEED, {"id": [5]}, ["id", "leave 'id' out"]),
    ],
)
def test_invalid_newborns_are_refused_and_nothing_changes(
    positions: Any, velocities: Any, columns: Any, words: list[str]
) -> None:
    simulation = begin("cpu")
    before = simulation.state_hash()
    with pytest.raises(ScenarioError) as error:
        simulation.add_agents(positions, velocities, columns)
    for word in words:
        assert word in str(error.value)
    assert simulation.state_hash() == before
    assert simulation.add_agents(PLACE, SPEED).tolist() == [40]


def test_an_unknown_column_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'panic'"):
        begin("reference").add_agents(PLACE, SPEED, {"panik": [0.5]})


def test_an_unknown_id_among_known_ones_removes_nobody() -> None:
    simulation = begin("reference")
    simulation.remove_agents([5])
    before = simulation.state_hash()
    with pytest.raises(UnknownNameError, match="no agent has the id 5"):
        simulation.remove_agents([1, 2, 5])
    assert simulation.state_hash() == before


def test_an_id_given_twice_is_removed_once() -> None:
    simulation = begin("reference")
    simulation.remove_agents([1, 1])
    assert simulation.agent_count == 39


def test_a_flock_may_grow_far_beyond_its_initial_size(backend: str) -> None:
    simulation = begin(backend, agents=1)
    rng = np.random.default_rng(8)
    total = 400 if backend == "cpu" else 60
    for _ in range(5):
        simulation.add_agents(rng.uniform(0, 400, (total // 5, 2)), rng.normal(size=(total // 5, 2)))
        simulation.step(2)
    assert simulation.agent_count == total + 1
    assert simulation.ids.tolist() == list(range(total + 1))
    assert np.isfinite(simulation.positions).all()
