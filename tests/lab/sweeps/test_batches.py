"""Runs that are stepped together have the rows of runs that are alone, bit by bit."""

from __future__ import annotations

import math
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import murmura as mm
from murmura.engine.ensemble import Ensemble
from murmura.lab.fit.one_fit_run import FitQuestion
from murmura.lab.sweeps import batches, executors, one_run
from murmura.lab.sweeps.batches import batch_size
from murmura.lab.sweeps.design import run_seed
from murmura.lab.sweeps.jobs import do_job
from murmura.lab.sweeps.one_run import Question
from murmura.lab.sweeps.sweep import sweep
from murmura.measure import Flock, register_measure, unregister_measure

Row = dict[str, Any]


def question_of(name: str, agents: int = 20, **more: Any) -> Question:
    scenario = mm.load_scenario(name).with_values({"agents": agents})
    return Question.checked(scenario, 40, 20, 5, more.pop("measures", None), **more)


def tasks_of(cells: list[Row], repeats: int = 2) -> list[Row]:
    every = [(cell, k) for cell in cells for k in range(repeats)]
    return [{"run": n, "values": cell, "seed": run_seed(3, n, k)} for n, (cell, k) in enumerate(every)]


def without_time(rows: list[Row]) -> list[Row]:
    return [{key: value for key, value in row.items() if key != "seconds"} for row in rows]


def one_by_one(question: Any, tasks: list[Row]) -> list[Row]:
    return [row for task in tasks for row in do_job(question.data(), [task])]


