"""The start that a page draws, by the steps that it gets, against the start that Python draws."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import murmura as mm
from murmura.compute.plan import Plan, noise_offset
from murmura.core.world.randomness import seed_words
from murmura.engine.initial import random_start
from murmura.rules.predators.row import LAYOUT
from murmura.view.session.editing.tools import with_pointer
from murmura.view.standalone.start import start_facts

WORD = 0xFFFFFFFF
STEPS: dict[str, Callable[..., Any]] = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "divide": operator.truediv,
    "sin": np.sin, "cos": np.cos, "sqrt": np.sqrt, "cube_root": np.cbrt, "arctan2": np.arctan2, "hypot": np.hypot,
    "minimum": np.minimum, "maximum": np.maximum, "floor": np.floor, "less": operator.lt, "greater": operator.gt,
    "select": lambda condition, a, b: a if condition else b, "add_32": lambda a, b: (a + b) & WORD,
    "xor_32": operator.xor, "or_32": operator.or_, "shift_left_32": lambda a, b: (a << b) & WORD,
    "shift_right_32": operator.rshift,
}  # fmt: skip


def computed(program: dict[str, Any], names: dict[str, Any]) -> dict[str, float]:
    found: list[Any] = []
    for step in program["steps"]:
        if isinstance(step, list):
            operands = [found[k] for k in step[1:]]
            if step[0].endswith("_32"):
                operands = [int(x) for x in operands]
            found.append(STEPS[step[0]](*operands))
        else:
            found.append(names[step] if isinstance(step, str) else step)
    return {name: float(found[k]) for name, k in program["results"].items()}


def facts_of(scenario: mm.Scenario, seed: int) -> dict[str, Any]:
    return start_facts(scenario, Plan(with_pointer(scenario, None)), random_start(scenario, seed))


def value_at(scenario: mm.Scenario, path: str) -> float:
    part, _, name = path.partition(".")
    return float(getattr(getattr(scenario, part), name))


STARTS = {
    "throughout": ("classic", {}),
    "in a disc": ("classic", {"start.layout": "disc", "start.speed_spread": 2.0, "motion.policy": "capped"}),
    "in one direction": ("vicsek", {"start.direction": 70.0, "start.direction_spread": 40.0}),
    "in space": ("couzin-space", {}),
    "in a ball, in one direction": (
        "couzin-space",
        {"start.layout": "disc", "start.direction": 20.0, "start.direction_spread": 90.0},
    ),
    "of several species": ("mixed", {}),
}


@pytest.mark.parametrize(("name", "values"), STARTS.values(), ids=STARTS)
def test_a_page_draws_the_start_of_any_seed(name: str, values: dict[str, Any]):
    scenario = mm.load_scenario(name).with_values({"agents": 40, **values})
    facts, seed = facts_of(scenario, 1), 2**40 + 9
    drawn = random_start(scenario, seed)
    low, high = seed_words(seed)
    given = {path: value_at(scenario, path) for path in facts["values"]}
    names = {"seed_low": low, "seed_high": high, **given}
    for k in range(40):
        for column, value in computed(facts["draw"], names | {"id": k}).items():
            assert np.float32(value) == drawn[column][k], column
    filled = {
        column: [value for count, value in runs for _ in range(count)]
        for column, runs in facts["fill"].items()
    }
    assert {*filled, *facts["draw"]["results"], "id"} == {*drawn.columns}
    assert all(np.array_equal(column, drawn[one]) for one, column in filled.items())
    noise = computed(facts["noise"], names)
    assert (noise["noise_x"], noise["noise_y"]) == noise_offset(seed_words(seed))


def test_values_of_the_start_change_what_is_drawn():
    scenario = mm.load_scenario("classic").with_values({"agents": 5})
    facts, other = facts_of(scenario, 1), scenario.with_values({"start.margin": 50.0})
    assert "start.margin" in facts["values"]
    drawn = random_start(other, 3)
    names = {"seed_low": 3, "seed_high": 0, **{path: value_at(other, path) for path in facts["values"]}}
    for k in range(5):
        x = computed(facts["draw"], names | {"id": k})["position_x"]
        assert np.float32(x) == drawn["position_x"][k]


@pytest.mark.parametrize("name", ["emergent", "shark-and-herring", "murmuration-hawk"])
def test_what_only_python_draws_is_in_the_file(name: str):
    """Genes, hunters and obstacles."""
    scenario = mm.load_scenario(name)
    facts = facts_of(scenario, 1)
    assert facts["draw"] is None
    assert facts["values"] == []
    assert facts["columns"].keys() | facts["fill"].keys() | {"id"} == random_start(scenario, 1).columns.keys()


def test_a_few_agents_are_in_the_file_with_all_columns():
    """Their sexes are runs of equal numbers, although a page could draw them."""
    scenario = mm.load_scenario("vision")
    facts = facts_of(scenario, 7)
    assert "gender" in facts["fill"]
    assert "gender" in facts["draw"]["results"]
    assert facts["columns"].keys() | facts["fill"].keys() | {"id"} == random_start(scenario, 7).columns.keys()


def test_a_hunter_sets_off_as_it_does_in_python():
    scenario = mm.load_scenario("shark-and-herring")
    facts = facts_of(scenario, 1)
    [row] = scenario.rules.predators.items_at_start(scenario.world.width, scenario.world.height, 17)
    turn = computed(facts["turn"], {"seed_low": 17, "seed_high": 0, "number": 0})["turn"]
    speed = scenario.rules.predators.hunters[0].max_speed
    found = dict(zip(LAYOUT.columns, row, strict=True))
    assert found["vx"] == pytest.approx(math.cos(2.0 * math.pi * turn) * speed * 0.5)
