"""Ctrl-C during a run: it ends at once, and its files are correct."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path

import pytest

import murmura as mm

from .terminal import MURMURA, PATIENCE, python_says, started, wait_until


def lines_of(path: Path) -> int:
    return path.read_text().count("\n") if path.exists() else 0


@pytest.mark.parametrize("threads", [1, 2])
def test_an_interrupted_run_keeps_a_true_state(threads: int, tmp_path: Path):
    out = tmp_path / "out"
    words = [
        "--agents",
        "300",
        "--steps",
        "100000000",
        "--every",
        "400",
        "--seed",
        "5",
        "--threads",
        str(threads),
    ]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with started(*MURMURA, "run", "classic", *words, "--backend", "cpu", "--out", out, **pipes) as process:
        wait_until(lambda: lines_of(out / "metrics.jsonl") >= 3, process)
        process.send_signal(signal.SIGINT)
        # A second or two on an idle machine; the run would take hours.
        printed, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert printed == ""
    manifest = json.loads((out / "manifest.json").read_text())
    done = manifest["steps_done"]
    assert manifest["status"] == "interrupted"
    *progress, last = said.splitlines()
    assert last == f"murmura: stopped at step {done}; what was recorded is in {out}"
    expected = ("murmura: step ", "murmura: measured less often", "murmura: compiling")
    assert all(line.startswith(expected) for line in progress), progress

    run = mm.open_run(out)
    steps = [row["step"] for row in run.metrics()]
    assert steps == list(range(0, done + 1, 400))
    assert run.final("cpu").state_hash() == manifest["final_hash"]
    # The state is that of the same step in an uninterrupted run.
    whole = mm.Simulation(run.scenario, 5, backend="cpu")
    whole.step(done)
    assert whole.state_hash() == manifest["final_hash"]


IMPATIENT = """\
import os, signal, sys

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == "cyclopts":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupt())
import runpy
sys.argv = ["murmura", "doctor"]
runpy.run_module("murmura", run_name="__main__")
"""


def test_a_ctrl_c_while_the_command_loads_is_quiet(tmp_path: Path):
    done = python_says("-c", IMPATIENT, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


VALIDATING = """\
import sys, threading, time
from typing import Annotated
from pydantic import BeforeValidator, TypeAdapter
from murmura.__main__ import main

begun = threading.Event()

def validate(value):
    begun.set()
    while True:
        time.sleep(1e-5)

endless = TypeAdapter(Annotated[int, BeforeValidator(validate)])
threading.Thread(target=endless.validate_python, args=(1,), name="murmura-build", daemon=True).start()
begun.wait()
sys.argv = ["murmura", "--version"]
main()
"""


def test_a_command_that_ends_while_a_thread_validates_does_not_crash(tmp_path: Path):
    done = python_says("-c", VALIDATING, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
