"""What each command prints and writes, and the code it exits with."""

from __future__ import annotations

import json
import math
import os
import re
import resource
import subprocess
import sys
from pathlib import Path

import pytest

import murmura as mm

from .terminal import (
    MURMURA,
    PATIENCE,
    complaint,
    environment,
    murmura_says,
    python_says,
    started,
    wait_until,
)

BRAKE = """\
import murmura
from murmura.core.algebra import minimum, where
from murmura.core.merging import Sum


@murmura.register_rule("brake")
class Brake(murmura.Rule):
    weight: float = 1.0

    @staticmethod
    def pair(p, me, seen, world):
        ahead = seen.offset.dot(me.heading) > 0.8 * seen.distance
        return Sum(where(ahead, seen.nearness, 0.0))

    @staticmethod
    def steer(p, me, found, world):
        return me.velocity * (-0.1 * p.weight * minimum(1.0, found))
"""
POISON = """\
import murmura
from murmura.core.algebra import where


@murmura.register_rule("poison")
class Poison(murmura.Rule):
    weight: float = 1.0

    @staticmethod
    def steer(p, me, found, world):
        return me.heading * where(world.step < 7, 0.0, float("nan"))
"""


def plain_hash(steps: int, agents: int = 60, seed: int = 3) -> str:
    simulation = mm.Simulation(
        mm.load_scenario("classic").with_values({"agents": agents}), seed, backend="cpu"
    )
    simulation.step(steps)
    return simulation.state_hash()


def test_a_run_prints_facts_and_writes_a_folder_that_holds_them(tmp_path: Path):
    words = ["--steps", 25, "--agents", 60, "--seed", 3, "--every", 10, "--backend", "cpu", "--json"]
    done = murmura_says(
        "run", "classic", *words, "--expect-hash", plain_hash(25)[:16], "--out", "a/b", cwd=tmp_path
    )
    assert (done.returncode, done.stderr) == (0, "")
    facts = json.loads(done.stdout)
    assert facts["hash"] == plain_hash(25)
    assert {k: facts[k] for k in ("scenario", "agents", "seed", "steps", "backend", "threads", "folder")} == {
        "scenario": "classic", "agents": 60, "seed": 3, "steps": 25, "backend": "cpu", "threads": 1, "folder": "a/b",
    }  # fmt: skip
    run = mm.open_run(tmp_path / "a/b")
    assert run.final_hash == facts["hash"]
    rows = list(run.metrics())
    assert [row["step"] for row in rows] == [0, 10, 20, 25]
    assert facts["polarization"] == rows[-1]["polarization"]


def test_another_hash_than_expected_fails_the_run_but_keeps_it(tmp_path: Path):
    words = ["--steps", 5, "--agents", 60, "--seed", 3, "--backend", "reference", "--out", "out"]
    done = murmura_says("run", "classic", *words, "--expect-hash", "0123abcd", cwd=tmp_path)
    said = complaint(done, code=1)
    found = mm.open_run(tmp_path / "out").final_hash
    assert f"the final state has the hash {found}, expected 0123abcd" in said


