"""A kernel runs what its rules say now, whatever that depends on: nothing that a user wrote is looked up by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import murmura as mm
from murmura.compute.cpu import build
from murmura.compute.cpu.traced_code import is_other_code, traced_code
from murmura.compute.foreign_code import has_foreign_code
from murmura.compute.plan import Plan
from murmura.scenario.files import scenario_names

from .changing_rules import GAINS, WAYS, check_each_gain_acts, scenario_with, velocities


@pytest.mark.parametrize("way", WAYS)
def test_a_rule_is_never_served_from_an_older_kernel(
    way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    check_each_gain_acts(way, "cpu", tmp_path, monkeypatch)


@pytest.mark.parametrize("way", WAYS)
def test_nor_from_one_that_another_process_has_kept(
    way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """The disk keeps the kernels of both gains; the second process begins with the other one."""
    found = []
    for gain in (*GAINS, *reversed(GAINS)):
        monkeypatch.setattr(build, "_kernels", {})
        monkeypatch.setattr(build, "_engines", {})
        found.append(velocities(scenario_with(WAYS[way](gain, tmp_path, monkeypatch)), "cpu"))
    assert (found[0] == found[3]).all()
    assert (found[1] == found[2]).all()
    assert (found[0] != found[1]).any()


def test_a_scan_over_a_closure_is_a_scan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Three rules of one factory in one process: as on the reference, not three times the first."""
    sums: dict[str, list[Any]] = {"cpu": [], "reference": []}
    for gain in (0.0, 0.1, 0.3):
        scenario = scenario_with(WAYS["closure"](gain, tmp_path, monkeypatch))
        for backend, found in sums.items():
            found.append(float(abs(velocities(scenario, backend)).sum()))
    assert sums["cpu"] == pytest.approx(sums["reference"], rel=1e-5)
    assert len(set(sums["cpu"])) == 3


@pytest.mark.parametrize("way", WAYS)
def test_the_record_of_the_code_tells_gains_apart(way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    records = []
    for gain in (*GAINS, GAINS[0]):
        plan = Plan(scenario_with(WAYS[way](gain, tmp_path, monkeypatch)))
        assert has_foreign_code(plan)
        records.append(traced_code(plan))
    assert is_other_code(records[0], records[1])
    assert not is_other_code(records[0], records[2])
    assert not is_other_code(records[0] | {"murmura": "another version's"}, records[1]), "cannot be compared"


def test_numbers_that_a_rule_makes_of_its_parameters_are_part_of_the_record():
    """They reach a kernel as numbers, so its text does not show them."""
    factor = 1.0

    class Derived(mm.Rule):
        strength: float = 0.1

        def numbers(self, perception_radius: float) -> dict[str, float]:
            return {"pull": self.strength * factor}

        @staticmethod
        def steer(p: Any, me: Any, found: Any, world: Any) -> Any:
            return me.velocity * p.pull

    scenario = scenario_with(Derived)
    before, moved = traced_code(Plan(scenario)), velocities(scenario, "cpu")
    factor = 3.0
    assert is_other_code(before, traced_code(Plan(scenario)))
    now = velocities(scenario, "cpu")
    assert abs(now - moved).max() > 0.01
    assert abs(now - velocities(scenario, "reference")).max() < 1e-3


def test_a_part_that_a_rule_takes_is_asked_each_time():
    takes = True

    class Sometimes(mm.Rule):
        def takes_part(self, scenario: Any) -> bool:
            return takes

        @staticmethod
        def steer(p: Any, me: Any, found: Any, world: Any) -> Any:
            return me.velocity * 0.8

    scenario = scenario_with(Sometimes)
    before, moved = traced_code(Plan(scenario)), velocities(scenario, "cpu")
    takes = False
    assert is_other_code(before, traced_code(Plan(scenario)))
    assert abs(velocities(scenario, "cpu") - moved).max() > 0.01


def test_shipped_scenarios_have_no_foreign_code():
    """So their kernels keep the key that needs no tracing."""
    for name in scenario_names():
        assert not has_foreign_code(Plan(mm.load_scenario(name))), name


def test_a_kernel_of_murmura_is_not_traced_again(monkeypatch: pytest.MonkeyPatch):
    scenario = mm.load_scenario("classic").with_values({"agents": 10})
    before = velocities(scenario, "cpu")
    monkeypatch.setattr(build, "_traced", None)  # calling it would fail
    assert (velocities(scenario, "cpu") == before).all()
