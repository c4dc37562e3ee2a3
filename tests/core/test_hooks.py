"""Messages for mistakes in the functions of a rule."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import murmura as mm
from murmura.core.errors import ScenarioError
from murmura.core.hooks import HOOKS
from murmura.core.rule import REGISTRY, Rule

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
            r"my_rule.py, line 12, in steer\): .*me has no 'velocty' \(did you mean 'velocity'",
        ),
        (
            STEER + "me.velocity * p.wieght",
            r"line 12, in steer\): .*p of mine has no 'wieght' \(did you mean 'weight'",
        ),
        (
            STEER + "me.velocity * world.tme",
            r"line 12, in steer\): .*world has no 'tme' \(did you mean 'time'",
        ),
        (PAIR + "Sum(seen.ofset)", r"line 12, in pair\): .*seen has no 'ofset' \(did you mean 'offset'"),
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


def test_the_hooks_are_those_that_a_rule_may_have():
    documented = dict(re.findall(r"^        (\w+)\(([\w, ]+)\):", Rule.__doc__ or "", re.M))
    assert documented == HOOKS
    assert all(getattr(Rule, name) is None for name in HOOKS)
