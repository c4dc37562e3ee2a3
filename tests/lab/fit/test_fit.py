"""Fits on the reference with very few agents: results, resuming, and refusals."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import murmura as mm
from murmura.core.errors import RunError, ScenarioError
from murmura.lab.damage import DamageWarning
from murmura.lab.figures.plot import plot
from murmura.lab.fit import inference
from murmura.lab.fit.fit import resume_fit
from murmura.lab.fit.folder import Fit, open_fit
from murmura.lab.fit.one_fit_run import FitQuestion
from murmura.lab.runs.recording import record
from murmura.lab.runs.run import Run
from murmura.lab.sweeps.executors import ExecutorProcesses
from murmura.lab.sweeps.jobs import do_job
from tests.optional import needs

pytestmark = needs("pyabc")
SPEED = ["motion.speed=0.5:8"]
MEASURES = ["speeds"]


def model(speed: float = 3.0) -> mm.Scenario:
    return mm.load_scenario("couzin").with_values(
        {"agents": 3, "world": {"width": 30.0, "height": 20.0, "boundary": "reflect"}, "start.radius": 3.0,
         "motion.speed": speed}
    )  # fmt: skip


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    simulation = mm.Simulation(model(5.0), 3, "reference")
    return record(simulation, 8, tmp_path_factory.mktemp("target") / "run", 1, measures=["polarization"])


def fitted(run: Run, out: Path, **more: Any) -> Fit:
    usual: dict[str, Any] = {
        "measures": MEASURES, "population": 6, "generations": 2, "seconds": 0.5, "instants": 2, "batch": 6,
        "predictions": 3, "workers": 0, "backend": "reference", "progress": lambda done, end: None,
    }  # fmt: skip
    return mm.fit(model(), run, SPEED, out, **usual | more)


@pytest.fixture(scope="module")
def made(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Fit:
    return fitted(run, tmp_path_factory.mktemp("fit") / "fit")


def test_a_fit_ends_where_too_few_runs_are_accepted(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Later generations accept ever fewer runs; a hundredth is the floor (docs/fit.md)."""
    assert inference.LEAST_ACCEPTANCE == 0.01
    monkeypatch.setattr(inference, "LEAST_ACCEPTANCE", 0.9)
    ended = fitted(run, tmp_path / "fit", generations=5).result["generations"]
    shares = [entry["accepted"] / entry["runs"] for entry in ended]
    assert len(ended) < 5 and shares[-1] < 0.9 <= min([1.0, *shares[:-1]])


def test_a_fit_finds_the_speed_that_was_simulated(made: Fit):
    [line] = made.table().values()
    # Two small generations of a prior from 0.5 to 8: close, but still wide.
    assert abs(line["q50"] - 5.0) < 1.2 and line["q95"] - line["q05"] < 4.0
    told = made.result["generations"]
    assert len(told) == 2 and told[0]["epsilon"] > told[-1]["epsilon"]
    assert made.probabilities == {"couzin": pytest.approx(1.0)}


