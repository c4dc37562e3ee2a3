"""Numbers that an exported page computes, against a plan in Python, for any positions of the sliders."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import murmura as mm
from murmura.compute.trace.expression_target import OPERATIONS
from murmura.core.errors import ScenarioError
from murmura.core.model import quantity
from murmura.core.rule import REGISTRY
from murmura.view.session.editing.tools import with_pointer
from murmura.view.standalone import live_values as module
from murmura.view.standalone.live_values import live_values, vector_of

PAGE = Path(module.__file__).parents[1] / "web/src/standalone/numbers.ts"
PLAIN: dict[str, Callable[..., float]] = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "divide": operator.truediv,
    "sin": math.sin, "cos": math.cos, "minimum": min, "maximum": max, "greater": operator.gt, "equal": operator.eq,
    "select": lambda condition, a, b: a if condition else b,
}  # fmt: skip


def evaluated(expression: Any, value: Callable[[str], float]) -> float:
    if isinstance(expression, str):
        return value(expression)
    if isinstance(expression, float):
        return expression
    return PLAIN[expression[0]](*(evaluated(x, value) for x in expression[1:]))


def told(live: dict, scenario: mm.Scenario) -> np.ndarray:
    """The vector that a page computes for a scenario's values."""
    data = scenario.model_dump(mode="json")

    def value(path: str) -> float:
        part = data
        for name in path.split("."):
            part = part[name]
        return float(part)

    vector = np.array(live["vector"])
    for index, expression in live["expressions"].items():
        vector[int(index)] = evaluated(expression, value)
    return vector


@pytest.mark.parametrize("name", ["starlings", "couzin", "mixed", "stardisplay"])
def test_a_page_has_the_numbers_of_a_plan(name: str):
    """Exactly: the same operations in the same order, in double precision."""
    scenario = with_pointer(mm.load_scenario(name), None)
    live = live_values(scenario)
    np.testing.assert_array_equal(told(live, scenario), vector_of(scenario))
    rng, paths, tried = np.random.default_rng(3), sorted(live["ranges"]), 0
    for _ in range(8):
        values = {}
        for path in map(str, rng.choice(paths, 3, replace=False)):
            x = float(rng.uniform(*live["ranges"][path]))
            values[path] = round(x) if path.endswith("octaves") else x
        try:
            changed = scenario.with_values(values)
        except ScenarioError:
            continue  # two radii of which one must be the smaller
        tried += 1
        np.testing.assert_array_equal(told(live, changed), vector_of(changed))
    assert tried > 2


def test_the_page_knows_every_operation():
    table = PAGE.read_text(encoding="utf-8").split("OPERATIONS", 1)[1].split("};", 1)[0]
    assert set(re.findall(r"^  (\w+): \(", table, re.MULTILINE)) == OPERATIONS


@pytest.mark.parametrize("free", ["rule", "radius"])
def test_numbers_by_free_python_are_not_offered(free: str):
    """A rule of a user may compute by functions that take plain numbers only; all others stay changeable."""

    class Drawn(mm.Rule):
        pull: float = quantity(1.0, "Strength.", "", (0, 4))

        def numbers(self, perception_radius: float) -> dict[str, float]:
            x = self.pull if free == "rule" else perception_radius
            return super().numbers(perception_radius) | {"grown": math.exp(-x)}

        @staticmethod
        def steer(p: Any, me: Any, found: Any, world: Any) -> Any:
            return me.heading * (p.pull * p.grown)

    mm.register_rule("drawn")(Drawn)
    try:
        data = mm.load_scenario("classic").model_dump(mode="json")
        data["rules"]["drawn"] = {"pull": 1.0}
        live = live_values(with_pointer(mm.Scenario.from_data(data), None))
    finally:
        del REGISTRY["drawn"]
    assert "rules.cohesion.weight" in live["ranges"]
    assert ("rules.drawn.pull" in live["ranges"]) == (free == "radius")
    assert ("perception.radius" in live["ranges"]) == (free == "rule")


def test_what_makes_another_kernel_is_not_offered():
    live = live_values(with_pointer(mm.load_scenario("classic"), None))
    assert "rules.cohesion.weight" in live["ranges"]
    assert "perception.radius" in live["ranges"]
    assert "motion.min_speed" not in live["ranges"], "from 0 on it is an option"
    assert not any(path.startswith("world.") for path in live["ranges"])


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
    found = probe.range_of(module.Candidate("rules.separation.radius", 5.0, 400.0, False))
    assert found is not None
    assert found[0] == 5.0
    assert found[1] <= probe.scenario.perception.radius
