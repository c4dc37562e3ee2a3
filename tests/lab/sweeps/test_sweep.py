"""Sweeps: every row equals a single run, whichever worker executed it and however often it was interrupted."""

from __future__ import annotations

import csv
import json
import shlex
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import murmura as mm
from murmura.core.errors import ScenarioError
from murmura.lab.damage import DamageWarning
from murmura.lab.sweeps import executors
from murmura.lab.sweeps.folder import open_sweep
from murmura.lab.sweeps.one_run import Question
from murmura.lab.sweeps.request import Execution
from murmura.lab.sweeps.sweep import resume_sweep, sweep
from murmura.measure import unregister_measure

SMALL = {"agents": 12}
VARY = ["rules.alignment.weight=0:2:3", "perception.radius=30,60"]


def swept(out: Path, **more: Any):
    options: dict[str, Any] = {
        "changes": SMALL, "repeats": 2, "seed": 5, "discard": 4, "every": 3, "workers": 0, "backend": "reference",
        "measures": ["polarization", "groups"],
    }  # fmt: skip
    return sweep("classic", VARY, 12, out, **(options | more))


def table(folder: Path, name: str = "table.csv") -> list[dict[str, str]]:
    with (folder / name).open(newline="") as file:
        return list(csv.DictReader(file))


