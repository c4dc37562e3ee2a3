"""Run folders: their content is correct, and recording changes nothing."""

from __future__ import annotations

import hashlib
import json
import math
import platform
import signal
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import murmura as mm
from murmura.core.errors import RunError, ScenarioError
from murmura.lab.damage import DamageWarning
from murmura.lab.files.json_lines import line_of
from murmura.lab.runs.cadence import Cadence, parse_interval
from murmura.lab.runs.manifest import MANIFEST, Recording
from murmura.lab.runs.recording import record, usual_cadence
from murmura.lab.runs.resuming import resume
from murmura.lab.runs.run import CONFIG, EVENTS, METRICS, TRAJECTORY
from murmura.measure import MEASURES, unregister_measure
from murmura.measure.costs import FRAME, STEP, microseconds
from tests.lab.tampering import as_killed


def scenario(agents: int = 60) -> mm.Scenario:
    return mm.load_scenario("classic").with_values({"agents": agents, "rules.alignment.weight": 1.25})


def simulation(backend: str = "reference", agents: int = 60) -> mm.Simulation:
    return mm.Simulation(scenario(agents), seed=11, backend=backend)


def plain_hash(steps: int, backend: str = "reference") -> str:
    plain = simulation(backend)
    plain.step(steps)
    return plain.state_hash()


def test_the_folder_holds_what_it_says(tmp_path: Path):
    told: list[tuple[int, int]] = []
    run = record(simulation(), 23, tmp_path / "run", every=10, progress=lambda *now: told.append(now))
    files = [CONFIG, MANIFEST, METRICS, EVENTS, TRAJECTORY, "checkpoint-A.npz", "checkpoint-B.npz", ".lock"]
    assert sorted(path.name for path in run.folder.iterdir()) == sorted(files)
    assert run.scenario == scenario() == mm.load_scenario(run.folder / CONFIG)
    assert json.loads((run.folder / CONFIG).read_text()) == scenario().model_dump(mode="json")
    expected = {
        "murmura": mm.__version__, "python": platform.python_version(), "numpy": np.__version__,
        "platform": platform.platform(), "scenario": "classic", "seed": 11, "steps": 23, "steps_done": 23,
        "backend": "reference", "threads": 1, "status": "finished", "final_hash": plain_hash(23),
    }  # fmt: skip
    assert {key: run.manifest[key] for key in expected} == expected
    assert run.manifest["seconds"] > 0.0
    for name in (METRICS, EVENTS):
        assert run.manifest["hashes"][name] == hashlib.sha256((run.folder / name).read_bytes()).hexdigest()
    assert (run.seed, run.final_hash) == (11, plain_hash(23))
    assert told[-1] == (23, 23)
    assert [step for step, _ in told] == sorted({step for step, _ in told})


def test_metrics_are_of_the_steps_they_name(tmp_path: Path):
    run = record(simulation(), 23, tmp_path / "run", every=10)
    plain = simulation()
    rows = list(run.metrics())
    assert [row["step"] for row in rows] == [0, 10, 20, 23]
    for row in rows:
        plain.step(int(row["step"]) - plain.step_count)
        assert row["time"] == pytest.approx(row["step"] / 60.0)
        assert row["agents"] == 60
        for name, value in plain.measure().items():
            assert row[name] == pytest.approx(value, nan_ok=True), name
    # Independent of our measures: |mean unit heading| of the final state.
    velocities = run.final("reference").velocities.astype(np.float64)
    units = velocities / np.hypot(*velocities.T)[:, None]
    assert rows[-1]["polarization"] == pytest.approx(np.hypot(*units.mean(axis=0)), abs=1e-5)  # S4-49


def test_recording_does_not_change_the_bits(backend: str, tmp_path: Path):
    often = record(simulation(backend), 40, tmp_path / "often", every=1)
    rarely = record(simulation(backend), 40, tmp_path / "rarely", every=1000)
    assert often.final_hash == rarely.final_hash == plain_hash(40, backend)
    assert [row["step"] for row in rarely.metrics()] == [0, 40]
    gone_on = often.final(backend)
    assert gone_on.step_count == 40
    gone_on.step(10)
    assert gone_on.state_hash() == plain_hash(50, backend)


def test_a_run_may_be_of_no_steps_and_may_continue_from_a_later_one(tmp_path: Path):
    later = simulation()
    later.step(7)
    run = record(later, 0, tmp_path / "none")
    assert [row["step"] for row in run.metrics()] == [7]
    run = record(later, 8, tmp_path / "some", every=5)
    assert [row["step"] for row in run.metrics()] == [7, 10, 15]
    assert run.final_hash == plain_hash(15)


