"""A simulation that threads share, that a fork takes along, and that someone tries to copy."""

from __future__ import annotations

import copy
import os
import pickle
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import murmura as mm
from murmura.core.errors import RunError, ScenarioError
from tests.cli.terminal import environment

# In a process of their own: without turns such threads crash it, or wait for each other for ever.
THREADS = """
import threading
import murmura as mm

def made():
    return mm.Simulation(mm.load_scenario("classic").with_values({"agents": 400}), seed=2, backend="cpu", threads=2)

alone, known = made(), set()
for _ in range(121):
    known.add(alone.state_hash())
    alone.step(5)

shared, seen, problems = made(), set(), []
begin = threading.Barrier(4)

def step():
    begin.wait()
    for _ in range(60):
        shared.step(5)

def read():
    begin.wait()
    for _ in range(60):
        seen.add(shared.state_hash())
        shared.measure(["polarization"])
        if len(shared.positions) != len(shared.column("heading")):
            problems.append("a torn read")

def guarded(task):
    try:
        task()
    except BaseException as error:
        problems.append(repr(error))

team = [threading.Thread(target=guarded, args=(task,)) for task in (step, step, read, read)]
for one in team: one.start()
for one in team: one.join()
print(shared.step_count, not problems, seen <= known, shared.state_hash() in known, problems)
"""
FORK = """
import os
import murmura as mm
sim = mm.Simulation(mm.load_scenario("classic").with_values({"agents": 400}), seed=2, backend="cpu", threads=2)
sim.step(3)
read, write = os.pipe()
if os.fork() == 0:
    sim.step(7)
    os.write(write, sim.state_hash().encode())
    os._exit(0)
os.wait()
sim.step(7)
print(os.read(read, 100).decode() == sim.state_hash())
"""


def said_by(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment(), capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, f"{done.returncode}: {done.stderr[-2000:]}"
    return done.stdout.strip()


def test_threads_that_share_a_simulation_take_turns():
    """Two step it and two read it: the state is that of one thread, and what was read was a whole instant of it."""
    assert said_by(THREADS) == "600 True True True []"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_continues_with_threads_of_its_own():
    assert said_by(FORK) == "True"


@pytest.mark.parametrize("copied", [pickle.dumps, copy.deepcopy, copy.copy])
def test_a_copy_is_made_by_saving(copied: Callable[[Any], Any]):
    simulation = mm.Simulation("classic", backend="reference")
    with pytest.raises(
        TypeError, match=r"save it with simulation\.save\(path\) and read it with Simulation\.restore"
    ):
        copied(simulation)


def test_threads_may_be_a_number_of_numpy():
    simulation = mm.Simulation("classic", backend="cpu", threads=np.int64(2))  # type: ignore[arg-type]
    assert simulation.threads == 2
    assert type(simulation.threads) is int
    with pytest.raises(ScenarioError, match="threads must be a whole number from 1 to 256, got"):
        mm.Simulation("classic", backend="cpu", threads=np.True_)  # type: ignore[arg-type]


@pytest.mark.parametrize("values", [{"agents": 5}, {"start.margin": 3.0}])
def test_what_only_a_start_reads_cannot_be_retuned(values: dict[str, Any]):
    simulation = mm.Simulation("classic", backend="reference")
    with pytest.raises(ScenarioError, match="has no effect on a running simulation"):
        simulation.retune(values)
    assert simulation.scenario == mm.load_scenario("classic")
    simulation.retune({"agents": simulation.scenario.agents, "motion.max_speed": 3.0})


def test_ten_thousand_million_positions_are_refused_before_they_are_made():
    """A view of one row claims any number of rows, and takes no memory until it is copied."""
    many = np.broadcast_to(np.zeros(2), (10**10, 2))
    message = re.escape("positions must have at most 20,000,000 rows, got 10,000,000,000")
    with pytest.raises(ScenarioError, match=message):
        mm.Simulation("classic", backend="reference", positions=many)
    simulation = mm.Simulation("classic", backend="reference")
    with pytest.raises(ScenarioError, match=message):
        simulation.add_agents(many, many)
    with pytest.raises(ScenarioError, match="energy must be 1 finite numbers"):
        simulation.add_agents([[1.0, 1.0]], [[1.0, 1.0]], {"energy": np.broadcast_to(1, (10**10,))})


@pytest.mark.parametrize("path", ["", ".", "{folder}"])
def test_a_checkpoint_has_a_name(path: str, tmp_path: Path):
    path = path.format(folder=tmp_path)
    simulation = mm.Simulation("classic", backend="reference")
    for use in (simulation.save, mm.Simulation.restore):
        with pytest.raises(
            RunError, match=re.escape(f"a checkpoint is a file, got the folder '{path}': add a name")
        ):
            use(path)
