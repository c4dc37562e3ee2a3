"""Messages for mistakes in the functions of a rule."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import murmura as mm
from murmura.core.errors import ScenarioError
from murmura.core.hooks import FORMER_NAMES, HOOKS
from murmura.core.rule import REGISTRY, Rule, register_rule
from murmura.core.rule_parts import SteeringRule

HEAD = """\
import math
import numpy as np
from murmura.rules import *


@register_rule("mine")
class Mine(Rule):
    weight: float = quantity(1.0, "How much.", "", ge=0)

    @staticmethod
"""


@pytest.fixture(autouse=True)
def _registry_as_it_was() -> Iterator[None]:
    before = dict(REGISTRY)
    yield
    REGISTRY.clear()
    REGISTRY.update(before)


def tried(folder: Path, function: str) -> None:
    """A rule with this function in a file of its own, registered and tried."""
    file = folder / "my_rule.py"
    file.write_text(HEAD + function, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("my_rule", file)
    assert spec is not None and spec.loader is not None
    spec.loader.exec_module(importlib.util.module_from_spec(spec))
    mm.Simulation(
        mm.load_scenario("classic").with_values({"agents": 3, "rules.mine": {}}), backend="reference"
    )


STEER = "    def steer(p, me, found, world):\n        return "
PAIR = "    def pair(p, me, seen, world):\n        return "


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (
            STEER + "me.velocty",
            r"my_rule.py, line 12, in steer\): .*me has no field 'velocty' \(did you mean 'velocity'",
        ),
        (
            STEER + "me.velocity * p.wieght",
            r"line 12, in steer\): .*p of mine has no field 'wieght' \(did you mean 'weight'",
        ),
        (
            STEER + "me.velocity * world.tme",
            r"line 12, in steer\): .*world has no field 'tme' \(did you mean 'time'",
        ),
        (
            PAIR + "Sum(seen.ofset)",
            r"line 12, in pair\): .*seen has no field 'ofset' \(did you mean 'offset'",
        ),
        (
            STEER + "me.velocity * np.sin(me.speed)",
            r"line 12, in steer\): .*use `sin` of murmura.rules for sin",
        ),
        (
            STEER + "me.velocity * math.acos(me.speed)",
            r"in steer\): .*use `arccos` of murmura.rules for acos",
        ),
        (
            STEER + "me.velocity if me.speed > 1.0 else -me.velocity",
            r"in steer\): .*use where\(condition, a, b\)",
        ),
        (
            STEER + "me.velocity, 1.0",
            r"after steer of .*my_rule.py, line 10, had .*must return a vector, got tuple$",
        ),
        (
            STEER + "me.speed",
            r"after steer of .*my_rule.py, line 10, had returned\): .*must return a vector, got Value$",
        ),
        (
            PAIR + "seen.offset",
            r"after pair of .*my_rule.py, line 10, had returned\): .*must return a Sum, Greatest or",
        ),
        (
            "    def pair(p, me, seen):\n        return Sum(seen.offset)",
            r"^`pair` of rule 'mine' \(.*my_rule.py, line 10\) must take 4 arguments, \(p, me, seen, world\), got 3, "
            r"\(p, me, seen\)$",
        ),
        (
            "    def ster(p, me, found, world):\n        return me.velocity",
            r"^rule 'mine' has a function 'ster' \(.*my_rule.py, line 10\), which is never called \(did you mean",
        ),
    ],
)
def test_a_mistake_is_reported_with_rule_function_file_and_line(tmp_path: Path, function: str, message: str):
    with pytest.raises(ScenarioError, match=message) as raised:
        tried(tmp_path, function)
    assert "'mine'" in str(raised.value)


def test_a_rules_own_helper_functions_are_allowed(tmp_path: Path):
    more = "\n\n    @staticmethod\n    def {}(x):\n        return x\n"
    tried(tmp_path, STEER + "Mine.twice(me.velocity)" + more.format("twice") + more.format("_ster"))


def test_the_hooks_are_those_of_the_parts_of_a_rule_and_of_the_page():
    parts = [part for part in Rule.__mro__ if part.__module__ == "murmura.core.rule_parts"]
    assert sorted(HOOKS) == sorted(name for part in parts for name in vars(part) if name in HOOKS)
    assert all(getattr(Rule, name) is None for name in HOOKS)
    page = (Path(__file__).parents[2] / "docs" / "add-a-rule.md").read_text(encoding="utf-8")
    table = page.split("## The functions of a rule")[1].split("| class attribute |")[0]
    assert dict(re.findall(r"^\| `(\w+)\(([\w, ]+)\)`", table, re.M)) == HOOKS


@pytest.mark.parametrize(("former", "name"), FORMER_NAMES.items())
def test_a_function_can_have_its_former_name(former: str, name: str):
    def function(*_: object) -> float:
        return 1.0

    class Old(Rule):
        pass

    old = type("Old", (Rule,), {former: staticmethod(function), "__module__": __name__})
    new = type("New", (Rule,), {name: staticmethod(function), "__module__": __name__})
    assert getattr(old, name) is getattr(new, name) is getattr(new, former) is function
    assert getattr(Old, name) is None


def test_a_rule_of_one_part_runs_like_a_whole_one():
    class Drift(SteeringRule):
        weight: float = 1.0

        @staticmethod
        def steer(p: Any, me: Any, found: Any, world: Any) -> Any:
            return me.heading * p.weight

    assert not hasattr(Drift, "turn") and not hasattr(Drift, "dies")

    class WholeDrift(Rule):
        weight: float = 1.0
        steer = Drift.steer

    hashes = []
    try:
        for kind in (Drift, WholeDrift):
            registered = register_rule("drift")(kind)
            assert issubclass(registered, kind) and registered.__qualname__ == kind.__qualname__
            scenario = mm.load_scenario("classic").with_values({"agents": 20, "rules.drift": {}})
            assert isinstance(scenario.rules.drift, kind)
            sim = mm.Simulation(scenario, seed=1, backend="reference")
            sim.step(2)
            hashes.append(sim.state_hash())
    finally:
        del REGISTRY["drift"]
    assert hashes[0] == hashes[1]