def test_what_cannot_be_said_of_an_empty_flock_is_nan_again(tmp_path: Path):
    run = record(simulation(agents=0), 1, tmp_path / "run")
    assert "NaN" not in (run.folder / METRICS).read_text()
    assert all(math.isnan(row["polarization"]) for row in run.metrics())


@pytest.mark.parametrize(("steps", "every"), [(-1, 10), (5, 0), (5, -3)])
def test_senseless_numbers_are_refused_before_anything_is_written(steps: int, every: int, tmp_path: Path):
    with pytest.raises(ScenarioError, match=f"got {steps} and {every}"):
        record(simulation(), steps, tmp_path / "run", every)
    assert not (tmp_path / "run").exists()


def test_more_steps_than_can_be_counted_are_refused(tmp_path: Path):
    with pytest.raises(ScenarioError, match=r"expected at most \d+ steps, got 99999999999999999999"):
        record(simulation(), 99_999_999_999_999_999_999, tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_run_never_overwrites_anything(tmp_path: Path):
    record(simulation(), 2, tmp_path / "run")
    before = {path.name: path.read_bytes() for path in (tmp_path / "run").iterdir()}
    later = simulation()
    with pytest.raises(ScenarioError, match="is not empty: choose a new folder"):
        record(later, 2, tmp_path / "run")
    assert {path.name: path.read_bytes() for path in (tmp_path / "run").iterdir()} == before
    assert later.step_count == 0
    (tmp_path / "empty").mkdir()
    assert record(later, 2, tmp_path / "empty").final_hash == plain_hash(2)


def test_an_interrupt_keeps_whole_steps(tmp_path: Path):
    """The signal arrives during steps and takes effect when they are done."""
    interrupted = simulation("cpu")

    def press(step: int, end: int) -> None:
        if step >= 30:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        record(interrupted, 100_000, tmp_path / "run", every=15, progress=press)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    run = mm.open_run(tmp_path / "run")
    assert run.manifest["status"] == "interrupted"
    assert run.manifest["steps_done"] == 30
    assert [row["step"] for row in run.metrics()] == [0, 15, 30]
    assert run.final_hash == plain_hash(30, "cpu") == run.final("cpu").state_hash()


def test_a_second_interrupt_acts_at_once(tmp_path: Path):
    def press(step: int, end: int) -> None:
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        pytest.fail("the second one was not heard")

    with pytest.raises(KeyboardInterrupt):
        record(simulation(), 50, tmp_path / "run", progress=press)
    assert mm.open_run(tmp_path / "run").manifest["status"] == "interrupted"


def test_runs_are_read_lazily(tmp_path: Path):
    """Opening reads only the small files: metrics may still be growing, and the rest may be missing."""
    folder = record(simulation(), 20, tmp_path / "run", every=5).folder
    for name in (TRAJECTORY, "checkpoint-A.npz", "checkpoint-B.npz"):
        (folder / name).unlink()
    as_killed(folder)
    run = mm.open_run(str(folder))
    rows = run.metrics()
    assert next(rows)["step"] == 0
    with (folder / METRICS).open("ab") as lines:
        lines.write(line_of({"step": 25, "time": 2.5, "polarization": None}))
    assert [row["step"] for row in rows] == [5, 10, 15, 20, 25]
    with pytest.raises(RunError, match="has no final state: the run did not end"):
        run.final()
    with pytest.raises(RunError, match=r"cannot read .*run\.gsd"):
        run.frames  # noqa: B018


def test_a_run_that_has_only_begun_has_no_final_hash(tmp_path: Path):
    seen: list[Any] = []

    def look(step: int, end: int) -> None:
        run = mm.open_run(tmp_path / "run")
        seen.append((run.manifest["status"], run.final_hash, [row["step"] for row in run.metrics()]))

    record(simulation(), 3, tmp_path / "run", every=1, progress=look, checkpoint_every="1")
    # A checkpoint waits until everything before its step is written; later frames may not have arrived yet.
    assert [(status, final) for status, final, _ in seen] == [("running", None)] * 3
    assert [steps[:k] for k, (_, _, steps) in enumerate(seen)] == [[], [0], [0, 1]]


@pytest.mark.parametrize(
    ("damage", "kind", "message"),
    [
        (lambda f: (f / MANIFEST).unlink(), ScenarioError, "was stopped before it began. Start it again"),
        (lambda f: (f / MANIFEST).write_text("[1, 2]"), ScenarioError, "manifest.json was written by another program"),
        (lambda f: (f / MANIFEST).write_text('{"name": "web app"}'), ScenarioError, "was written by another program"),
        (lambda f: (f / MANIFEST).write_text("[" * 100_000), RunError, "is damaged"),
        (lambda f: (f / MANIFEST).write_text('{"seed": '), RunError, "is damaged"),
        (lambda f: (f / MANIFEST).write_bytes(b"\xff\xfe"), RunError, "is damaged"),
    ],
)  # fmt: skip
def test_damaged_folders_are_named(damage: Any, kind: Any, message: str, tmp_path: Path):
    folder = record(simulation(), 1, tmp_path / "run-to-break").folder
    damage(folder)
    with pytest.raises(kind, match="run-to-break") as error:
        mm.open_run(folder)
    assert message in str(error.value)


def test_a_torn_last_line_of_metrics_is_left_out_and_a_broken_one_named(tmp_path: Path):
    run = record(simulation(), 3, tmp_path / "run", every=1)
    path = run.folder / METRICS
    whole = path.read_text()
    for cut in range(1, len(whole.splitlines()[-1]) + 1, 7):
        path.write_text(whole[:-cut])
        with pytest.warns(
            DamageWarning, match=r"metrics\.jsonl is damaged: it has 3 complete lines, expected 4"
        ):
            assert [row["step"] for row in run.metrics()] == [0, 1, 2]
    path.write_text(whole.replace('"step": 1,', '"step": 7,'))
    with pytest.warns(
        DamageWarning, match=r"metrics\.jsonl is damaged: line 2: it does not match its checksum"
    ):
        assert [row["step"] for row in run.metrics()] == [0, 2, 3]
    path.unlink()
    with pytest.raises(RunError, match=r"cannot read .*metrics\.jsonl: .*No such file"):
        list(run.metrics())


def test_a_damaged_final_state_is_reported(tmp_path: Path):
    run = record(simulation(), 1, tmp_path / "run")
    path = run.folder / "checkpoint-B.npz"
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(RunError, match=r"has no final state: .*checkpoint-B\.npz is damaged"):
        run.final()


def test_a_folder_that_is_none(tmp_path: Path):
    with pytest.raises(ScenarioError, match="Make one with `murmura run`"):
        mm.open_run(tmp_path / "nowhere")


def test_only_one_process_writes_to_a_folder(tmp_path: Path):
    def meanwhile(step: int, end: int) -> None:
        with pytest.raises(ScenarioError, match="another process is writing to"):
            resume(tmp_path / "run")

    record(simulation(), 1, tmp_path / "run", progress=meanwhile)


def test_a_run_that_breaks_down_says_so_and_keeps_what_was_good(tmp_path: Path):
    broken = simulation("cpu")

    def poison(step: int, end: int) -> None:
        if step == 1:
            state = broken.state.copy()
            state["velocity_x"][3] = np.nan
            broken.load_state(state)

    with pytest.raises(RunError, match="no finite place or velocity"):
        record(broken, 100, tmp_path / "run", every=10, progress=poison)
    run = mm.open_run(tmp_path / "run")
    assert (run.status, run.final_hash) == ("failed", None)
    assert "no finite place or velocity" in run.manifest["error"]
    assert run.frames.steps.tolist() == [row["step"] for row in run.metrics()] == [0]
    # The invalid state was never saved, so the resumed run is intact.
    assert resume(run.folder).final_hash == plain_hash(100, "cpu")


def test_a_measure_that_fails_is_reported(tmp_path: Path):
    mm.register_measure("of_nobody", lambda flock: 1 / (flock.agent_count - 60))
    try:
        with pytest.raises(RunError, match="a measure failed: ZeroDivisionError"):
            record(simulation(), 5, tmp_path / "run")
        assert mm.open_run(tmp_path / "run").status == "failed"
    finally:
        unregister_measure("of_nobody")
    with pytest.raises(ScenarioError, match="have the measures of_nobody, which are not registered"):
        resume(tmp_path / "run")


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"columns": ["enregy"]}, "did you mean 'energy'"),
        ({"metrics_every": 15}, "expected a multiple of 10 steps between them, got 15"),
        ({"metrics_every": 0}, "got 0"),
        ({"checkpoint_every": "often"}, "30s, 5min, 1h\\), got 'often'"),
        ({"checkpoint_every": "0"}, "got '0'"),
        ({"checkpoint_every": "0s"}, "got '0s'"),
        ({"checkpoint_every": "-3s"}, "got '-3s'"),
    ],
)
def test_invalid_arguments_are_refused_before_anything_is_written(
    more: dict[str, Any], message: str, tmp_path: Path
):
    with pytest.raises(mm.MurmuraError, match=message):
        record(simulation(), 5, tmp_path / "run", 10, **more)
    assert not (tmp_path / "run").exists()


