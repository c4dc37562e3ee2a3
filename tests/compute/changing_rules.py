"""Rules whose effect changes without a change of their own text: each way to do that, for tests of every backend."""

from __future__ import annotations

import importlib
import linecache
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import murmura as mm
from murmura.core.rule import Rule, register_rule
from murmura.rules.flocking import reynolds

GAINS = (0.8, 0.1)
NAME = "changing"
OTHERS = ("separation", "alignment", "cohesion", "boundary")
Way = Callable[[float, Path, pytest.MonkeyPatch], "type[Rule] | None"]
"""Makes the rule pull with a gain. Returns the rule; None if it is one of murmura's own, changed from outside."""


def pull(me: Any, gain: float = 0.0) -> Any:
    return me.velocity * gain


class Fixed(Rule):
    """Its text never changes; what it reads does."""

    GAIN: ClassVar[float] = 0.0

    @staticmethod
    def steer(p: Any, me: Any, found: Any, world: Any) -> Any:
        return me.velocity * Fixed.GAIN


class WithDefault(Rule):
    @staticmethod
    def steer(p: Any, me: Any, found: Any, world: Any) -> Any:
        return pull(me)


class WithHelper(Rule):
    @staticmethod
    def steer(p: Any, me: Any, found: Any, world: Any) -> Any:
        return sys.modules["changing_helper"].pulled(me)


def class_attribute(gain: float, folder: Path, patch: pytest.MonkeyPatch) -> type[Rule]:
    patch.setattr(Fixed, "GAIN", gain)
    return Fixed


def default_argument(gain: float, folder: Path, patch: pytest.MonkeyPatch) -> type[Rule]:
    patch.setattr(pull, "__defaults__", (gain,))
    return WithDefault


def helper_module(gain: float, folder: Path, patch: pytest.MonkeyPatch) -> type[Rule]:
    (folder / "changing_helper.py").write_text(
        f"def pulled(me):\n    return me.velocity * {gain}  # edited\n"
    )
    patch.setattr(sys, "path", [str(folder), *sys.path])
    patch.setattr(sys, "dont_write_bytecode", True)  # files edited within a second have the same time
    sys.modules.pop("changing_helper", None)
    importlib.invalidate_caches()
    patch.setitem(sys.modules, "changing_helper", importlib.import_module("changing_helper"))
    return WithHelper


def closure(gain: float, folder: Path, patch: pytest.MonkeyPatch) -> type[Rule]:
    class Closed(Rule):
        @staticmethod
        def steer(p: Any, me: Any, found: Any, world: Any) -> Any:
            return me.velocity * gain

    return Closed


def a_default_of_the_function(gain: float, folder: Path, patch: pytest.MonkeyPatch) -> type[Rule]:
    class Defaulted(Rule):
        @staticmethod
        def steer(p: Any, me: Any, found: Any, world: Any, strength: float = gain) -> Any:
            return me.velocity * strength

    return Defaulted


def monkeypatch_of_the_rule(gain: float, folder: Path, patch: pytest.MonkeyPatch) -> type[Rule]:
    patch.setattr(Fixed, "steer", staticmethod(lambda p, me, found, world: me.velocity * gain))
    return Fixed


CELLS = """
from murmura.core.rule import Rule
class FromCell(Rule):
    @staticmethod
    def steer(p, me, found, world):
        return pulled(me)
""", "def pulled(me):\n    return me.velocity * GAIN\n"  # fmt: skip
NOTEBOOK: dict[str, Any] = {"__name__": "__main__"}


def run_cell(source: str, number: int) -> None:
    """Run text as IPython does."""
    name = f"<ipython-input-{number}-0123456789ab>"
    linecache.cache[name] = len(source), None, source.splitlines(True), name
    exec(compile(source, name, "exec"), NOTEBOOK)


def notebook_cells(gain: float, folder: Path, patch: pytest.MonkeyPatch) -> type[Rule]:
    """The cell with the constant is run again; those of the rule and of its helper are not."""
    if "FromCell" not in NOTEBOOK:
        for number, cell in enumerate(CELLS):
            run_cell(cell, number)
    run_cell(f"GAIN = {gain}", 7)
    rule: type[Rule] = NOTEBOOK["FromCell"]
    return rule


def monkeypatch_of_murmura(gain: float, folder: Path, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(reynolds.Cohesion, "steer", staticmethod(lambda p, me, found, world: me.velocity * gain))


def monkeypatch_of_its_helper(gain: float, folder: Path, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(reynolds, "steer_towards", lambda wish, me: me.velocity * gain)


WAYS: dict[str, Way] = {
    way.__name__: way
    for way in (
        helper_module, class_attribute, closure, default_argument, a_default_of_the_function,
        monkeypatch_of_the_rule, monkeypatch_of_murmura, monkeypatch_of_its_helper, notebook_cells,
    )
}  # fmt: skip


def scenario_with(rule: type[Rule] | None) -> mm.Scenario:
    """A few agents that only this rule steers, with all its force."""
    rules: dict[str, Any] = {name: {"enabled": False} for name in OTHERS}
    if rule is None:
        rules["cohesion"] = {"enabled": True}
    else:
        register_rule(NAME)(rule)
        rules[NAME] = {}
    world, motion = {"width": 200.0, "height": 200.0}, {"clamp_total": False}
    return mm.Scenario.from_data({"agents": 20, "world": world, "motion": motion, "rules": rules})


def velocities(scenario: mm.Scenario, backend: str) -> Any:
    """After a few steps."""
    simulation = mm.Simulation(scenario, seed=3, backend=backend, announce=None)
    simulation.step(5)
    return simulation.velocities.astype(np.float64)


def check_each_gain_acts(way: str, backend: str, folder: Path, patch: pytest.MonkeyPatch) -> None:
    """Both gains, and the first again, give what the reference, which caches nothing, gives."""
    seen = []
    for gain in (*GAINS, GAINS[0]):
        scenario = scenario_with(WAYS[way](gain, folder, patch))
        expected = velocities(scenario, "reference")
        found = velocities(scenario, backend)
        assert np.abs(found - expected).max() < 1e-3, f"{backend} runs another rule with gain {gain}"
        seen.append(found)
    assert np.abs(seen[0] - seen[1]).max() > 0.01
    assert (seen[0] == seen[2]).all()
