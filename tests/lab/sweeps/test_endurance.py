"""What a sweep survives (R8) and what it costs to keep one going (R9).

MURMURA_LONG=1 runs both at the size that is promised: 200 runs with 20 kills, and 10,000 runs.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.terminal import MURMURA, environment
from tests.sizes import size

RUNS, KILLS = size((16, 3), (200, 20))
TINY_RUNS = size(120, 10_000)
pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")


def words(out: Path, cells: int, steps: int) -> list[str]:
    return [
        *MURMURA, "sweep", "classic", "--agents", "40", "--vary", f"rules.alignment.weight=0:2:{cells}",
        "--repeats", "2", "--steps", str(steps), "--measure", "polarization,milling", "--out", str(out),
    ]  # fmt: skip


def started(out: Path, cells: int, steps: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        words(out, cells, steps), env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )


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


def wait_until(condition, seconds: float = 300.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.002)


def rows(out: Path) -> int:
    return (out / "rows.jsonl").read_bytes().count(b"\n") if (out / "rows.jsonl").exists() else 0


def test_killed_parents_and_workers_leave_no_trace_in_the_table(tmp_path: Path):
    chance = random.Random(8)
    steps, whole, out = 800, tmp_path / "whole", tmp_path / "killed"
    uninterrupted = started(whole, RUNS // 2, steps)
    said = uninterrupted.communicate()[1]
    assert uninterrupted.returncode == 0, said
    process = started(out, RUNS // 2, steps)
    for kill in range(KILLS):
        goal = (kill + 1) * RUNS // (KILLS + 2)
        wait_until(lambda p=process, goal=goal: rows(out) >= goal or p.poll() is not None)
        assert process.poll() is None, process.stderr.read()  # type: ignore[union-attr]
        time.sleep(chance.uniform(0.0, 0.02))  # any moment within a run, or within a write
        workers = children(process.pid)
        if kill % 2:
            os.kill(chance.choice(workers), signal.SIGKILL)
            continue
        process.kill()
        process.wait()
        process.stderr.close()  # type: ignore[union-attr]
        wait_until(lambda workers=workers: not any(map(is_alive, workers)))  # they die with the parent
        with (out / "rows.jsonl").open("ab") as file:
            file.write(b'{"run": 0, "val')  # as a write that was cut short
        process = started(out, RUNS // 2, steps)
    said = process.communicate(timeout=600)[1]
    assert process.returncode == 0, said
    assert (out / "table.csv").read_bytes() == (whole / "table.csv").read_bytes()
    assert (out / "cells.csv").read_bytes() == (whole / "cells.csv").read_bytes()
    assert rows(out) == RUNS  # nothing was written twice, either


def memory(pid: int) -> float:
    """Resident memory [MB]."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0.0


def test_memory_stays_flat(tmp_path: Path):
    out = tmp_path / "tiny"
    process = started(out, TINY_RUNS // 2, 4)
    wait_until(lambda: rows(out) >= TINY_RUNS // 10 or process.poll() is not None, 600.0)
    family = [process.pid, *children(process.pid)]
    before = {pid: memory(pid) for pid in family}
    after = before
    while rows(out) < TINY_RUNS - 4 and process.poll() is None:
        after = {pid: memory(pid) for pid in family if is_alive(pid)} or after
        time.sleep(0.01)
    assert process.communicate()[1] is not None and process.returncode == 0
    assert len(family) >= 2 and min(before.values()) > 20.0
    # A worker that came late was still importing then: what it needs is what the others had.
    usual = max(before.values())
    growth = {pid: after[pid] - max(before[pid], usual) for pid in after}
    print(f"{TINY_RUNS} runs: growth [MB] {growth}, at the start {before}")
    assert max(growth.values()) <= 25.0