def test_large_flocks_are_measured_less_often():
    """It depends only on the step, so that equal runs write equal lines."""
    names = list(MEASURES)
    cadence = Cadence(Recording(every=10, checkpoint_every="30s", measures=names), 0, 50_005)
    large = {step: cadence.measures(step, 100_000) for step in [*range(0, 50_000, 10), 50_005]}
    assert [step for step, taken in large.items() if taken == names] == [20_000, 40_000]
    some = [step for step, taken in large.items() if taken]
    assert some == [*range(0, 50_000, 800), 50_005]
    assert all("polarization" in large[step] for step in some)
    asked = Cadence(Recording(every=10, metrics_every=50, checkpoint_every="30s", measures=names), 0, 95)
    assert [step for step in (*range(0, 95, 10), 95) if asked.measures(step, 100_000)] == [0, 50, 95]


def test_measures_nobody_named_cost_a_fifth_of_a_run():
    """Intervals do not depend on the frames; cheap measures are more frequent, and both ends have all of them."""
    names = list(MEASURES)[:13]
    for agents, every in ((50, 2), (500, 4), (500, 100), (5_000, 10)):
        cadence = Cadence(Recording(every=every, checkpoint_every="30s", measures=names), 0, 100_000)
        taken = {step: cadence.measures(step, agents) for step in range(0, 100_001, every)}
        work = 100_000 * STEP(agents) + len(taken) * FRAME(agents)
        cost = sum(microseconds(each, agents) for each in taken.values() if each)
        assert cost < 0.2 * work + 5e5, (agents, every, cost / work)
        assert taken[0] == taken[100_000] == names
        assert all(each == [name for name in names if name in each] for each in taken.values())
        often, seldom = (
            [step for step, each in taken.items() if name in each]
            for name in ("polarization", "clustering_coefficient")
        )
        assert set(seldom) < set(often)
        told = cadence.thinned(agents)
        assert told is not None and "clustering_coefficient" in told[0]
        assert seldom[-2] - seldom[-3] == told[1]


