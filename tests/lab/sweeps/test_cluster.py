"""A real Dask cluster, in its own processes, that is lost in the middle of a sweep."""

from __future__ import annotations

import subprocess
import sys
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

import pytest

from murmura.lab.sweeps.folder import open_sweep
from tests.cli.terminal import MURMURA, PATIENCE, complaint, started, wait_until
from tests.optional import needs
from tests.sizes import IS_LONG

pytestmark = needs("distributed")


def sweep_of(runs: int, where: str) -> list[str]:
    return [
        *MURMURA, "sweep", "classic", "--agents", "20", "--vary", f"rules.alignment.weight=0:2:{runs}", "--steps",
        "60", "--measure", "polarization", "--backend", "reference", "--out", "s", "--scheduler", where,
    ]  # fmt: skip


def running(*words: str, stderr: int = subprocess.DEVNULL) -> AbstractContextManager[subprocess.Popen[str]]:
    return started(sys.executable, "-m", "dask", *words, stderr=stderr)


def scheduler_process(*more: str) -> AbstractContextManager[subprocess.Popen[str]]:
    words = ("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", *more)
    return running(*words, stderr=subprocess.PIPE)


def address(scheduler: subprocess.Popen[str]) -> str:
    """Its address, from its output."""
    assert scheduler.stderr is not None
    for line in scheduler.stderr:
        if "Scheduler at:" in line:
            return line.rpartition(" ")[2].strip()
    raise AssertionError("it did not start")


def test_a_lost_scheduler_is_reported_and_what_is_done_is_kept(tmp_path: Path):
    rows = tmp_path / "s" / "rows.jsonl"
    with scheduler_process() as scheduler:
        where = address(scheduler)
        with running("worker", where, "--nworkers", "1", "--nthreads", "1", "--no-dashboard"):
            pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
            with started(*sweep_of(400, where), cwd=tmp_path, **pipes) as sweep:
                wait_until(lambda: rows.exists() and rows.read_bytes().count(b"\n") >= 3, sweep)
                scheduler.kill()
                printed, said = sweep.communicate(timeout=PATIENCE)
    done = subprocess.CompletedProcess(sweep.args, sweep.returncode, printed, said)
    assert f"the Dask scheduler at {where} is gone. The finished runs are saved" in complaint(done, 1)
    kept = list(open_sweep(tmp_path / "s").runs())
    assert 3 <= len(kept) < 400 and not any(line["error"] for line in kept)


@pytest.mark.skipif(not IS_LONG, reason="four processes of Dask: MURMURA_LONG=1")
def test_workers_may_be_killed_and_every_run_is_done_once(tmp_path: Path):
    rows = tmp_path / "s" / "rows.jsonl"
    alone = ["--nthreads", "1", "--no-nanny", "--no-dashboard"]

    def done(count: int) -> bool:
        return rows.exists() and rows.read_bytes().count(b"\n") >= count

    file = str(tmp_path / "scheduler.json")
    with scheduler_process("--scheduler-file", file) as scheduler, ExitStack() as others:
        where = address(scheduler)
        first, second = (others.enter_context(running("worker", where, *alone)) for _ in range(2))
        sweep = others.enter_context(started(*sweep_of(60, file), cwd=tmp_path, stderr=subprocess.PIPE))
        wait_until(lambda: done(3), sweep)
        first.kill()
        wait_until(lambda: done(20), sweep)
        others.enter_context(running("worker", where, *alone))
        second.kill()
        _, said = sweep.communicate(timeout=PATIENCE)
    assert sweep.returncode == 0, said
    runs = list(open_sweep(tmp_path / "s").runs())
    assert sorted(line["run"] for line in runs) == list(range(60)) and not any(line["error"] for line in runs)
