"""Every rule, option and edge on a WebGPU device against the reference, in one step, to single precision.

The tolerance is that of all backends (`parity.side_by_side`). Pipelines are cached by their text, so the tests of one
scene compile once. The scene `hunted`, with four kinds of hunters, takes a software adapter a minute, so only one
hunter is tested here.
"""

from __future__ import annotations

import numpy as np
import pytest

import murmura as mm
from tests.cuda.flocks import cut_down, scene_of
from tests.cuda.parity.test_definition import FORCE, RULES, scenes_with, written_by
from tests.parity.scenes import SCENES, alone, loud_rules
from tests.parity.side_by_side import Comparison, compare_step

from .flocks import AGENTS, check, lively

CHEAP = [scene for scene in SCENES if scene != "hunted"]


QUICK = ("walled", "classics", "open", "roadmap", "wrapped", "soft")
"""Scenes without births and deaths: a second each."""


def quickest(rule: str) -> str:
    """The scene in which a rule is compared alone; rules of life and evolution need each other."""
    return next((scene for scene in QUICK if scene in scenes_with(rule)), "")


ALONE = [rule for rule in RULES if quickest(rule)]


def test_no_rule_is_left_out():
    compared = {rule for scene in CHEAP for rule in loud_rules(scene_of(scene, AGENTS))}
    assert set(RULES) - compared == {"predators"}, "which has a test of its own below"


@pytest.mark.parametrize("rule", ALONE)
def test_each_rule_alone(rule: str):
    scenario = scene_of(quickest(rule), AGENTS)
    sim = lively(scenario)
    program = sim._backend._program
    sim.adopt(alone(scenario, rule))
    assert sim._backend._program is program, "other numbers must not need another kernel"
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
    stayed, here = np.isin(before.ids, sim.ids), np.isin(sim.ids, before.ids)
    changed = [
        (sim.column(name)[here] != (0.0 if name in FORCE else before[name][stayed])).any() for name in columns
    ]
    assert any(changed), f"{rule} does too little to be compared"


# Between them: all four edges, one and three species, metric and topological view, obstacles, tracked agents, food,
# courtship, births, deaths, carcasses, newcomers.
@pytest.mark.parametrize("scene", CHEAP)
def test_all_rules_together(scene: str):
    sim = lively(scene_of(scene, AGENTS))
    found = Comparison()
    for pause in (0, 3):
        sim.step(pause)
        compare_step(sim, found)
    check(found)
    assert sim.column("local_density").max() >= 4


def test_a_hunter():
    sim = mm.Simulation(cut_down("murmuration-hawk", AGENTS), seed=5, backend="webgpu", announce=None)
    twin = mm.Simulation(sim.scenario, seed=5, backend="reference")
    found = Comparison()
    for _ in range(3):
        compare_step(sim, found)
        twin.step()
        np.testing.assert_allclose(
            sim.state.items["predators"], twin.state.items["predators"], rtol=1e-4, atol=1e-3
        )
    check(found)


@pytest.mark.parametrize("name", ["classic", "vicsek", "mixed"])
def test_shipped_scenario(name: str):
    sim = mm.Simulation(cut_down(name, AGENTS), seed=5, backend="webgpu", announce=None)
    found = Comparison()
    for _ in range(2):  # in `vicsek` the first step only determines the turn of the next
        compare_step(sim, found)
    check(found)
    assert sim.forces.any()