def test_a_fit_leaves_tables_and_its_best_run(made: Fit, run: Run):
    with (made.folder / "posterior.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == 6 and sum(float(line["weight"]) for line in lines) == pytest.approx(1.0)
    best = min(lines, key=lambda line: float(line["distance"]))
    beside = mm.open_run(made.folder / "best")
    assert beside.scenario.motion.speed == pytest.approx(float(best["motion.speed"]))
    assert beside.scenario.world == run.scenario.world and beside.status == "finished"
    assert len(made.predictions()) == 3 and len(made.distances()["speeds"]) == 3


def test_a_row_is_what_its_run_gives(made: Fit):
    """Repeating a run gives the same summaries."""
    rows = made.rows()
    row = rows.get(3)
    rows.close()
    assert row is not None
    task = {key: row[key] for key in ("run", "model", "values", "seed")}
    [again] = do_job(made.question.data(), [task])
    assert again["summaries"] == row["summaries"]
    assert FitQuestion.from_data(json.loads(json.dumps(made.question.data()))) == FitQuestion.from_data(
        made.question.data()
    )


def test_the_same_fit_again_does_nothing_and_another_is_refused(made: Fit, run: Run):
    before = (made.folder / "rows.jsonl").read_bytes()
    again = fitted(run, made.folder)
    assert again.result == made.result and (made.folder / "rows.jsonl").read_bytes() == before
    with pytest.raises(ScenarioError, match="contains another fit, which differs in population, instants"):
        fitted(run, made.folder, population=9, instants=4)


def test_a_fit_that_was_killed_continues_to_the_same_result(made: Fit, run: Run, tmp_path: Path):
    class Stop(Exception):
        pass

    def stop(done: int, end: int) -> None:
        if done >= 10:
            raise Stop

    with pytest.raises(Stop):
        fitted(run, tmp_path / "fit", progress=stop)
    there = open_fit(tmp_path / "fit")
    assert not there.is_finished and "not finished" in repr(there)
    with pytest.raises(RunError, match="is not finished: repeat its command"):
        there.posterior()
    # A run whose line was truncated when the process died is repeated.
    content = (tmp_path / "fit" / "rows.jsonl").read_bytes()
    (tmp_path / "fit" / "rows.jsonl").write_bytes(content[:-40])
    done = resume_fit(tmp_path / "fit", workers=0, progress=lambda done, end: None)
    assert done.result == made.result


def test_workers_and_this_process_give_the_same_rows(made: Fit):
    executor = ExecutorProcesses(made.question, 1)
    try:
        rows = made.rows()
        row = rows.get(0)
        rows.close()
        assert row is not None
        task = {key: row[key] for key in ("run", "model", "values", "seed")}
        [found] = executor.submit([task]).result()
    finally:
        executor.close()
    assert found["summaries"] == row["summaries"]


def test_two_models_are_compared(run: Run, tmp_path: Path):
    """A model that can swim as fast as the animals is more probable than one that cannot."""
    slow = model().model_copy(update={"name": "slow"})
    found = fitted(run, tmp_path / "fit", against=slow, vary_against=["motion.speed=0.5:2"])
    assert found.names == ["couzin", "slow"]
    assert found.probabilities["couzin"] > 0.7
    assert sum(found.probabilities.values()) == pytest.approx(1.0)
    for kind in ("corner", "predictive", "models"):
        assert plot(found.folder, tmp_path / f"{kind}.svg", kind) == kind
        assert (tmp_path / f"{kind}.svg").stat().st_size > 3000
    with pytest.raises(ScenarioError, match="models cannot show"):
        plot(fitted_alone(run, tmp_path).folder, tmp_path / "m.svg", "models")


def fitted_alone(run: Run, folder: Path) -> Fit:
    return fitted(run, folder / "alone", generations=1, predictions=0)


def test_a_fit_without_predictions_has_no_band(run: Run, tmp_path: Path):
    found = fitted_alone(run, tmp_path)
    with pytest.raises(RunError, match="has no predictions"):
        plot(found.folder, tmp_path / "p.svg", "predictive")
    assert plot(found.folder, tmp_path / "c.svg") == "corner"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"measures": ["sped"]}, "cannot compare 'sped'"),
        ({"metric": "euclid"}, "--distance takes wasserstein or energy"),
        ({"population": 2}, "a population of at least 4"),
        ({"generations": 0}, "at least 1 for generations"),
        ({"most_runs": 3}, "to 1,000,000 runs"),
        ({"seconds": -1.0}, "--seconds takes a number > 0"),
        ({"seconds": 1.0, "discard": 2.0}, "--discard takes at least 0"),
        ({"predictions": -1}, "at least 0 predictions"),
        ({"workers": 1, "scheduler": "tcp://x"}, "use one of them"),
        ({"against": "couzin"}, "nothing is varied"),
        ({"changes": {"motion.sped": 1.0}}, "motion"),
    ],
)
def test_invalid_arguments_are_refused_before_anything_is_written(
    run: Run, tmp_path: Path, options: dict[str, Any], words: str
):
    with pytest.raises(ScenarioError, match=words):
        fitted(run, tmp_path / "fit", **options)
    assert not (tmp_path / "fit").exists()


@pytest.mark.parametrize(
    ("vary", "words"),
    [
        (["motion.speed=1,2,3"], "a fit takes ranges"),
        (["motion.speed=1:2:5"], "a fit takes ranges"),
        (["motion.speed=-1:2"], r"with motion\.speed=-1"),
        (["motion.velocity=1:2"], "motion"),
    ],
)
def test_ranges_are_checked(run: Run, tmp_path: Path, vary: list[str], words: str):
    with pytest.raises(ScenarioError, match=words):
        mm.fit(model(), run, vary, tmp_path / "fit", measures=MEASURES, backend="reference", workers=0)
    assert not (tmp_path / "fit").exists()


def test_folders_that_are_none(made: Fit, run: Run, tmp_path: Path):
    (tmp_path / "note.txt").write_text("mine")
    with pytest.raises(ScenarioError, match="is not empty and does not contain a fit"):
        fitted(run, tmp_path)
    with pytest.raises(ScenarioError, match="is not the folder of a fit"):
        open_fit(tmp_path)
    changed = (made.folder / "fit.json").read_text().replace('"population": 6', '"population": 7')
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy" / "fit.json").write_text(changed)
    with pytest.warns(DamageWarning, match="does not match its seal"):
        open_fit(tmp_path / "copy")


def test_a_run_too_short_to_fit_to(tmp_path: Path):
    short = record(mm.Simulation(model(), 1, "reference"), 1, tmp_path / "run", 1)
    with pytest.raises(RunError, match="has 2 frames, expected at least 3"):
        fitted(short, tmp_path / "fit")
    assert np.isfinite(short.frames[0].positions).all()
