"""Interruptions that a sweep survives (R8), and its memory (R9).

MURMURA_LONG=1 runs both at full size: 200 runs with 20 kills, and 10,000 runs.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

import pytest

from tests.cli.terminal import MURMURA, PATIENCE, started, wait_until
from tests.sizes import size

RUNS, KILLS = size((16, 3), (200, 20))
TINY_RUNS = size(120, 10_000)
WORKERS = 2
pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")

# A measure that waits once there are as many rows as the file `most` allows: otherwise a sweep of tiny runs would be
# over before a test on a busy machine can act.
PATIENT = """\
import time
from pathlib import Path

import murmura


@murmura.register_measure("patient")
def patient(flock):
    rows, most = Path("out/rows.jsonl"), Path("most")
    while rows.exists() and rows.read_bytes().count(b"\\n") >= int(most.read_text()):
        time.sleep(0.002)
    return 0.0
"""


class Sweep:
    """A sweep in a folder that may be restarted; it continues while it has fewer rows than allowed."""

    def __init__(self, folder: Path, cells: int, steps: int, most: int) -> None:
        folder.mkdir()
        self._folder, self.out, self._most = folder, folder / "out", folder / "most"
        self.allow(most)
        rules = folder.parent / "patient.py"  # the same for all: tables name it
        rules.write_text(PATIENT)
        self._words = [
            *MURMURA, "sweep", "classic", "--agents", 40, "--vary", f"rules.alignment.weight=0:2:{cells}",
            "--repeats", 2, "--steps", steps, "--rules", rules, "--measure", "polarization,milling,patient",
            "--workers", WORKERS, "--out", "out",
        ]  # fmt: skip

    def allow(self, rows: int) -> None:
        new = self._most.with_suffix(".new")
        new.write_text(str(rows))
        new.replace(self._most)

    def started(self) -> AbstractContextManager[subprocess.Popen[str]]:
        return started(*self._words, cwd=self._folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def finish(self) -> None:
        with self.started() as process:
            said = process.communicate(timeout=PATIENCE)[1]
        assert process.returncode == 0, said

    @property
    def rows(self) -> int:
        file = self.out / "rows.jsonl"
        return file.read_bytes().count(b"\n") if file.exists() else 0


def children(pid: int) -> list[int]:
    try:
        return [
            int(n) for t in Path(f"/proc/{pid}/task").iterdir() for n in (t / "children").read_text().split()
        ]
    except OSError:
        return []


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_killed_parents_and_workers_leave_no_trace_in_the_table(tmp_path: Path):
    chance = random.Random(8)
    whole = Sweep(tmp_path / "whole", RUNS // 2, 800, RUNS)
    whole.finish()
    sweep = Sweep(tmp_path / "killed", RUNS // 2, 800, RUNS - 2 * WORKERS)  # it waits before it is done
    with ExitStack() as processes:
        process = processes.enter_context(sweep.started())
        for kill in range(KILLS):
            goal = (kill + 1) * RUNS // (KILLS + 2)
            wait_until(lambda goal=goal: sweep.rows >= goal, process)
            time.sleep(chance.uniform(0.0, 0.02))  # at any moment during a run or a write
            wait_until(
                lambda process=process: children(process.pid), process
            )  # rows come in batches: it may just have begun
            workers = children(process.pid)
            if kill % 2:
                os.kill(chance.choice(workers), signal.SIGKILL)
                continue
            process.kill()
            process.wait()
            wait_until(lambda workers=workers: not any(map(is_alive, workers)))  # they die with the parent
            with (sweep.out / "rows.jsonl").open("ab") as file:
                file.write(b'{"run": 0, "val')  # like a truncated write
            process = processes.enter_context(sweep.started())
        sweep.allow(RUNS)
        said = process.communicate(timeout=PATIENCE)[1]
        assert process.returncode == 0, said
    for name in ("table.csv", "cells.csv"):
        assert (sweep.out / name).read_bytes() == (whole.out / name).read_bytes()
    assert sweep.rows == RUNS  # nothing was written twice


def memory(pid: int) -> float:
    """Resident memory [MB]."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0.0


def test_memory_stays_flat(tmp_path: Path):
    """Measured twice while all workers wait: after a tenth of the runs, and just before the last."""
    early, late = TINY_RUNS // 10, TINY_RUNS - 2 * WORKERS
    sweep = Sweep(tmp_path / "tiny", TINY_RUNS // 2, 4, early)
    with sweep.started() as process:
        wait_until(lambda: sweep.rows >= early, process)
        family = [process.pid, *children(process.pid)]
        before = {pid: memory(pid) for pid in family}
        sweep.allow(late)
        wait_until(lambda: sweep.rows >= late, process)
        after = {pid: memory(pid) for pid in family}
        sweep.allow(TINY_RUNS)
        said = process.communicate(timeout=PATIENCE)[1]
        assert process.returncode == 0, said
    assert len(family) >= 2
    # A worker that started late needs as much as the others had.
    usual = max(before.values())
    growth = {pid: after[pid] - max(before[pid], usual) for pid in family}
    print(f"{TINY_RUNS} runs: growth [MB] {growth}, at the start {before}")
    assert max(growth.values()) <= 25.0