def test_facts_of_an_empty_flock_are_valid_json(tmp_path: Path):
    """An empty flock has no polarization: null, because JSON has no NaN."""
    words = ["--steps", 1, "--agents", 0, "--backend", "reference", "--out", "out", "--json"]
    done = murmura_says("run", "classic", *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr

    def never(word: str) -> None:
        raise AssertionError(f"{word} is no JSON")

    assert json.loads(done.stdout, parse_constant=never)["polarization"] is None
    assert all(math.isnan(row["polarization"]) for row in mm.open_run(tmp_path / "out").metrics())


# S4-73
def test_a_user_defined_rule_works_on_both_backends(tmp_path: Path):
    assert len(BRAKE.splitlines()) < 20
    (tmp_path / "brake.py").write_text(BRAKE)
    speeds = {}
    for backend, weight in (("cpu", 1), ("reference", 1), ("reference", 0)):
        words = ["--rules", "brake.py", "--set", f"rules.brake.weight={weight}", "--agents", 100, "--seed", 7]
        out = f"{backend}-{weight}"
        done = murmura_says(
            "run",
            "classic",
            *words,
            "--steps",
            20,
            "--backend",
            backend,
            "--out",
            out,
            "--json",
            cwd=tmp_path,
        )
        assert done.returncode == 0, done.stderr
        lines = (tmp_path / out / "metrics.jsonl").read_text().splitlines()
        speeds[backend, weight] = json.loads(lines[-1])["mean_speed"]
        scenario = json.loads((tmp_path / out / "config.json").read_text())
        assert scenario["rules"]["brake"]["weight"] == weight
    assert speeds["cpu", 1] == pytest.approx(speeds["reference", 1], rel=1e-4)
    assert speeds["cpu", 1] < 0.98 * speeds["reference", 0]


def test_a_run_that_breaks_down_exits_1_and_says_where(tmp_path: Path):
    (tmp_path / "poison.py").write_text(POISON)
    words = ["--rules", "poison.py", "--set", "rules.poison.weight=1", "--agents", 30, "--every", 2]
    done = murmura_says(
        "run", "classic", *words, "--steps", 20, "--backend", "reference", "--out", "out", cwd=tmp_path
    )
    assert re.search(r"step 8: .*no finite place or velocity", complaint(done, code=1))
    lines = (tmp_path / "out" / "metrics.jsonl").read_text().splitlines()
    assert [json.loads(line)["step"] for line in lines] == [0, 2, 4, 6]
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["status"] == "failed"
    assert "no finite place or velocity" in manifest["error"]
    # The rule is needed to continue, and is not executed from the path in the folder.
    done = murmura_says("resume", "out", cwd=tmp_path)
    assert "It was made with --rules poison.py: load these first" in complaint(done, code=1)
    done = murmura_says("resume", "out", "--rules", "poison.py", cwd=tmp_path)
    assert re.search(r"step 8: .*no finite place or velocity", complaint(done, code=1))


@pytest.mark.parametrize("room", [600, 60_000])
def test_a_full_disk_exits_1_with_a_message(room: int, tmp_path: Path):
    """R7. Frames reach the larger limit; everything recorded until then is there, and the run can be continued."""

    def hardly_any_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))

    words = ["--steps", 60, "--every", 1, "--agents", 50, "--backend", "cpu", "--seed", 3]
    # -B: modules that are cut short in Python's cache would break every other process.
    command = ["-B", "-m", "murmura", "run", "classic", *words, "--out", "out"]
    done = python_says(*command, cwd=tmp_path, preexec_fn=hardly_any_room)
    assert "cannot write the run to out: [Errno 27] File too large" in complaint(done, code=1)
    if room == 600:
        assert not (tmp_path / "out" / "manifest.json").exists()
        return
    run = mm.open_run(tmp_path / "out")
    assert 5 < len(run.frames) < 50
    assert run.frames.steps.tolist() == list(range(len(run.frames)))
    assert run.frames[-1].agent_count == 50
    assert murmura_says("resume", "out", cwd=tmp_path).returncode == 0
    murmura_says("run", "classic", *words, "--out", "straight", cwd=tmp_path)
    for name in ("run.gsd", "metrics.jsonl"):
        assert (tmp_path / "out" / name).read_bytes() == (tmp_path / "straight" / name).read_bytes()


