"""A real Dask cluster, of processes of its own, that is lost in the middle of a sweep."""

from __future__ import annotations

import subprocess
import sys
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from murmura.lab.sweeps.folder import open_sweep
from tests.cli.terminal import MURMURA, PATIENCE, complaint, started, wait_until

pytest.importorskip("distributed")
SWEEP = [
    *MURMURA, "sweep", "classic", "--agents", "20", "--vary", "rules.alignment.weight=0:2:400", "--steps", "60",
    "--measure", "polarization", "--backend", "reference", "--out", "s", "--scheduler",
]  # fmt: skip


def running(*words: str) -> AbstractContextManager[subprocess.Popen[str]]:
    return started(sys.executable, "-m", "dask", *words, stderr=subprocess.PIPE)


def address(scheduler: subprocess.Popen[str]) -> str:
    """Where it listens, from what it tells."""
    assert scheduler.stderr is not None
    for line in scheduler.stderr:
        if "Scheduler at:" in line:
            return line.rpartition(" ")[2].strip()
    raise AssertionError("it did not start")


def test_a_lost_scheduler_is_named_and_what_is_done_is_kept(tmp_path: Path):
    rows = tmp_path / "s" / "rows.jsonl"
    with running("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard") as scheduler:
        where = address(scheduler)
        with running("worker", where, "--nworkers", "1", "--nthreads", "1", "--no-dashboard"):
            pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
            with started(*SWEEP, where, cwd=tmp_path, **pipes) as sweep:
                wait_until(lambda: rows.exists() and rows.read_bytes().count(b"\n") >= 3, sweep)
                scheduler.kill()
                printed, said = sweep.communicate(timeout=PATIENCE)
    done = subprocess.CompletedProcess(sweep.args, sweep.returncode, printed, said)
    assert f"the Dask scheduler at {where} is gone. The runs that are done are kept" in complaint(done, 1)
    kept = list(open_sweep(tmp_path / "s").runs())
    assert 3 <= len(kept) < 400 and not any(line["error"] for line in kept)
