"""Changes to a run on the device between two steps: other backends, births, deaths, other values, errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import murmura as mm
from murmura.core.algebra import absolute, maximum, to_number, where
from murmura.core.errors import RunError, ScenarioError
from murmura.core.layout import POSITION
from murmura.core.merging import Greatest, Least, Sum
from murmura.core.model import quantity
from murmura.core.rule import Rule, register_rule
from murmura.core.vec import Vec
from murmura.lab.bench.workload import workload
from tests.compute.test_own_rules import check_about_face
from tests.cuda.flocks import lively, scene_of
from tests.engine.simulation.sliders import HAWK, check_a_slider_loads_nothing
from tests.parity.side_by_side import Comparison, compare_step

# --- checkpoints ---


def test_checkpoints_move_between_backends(size: tuple[int, int], tmp_path: Path):
    """cpu -> cuda -> reference -> cuda: each starts from the same bits, and its first step matches the reference."""
    agents, steps = size
    sim = mm.Simulation(workload(agents), seed=2, backend="cpu")
    done = 0
    for backend in ("cpu", "cuda", "reference", "cuda"):
        file = tmp_path / f"{done}.npz"
        sim.save(file)
        taken_over = mm.Simulation.restore(file, backend=backend)
        assert taken_over.backend == backend
        assert taken_over.step_count == done
        assert taken_over.state_hash() == sim.state_hash()
        assert np.array_equal(taken_over.forces, sim.forces)
        sim = taken_over
        compare_step(sim, Comparison())
        sim.step(steps)
        done += steps + 1
    assert sim.step_count == 4 * (steps + 1)
    assert np.isfinite(sim.positions).all()


# --- births, deaths ---


def test_births_and_deaths(size: tuple[int, int]):
    agents, _ = size
    sim = lively(scene_of("wrapped", agents))
    sim.step()
    rng = np.random.default_rng(3)
    near = sim.positions[20] + rng.normal(0.0, 10.0, (5, 2))
    born = sim.add_agents(np.mod(near, [400.0, 300.0]), np.full((5, 2), 3.0), {"species": [0, 1, 2, 0, 1]})
    assert list(born) == list(range(agents, agents + 5))
    before = sim.state.copy()
    compare_step(sim, Comparison())
    assert sim.agent_count == agents + 5
    assert (sim.column("local_density")[-5:] >= 2).sum() >= 3, "newborns see others and each other"
    sim.remove_agents([0, 7, agents - 1, agents + 2])
    assert sim.agent_count == agents + 1
    kept = ~np.isin(before.ids, [0, 7, agents - 1, agents + 2])
    assert np.array_equal(sim.ids, before.ids[kept])
    compare_step(sim, Comparison())
    assert list(sim.add_agents([(1.0, 1.0)], [(1.0, 0.0)])) == [agents + 5], "an id is never reused"


def test_a_world_that_dies_out_and_is_repopulated():
    sim = mm.Simulation(workload(40), seed=2, backend="cuda")
    sim.step()
    sim.remove_agents(sim.ids)
    sim.step(3)
    assert (sim.agent_count, sim.step_count) == (0, 4)
    assert sim.positions.shape == (0, 2)
    sim.add_agents([(10.0, 10.0), (20.0, 10.0)], [(5.0, 0.0), (5.0, 0.0)])
    compare_step(sim, Comparison())
    assert list(sim.ids) == [40, 41]
    assert sim.column("local_density")[0] == 1


# --- other values ---


def test_retune_numbers(size: tuple[int, int]):
    sim = mm.Simulation(workload(size[0]), seed=4, backend="cuda")
    sim.step(2)
    module, before, graphs = sim._backend._program, sim.state_hash(), dict(sim._backend._launches._graphs)
    sim.retune({"rules.alignment.weight": 3.0, "motion.max_speed": 9.0, "motion.time_step": 0.02})
    assert sim._backend._program is module, "other numbers must not need another kernel"
    assert graphs
    assert sim._backend._launches._graphs == graphs, "nor another graph"
    assert sim.state_hash() == before
    compare_step(sim, Comparison())
    assert np.hypot(*sim.velocities.T).max() <= 9.0 * (1.0 + 1e-6)


def test_retune_numbers_with_hunters(size: tuple[int, int], monkeypatch: pytest.MonkeyPatch):
    check_a_slider_loads_nothing("cuda", "murmuration-hawk", HAWK, size[0], monkeypatch)
    sim = mm.Simulation("murmuration-hawk", seed=4, backend="cuda", announce=None)
    sim.step(2)
    graphs = dict(sim._backend._launches._graphs)
    sim.retune(HAWK)
    assert graphs
    assert sim._backend._launches._graphs == graphs, "a captured graph continues with other numbers"


def test_retune_an_option_and_the_world(size: tuple[int, int]):
    sim = mm.Simulation(workload(size[0]), seed=4, backend="cuda")
    module = sim._backend._program
    sim.step(2)
    sim.retune({"perception.nearest": 3})
    assert sim._backend._program is not module
    compare_step(sim, Comparison())
    assert sim.column("local_density").max() == 3
    sim.retune({"perception.nearest": None, "world.width": sim.scenario.world.width * 1.5})
    assert sim._backend._program is module
    compare_step(sim, Comparison())
    assert sim.column("local_density").max() > 3


# --- forces ---


def test_forces_are_what_the_step_applied(size: tuple[int, int]):
    """In a world without walls, below the top speed: new velocity = old velocity + force x thrust."""
    agents, steps = size
    sim = mm.Simulation(workload(agents), seed=5, backend="cuda")
    assert not sim.forces.any()
    sim.step(steps - 1)
    before = sim.velocities.astype(np.float64)
    sim.step()
    wanted = before + sim.forces * sim.scenario.motion.thrust
    free = np.hypot(*wanted.T) < sim.scenario.motion.max_speed * (1.0 - 1e-5)
    assert free.sum() >= agents // 5
    assert np.abs(sim.velocities - wanted)[free].max() < 1e-5
    assert np.abs(sim.forces).max() > 0.1
    once = mm.Simulation(workload(agents), seed=5, backend="cuda")
    once.step(steps)
    assert np.array_equal(once.forces, sim.forces), "of the last step, however many were requested"


# --- a user's rule ---


class Shy(Rule):
    """Keep away from lamps and from the nearest agent with no more energy, and tire of it: uses every hook."""

    weight: float = quantity(0.7, "How much it counts.", "", ge=0)
    lamps: tuple[tuple[float, float], ...] = ()

    item_fields = (POSITION,)
    reads = ("energy", "mating_cooldown")
    writes = ("mating_cooldown",)

    def items(self) -> Any:
        return self.lamps

    @staticmethod
    def pair(p: Any, me: Any, seen: Any, world: Any) -> Any:
        weaker = where(seen.energy <= me.energy, seen.square, 3.0e38)
        return {
            "crowd": Sum(seen.nearness),
            "strongest": Greatest(seen.nearness * seen.energy),
            "weaker": Least(weaker, offset=seen.offset),
        }

    @staticmethod
    def item(p: Any, me: Any, it: Any, world: Any) -> Any:
        away = me.position - it.position
        near = maximum(0.0, 1.0 - away.length / 150.0)
        return {"away": Sum(away * near), "lamp": Least(away.square, x=it.position.x)}

    @staticmethod
    def feel(p: Any, me: Any, found: Any, world: Any) -> Any:
        return {"mating_cooldown": 0.5 * me.mating_cooldown + 0.1 * found.crowd + found.strongest}

    @staticmethod
    def steer(p: Any, me: Any, found: Any, world: Any) -> Any:
        w = where(found.weaker.exists, p.weight * 0.02, 0.0)
        lit = where(found.lamp.exists, 0.001, 0.0) * (1.0 + me.mating_cooldown)
        return found.away * lit - found.weaker.offset * w

    @staticmethod
    def exclusive(p: Any, me: Any, found: Any, world: Any) -> Any:
        return found.strongest > 0.9

    @staticmethod
    def age(p: Any, me: Any, world: Any) -> Any:
        return {"mating_cooldown": me.mating_cooldown * 0.9 + world.dt * to_number(me.id) * 0.01}


def test_a_users_rule(size: tuple[int, int]):
    register_rule("shy")(Shy)
    lamps = [[30.0, 40.0], [90.0, 80.0]]
    scenario = workload(size[0]).with_values({"rules.shy": {"lamps": lamps}})
    sim = lively(scenario)
    found = Comparison()
    for _ in range(2):
        before = sim.column("mating_cooldown")
        shares = [sim.explain(k)["rules"]["shy"]["force"] for k in (0, 1, 2)]
        compare_step(sim, found)
        assert (sim.column("mating_cooldown") != before).sum() > size[0] // 2
    assert np.abs(shares).max() > 0.01
    assert found.median_force_error < 5e-6
    sim.retune({"rules.shy.lamps": [], "rules.shy.weight": 0.0})
    compare_step(sim, found)


def test_a_users_rule_that_cannot_work_is_refused_before_anything_is_compiled():
    class Wrong(Rule):
        @staticmethod
        def steer(p: Any, me: Any, found: Any, world: Any) -> Any:
            return Vec(p.nothing_of_that_name, 0.0)

    register_rule("wrong")(Wrong)
    with pytest.raises(ScenarioError, match=r"wrong.*nothing_of_that_name"):
        mm.Simulation(workload(40).with_values({"rules.wrong": {}}), backend="cuda")


# --- failures ---


class Sick(Rule):
    """Pushes upwards, more for ids near that of one agent, which from some step on divides by zero."""

    push: float = quantity(0.25, "The push one id away.", "")
    since: float = quantity(0.0, "The first bad step, counted from 0.", "step", ge=0)
    who: float = quantity(1.0, "The id of that agent.", "", ge=0)

    clamped = False

    @staticmethod
    def steer(p: Any, me: Any, found: Any, world: Any) -> Any:
        left = maximum(0.0, (p.since - 0.5) * world.dt - world.time)
        return Vec(me.position.x * 0.0, p.push / (absolute(to_number(me.id) - p.who) + left))


def test_a_users_rule_by_hand():
    """One agent, one force, known beforehand: v = 1 + 0.25, y = 60 + 1.25 / 60."""
    register_rule("sick")(Sick)
    scenario = workload(40).with_values({"rules.sick": {}})
    sim = mm.Simulation(scenario, backend="cuda", positions=[(50.0, 60.0)], velocities=[(0.0, 1.0)])
    sim.step()
    assert sim.forces[0] == pytest.approx([0.0, 0.25])
    assert sim.velocities[0] == pytest.approx([0.0, 1.25])
    assert sim.positions[0] == pytest.approx([50.0, 60.0 + 1.25 / 60.0])


def test_heading_and_speed_follow_a_velocity_that_a_rule_writes():
    check_about_face("cuda")


def test_a_genome_switched_on_makes_founders_of_all():
    sim = mm.Simulation(workload(40), seed=6, backend="cuda")
    sim.step()
    sim.retune({"rules.genome.enabled": True})
    begun = mm.Simulation(sim.scenario, seed=6, backend="reference")
    for name in begun.state.own_columns:
        assert np.array_equal(sim.column(name), begun.column(name)), name
    sim.step()
    assert len(np.unique(sim.column("gene_speed"))) == 40


def test_a_rule_that_divides_by_zero_stops_the_run_immediately(size: tuple[int, int]):
    register_rule("sick")(Sick)
    scenario = workload(size[0]).with_values({"rules.sick": {"since": 2.0, "who": 7.0}})
    sim = mm.Simulation(scenario, seed=6, backend="cuda")
    sim.step(2)
    assert np.isfinite(sim.positions).all()
    with pytest.raises(RunError, match=r"step 3: 1 agents .*\(ids 7\).*guard its divisions"):
        sim.step()
    # With many steps in one call, it still names the first bad one.
    sim = mm.Simulation(scenario, seed=6, backend="cuda")
    with pytest.raises(RunError, match=r"step 3: .*\(ids .*guard its divisions"):
        sim.step(5)
