"""Turns of items are compiled once for all kernels, and by another process while this one compiles the kernel."""

from __future__ import annotations

from pathlib import Path

import pytest

from murmura.backends import turns
from murmura.backends.plan import Plan
from murmura.scenario import Scenario

MEADOW = {
    "agents": 40,
    "world": {"width": 600, "height": 600},
    "rules": {"energy": {}, "feeding": {"count": 2}},
}


@pytest.fixture
def cold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and nothing loaded in this process."""
    monkeypatch.setenv("MURMURA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(turns, "_modules", {})
    return tmp_path


def plan_of(data: object) -> Plan:
    return Plan(Scenario.from_data(data))


def test_other_rules_and_other_numbers_share_a_unit():
    [unit] = turns.units_of(plan_of(MEADOW))
    quieter = {**MEADOW, "agents": 9, "rules": {**MEADOW["rules"], "cohesion": {"enabled": False}}}
    assert [unit.name] == [other.name for other in turns.units_of(plan_of(quieter))]
    round_world = {**MEADOW, "world": {**MEADOW["world"], "boundary": "wrap"}}
    assert [unit.name] != [other.name for other in turns.units_of(plan_of(round_world))]
    assert unit.home == "murmura.rules.feeding:Feeding.turn"


def test_another_process_compiles_what_is_new(cold: Path):
    plan = plan_of(MEADOW)
    [unit] = turns.units_of(plan)
    assert unit.is_cold()
    with turns.compiled_beside(plan, worth_it=True):
        pass
    assert not unit.is_cold()  # by the files alone: this process has loaded nothing yet
    assert not turns.are_here(plan)
    assert turns.addresses(plan)[0] != 0
    assert turns.are_here(plan)


def test_it_is_compiled_here_if_no_other_process_does(cold: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sys.executable", str(cold / "no-such-python"))
    plan = plan_of(MEADOW)
    with turns.compiled_beside(plan, worth_it=True):
        pass
    assert turns.units_of(plan)[0].is_cold()
    assert turns.addresses(plan)[0] != 0


def test_a_helper_does_not_outlive_a_failure(cold: Path, monkeypatch: pytest.MonkeyPatch):
    started = []
    popen = turns.subprocess.Popen
    monkeypatch.setattr(
        turns.subprocess, "Popen", lambda *a, **k: started.append(popen(*a, **k)) or started[-1]
    )
    with pytest.raises(KeyboardInterrupt), turns.compiled_beside(plan_of(MEADOW), worth_it=True):
        raise KeyboardInterrupt
    assert started[0].poll() is not None