def test_rows_are_what_runs_by_hand_give(tmp_path: Path):
    swept(tmp_path / "s")
    rows = table(tmp_path / "s")
    assert [(r["cell"], r["repeat"]) for r in rows] == [(str(k // 2), str(k % 2)) for k in range(12)]
    for row in (rows[0], rows[5], rows[11]):
        words = shlex.split(row["replay"])
        values = dict(word.split("=") for flag, word in pairwise(words) if flag == "--set")
        assert words[:5] == ["murmura", "live", "classic", "--seed", row["seed"]]
        changes = {path: json.loads(value) for path, value in values.items()}
        assert changes == SMALL | {path: float(row[path]) for path in list(changes)[1:]}
        by_hand = mm.Simulation(
            mm.load_scenario("classic").with_values(changes), int(row["seed"]), "reference"
        )
        seen = []
        for step in (6, 9, 12):  # counted back from the end, the first four left out
            by_hand.step(step - by_hand.step_count)
            seen.append(by_hand.measure())
        assert float(row["polarization"]) == pytest.approx(
            np.mean([m["polarization"] for m in seen]), rel=1e-12
        )
        assert float(row["groups"]) == pytest.approx(np.mean([m["groups"] for m in seen]), rel=1e-12)
        assert float(row["population"]) == 12.0
        assert row["hash"] == by_hand.state_hash()
        assert row["error"] == ""


def test_cells_have_mean_and_standard_error(tmp_path: Path):
    made = swept(tmp_path / "s", repeats=4)
    runs, cells = table(tmp_path / "s"), table(tmp_path / "s", "cells.csv")
    assert len(cells) == 6
    for k, cell in enumerate(cells):
        values = np.array([float(run["polarization"]) for run in runs[4 * k : 4 * k + 4]])
        assert float(cell["polarization"]) == pytest.approx(values.mean(), rel=1e-12)
        assert float(cell["polarization_error"]) == pytest.approx(values.std(ddof=1) / 2.0, rel=1e-9)
        assert cell["replay"] == runs[4 * k]["replay"]
        assert cell["runs"] == "4"
    assert [c["cell"] for c in made.cells()] == list(range(6))


def test_tables_are_parquet_too(tmp_path: Path):
    polars = pytest.importorskip("polars")
    swept(tmp_path / "s")
    frame = polars.read_parquet(tmp_path / "s" / "table.parquet")
    rows = table(tmp_path / "s")
    assert frame["seed"].to_list() == [int(row["seed"]) for row in rows]
    assert frame["polarization"].to_list() == [float(row["polarization"]) for row in rows]
    assert frame.schema["rules.alignment.weight"] == polars.Float64


def test_processes_and_a_cluster_give_the_same_table(tmp_path: Path):
    distributed = pytest.importorskip("distributed")
    swept(tmp_path / "here")
    swept(tmp_path / "processes", workers=2)
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None, protocol="inproc"
    ) as cluster:
        swept(tmp_path / "cluster", workers=None, scheduler=cluster.scheduler_address)
    here = (tmp_path / "here" / "table.csv").read_bytes()
    assert (tmp_path / "processes" / "table.csv").read_bytes() == here
    assert (tmp_path / "cluster" / "table.csv").read_bytes() == here


def test_the_same_call_continues_and_does_only_what_is_missing(tmp_path: Path):
    whole = swept(tmp_path / "whole")
    out = tmp_path / "stopped"

    def stop(done: int, of: int) -> None:
        if done == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        swept(out, progress=stop)
    assert len(list(open_sweep(out).runs())) == 5
    assert not (out / "table.csv").exists()
    assert len(list(open_sweep(out).runs())) == 5
    told: list[tuple[int, int]] = []
    swept(out, progress=lambda *now: told.append(now))
    assert told[-1] == (7, 7)
    for name in ("table.csv", "cells.csv"):
        assert (out / name).read_bytes() == (whole.folder / name).read_bytes()
    told.clear()
    resume_sweep(out, workers=0, progress=lambda *now: told.append(now))
    assert told == []


def test_a_row_cut_short_is_done_again_and_a_damaged_one_is_reported(tmp_path: Path):
    made = swept(tmp_path / "s")
    path, before = made.folder / "rows.jsonl", (made.folder / "table.csv").read_bytes()
    whole = path.read_bytes()
    for cut in (1, 40, len(whole.splitlines()[-1]), len(whole.splitlines()[-1]) + 3):
        path.write_bytes(whole[:-cut])
        (made.folder / "table.csv").unlink()
        resume_sweep(made.folder, workers=0)
        assert (made.folder / "table.csv").read_bytes() == before
    lines = whole.splitlines(keepends=True)
    digit = lines[3].replace(b'"polarization": 0.', b'"polarization": 1.')
    for damage in (b"{}\n", b'{"run": 99}\n', b"\x00\x00\n", b'{"run": 3}\n', lines[3][:30] + b"\n", digit):
        path.write_bytes(b"".join([*lines[:3], damage, *lines[4:]]))
        with pytest.warns(
            DamageWarning, match=r"rows\.jsonl is damaged: line 4: .*its run counts as not done"
        ):
            assert len(list(open_sweep(made.folder).runs())) == 11
        said: list[str] = []
        resume_sweep(made.folder, workers=0, announce=said.append)
        assert any("line 4" in text for text in said)
        assert (made.folder / "table.csv").read_bytes() == before
        # The removed rows are kept in a copy; the resumed sweep is intact.
        assert damage in (made.folder / "rows.damaged.jsonl").read_bytes()
        assert open_sweep(made.folder).verify().is_whole


RULES = """
import murmura

@murmura.register_measure("{name}")
def measure(flock):
    {body}
    return 1.0
"""


def test_a_failed_run_is_reported_and_the_rest_finished(tmp_path: Path):
    file = tmp_path / "own.py"
    file.write_text(RULES.format(name="fails_when_wide", body="assert flock.radius < 50, 'too wide'"))
    made = sweep(
        "classic", VARY, 4, tmp_path / "s", changes=SMALL, measures=["fails_when_wide"], rules=[file],
        backend="reference", workers=1,
    )  # fmt: skip
    rows = table(made.folder)
    for row in rows:
        failed = row["perception.radius"] == "60"
        assert row["error"] == ("AssertionError: too wide" if failed else "")
        assert row["fails_when_wide"] == ("" if failed else "1.0")
        assert str(file) in row["replay"]
    # Failed runs are retried, here with rules that were fixed but have the same name. They are refused, because they
    # differ from those in this process; tests/lab/sweeps/test_trust.py tests the same in separate processes.
    file.write_text(RULES.format(name="fails_when_wide", body="pass"))
    with pytest.raises(ScenarioError, match="was changed after this process had run it"):
        sweep(
            "classic", VARY, 4, tmp_path / "s", changes=SMALL, measures=["fails_when_wide"], rules=[file],
            backend="reference", workers=1,
        )  # fmt: skip
    unregister_measure("fails_when_wide")


def test_a_run_that_kills_its_worker_fails_and_the_rest_is_finished(tmp_path: Path):
    file = tmp_path / "deadly.py"
    body = "import os; flock.radius > 50 and os.kill(os.getpid(), 9)"
    file.write_text(RULES.format(name="deadly", body=body))
    # Without the dry run, which would kill this process too.
    scenario = mm.load_scenario("classic").with_values(SMALL)
    question = Question(
        scenario.model_dump(mode="json"), 2, 0, 1, ("deadly", "population"), "reference", 1, (str(file),)
    )
    executor = executors.ExecutorProcesses(question, 1)
    try:
        tasks = [
            {"run": k, "values": {"perception.radius": r}, "seed": k} for k, r in enumerate((30, 60, 40))
        ]
        rows = [row for future in [executor.submit(tasks)] for row in future.result()]
    finally:
        executor.close()
    assert "its worker process died 3 times, last with exit code -9" in rows[1]["error"]
    assert rows[0]["measures"] == rows[2]["measures"] == {"deadly": 1.0, "population": 12.0}
    assert executor.process_ids == [] or all(
        not Path(f"/proc/{pid}").exists() for pid in executor.process_ids
    )


def test_what_rules_print_does_not_end_up_in_the_rows(tmp_path: Path, capfd: pytest.CaptureFixture[str]):
    file = tmp_path / "chatty.py"
    file.write_text(RULES.format(name="chatty", body="print('{\"run\": 0}', flush=True)"))
    made = sweep(
        "classic", ["perception.radius=30,40"], 2, tmp_path / "s", changes=SMALL, measures=["chatty"], rules=[file],
        backend="reference", workers=1,
    )  # fmt: skip
    assert [row["chatty"] for row in made.runs()] == [1.0, 1.0]
    unregister_measure("chatty")


def test_threads_times_workers_never_exceed_the_cores(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("murmura.compute.machine.available_cores", lambda: 6)
    scenario = mm.load_scenario("classic")
    told: list[str] = []

    def size(workers: int | None, threads: int) -> int:
        question = Question.checked(scenario, 10, None, None, None, threads=threads)
        executor = executors.make_executor(question, Execution(workers=workers, announce=told.append))
        executor.close()
        return executor._pool._max_workers  # type: ignore[attr-defined]

    assert [size(None, 1), size(None, 2), size(None, 4), size(None, 8)] == [6, 3, 1, 1]
    assert [size(4, 1), size(4, 2), size(1, 6)] == [4, 3, 1]
    assert told == ["3 workers instead of 4: 6 cores, 2 threads each"]


def test_another_sweep_is_not_mixed_in(tmp_path: Path):
    made = swept(tmp_path / "s")
    before = {path.name: path.read_bytes() for path in made.folder.iterdir()}
    for change, message in (
        ({"seed": 6}, "seed was 5, now 6"),
        ({"repeats": 3}, "repeats was 2, now 3"),
        ({"changes": {"agents": 13}}, "agents was 12, now 13"),
        ({"every": 1}, "every was 3, now 1"),
        ({"measures": ["milling"]}, "measures was"),
    ):
        with pytest.raises(ScenarioError, match=f"contains another sweep: {message}"):
            swept(made.folder, **change)
    assert {path.name: path.read_bytes() for path in made.folder.iterdir()} == before
    (tmp_path / "diary").mkdir()
    (tmp_path / "diary" / "monday.txt").write_text("dear diary")
    with pytest.raises(ScenarioError, match="is not empty and does not contain a sweep"):
        swept(tmp_path / "diary")
    assert [p.name for p in (tmp_path / "diary").iterdir()] == ["monday.txt"]
    with pytest.raises(ScenarioError, match="is not the folder of a sweep"):
        open_sweep(tmp_path / "diary")


def test_two_processes_do_not_work_on_one_sweep(tmp_path: Path):
    from filelock import FileLock

    made = swept(tmp_path / "s")
    with (
        FileLock(made.folder / "sweep.lock"),
        pytest.raises(ScenarioError, match="another process is working"),
    ):
        swept(made.folder)


def test_nonsense_is_refused_before_anything_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(executors, "CONNECT_SECONDS", 0.5)
    for options, message in (
        ({"measures": ["polarisation"]}, "did you mean 'polarization'"),
        ({"discard": 12}, "--discard takes 0 to 11 of 12 steps, got 12"),
        ({"backend": "cpuu"}, "did you mean 'cpu'"),
        ({"seed": -1}, "seed must be"),
        ({"threads": 0, "backend": "cpu"}, "threads must be"),
        ({"threads": 2}, "threads has no effect here: only the backend cpu"),
        ({"samples": 3}, "samples has no effect here: a grid gets its counts from --vary"),
        ({"changes": {"agents": -1}}, "agents must be >= 0"),
    ):
        with pytest.raises((ScenarioError, mm.MurmuraError), match=message):
            swept(tmp_path / "s", **options)
    with pytest.raises(ScenarioError, match=r"with perception\.radius=20\.0.*rules\.separation\.radius"):
        sweep("classic", ["perception.radius=20:40:3"], 10, tmp_path / "s")
    with pytest.raises(ScenarioError, match="no Dask scheduler answers"):
        swept(tmp_path / "s2", workers=None, scheduler="tcp://127.0.0.1:1")
    assert not (tmp_path / "s").exists()


def test_a_full_disk_is_reported_and_loses_nothing(tmp_path: Path):
    """The limit applies to a process, so the sweep runs in its own process."""
    from tests.cli.terminal import python_says

    code = f"""
import resource, signal, sys
import murmura.cli
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
sys.dont_write_bytecode = True  # modules that are cut short in the cache would break every other process
words = ["sweep", "classic", "--agents", "12", "--vary", "rules.alignment.weight=0:2:80", "--steps", "2", "--out",
         {str(tmp_path / "s")!r}, "--workers", "0", "--backend", "reference", "--measure", "polarization"]
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), resource.RLIM_INFINITY))
murmura.cli.main(words)
"""
    done = python_says("-c", code, 1000, cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    assert "cannot write the sweep to" in done.stderr and not (tmp_path / "s" / "sweep.json").exists()
    done = python_says("-c", code, 16_000, cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    assert "rows.jsonl" in done.stderr and "Everything written before is safe" in done.stderr
    kept = len(list(open_sweep(tmp_path / "s").runs()))
    assert 20 < kept < 80
    assert python_says("-c", code, 10**7, cwd=tmp_path).returncode == 0
    assert len(table(tmp_path / "s")) == 80


def test_costly_measures_nobody_named_are_taken_at_fewer_instants(tmp_path: Path):
    """They may take a fifth of a run; this is reported and stored, and named measures are computed at all instants."""
    said: list[str] = []
    options: dict[str, Any] = {"steps": 60, "workers": 0, "seed": 4, "backend": "reference"}
    vary = {"rules.cohesion.weight": [1.0]}
    small = mm.load_scenario("classic").with_values({"agents": 150})
    usual = mm.sweep(small, vary, out=tmp_path / "usual", announce=said.append, **options)
    named = mm.sweep(small, vary, out=tmp_path / "named", measures=["groups", "polarization"], **options)
    asked = mm.open_sweep(tmp_path / "usual").question
    assert asked.thin > 1 and "clustering_coefficient" in asked.costly and "polarization" not in asked.costly
    assert any("clustering_coefficient" in text and "name the measures" in text for text in said)
    assert named.question.thin == 1
    [usual_row], [named_row] = usual.runs(), named.runs()
    assert usual_row["polarization"] == named_row["polarization"] and usual_row["hash"] == named_row["hash"]
    simulation = mm.Simulation(small, usual_row["seed"], "reference")
    taken = []
    for k, step in reversed(list(enumerate(range(60, 30, -asked.every)))):
        simulation.step(step - simulation.step_count)
        if k % asked.thin == 0:
            taken.append(simulation.measure(["groups"])["groups"])
    assert usual_row["groups"] == pytest.approx(sum(taken) / len(taken))


def test_the_replay_command_of_a_sweep_made_in_python_finds_its_scenario(tmp_path: Path):
    changed = mm.load_scenario("classic").with_values({"agents": 17, "name": "my-own"})
    made = sweep(changed, {"rules.cohesion.weight": [0.5]}, 2, tmp_path / "s", workers=0, measures=["groups"])
    [line] = made.runs()
    _, _, source, *_ = shlex.split(line["replay"])
    assert mm.load_scenario(source).agents == 17