def test_a_killed_run_is_resumed_and_exported(tmp_path: Path):
    """The run would take hours; the resumed one has fewer steps."""
    words = [
        "--steps",
        10**8,
        "--agents",
        60,
        "--seed",
        3,
        "--every",
        1000,
        "--backend",
        "cpu",
        "--out",
        "out",
    ]
    saved = ["--checkpoint-every", 500, "--columns", "energy,panic"]
    metrics = tmp_path / "out" / "metrics.jsonl"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with started(*MURMURA, "run", "classic", *words, *saved, cwd=tmp_path, **quiet) as process:
        wait_until(lambda: metrics.exists() and metrics.read_bytes().count(b"\n") >= 4, process)
    killed = mm.open_run(tmp_path / "out")
    assert killed.status == "running"
    steps = int(killed.frames.steps[-1]) + 4000
    expected = plain_hash(steps)
    goal = ["--steps", steps, "--expect-hash", expected]
    done = murmura_says("resume", "out", *goal, "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert (facts["hash"], facts["steps"], facts["folder"]) == (expected, steps, "out")
    said = complaint(murmura_says("resume", "out", cwd=tmp_path), code=2)
    assert f"is finished: it has all {steps:,} steps" in said
    done = murmura_says("export", "out", "--to", "csv", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "frames": steps // 1000 + 1, "written": ["out/run.csv", "out/run-metrics.csv", "out/run-events.csv"],
    }  # fmt: skip
    lines = (tmp_path / "out" / "run.csv").read_text().splitlines()
    assert lines[0].split(",")[-2:] == ["energy", "panic_level"]
    assert len(lines) == 1 + (steps // 1000 + 1) * 60


def test_scenarios_are_listed_with_their_titles_and_their_values(tmp_path: Path):
    listed = json.loads(murmura_says("scenarios", "--json", cwd=tmp_path).stdout)
    assert listed == {name: mm.load_scenario(name).title for name in mm.scenario_names()}
    assert all(listed.values())
    whole = json.loads(murmura_says("scenarios", "fish", "--json", cwd=tmp_path).stdout)
    assert whole == mm.load_scenario("fish").model_dump(mode="json")
    plain = murmura_says("scenarios", "fish", cwd=tmp_path)
    assert plain.returncode == 0
    lines = dict(line.split(" = ", 1) for line in plain.stdout.splitlines())
    values = {path: said.partition("  # ")[0] for path, said in lines.items()}
    assert values["motion.max_speed"] == "10.0" and values["perception.radius"] == "60.0"  # S2-61
    assert re.search(r"  # \[u\] above 0, usually \d+ to \d+\. \w.*\.$", lines["perception.radius"])
    assert "wrap | soft | reflect | open. Wrap: leave on one side" in lines["world.boundary"]


def test_doctor_prints_facts(tmp_path: Path):
    done = murmura_says("doctor", "--json", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    facts = json.loads(done.stdout)
    assert facts["murmura"] == mm.__version__
    assert facts["python"] == ".".join(map(str, sys.version_info[:3]))


def test_bench_prints_a_row(tmp_path: Path):
    words = [
        "--agents",
        "1_20",
        "--scenario",
        "classic",
        "--no-baselines",
        "--backend",
        "reference",
        "--json",
    ]
    done = murmura_says("bench", *words, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(row["agents"], row["program"], row["backend"]) for row in rows] == [
        (120, "murmura", "reference"),
    ]
    assert all(0.0 < row["best_ms"] <= row["median_ms"] for row in rows)


def test_help_and_version(tmp_path: Path):
    assert murmura_says("--version", cwd=tmp_path).stdout.strip() == mm.__version__
    done = murmura_says("--help", cwd=tmp_path)
    assert done.returncode == 0
    assert all(
        command in done.stdout
        for command in ("live", "run", "resume", "export", "bench", "scenarios", "doctor")
    )


def test_a_closed_pipe_is_not_an_error(tmp_path: Path):
    reader, writer = os.pipe()
    os.close(reader)
    buffered = environment(PYTHONUNBUFFERED="")
    pipes = {"stdout": writer, "stderr": subprocess.PIPE}
    with started(*MURMURA, "scenarios", "fish", cwd=tmp_path, env=buffered, **pipes) as process:
        os.close(writer)
        _, said = process.communicate(timeout=PATIENCE)
    assert (process.returncode, said) == (0, "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_can_complete_every_command(shell: str):
    from murmura.cli import app

    script = app.generate_completion(shell=shell)
    assert all(word in script for word in ("live", "sensitivity", "metrics-every", "install-completion"))
