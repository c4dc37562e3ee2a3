"""Bodies and obstacles hide what is behind them: the reference and the CPU kernel against rays cast one by one."""

from __future__ import annotations

import numpy as np
import pytest

import murmura as mm
from murmura.core.errors import ScenarioError

from .sight_oracle import look
from .sight_scenes import SCENES, check_counts, check_notes, flock, oracle_of


@pytest.mark.parametrize("scene", SCENES)
def test_the_reference_sees_what_rays_see(scene: str):
    sim = flock(scene)
    oracle = oracle_of(sim)
    hidden = 0
    without = mm.Simulation(sim.scenario.with_values({"perception.occlusion": False}), 1, "reference")
    for i in range(sim.agent_count):
        shown, _ = look(oracle, i)
        assert sorted(shown) == list(sim.neighbors(i))
        hidden += len(without.neighbors(i)) - len(shown)
    assert hidden > 0.05 * sum(len(without.neighbors(i)) for i in range(sim.agent_count))


@pytest.mark.parametrize("scene", SCENES)
def test_the_cpu_sees_as_many_as_rays_hit(scene: str):
    check_counts(scene, "cpu")


def without_forces(sim: mm.Simulation) -> mm.Simulation:
    """The same flock on the CPU backend after one step; only the number of neighbours matters."""
    cpu = mm.Simulation(sim.scenario, seed=sim.seed, backend="cpu")
    cpu.step()
    return cpu


def test_agents_with_thousands_of_neighbours_share_the_memory_of_their_lists():
    sim = flock("crowd", agents=3000, **{"perception.radius": 200.0})
    found = without_forces(sim).column("local_density")
    some = range(0, 3000, 250)
    assert [found[i] for i in some] == [len(sim.neighbors(i)) for i in some]


@pytest.mark.parametrize("scene", ["open", "walls"])
def test_a_rule_reads_covered_bins_and_edges(scene: str, backend: str):
    check_notes(scene, backend)


def test_hidden_neighbours_do_not_depend_on_ids_or_threads():
    sim = flock("walls", "cpu", **{"perception.nearest": 6})
    order = np.random.default_rng(2).permutation(sim.agent_count)
    shuffled, many = (
        mm.Simulation(
            sim.scenario,
            1,
            "cpu",
            threads=threads,
            positions=sim.positions[rows],
            velocities=sim.velocities[rows],
        )
        for rows, threads in ((order, 1), (np.arange(sim.agent_count), 3))
    )
    for each in (sim, shuffled, many):
        each.step(5)
    assert np.array_equal(shuffled.positions, sim.positions[order])
    assert many.state_hash() == sim.state_hash()


def test_two_at_the_same_distance_do_not_hide_each_other():
    scenario = mm.Scenario().with_values(
        {"agents": 4, "perception.occlusion": True, "world.boundary": "open"}
    )
    places = [[0.0, 0.0], [30.0, 0.0], [30.0, 0.0], [40.0, 0.5]]
    for backend in ("reference", "cpu"):
        sim = mm.Simulation(scenario, 1, backend, positions=places, velocities=[[1.0, 0.0]] * 4)
        assert list(sim.neighbors(0)) == [1, 2]
        sim.step()
        assert sim.column("local_density")[0] == 2.0


def test_the_nearest_are_counted_among_visible_neighbours():
    sim = flock("torus", **{"perception.nearest": 3})
    everyone = flock("torus")
    for i in range(20):
        seen = everyone.neighbors(i)
        way = everyone.positions[seen].astype(float) - everyone.positions[i]
        way -= np.array([200.0, 160.0]) * np.round(way / [200.0, 160.0])
        nearest = seen[np.argsort(np.hypot(*way.T))[:3]]
        assert list(sim.neighbors(i)) == sorted(nearest)
    assert without_forces(sim).column("local_density").max() == 3.0


def test_incompatible_settings_are_refused_by_name():
    with pytest.raises(ScenarioError, match=r"perception\.occlusion works in the plane only"):
        mm.Scenario().with_values({"perception.occlusion": True, "world.depth": 300.0})
    with pytest.raises(ScenarioError, match=r"rules\.vision\.body must be perception\.body \(2 \[u\]\)"):
        mm.load_scenario("vision").with_values({"perception.occlusion": True, "perception.body": 2.0})
