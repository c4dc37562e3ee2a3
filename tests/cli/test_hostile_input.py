"""Hostile or odd arguments, files and outputs give a message, never a traceback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import murmura as mm
from murmura.cli.options import print_facts
from murmura.core.errors import RunError, ScenarioError
from murmura.core.notices import print_notice
from murmura.lab.runs.recording import check_request, record
from murmura.lab.runs.request import RunRequest
from murmura.scenario.paths import read_value
from tests.lab.tampering import forged

from .terminal import MURMURA, complaint, environment, murmura_says

RUN = ["run", "classic", "--steps", 1, "--out", "out"]


@pytest.mark.parametrize("digit", ["²", "٣", "१", "9" * 5000])
def test_digits_that_are_not_indices(digit: str):
    scenario = mm.load_scenario("mixed")
    with pytest.raises(ScenarioError, match="has no value 'species"):
        scenario.with_values({f"species.{digit}.share": 1})


def test_brackets_without_end(tmp_path: Path):
    with pytest.raises(ScenarioError, match="nested too deeply"):
        read_value("[" * 100_000)
    said = complaint(murmura_says(*RUN, "--set", "agents=" + "[" * 100_000, cwd=tmp_path), 2)
    assert "nested too deeply" in said and len(said) < 1000


def test_an_odd_size_of_a_film(tmp_path: Path):
    said = complaint(murmura_says("render", "x", "--out", "a.png", "--size", "²x²", cwd=tmp_path), 2)
    assert "--size takes WIDTHxHEIGHT" in said


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_standard_output_that_is_full_or_closed(tmp_path: Path):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*MURMURA, "scenarios"], stdout=full, stderr=subprocess.PIPE, text=True, env=environment()
        )
    assert done.returncode == 1
    assert "cannot write to standard output: [Errno 28]" in done.stderr and "Traceback" not in done.stderr
    line = f"{sys.executable} -m murmura scenarios >&-"
    closed = subprocess.run(line, shell=True, stderr=subprocess.PIPE, text=True, env=environment())
    assert (closed.returncode, closed.stderr) == (0, "")


@pytest.mark.parametrize("ending", [".json", ".toml"])
def test_scenarios_that_are_no_files(ending: str, tmp_path: Path):
    (tmp_path / f"endless{ending}").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / f"pipe{ending}")
    (tmp_path / f"folder{ending}").mkdir()
    for name in ("endless", "pipe", "folder"):
        with pytest.raises(ScenarioError, match="expected a plain file, found a device, a pipe or a folder"):
            mm.load_scenario(tmp_path / f"{name}{ending}")
    (tmp_path / f"large{ending}").write_bytes(b" " * (16 * 2**20 + 1))
    with pytest.raises(ScenarioError, match="expected a file of at most 16 MB"):
        mm.load_scenario(tmp_path / f"large{ending}")


@pytest.mark.parametrize(
    "key",
    [
        ".".join(["a"] * 50_000),
        ".".join(['"="'] * 50_000),
        "[" + ".".join(["a"] * 50_000) + "]\nb",
        ".".join(["'a b'"] * 50_000),
    ],
)
def test_keys_of_very_many_parts(key: str, tmp_path: Path):
    path = tmp_path / "s.toml"
    path.write_text(f"title = 'a. b. c'  # d.e\n{key} = 1\n")
    with pytest.raises(ScenarioError, match="has more than 100 parts"):
        mm.load_scenario(path)


def test_a_very_long_key_makes_a_short_message(tmp_path: Path):
    path = tmp_path / "s.toml"
    for text in (f'"{"a" * 200_000}" = 1', f'[rules]\n"{"a" * 200_000}" = {{}}'):
        path.write_text(text)
        with pytest.raises(ScenarioError) as error:
            mm.load_scenario(path)
        assert len(str(error.value)) < 5000


def test_texts_with_many_dots_are_no_keys(tmp_path: Path):
    path = tmp_path / "s.toml"
    dots = "a.b." * 200
    path.write_text(f'title = "{dots} \\" {dots}" # {dots}\n[start]\nlayout = \'uniform\'\n')
    assert mm.load_scenario(path).title.startswith("a.b.")


def test_a_key_that_stands_twice(tmp_path: Path):
    path = tmp_path / "s.json"
    path.write_text('{"agents": 5, "world": {"width": 900, "width": 901}}')
    with pytest.raises(ScenarioError, match="the key 'width' appears twice in one table"):
        mm.load_scenario(path)


def test_a_scenario_that_could_not_be_read_again_is_not_recorded(tmp_path: Path):
    points: Any = [{"x": float(k % 900), "y": 1.0} for k in range(200_000)]
    crowded = mm.Scenario().with_values({"agents": 2, "rules.attractors.points": points})
    with pytest.raises(ScenarioError, match=r"the scenario has 2\d\.\d MB as a file, expected at most 16 MB"):
        check_request(RunRequest(1, tmp_path / "run", 1), crowded, 0)
    scenario = mm.Scenario().with_values({"agents": 2})
    large = scenario.model_copy(update={"title": "a" * (17 * 2**20)})
    with pytest.raises(ScenarioError, match="expected at most 16 MB"):
        mm.save_scenario(large, tmp_path / "s.json")
    simulation = mm.Simulation(scenario, backend="reference")
    simulation._plan.scenario = large
    with pytest.raises(ScenarioError, match="expected at most 16 MB"):
        record(simulation, 1, tmp_path / "run")
    with pytest.raises(RunError, match=r"its scenario has 17\.0 MB"):
        simulation.save(tmp_path / "checkpoint.npz")
    assert not (tmp_path / "checkpoint.npz").exists() and not (tmp_path / "s.json").exists()


@pytest.mark.parametrize("step", [2**63, -1, 1.5, True, "7"])
def test_first_steps_that_are_none(step: Any):
    with pytest.raises(ScenarioError, match="first_step must be a whole number from 0 to 2\\*\\*62"):
        mm.Simulation(mm.Scenario(), positions=[[1.0, 1.0]], first_step=step, backend="reference")


def test_names_in_a_manifest_do_not_control_the_terminal(tmp_path: Path):
    """Issue 29, point 28: what a stranger's folder says is shown, and not obeyed."""
    scenario = mm.load_scenario("classic").with_values({"agents": 5})
    folder = record(mm.Simulation(scenario, seed=1, backend="reference"), 2, tmp_path / "run").folder
    evil = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202efdp"
    forged(folder / "manifest.json", status="interrupted", platform=evil, git=evil, numpy=evil)
    for words in (["resume", "run", "--steps", "4"], ["verify", "run"], ["resume", f"run{evil}"]):
        done = murmura_says(*words, cwd=tmp_path)
        said = done.stdout + done.stderr
        assert said and not set(said) & set("\x1b\x07\x9b\u202e"), said
    (folder / "manifest.json").write_text(json.dumps({"murmura": evil, evil: evil}))
    for words in (["verify", "run"], ["export", "run", "--to", "csv"]):
        done = murmura_says(*words, cwd=tmp_path)
        assert done.returncode == 1 and not set(done.stdout + done.stderr) & set("\x1b\x07\x9b\u202e")


def test_what_is_printed_keeps_its_letters_and_lines(capsys: pytest.CaptureFixture[str]):
    print_facts({"name": "Grüße\t日本\x1b[31m"}, as_json=False)
    print_notice("one\ntwo\x07")
    told = capsys.readouterr()
    assert (told.out, told.err) == ("name  Grüße\t日本\\x1b[31m\n", "murmura: one\ntwo\\x07\n")
