"""Sensitivity indices and searches, on measures whose answers are known by calculation."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from murmura.core.errors import RunError, ScenarioError
from murmura.lab.search import best_cell, optimize
from murmura.lab.sensitivity import indices, is_vague, sensitivity
from murmura.lab.sweeps.folder import open_sweep
from murmura.lab.sweeps.sweep import resume_sweep, sweep
from murmura.measure import register_measure, unregister_measure
from tests.optional import needs

from .tampering import forged

pytestmark = needs("SALib", "optuna")
SIDES = ["world.width=200:400", "world.height=200:400"]
QUICK: dict[str, Any] = {"changes": {"agents": 1}, "workers": 0, "backend": "reference", "discard": 0}


@pytest.fixture(autouse=True)
def measures() -> Iterator[None]:
    known = {
        "weighed": lambda flock: flock.width + 2.0 * flock.height,
        "area": lambda flock: flock.width * flock.height,
        "off": lambda flock: (flock.width - 330.0) ** 2 + (flock.height - 240.0) ** 2,
        "undefined": lambda flock: float("nan") if flock.width < 300.0 else 1.0,
    }
    for name, function in known.items():
        register_measure(name, function)
    yield
    for name in known:
        unregister_measure(name)


def test_sobol_indices_are_the_shares_of_variance(tmp_path: Path):
    names = ["weighed", "area", "undefined"]
    made = sensitivity("classic", SIDES, 1, tmp_path / "s", samples=32, seed=2, measures=names, **QUICK)
    found = {(line["measure"], line["path"]): line for line in indices(made, names)}
    # For a sum of independent terms: the variances of the terms, 1 to 4, and no interaction.
    for path, share in (("world.width", 0.2), ("world.height", 0.8)):
        assert found["weighed", path]["first"] == pytest.approx(share, abs=0.1)
        assert found["weighed", path]["total"] == pytest.approx(share, abs=0.1)
    # For a product of two equal factors with mean m and variance v: v m^2 each, and v^2 for the interaction.
    mean, variance = 300.0, 200.0**2 / 12.0
    alone = variance * mean**2 / (2.0 * variance * mean**2 + variance**2)
    for path in ("world.width", "world.height"):
        assert found["area", path]["first"] == pytest.approx(alone, abs=0.1)
        assert found["area", path]["total"] == pytest.approx(1.0 - alone, abs=0.1)
        assert found["undefined", path]["first"] is None
    with (made.folder / "indices.csv").open() as file:
        written = list(csv.DictReader(file))
    assert [float(line["first"]) for line in written if line["measure"] == "area"] == [
        found["area", path]["first"] for path in made.paths
    ]
    assert written[0]["first_interval"] == str(
        found["weighed", "world.width"]["first_interval"]
    )  # seeded, too


def test_morris_effects_are_the_slopes(tmp_path: Path):
    made = sensitivity(
        "classic", SIDES, 1, tmp_path / "s", method="morris", samples=4, measures=["weighed", "area"], **QUICK
    )
    assert made.design.cell_count == 12
    found = {(line["measure"], line["path"]): line for line in indices(made, ["weighed", "area"])}
    for path, slope in (("world.width", 200.0), ("world.height", 400.0)):
        assert found["weighed", path]["mu_star"] == pytest.approx(slope)
        assert found["weighed", path]["sigma"] == pytest.approx(0.0, abs=1e-6)
        assert found["area", path]["sigma"] > 1000.0  # depends on the other side


def test_indices_need_the_right_design_and_all_of_it(tmp_path: Path):
    with pytest.raises(ScenarioError, match=r"'sobl'.*did you mean 'sobol'"):
        sensitivity("classic", SIDES, 1, tmp_path / "s", method="sobl")
    grid = sweep("classic", ["world.width=200:400:3"], 1, tmp_path / "grid", measures=["area"], **QUICK)
    with pytest.raises(ScenarioError, match="has the design grid"):
        list(indices(grid, ["area"]))

    def stop(done: int, of: int) -> None:
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sensitivity("classic", SIDES, 1, tmp_path / "s", samples=4, measures=["area"], progress=stop, **QUICK)
    with pytest.raises(RunError, match="only 3 of 24 cells"):
        list(indices(open_sweep(tmp_path / "s"), ["area"]))


def test_other_points_than_those_begun_with_are_refused(tmp_path: Path):
    made = sensitivity("classic", SIDES, 1, tmp_path / "s", samples=4, measures=["area"], **QUICK)
    forged(made.folder / "sweep.json", points="0" * 64)
    with pytest.raises(RunError, match="other points with the installed libraries"):
        resume_sweep(made.folder, workers=0)
    with pytest.raises(RunError, match="other points"):
        list(indices(open_sweep(made.folder), ["area"]))


def searched(out: Path, trials: int = 26, **more: Any):
    return optimize("classic", SIDES, 1, out, minimize="off", trials=trials, **(QUICK | more))


def test_a_search_finds_what_it_looks_for(tmp_path: Path):
    made = searched(tmp_path / "s", trials=50, seed=1)
    best = best_cell(made)
    assert best["off"] == min(line["off"] for line in made.runs())
    assert best["off"] == pytest.approx(
        (best["world.width"] - 330.0) ** 2 + (best["world.height"] - 240.0) ** 2
    )
    # Better than the same number of random points in 19 of 20 cases.
    chance = np.random.default_rng(0).uniform(200.0, 400.0, (1000, 50, 2))
    lucky = ((chance - [330.0, 240.0]) ** 2).sum(axis=2).min(axis=1)
    assert best["off"] < np.quantile(lucky, 0.05)


@pytest.mark.parametrize("stops", [(3, 13, 22), (8, 9, 10)])
def test_a_search_that_was_stopped_ends_as_one_that_was_not(stops: tuple[int, ...], tmp_path: Path):
    whole = searched(tmp_path / "whole", seed=4, repeats=2)
    out, before = tmp_path / "stopped", 0
    for stop in stops:

        def halt(done: int, of: int, goal: int = stop - before) -> None:
            if done >= goal:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            searched(out, seed=4, repeats=2, progress=halt)
        before = stop
        assert len(list(open_sweep(out).runs())) == stop
    resume_sweep(out, workers=0)
    for name in ("table.csv", "cells.csv"):
        assert (out / name).read_bytes() == (whole.folder / name).read_bytes()


def test_more_trials_continue_with_the_same_search(tmp_path: Path):
    whole = searched(tmp_path / "whole", trials=20)
    searched(tmp_path / "grown", trials=12)
    told: list[Any] = []
    searched(tmp_path / "grown", trials=20, progress=lambda *now: told.append(now))
    assert told[-1] == (8, 8)
    assert (tmp_path / "grown" / "table.csv").read_bytes() == (whole.folder / "table.csv").read_bytes()
    with pytest.raises(ScenarioError, match="maximize was false, now true"):
        optimize("classic", SIDES, 1, tmp_path / "grown", maximize="off", trials=20, **QUICK)


def test_optuna_reads_its_journal(tmp_path: Path):
    import optuna
    from optuna.storages import journal

    made = searched(tmp_path / "s", trials=9)
    storage = journal.JournalStorage(journal.JournalFileBackend(str(made.folder / "optuna.jsonl")))
    study = optuna.load_study(study_name=None, storage=storage)
    assert len(study.trials) == 9
    assert study.best_value == best_cell(made)["off"]
    assert study.best_params["world.width"] == pytest.approx(best_cell(made)["world.width"])


def test_a_search_without_any_result_says_so(tmp_path: Path):
    with pytest.raises(ScenarioError, match="batch of at least 1"):
        searched(tmp_path / "s", batch=0)
    for both in ({}, {"maximize": "off", "minimize": "off"}):
        with pytest.raises(ScenarioError, match="either --maximize MEASURE or --minimize MEASURE"):
            optimize("classic", SIDES, 1, tmp_path / "s", trials=3, **(QUICK | both))
    made = optimize(
        "classic", ["world.width=200:290"], 1, tmp_path / "s", maximize="undefined", trials=3, **QUICK
    )
    with pytest.raises(RunError, match=r"no trial .* reached a value of undefined"):
        best_cell(made)


def test_an_index_that_its_interval_hides_is_vague():
    line = {"measure": "spread", "path": "agents", "first": 0.4, "first_interval": 0.1, "total": -0.2}
    assert not is_vague({**line, "total_interval": 0.15})
    assert is_vague({**line, "total_interval": 0.25})
    assert not is_vague(
        {"measure": "spread", "path": "agents", "mu": None, "mu_star": None, "mu_star_interval": None}
    )
