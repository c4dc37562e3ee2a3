"""Numbers that an exported page computes, against a plan in Python, for any positions of the sliders."""

from __future__ import annotations

import numpy as np
import pytest

import murmura as mm
from murmura.core.errors import ScenarioError
from murmura.view.session.editing.tools import with_pointer
from murmura.view.standalone import live_values as module
from murmura.view.standalone.live_values import evaluated, live_values, vector_of


def told(live: dict, scenario: mm.Scenario) -> np.ndarray:
    """The vector that a page computes for a scenario's values."""
    data = scenario.model_dump(mode="json")

    def value(path: str) -> float:
        part = data
        for name in path.split("."):
            part = part[name]
        return float(part)

    vector = np.array(live["vector"])
    values = {path: value(path) for path in live["ranges"]}
    for index, recipe in live["recipes"].items():
        vector[int(index)] = evaluated(recipe, values)
    return vector


@pytest.mark.parametrize("name", ["starlings", "couzin"])
def test_a_page_has_the_numbers_of_a_plan(name: str):
    scenario = with_pointer(mm.load_scenario(name), None)
    live = live_values(scenario)
    np.testing.assert_allclose(told(live, scenario), vector_of(scenario), rtol=2e-3, atol=1e-6)
    rng, paths = np.random.default_rng(3), sorted(live["ranges"])
    for _ in range(4):
        chosen = rng.choice(paths, 5, replace=False)
        values = {}
        for path in map(str, chosen):
            low, high = live["ranges"][path]
            x = float(rng.uniform(low, high))
            values[path] = round(x) if path.endswith("octaves") else x
        try:
            changed = scenario.with_values(values)
        except ScenarioError:
            continue  # two radii of which one must be the smaller
        np.testing.assert_allclose(told(live, changed), vector_of(changed), rtol=5e-3, atol=1e-5)


def test_what_makes_another_kernel_is_not_offered():
    live = live_values(with_pointer(mm.load_scenario("classic"), None))
    assert "rules.cohesion.weight" in live["ranges"]
    assert "perception.radius" in live["ranges"]
    assert "motion.min_speed" not in live["ranges"], "from 0 on it is an option"
    assert not any(path.startswith("world.") for path in live["ranges"])


def test_a_product_shows_although_one_factor_is_zero():
    """The wind of `starlings` has no speed at first; its direction must matter once it has."""
    live = live_values(with_pointer(mm.load_scenario("starlings"), None))
    wanted = {"rules.wind.speed", "rules.wind.direction", "rules.wind.gain"}
    assert any({path for path, _ in recipe["parts"]} == wanted for recipe in live["recipes"].values())


def test_what_makes_other_items_or_more_room_is_not_offered(monkeypatch: pytest.MonkeyPatch):
    """The range of food is a number of kernels; its amount and position are not."""
    scenario = with_pointer(mm.load_scenario("feeding-grounds"), None)
    mine = [c for c in module.candidates(scenario) if c.path.startswith("rules.feeding.")]
    monkeypatch.setattr(module, "candidates", lambda _: mine)
    live = live_values(scenario)
    offered = {path.removeprefix("rules.feeding.") for path in live["ranges"]}
    assert {"reach", "hungry_below", "energy_restore"} <= offered
    assert not {"count", "amount", "capacity", "margin"} & offered
    far = scenario.with_values({"rules.feeding.reach": 150.0})
    assert 150.0 in vector_of(far)
    np.testing.assert_allclose(told(live, far), vector_of(far), rtol=1e-6)


def test_a_range_ends_where_the_scenario_refuses():
    """A separation radius beyond the perception radius is refused, so no slider may reach it."""
    probe = module.Probe(with_pointer(mm.load_scenario("classic"), None))
    found = probe.curve(module.Candidate("rules.separation.radius", 5.0, 400.0, False))
    assert found is not None
    assert found[0][0] == 5.0
    assert found[0][-1] <= probe.scenario.perception.radius