def test_what_was_taken_does_not_depend_on_how_long_a_run_becomes():
    names = list(MEASURES)[:13]
    short, long = (
        Cadence(Recording(every=2, checkpoint_every="30s", measures=names), 0, end) for end in (3_000, 90_000)
    )
    steps = range(2, 3_000, 2)
    assert [short.measures(step, 500) for step in steps] == [long.measures(step, 500) for step in steps]


def test_named_measures_are_taken_with_every_frame(tmp_path: Path):
    run = record(simulation(), 60, tmp_path / "run", 1, measures=["clustering_coefficient"])
    assert all(math.isfinite(row["clustering_coefficient"]) for row in run.metrics())
    usual = record(simulation("cpu"), 400, tmp_path / "usual", 1)
    rows = list(usual.metrics())
    assert [row["step"] for row in rows] == list(range(401))  # agents are counted in each
    some = [row for row in rows if math.isfinite(row["clustering_coefficient"])]
    assert 20 < len(some) < 200
    assert usual_cadence(scenario(), 400, 1) is not None and usual_cadence(scenario(), 40, 10) is None


def test_checkpoints_come_by_steps_or_by_time():
    interval = parse_interval("5")
    interval.restart(10)
    assert [interval.is_over(step) for step in (10, 14, 15, 16)] == [False, False, True, True]
    assert [interval.left(step) for step in (10, 14, 15)] == [5, 1, 1]
    assert (parse_interval("2.5min").seconds, parse_interval(" 1 h ").seconds) == (150.0, 3600.0)
    brief = parse_interval("0.000001s")
    brief.restart(0)
    while not brief.is_over(0):
        pass


def test_a_manifest_says_what_it_was_made_with(tmp_path: Path):
    run = record(simulation(), 1, tmp_path / "run", columns=["panic", "id"])
    head = subprocess.run(
        ["git", "-C", str(Path(mm.__file__).parent), "rev-parse", "HEAD"], capture_output=True, text=True
    )
    if head.returncode == 0:
        assert run.manifest["git"].removesuffix("-dirty") == head.stdout.strip()
    assert run.manifest["recording"]["columns"] == ["panic_level"]  # ids are always recorded
    assert datetime.fromisoformat(run.manifest["started"]) <= datetime.now(UTC)
