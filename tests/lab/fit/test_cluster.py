"""A fit on a real Dask cluster continues to the same result after its worker and the fit itself are killed."""

from __future__ import annotations

import subprocess
from contextlib import ExitStack
from pathlib import Path

import pytest

import murmura as mm
from murmura.lab.fit.folder import open_fit
from murmura.lab.runs.recording import record
from tests.cli.terminal import MURMURA, PATIENCE, started, wait_until
from tests.lab.sweeps.test_cluster import address, running, scheduler_process
from tests.optional import needs
from tests.sizes import IS_LONG

from .test_fit import model

pytestmark = needs("distributed", "pyabc")


@pytest.mark.skipif(not IS_LONG, reason="three processes of Dask and two fits: MURMURA_LONG=1")
def test_a_worker_and_the_fit_are_killed_and_the_result_is_the_same(tmp_path: Path):
    run = record(mm.Simulation(model(5.0), 3, "reference"), 8, tmp_path / "run", 1, measures=["polarization"])
    rows = tmp_path / "fit" / "rows.jsonl"

    def command(where: str) -> list[str]:
        return [
            *MURMURA, "fit", "couzin", "--to", "run", "--vary", "motion.speed=0.5:8", "--measure", "speeds",
            "--population", "8", "--generations", "3", "--seconds", "1", "--instants", "2", "--batch", "8",
            "--predictions", "2", "--backend", "reference", "--out", "fit", "--scheduler", where,
        ]  # fmt: skip

    def done(count: int) -> bool:
        return rows.exists() and rows.read_bytes().count(b"\n") >= count

    with scheduler_process() as scheduler, ExitStack() as others:
        where = address(scheduler)
        alone = ["--nthreads", "1", "--no-nanny", "--no-dashboard"]
        first, _ = (others.enter_context(running("worker", where, *alone)) for _ in range(2))
        with started(*command(where), cwd=tmp_path, stderr=subprocess.PIPE) as fit:
            wait_until(lambda: done(3), fit)
            first.kill()
            wait_until(lambda: done(12), fit)
            fit.kill()
            fit.communicate(timeout=PATIENCE)
        with started(*command(where), cwd=tmp_path, stderr=subprocess.PIPE) as again:
            _, said = again.communicate(timeout=PATIENCE)
        assert again.returncode == 0, said
    here = mm.fit(
        "couzin", run, ["motion.speed=0.5:8"], tmp_path / "here", measures=["speeds"], population=8, generations=3,
        seconds=1.0, instants=2, batch=8, predictions=2, backend="reference", workers=0,
        progress=lambda count, end: None,
    )  # fmt: skip
    assert open_fit(tmp_path / "fit").result == here.result
