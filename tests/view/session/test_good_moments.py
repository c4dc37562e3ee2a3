"""Shipped scenarios open at a good moment, which is a step of the ordinary run."""

from __future__ import annotations

import pytest

import murmura as mm
from murmura.view.session.editing.tools import with_pointer
from murmura.view.session.good_moments import FOLDER
from murmura.view.session.scene import Scene
from tests.sizes import IS_LONG

NAMES = sorted(path.stem for path in FOLDER.glob("*.npz"))


@pytest.mark.parametrize("name", NAMES)
def test_the_scenario_opens_at_its_moment(name: str):
    """If this fails after a change of the scenario: python scripts/make_moments.py"""
    assert Scene(mm.load_scenario(name), 0, "reference", good_moments=True).simulation.step_count > 0


@pytest.mark.parametrize("name", NAMES if IS_LONG else ["midges", "roosts"])
def test_the_moment_is_a_step_of_the_run_with_its_hash(name: str):
    """If this fails after a change of what agents do: python scripts/make_moments.py"""
    scenario = mm.load_scenario(name)
    shown = Scene(scenario, 0, "reference", good_moments=True).simulation
    run = mm.Simulation(with_pointer(scenario, None), 0)
    run.step(shown.step_count)
    assert shown.state_hash() == run.state_hash()


def test_only_the_unchanged_scenario_with_its_seed_opens_there():
    scenario = mm.load_scenario("roosts")
    assert Scene(scenario, 0, "reference").simulation.step_count == 0
    for other, seed in ((scenario, 1), (scenario.with_values({"rules.noise.strength": 0.4}), 0)):
        assert Scene(other, seed, "reference", good_moments=True).simulation.step_count == 0


def test_starting_again_begins_at_the_start_and_the_record_is_exact():
    scene = Scene(mm.load_scenario("roosts"), 0, "reference", good_moments=True)
    assert scene.actions[0]["step"] == 0 and scene.record()["end"]["step"] == scene.simulation.step_count
    scene.carry_out({"type": "reset"})
    assert scene.simulation.step_count == 0