class Count:
    """Counts the worlds of each ensemble that is made."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.sizes: list[int] = []
        made = Ensemble.of_plans

        def counted(plans: Any, *rest: Any, **more: Any) -> Ensemble:
            self.sizes.append(len(plans))
            return made(plans, *rest, **more)

        monkeypatch.setattr(Ensemble, "of_plans", counted)


CELLS: dict[str, list[Row]] = {
    "classic": [{"rules.cohesion.weight": 0.5}, {"rules.cohesion.weight": 2.0}, {"agents": 31}],
    "ecosystem": [{"rules.energy.decay": 0.001}, {"rules.energy.decay": 0.9}],
    "starlings": [{}, {"rules.alignment.enabled": False}, {"motion.time_step": 0.5}, {"world.width": 900.0}],
    "couzin-space": [{}, {"perception.radius": 9.0}],
}


@pytest.mark.parametrize("name", CELLS)
def test_rows_of_a_batch_are_those_of_each_run(name: str, monkeypatch: pytest.MonkeyPatch):
    count = Count(monkeypatch)
    question, tasks = question_of(name), tasks_of(CELLS[name])
    found = do_job(question.data(), tasks)
    assert count.sizes and sum(count.sizes) <= len(tasks)
    assert without_time(found) == without_time(one_by_one(question, tasks))
    assert all("error" not in row for row in found)
    assert len({row["hash"] for row in found}) == len(tasks)
    assert all(row["seconds"] > 0.0 for row in found)


def test_a_worker_validates_its_scenario_once(monkeypatch: pytest.MonkeyPatch):
    data = question_of("classic", agents=21, measures=["polarization"]).data()
    read: list[Any] = []
    from_data = mm.Scenario.from_data
    monkeypatch.setattr(mm.Scenario, "from_data", lambda found: read.append(found) or from_data(found))
    for first in (0, 2, 4):
        assert all("error" not in row for row in do_job(data, tasks_of([{}])[first % 2 :]))
    assert len(read) == 1


def test_kernels_and_time_steps_divide_a_batch(monkeypatch: pytest.MonkeyPatch):
    count = Count(monkeypatch)
    question = question_of("starlings", measures=["polarization"])
    do_job(question.data(), tasks_of(CELLS["starlings"]))
    assert sorted(count.sizes) == [2, 2, 4]
    monkeypatch.setattr(batches, "MOST_AGENTS", 45)
    count.sizes.clear()
    do_job(question.data(), tasks_of([{}], 5))
    assert count.sizes == [2, 2]


def test_an_error_is_in_the_row_of_its_own_run():
    def fails_when_wide(flock: Flock) -> float:
        if flock.radius > 50.0:
            raise ValueError("too wide")
        return flock.radius

    register_measure("fails_when_wide", fails_when_wide)
    try:
        question = question_of("classic", measures=["fails_when_wide"])
        wide, bad = {"perception.radius": 60.0}, {"perception.radius": -1.0}
        rows = do_job(question.data(), tasks_of([{"perception.radius": 40.0}, wide, bad], 1))
    finally:
        unregister_measure("fails_when_wide")
    assert rows[0]["measures"]["fails_when_wide"] == 40.0
    assert rows[1]["error"] == "ValueError: too wide"
    assert "perception.radius" in rows[2]["error"]


def test_a_sweep_in_batches_writes_the_same_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def swept(folder: str, **more: Any) -> list[Row]:
        scenario = mm.load_scenario("classic").with_values({"agents": 15})
        vary = {"rules.cohesion.weight": [0.1, 1.0, 3.0], "world.boundary": ["wrap", "soft"]}
        made = sweep(scenario, vary, 30, tmp_path / folder, repeats=4, **more)
        with closing(made.rows()) as rows:
            return without_time(list(rows))

    count = Count(monkeypatch)
    together = swept("inline", workers=0)
    assert max(count.sizes) >= 4
    assert swept("processes", workers=2) == together
    monkeypatch.setattr(one_run.Question, "batch", property(lambda self: 1))
    count.sizes.clear()
    assert swept("alone", workers=0) == together
    assert not count.sizes


def test_batches_are_small_enough_to_lose():
    assert batch_size(20, 100, "auto") == 256
    assert batch_size(100_000, 100, "cpu") == 1
    assert batch_size(100, 1_000_000, "auto") == 1
    assert batch_size(100, 3000, "reference") == batch_size(100, 3000, "cuda") == 1
    assert 50 < batch_size(300, 3000, "auto") < 60


def test_a_worker_that_dies_repeats_its_batch_one_by_one(tmp_path: Path):
    file = tmp_path / "deadly.py"
    file.write_text(
        "import os\nimport murmura as mm\n"
        "@mm.register_measure('deadly_in_batches')\n"
        "def deadly(flock):\n    flock.radius > 50 and os.kill(os.getpid(), 9)\n    return 1.0\n"
    )
    scenario = mm.load_scenario("classic").with_values({"agents": 12})
    question = Question(
        scenario.model_dump(mode="json"), 2, 0, 1, ("deadly_in_batches", "population"), "cpu", 1, (str(file),)
    )
    executor = executors.ExecutorProcesses(question, 1)
    try:
        tasks = tasks_of(
            [{"perception.radius": 30.0}, {"perception.radius": 60.0}, {"perception.radius": 40.0}], 1
        )
        rows = executor.submit(tasks).result()
    finally:
        executor.close()
    assert [row["run"] for row in rows] == [0, 1, 2]
    assert "its worker process died 3 times" in rows[1]["error"]
    assert rows[0]["measures"] == rows[2]["measures"] == {"deadly_in_batches": 1.0, "population": 12.0}


@pytest.mark.parametrize("has_starts", [False, True])
def test_runs_of_a_fit_are_the_same_in_a_batch(has_starts: bool, monkeypatch: pytest.MonkeyPatch):
    models = [
        mm.load_scenario("classic").with_values({"agents": 12}),
        mm.load_scenario("couzin").with_values({"agents": 12}),
    ]
    sim = mm.Simulation(models[0], 4, "cpu")
    rows = [
        [*place, *way] for place, way in zip(sim.positions.tolist(), sim.velocities.tolist(), strict=True)
    ]
    small = [[0.01 * x for x in row] for row in rows[:8]]
    asked = FitQuestion(
        tuple(model.model_dump(mode="json") for model in models), 4.0, 1.0, 6,
        ("polarization", "speeds", "nearest_neighbor_distances", "response_map"), 0.2, 100.0, 60.0,
        starts=(small, small[:5]) if has_starts else (),
    )  # fmt: skip
    tasks = [
        {"run": k, "model": k % 2, "values": {"world.width": 200.0 + k}, "seed": run_seed(1, k, 0)}
        for k in range(8)
    ]
    count = Count(monkeypatch)
    found = do_job(asked.data(), tasks)
    assert sum(count.sizes) == 8
    assert without_time(found) == without_time(one_by_one(asked, tasks))
    assert all("summaries" in row for row in found)
    known = [x for x in found[0]["summaries"]["speeds"] if x is not None]
    assert known and all(map(math.isfinite, known))
