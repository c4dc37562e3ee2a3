"""Every rule, option, edge and shipped scenario on the device against the reference, from the same state.

Tolerance, as for the CPU (`parity.side_by_side`): 2000 roundings of single precision relative to the largest number
involved for every agent, 50 for nearly all, neighbour counts exact. Agents at a discontinuity are left out: those with
a neighbour within rounding of the limit of their view, or a result that jumps when the reference itself is perturbed
by two roundings; they must be few.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import murmura as mm
from murmura.core.rule import REGISTRY, Rule
from tests.cuda.flocks import ROUND_OBSTACLE, cut_down, lively, scene_of, silenced
from tests.cuda.machine import ON_HOST
from tests.parity.random_scenario import rules_of_the_plane
from tests.parity.scenes import SCENES, alone, loud_rules, rules_in, scenario_of
from tests.parity.side_by_side import Comparison, compare_step
from tests.sizes import IS_LONG

FORCE = ("acceleration_x", "acceleration_y")
RULES = rules_of_the_plane()


def scenes_with(rule: str) -> list[str]:
    """Scenes in which a rule has an effect; an agent that does not exist has none."""
    found = []
    for scene in SCENES:
        part = rules_in(scene).get(rule)
        if part is not None and not (part.tracks and getattr(part, part.tracks) >= 32):
            found.append(scene)
    return found


def check(found: Comparison) -> None:
    """`Comparison.check` if the flock is large enough for shares to be meaningful."""
    if found.agents >= 400:
        found.check()
    assert found.left_out <= max(4, 0.05 * found.agents)
    assert found.not_strict <= max(3, 0.03 * found.agents)
    assert found.median_force_error < 5e-6


def written_by(kind: type[Rule]) -> list[str]:
    """The columns of a state that a rule writes; of vectors, their first component."""
    vectors = {"velocity": "velocity_x", "position": "position_x"}
    return [vectors.get(name, name) for name in kind.writes]


# A rule that no scene has cannot be compared: give it a place in `parity.scenes`.
@pytest.mark.parametrize("rule", RULES)
def test_every_rule_has_a_scene(rule: str):
    assert scenes_with(rule)


# Newcomers, which act on no living agent, are tested in test_lifecycle.
@pytest.mark.parametrize("rule", [rule for rule in RULES if not REGISTRY[rule].arrives])
def test_each_rule_alone(rule: str, size: tuple[int, int]):
    most = 0
    for scene in scenes_with(rule)[: 1 if ON_HOST else None]:
        scenario = scene_of(scene, size[0])
        sim = lively(scenario)
        module = sim._backend._program
        sim.adopt(alone(scenario, rule))
        assert sim._backend._program is module, "other numbers must not need another kernel"
        before = sim.state.copy()
        found = Comparison()
        compare_step(sim, found)
        check(found)
        kind = loud_rules(scenario)[rule].variant()
        columns = [
            *(FORCE if kind.steer else ()),
            *(("velocity_x",) if kind.modulate else ()),
            *written_by(kind),
        ]
        assert columns, f"{rule} neither steers nor changes its agent"
        stayed, here = np.isin(before.ids, sim.ids), np.isin(sim.ids, before.ids)
        changes = [
            int((sim.column(column)[here] != (0.0 if column in FORCE else before[column][stayed])).sum())
            for column in columns
        ]
        most = max(most, *changes)
    # A rule with many columns does not change all of them in one step of a few agents, and in some scenes other rules
    # leave it little to do.
    assert most >= (1 if ON_HOST else 4), f"{rule} does too little in any scene to be compared"


# Between them: all four edges, one and three species, metric and topological view, obstacles, tracked agents.
@pytest.mark.parametrize("scene", SCENES)
def test_all_rules_together(scene: str, size: tuple[int, int]):
    agents, steps = size
    sim = lively(scene_of(scene, agents))
    found = Comparison()
    for pause in (0, 0, steps - 2):
        sim.step(pause)
        compare_step(sim, found)
    check(found)
    assert sim.column("local_density").max() >= 4


def test_the_scenes_cover_all_parts_of_a_kernel():
    scenarios = [scenario_of(scene) for scene in SCENES]
    assert {s.world.boundary for s in scenarios} == {"wrap", "soft", "reflect", "open"}
    assert {s.perception.nearest is None for s in scenarios} == {False, True}
    assert {s.perception.rear_attention < 1.0 for s in scenarios} == {False, True}
    assert {bool(s.species) for s in scenarios} == {False, True}
    assert {bool(s.obstacles) for s in scenarios} == {False, True}
    assert {s.motion.policy for s in scenarios} == {"capped", "constant"}


# Every rule and option is in some scene above. Without a GPU each scenario is compiled twice, for C and for the CPU.
SHIPPED = (
    "classic",
    "emergent",
    "mixed",
    "murmuration-hawk",
    "sky-and-sea",
    "starlings",
    "topological",
    "vicsek",
)


@pytest.mark.parametrize("name", SHIPPED if ON_HOST and not IS_LONG else mm.scenario_names())
def test_shipped_scenario(name: str, size: tuple[int, int]):
    agents, steps = size
    sim = mm.Simulation(
        cut_down(name, max(agents, 60) if name == "mixed" else agents), seed=5, backend="cuda"
    )
    kinds = len(sim.scenario.species_names())
    assert len(np.unique(sim.column("species"))) == kinds, "too few agents to have all species"
    found = Comparison()
    compare_step(sim, found)
    if not ON_HOST:
        sim.step(10 * steps)
    compare_step(sim, found)  # a second step: in `vicsek` the first one only chooses the turn of the next
    check(found)
    assert (sim.column("local_density") > 0).sum() >= 10
    assert sim.forces.any()


def test_a_frightened_flock_in_the_wind(size: tuple[int, int]):
    """What does not act at the start of the shipped scenarios: threats, and a wind that blows."""
    scenario = cut_down("starlings", size[0])
    center = {"x": scenario.world.width / 2.0, "y": scenario.world.height / 2.0, "radius": 60.0}
    sim = mm.Simulation(
        scenario.with_values({"rules.fear.threats": [center], "rules.wind.speed": 8.0}),
        seed=6,
        backend="cuda",
    )
    found = Comparison()
    for _ in range(2):
        compare_step(sim, found)
    check(found)
    assert (sim.column("panic") > 0.0).sum() >= 5


class Numbness(Rule):
    """Scales a number on which the filter of `fear` depends."""

    @staticmethod
    def modulate(p: Any, me: Any, world: Any) -> Any:
        return {"fear.spread_from": 0.1}


@pytest.mark.parametrize("scaled", [False, True])
def test_a_filter_keeps_every_neighbor_that_contributes(scaled: bool, monkeypatch: pytest.MonkeyPatch):
    """Panic of 0.1 spreads only to agents with a low threshold: of another species, or scaled by a rule."""
    if scaled:
        monkeypatch.setitem(REGISTRY, "numbness", Numbness)
    nervous = {"name": "nervous", "values": {"rules.fear.spread_from": 0.05}}
    data = {
        "agents": 40,
        "world": {"width": 400, "height": 400},
        "species": [] if scaled else [{"name": "calm"}, nervous],
        "rules": {"fear": {"threats": [{"x": 100, "y": 100, "radius": 100}]}}
        | ({"numbness": {}} if scaled else {}),
    }
    positions = np.stack([np.tile([190.0, 215.0], 20), np.linspace(90.0, 110.0, 40)], axis=1)
    sim = mm.Simulation(mm.Scenario.from_data(data), seed=3, backend="cuda", positions=positions)
    found = Comparison()
    for _ in range(2):
        compare_step(sim, found)
    check(found)
    panic, was_out_of_reach = sim.column("panic"), positions[:, 0] > 200.0
    assert 0.0 < panic[~was_out_of_reach].max() < 0.3
    assert panic[was_out_of_reach].max() > 0.0


@pytest.mark.parametrize("scene", ["soft", "walled", "wrapped"])
def test_no_agent_flies_into_an_obstacle(scene: str):
    """Agents in a ring around the round obstacle, all heading for its middle, fast enough to get there in a step."""
    n = 12
    angle = np.arange(n) * 2.0 * np.pi / n
    ring = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    scenario = silenced(scene_of(scene, n)).with_values({"motion.time_step": 0.5, "perception.radius": 50.0})
    sim = mm.Simulation(
        scenario, backend="cuda", positions=ROUND_OBSTACLE + 27.0 * ring, velocities=-6.0 * ring
    )
    found = Comparison()
    compare_step(sim, found)
    assert found.left_out <= n // 4
    gap = np.hypot(*(sim.positions - ROUND_OBSTACLE).T)
    assert (gap >= 25.0).all()
    assert (gap < 27.0).all()
    outwards = (sim.velocities * ring).sum(axis=1)
    assert (outwards > 0.0).all(), "agents that are stopped bounce back"


EDGES: dict[str, Any] = {"wrapped": "wrap", "soft": "soft", "walled": "reflect", "open": "open"}


@pytest.mark.parametrize("scene", EDGES)
def test_edges_of_the_world(scene: str):
    """Agents just inside each edge, flying out."""
    scenario = silenced(scene_of(scene, 8)).with_values({"motion.time_step": 0.25})
    assert scenario.world.boundary == EDGES[scene]
    below = np.nextafter(np.float32([400.0, 300.0]), np.float32(0))
    places = [(0.0, 150.0), (below[0], 180.0), (130.0, 0.0), (330.0, below[1])]
    places += [(0.0, 0.0), (below[0], 0.0), (0.0, below[1]), tuple(below)]
    out = np.array([(-1, 0), (1, 0), (0, -1), (0, 1), (-1, -1), (1, -1), (-1, 1), (1, 1)], np.float64)
    sim = mm.Simulation(scenario, backend="cuda", positions=places, velocities=out * 4.0)
    compare_step(sim, Comparison())
    x, y = sim.positions.T
    inside = (x >= 0.0) & (x <= 400.0) & (y >= 0.0) & (y <= 300.0)
    flown = (sim.velocities * out).sum(axis=1)
    if scene == "open":
        assert not inside.any()
        assert (flown > 0.0).all()
    elif scene == "wrapped":
        assert inside.all()
        assert (flown > 0.0).all()
        assert ((np.abs(sim.positions - np.array(places)) > 200.0)[:, 0] == (out[:, 0] != 0)).all()
        assert ((np.abs(sim.positions - np.array(places)) > 140.0)[:, 1] == (out[:, 1] != 0)).all()
    else:
        assert inside.all()
        assert (flown[:4] < 0.0).all()
        # In a corner only the wall that is hit first reverses its component of the velocity.
        assert (flown[4:] < 1e-5).all()


def test_a_tracked_agent_that_dies_has_no_effect(size: tuple[int, int]):
    scenario = scene_of("soft", size[0])
    sim = lively(scenario)
    sim.adopt(alone(scenario, "pursue"))
    compare_step(sim, Comparison())
    assert (np.abs(sim.forces).sum(axis=1) > 0.0).sum() == size[0] - 1, "all but the quarry itself pursue it"
    sim.remove_agents([7])
    compare_step(sim, Comparison())
    assert not sim.forces.any()
