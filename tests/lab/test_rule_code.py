"""Runs, sweeps and fits are continued with the rules they were begun with, or refused in a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import murmura as mm
from murmura.core.errors import ScenarioError
from murmura.core.rule import REGISTRY
from murmura.lab.fit.fit import resume_fit
from murmura.lab.runs.manifest import MANIFEST, read_manifest
from murmura.lab.runs.recording import record
from murmura.lab.runs.resuming import resume
from murmura.lab.sweeps.jobs import do_job
from murmura.lab.sweeps.one_run import Question
from murmura.lab.sweeps.sweep import resume_sweep
from tests.cli.terminal import complaint, murmura_says
from tests.compute.changing_rules import GAINS, NAME, WAYS, scenario_with
from tests.optional import needs

OTHER = "was made with other rules: what a rule of yours calls or reads"
SMALL: dict[str, Any] = {"backend": "reference", "announce": None}


@pytest.fixture(autouse=True)
def _own_rules() -> Iterator[None]:
    known = dict(REGISTRY)
    yield
    REGISTRY.clear()
    REGISTRY.update(known)


@pytest.mark.parametrize("way", WAYS)
def test_a_run_is_not_resumed_with_another_rule(way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def simulation(gain: float) -> mm.Simulation:
        return mm.Simulation(scenario_with(WAYS[way](gain, tmp_path, monkeypatch)), seed=1, **SMALL)

    record(simulation(GAINS[0]), 3, tmp_path / "run", every=1)
    simulation(GAINS[1])
    before = (tmp_path / "run" / MANIFEST).read_bytes()
    with pytest.raises(ScenarioError, match=OTHER):
        resume(tmp_path / "run", steps=6)
    assert (tmp_path / "run" / MANIFEST).read_bytes() == before
    simulation(GAINS[0])
    assert resume(tmp_path / "run", steps=6).status == "finished"


HELPER = "GAIN = {gain}\n\ndef pulled(me):\n    return me.velocity * GAIN\n"
RULE = """
import sys
from pathlib import Path
sys.path.insert(0, str(Path(__file__).parent))
sys.dont_write_bytecode = True  # a file edited within a second would have the time of the older one
from helper_of_mine import pulled
from murmura.rules import Rule, register_rule

@register_rule("pulling")
class Pulling(Rule):
    @staticmethod
    def steer(p, me, found, world):
        return pulled(me)
"""
RUN = (
    "run", "classic", "--agents", "8", "--rules", "own.py", "--set", "rules.pulling.enabled=true", "--steps", "4",
    "--backend", "cpu", "--out",
)  # fmt: skip


def test_a_helper_edited_between_two_processes(tmp_path: Path):
    """The rule's own file is the same; the kernels of both helpers are kept on disk."""
    (tmp_path / "own.py").write_text(RULE)
    hashes = []
    for folder, gain in (("first", 0.8), ("second", 0.1)):
        (tmp_path / "helper_of_mine.py").write_text(HELPER.format(gain=gain))
        assert murmura_says(*RUN, folder, cwd=tmp_path).returncode == 0
        hashes.append(read_manifest(tmp_path / folder).final_hash)
    assert hashes[0] != hashes[1]
    again = ("resume", "first", "--steps", "8", "--rules", "own.py")
    assert OTHER in complaint(murmura_says(*again, cwd=tmp_path), 2)
    (tmp_path / "helper_of_mine.py").write_text(HELPER.format(gain=0.8))
    assert murmura_says(*again, cwd=tmp_path).returncode == 0


def test_a_simulation_made_before_an_edit_is_not_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Its kernel has the older rule, and the record would be of the new one."""
    scenario = scenario_with(WAYS["class_attribute"](0.8, tmp_path, monkeypatch))
    simulation = mm.Simulation(scenario, seed=1, backend="cpu", announce=None)
    WAYS["class_attribute"](0.1, tmp_path, monkeypatch)
    with pytest.raises(ScenarioError, match="make a new Simulation and record that"):
        record(simulation, 3, tmp_path / "run")
    assert not (tmp_path / "run").exists()


def swept(folder: Path, scenario: mm.Scenario) -> Any:
    vary = {"perception.radius": [30.0, 40.0], f"rules.{NAME}.enabled": [False, True]}
    return mm.sweep(
        scenario, vary, 2, folder, measures=["polarization"], workers=0, backend="reference", progress=None
    )


def test_a_sweep_is_not_continued_with_another_rule(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Also where the rule is off until it is varied."""
    off = {f"rules.{NAME}.enabled": False}
    scenario = scenario_with(WAYS["class_attribute"](0.8, tmp_path, monkeypatch)).with_values(off)
    swept(tmp_path / "s", scenario)
    WAYS["class_attribute"](0.1, tmp_path, monkeypatch)
    for again in (lambda: swept(tmp_path / "s", scenario), lambda: resume_sweep(tmp_path / "s", workers=0)):
        with pytest.raises(ScenarioError, match=OTHER):
            again()
    WAYS["class_attribute"](0.8, tmp_path, monkeypatch)
    swept(tmp_path / "s", scenario)


def test_a_worker_with_another_helper_computes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    from dataclasses import replace

    from murmura.lab.rule_code import rule_code

    scenario = scenario_with(WAYS["class_attribute"](0.7, tmp_path, monkeypatch))
    question = Question.checked(scenario, 2, None, None, ["polarization"], backend="reference")
    question = replace(question, rule_code=rule_code([scenario]))
    task = {"run": 0, "values": {}, "seed": 1}
    WAYS["class_attribute"](0.2, tmp_path, monkeypatch)
    assert "has other rules than the one that started the task" in do_job(question.data(), [task])[0]["error"]
    WAYS["class_attribute"](0.7, tmp_path, monkeypatch)
    assert "measures" in do_job(question.data(), [task])[0]


@needs("pyabc")
def test_a_fit_is_not_continued_with_another_rule(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    scenario = scenario_with(WAYS["class_attribute"](0.8, tmp_path, monkeypatch)).with_values({"agents": 3})
    run = record(mm.Simulation(scenario, seed=3, **SMALL), 8, tmp_path / "run", 1, measures=["polarization"])
    asked: dict[str, Any] = {
        "measures": ["speeds"], "population": 4, "generations": 1, "seconds": 0.2, "instants": 2, "batch": 4,
        "predictions": 0, "workers": 0, "backend": "reference", "progress": None,
    }  # fmt: skip
    vary = ["motion.max_speed=10:20"]
    mm.fit(scenario, run, vary, tmp_path / "fit", **asked)
    WAYS["class_attribute"](0.1, tmp_path, monkeypatch)
    for again in (
        lambda: mm.fit(scenario, run, vary, tmp_path / "fit", **asked),
        lambda: resume_fit(tmp_path / "fit", workers=0),
    ):
        with pytest.raises(ScenarioError, match=OTHER):
            again()


def test_rules_of_another_version_are_told_of_and_not_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """What murmura's own functions emit may have changed, and then the record of a rule says nothing."""
    scenario = scenario_with(WAYS["class_attribute"](0.8, tmp_path, monkeypatch))
    run = record(mm.Simulation(scenario, seed=1, **SMALL), 3, tmp_path / "run", every=1)
    manifest = read_manifest(run.folder)
    manifest.rule_code["murmura"] = "0" * 64
    manifest.write(run.folder)
    said: list[str] = []
    assert resume(run.folder, steps=6, announce=said.append).status == "finished"
    assert any("nobody can tell whether your rules are the same" in line for line in said)
    assert read_manifest(run.folder).rule_code["murmura"] != "0" * 64
