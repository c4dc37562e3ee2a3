"""The conformance set is the model, and its judge names what is wrong with another program."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import murmura as mm
from murmura.cli import main
from murmura.core.errors import ScenarioError
from murmura.lab.conformance.check import Theirs, check, read_theirs
from murmura.lab.conformance.models import MODELS, find_model
from murmura.lab.conformance.record import record_of, write_set
from murmura.lab.conformance.trajectory import Reference
from tests.sizes import size

SHORT = size(4, 100)


@pytest.fixture(scope="module")
def references() -> dict[str, Reference]:
    return {name: Reference(name, model) for name, model in MODELS.items()}


@pytest.mark.parametrize("name", MODELS)
def test_a_trajectory_is_that_of_a_simulation(name: str, references: dict[str, Reference]):
    reference = references[name]
    simulation = mm.Simulation(
        reference.scenario, 1, "reference", positions=reference.positions, velocities=reference.velocities,
        species=reference.species,
    )  # fmt: skip
    states = reference.run(2)
    assert [simulation.neighbors(k).tolist() for k in range(len(reference.positions))] == reference.neighbors(
        states[0].columns
    )
    explained = simulation.explain(1)["rules"]
    for rule, force in states[1].forces.items():
        assert force[1] == pytest.approx(explained[rule]["force"], rel=1e-4, abs=1e-6)
    simulation.step(2)
    away = reference.shortest(simulation.positions - reference.vectors(states[2].columns, "position"))
    assert np.abs(away).max() < 1e-3  # a simulation keeps single precision
    assert sum(len(each) for each in reference.neighbors(states[0].columns)) > 20


@pytest.mark.parametrize("name", MODELS)
def test_a_record_conforms_to_itself_and_a_pushed_one_does_not(name: str, references: dict[str, Reference]):
    data = record_of(references[name], SHORT)
    assert 20 <= len(data["positions"][0]) <= 50 and len(data["tolerances"]) == SHORT + 1
    theirs = Theirs(
        name, np.array(data["positions"]), np.array(data["velocities"]), data["neighbors"], data["forces"]
    )
    assert check(theirs).conforms
    if references[name].moves_first:
        with pytest.raises(ScenarioError, match="give velocities, too"):
            check(Theirs(name, theirs.positions))
    else:
        assert check(Theirs(name, theirs.positions)).conforms
    theirs.positions[2, 3, 0] += 0.01
    found = check(theirs)
    assert found.departs in (2, 3) and found.reasons


def test_files_hold_what_is_needed(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    write_set(tmp_path / "set", ["vicsek-1995"], steps=8)
    data = json.loads((tmp_path / "set" / "vicsek-1995.json").read_text(encoding="utf-8"))
    assert (
        data["licence"] == "CC0-1.0"
        and data["parameters"]["rules.vicsek.noise"] == 0.0
        and data["steps"] == 8
    )
    rows = list(
        csv.DictReader((tmp_path / "set" / "vicsek-1995.csv").read_text(encoding="utf-8").splitlines())
    )
    assert [float(rows[31][name]) for name in ("x", "y", "vx", "vy")] == data["positions"][1][1] + data[
        "velocities"
    ][1][1]
    page = (tmp_path / "set" / "README.md").read_text(encoding="utf-8")
    assert "Vicsek T. et al. (1995)" in page and "CC0" in (tmp_path / "set" / "LICENSE").read_text(
        encoding="utf-8"
    )
    with pytest.raises(ScenarioError, match="already exists"):
        write_set(tmp_path / "set", ["vicsek-1995"])
    with pytest.raises(SystemExit) as left:
        main(["conformance", "--check", str(tmp_path / "set" / "vicsek-1995.csv")])
    assert left.value.code == 0 and "conforms  yes" in capsys.readouterr().out


def altered(reference: Reference, rule: str, factor: float) -> Theirs:
    """Two steps of a program that counts a rule wrongly."""
    xs, vs, columns = [reference.positions], [reference.velocities], reference.start
    top = reference.scenario.motion.max_speed
    for number in range(2):
        forces = reference.step(columns, number).forces
        force = sum(forces.values()) + (factor - 1.0) * forces[rule]
        v = vs[-1] + reference.scenario.motion.thrust * force
        v = v * np.minimum(1.0, top / np.linalg.norm(v, axis=1))[:, None]
        xs.append(xs[-1] + v * reference.scenario.motion.stride)
        vs.append(v)
        columns = reference.placed(columns, xs[-1], v)
    return Theirs(reference.name, np.array(xs), np.array(vs))


@pytest.mark.parametrize(
    ("rule", "factor", "message"),
    [
        ("separation", -1.0, "its sign is flipped"),
        ("cohesion", 0.0, "it is missing"),
        ("alignment", 2.0, "counts 2 times"),
    ],
)
def test_a_wrong_rule_is_named(rule: str, factor: float, message: str, references: dict[str, Reference]):
    reference = references["reynolds-1987"]
    assert check(altered(reference, rule, 1.0)).conforms
    found = check(altered(reference, rule, factor))
    assert found.departs == 1 and f"{rule} explains" in found.reasons[0] and message in found.reasons[0]


def test_other_mistakes_are_named(references: dict[str, Reference]):
    reference = references["reynolds-1987"]
    right = altered(reference, "cohesion", 1.0)
    early = right.positions.copy()
    early[1:] = right.positions[:1] + np.cumsum(right.velocities[:-1], axis=0)
    assert (
        "with the velocity before the step" in check(Theirs(right.model, early, right.velocities)).reasons[0]
    )
    data: dict[str, Any] = record_of(reference, 1)
    seen = [list(each) for each in data["neighbors"]]
    lost = seen[4].pop()
    assert (
        f"agent 4 perceives others: [] too many, [{lost}] missing"
        in check(Theirs(right.model, right.positions, neighbors=seen)).reasons[0]
    )
    half = {"cohesion": (0.5 * np.array(data["forces"]["cohesion"])).tolist()}
    assert (
        "it is 0.5 times the model's" in check(Theirs(right.model, right.positions, forces=half)).reasons[0]
    )
    assert "the start is another" in check(Theirs(right.model, right.positions + 1.0)).reasons[0]


@pytest.mark.parametrize(
    ("text", "message"),
    [('{"model": "boids", "positions": [[0]]}', "no model is called 'boids'"), ("[]", "is no trajectory"),
     ('{"model": "dorsogna-2006", "positions": [[[0, 0]]]}', "must have shape")],
)  # fmt: skip
def test_files_that_are_no_trajectory_are_refused(text: str, message: str, tmp_path: Path):
    (tmp_path / "theirs.json").write_text(text)
    with pytest.raises(Exception, match=message):
        check(read_theirs(tmp_path / "theirs.json"))


def test_models_have_papers_and_no_chance():
    assert len(MODELS) >= 10 and all("(" in model.paper for model in MODELS.values())
    for name, model in MODELS.items():
        one, other = (Reference(name, find_model(name)).run(1)[1].columns for _ in range(2))
        assert all(np.array_equal(one[key], other[key]) for key in one), model
