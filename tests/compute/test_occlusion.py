"""Bodies and obstacles hide what is behind them: the definition and the CPU kernel against rays cast one by one."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import murmura as mm
from murmura.compute.plan import Plan
from murmura.compute.refusals import refuse_occlusion
from murmura.core.algebra import where
from murmura.core.errors import BackendError, ScenarioError
from murmura.core.merging import Greatest, Least, Sum
from murmura.core.rule import Rule, register_rule

from .sight_oracle import look, scene_of

NOTES = (
    "seen_bins", "widest", "bins_of_first", "covered", "area_ahead", "area_left", "edges_ahead", "edges_left",
    "edge_count", "covered_ahead", "covered_right",
)  # fmt: skip
WALL = [[60.0, 20.0], [60.0, 130.0]]
CIRCLES = [(120.0, 80.0, 12.0)]
SCENES: dict[str, dict[str, Any]] = {
    "torus": {"world.boundary": "wrap", "perception.field_of_view": 360.0, "perception.body": 6.0},
    "open": {"world.boundary": "open", "perception.field_of_view": 200.0, "perception.bins": 100},
    "coarse": {"world.boundary": "reflect", "perception.bins": 9, "perception.body": 30.0},
    "crowd": {"world.boundary": "open", "agents": 130, "world.width": 110.0, "world.height": 100.0},
    "walls": {
        "world.boundary": "wrap",
        "perception.bins": 50,
        "obstacles": [{"kind": "wall", "points": WALL}, {"kind": "circle", "x": 120, "y": 80, "radius": 12}],
    },
    "species": {
        "world.boundary": "soft",
        "perception.field_of_view": 300.0,
        "species": [{"name": "small", "values": {"perception.body": 1.5}}, {"name": "large"}],
    },
}


def flock(scene: str, backend: str = "reference", seed: int = 1, **values: Any) -> mm.Simulation:
    scenario = mm.Scenario().with_values(
        {
            "agents": 90,
            "world.width": 200.0,
            "world.height": 160.0,
            "perception.radius": 58.0,
            "perception.occlusion": True,
            **SCENES[scene],
            **values,
        }
    )
    return mm.Simulation(scenario, seed=seed, backend=backend)


def oracle_of(sim: mm.Simulation) -> Any:
    kinds = [sim.scenario.of_species(k) for k in range(max(1, len(sim.scenario.species)))]
    widths = [kinds[k].perception.body for k in sim.column("species")]
    walled = bool(sim.scenario.obstacles)
    # On a torus walls are cut into pieces of at most a quarter of the side, each with the image that is nearest.
    cuts = np.linspace(WALL[0][1], WALL[1][1], 4)
    walls = [((60.0, float(a)), (60.0, float(b))) for a, b in pairwise(cuts)]
    return scene_of(sim, widths, walls if walled else [], CIRCLES if walled else [])


@pytest.mark.parametrize("scene", SCENES)
def test_the_definition_sees_what_rays_see(scene: str):
    sim = flock(scene)
    oracle = oracle_of(sim)
    hidden = 0
    without = mm.Simulation(sim.scenario.with_values({"perception.occlusion": False}), 1, "reference")
    for i in range(sim.agent_count):
        shown, _ = look(oracle, i)
        assert sorted(shown) == list(sim.neighbors(i))
        hidden += len(without.neighbors(i)) - len(shown)
    assert hidden > 0.05 * sum(len(without.neighbors(i)) for i in range(sim.agent_count))


def hushed(sim: mm.Simulation) -> mm.Simulation:
    """The same flock on the CPU backend after one step, of which only the number of neighbours is asked."""
    cpu = mm.Simulation(sim.scenario, seed=sim.seed, backend="cpu")
    cpu.step()
    return cpu


@pytest.mark.parametrize("scene", SCENES)
def test_the_cpu_sees_as_many_as_rays_meet(scene: str):
    sim = flock(scene)
    oracle = oracle_of(sim)
    expected = [len(look(oracle, i)[0]) for i in range(sim.agent_count)]
    assert hushed(sim).column("local_density").tolist() == expected


def test_agents_with_thousands_of_neighbours_share_the_memory_of_their_lists():
    sim = flock("crowd", agents=3000, **{"perception.radius": 200.0})
    found = hushed(sim).column("local_density")
    some = range(0, 3000, 250)
    assert [found[i] for i in some] == [len(sim.neighbors(i)) for i in some]


@register_rule("onlooker")
class Onlooker(Rule):
    """Writes down what the eye sees."""

    uses_eye = True
    columns = dict.fromkeys(NOTES, 0.0)
    writes = NOTES

    @staticmethod
    def pair(p: Any, me: Any, seen: Any, world: Any) -> Any:
        return {
            "bins": Sum(seen.bins),
            "widest": Greatest(seen.bins),
            "first": Least(seen.distance, bins=seen.bins),
        }

    @staticmethod
    def feel(p: Any, me: Any, found: Any, world: Any) -> Any:
        eye = me.eye
        values = (
            found.bins, found.widest, found.first.bins, eye.covered, *eye.area, *eye.edges, eye.edge_count,
            where(eye.covers(0.01), 1.0, 0.0), where(eye.covers(-1.0), 1.0, 0.0),
        )  # fmt: skip
        return dict(zip(NOTES, values, strict=True))


def notes_of(oracle: Any, i: int) -> list[float]:
    """What an onlooker writes down, from rays."""
    shown, covered = look(oracle, i)
    bins, step = oracle.bins, 2.0 * math.pi / oracle.bins
    x, y = oracle.places[i]
    nearest = min(shown, key=lambda j: math.hypot(*oracle.way((x, y), oracle.places[j])), default=None)
    area, edges, count = [0.0, 0.0], [0.0, 0.0], 0
    for k in range(bins):
        low, high = -math.pi + k * step, -math.pi + (k + 1) * step
        if covered[k]:
            area[0] += math.sin(high) - math.sin(low)
            area[1] += math.cos(low) - math.cos(high)
        if covered[k] != covered[k - 1]:
            edges[0] += math.cos(low)
            edges[1] += math.sin(low)
            count += 1
    at = [covered[math.floor((angle + math.pi) / step)] for angle in (0.01, -1.0)]
    first = 0 if nearest is None else shown[nearest]
    most = max(shown.values(), default=0)
    return [sum(shown.values()), most, first, sum(covered) / bins, *area, *edges, count, *map(float, at)]


@pytest.mark.parametrize("scene", ["open", "walls"])
def test_a_rule_reads_covered_bins_and_edges(scene: str, backend: str):
    sim = flock(scene, backend, **{"rules.onlooker": {}})
    oracle = oracle_of(sim)
    expected = [notes_of(oracle, i) for i in range(sim.agent_count)]
    sim.step()
    found = np.stack([sim.column(name) for name in NOTES], axis=1)
    np.testing.assert_allclose(found, expected, atol=2e-5)


def test_who_is_hidden_does_not_depend_on_ids_or_threads():
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


def test_the_nearest_are_counted_among_those_who_are_seen():
    sim = flock("torus", **{"perception.nearest": 3})
    everyone = flock("torus")
    for i in range(20):
        seen = everyone.neighbors(i)
        way = everyone.positions[seen].astype(float) - everyone.positions[i]
        way -= np.array([200.0, 160.0]) * np.round(way / [200.0, 160.0])
        nearest = seen[np.argsort(np.hypot(*way.T))[:3]]
        assert list(sim.neighbors(i)) == sorted(nearest)
    assert hushed(sim).column("local_density").max() == 3.0


def test_a_world_with_a_depth_and_graphics_processors_refuse_by_name():
    with pytest.raises(ScenarioError, match=r"perception\.occlusion works in the plane only"):
        mm.Scenario().with_values({"perception.occlusion": True, "world.depth": 300.0})
    plan = Plan(flock("torus").scenario)
    for backend in ("cuda", "webgpu"):
        with pytest.raises(BackendError, match=f"the {backend} backend cannot compute perception.occlusion"):
            refuse_occlusion(plan, backend)
    with pytest.raises(ScenarioError, match=r"rules\.vision\.body must be perception\.body \(2 \[u\]\)"):
        mm.load_scenario("vision").with_values({"perception.occlusion": True, "perception.body": 2.0})
