"""Files with measures over time hold what the dataset holds; sweeps are measured by repeating their runs."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars
import pytest
import xarray

import murmura as mm
from murmura.cli import main
from murmura.lab.measuring.measure_sweep import measure_sweep
from murmura.lab.runs.recording import record

NAMES = "pair_distribution,polarization,fission_fusion"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("measured")
    scenario = mm.load_scenario("vicsek").with_values({"agents": 30})
    record(mm.Simulation(scenario, 1, "reference"), 60, place / "run", 2)
    mm.sweep(
        scenario, {"rules.vicsek.noise": [0.1, 3.0]}, 40, place / "sweep", repeats=2, measures=["polarization"],
        discard=20, every=5, workers=0, progress=lambda done, end: None,
    )  # fmt: skip
    return place


def run_command(*words: str) -> int:
    with pytest.raises(SystemExit) as left:
        main(["measure", *words])
    return int(left.value.code or 0)


def test_all_formats_hold_the_same(folder: Path, capsys: pytest.CaptureFixture[str]):
    for suffix in ("csv", "parquet", "nc"):
        out = ["--out", str(folder / f"found.{suffix}")]
        assert run_command(str(folder / "run"), "--measure", NAMES, "--discard", "0.5", *out) == 0
    expected = mm.measure_run(folder / "run", NAMES.split(","), discard=0.5)
    xarray.testing.assert_equal(xarray.open_dataset(folder / "found.nc", engine="scipy").load(), expected)
    for table in (polars.read_csv(folder / "found.csv"), polars.read_parquet(folder / "found.parquet")):
        curve = table.filter(polars.col("measure") == "pair_distribution")
        assert curve["x"].to_numpy() == pytest.approx(expected.pair_distribution_distance.values)
        assert curve["value"].to_numpy() == pytest.approx(expected.pair_distribution.values)
        rate = table.filter(polars.col("measure") == "fission_rate").row(0, named=True)
        assert (rate["x"], rate["unit"]) == (None, "1/s") and rate["value"] == float(expected.fission_rate)
    said = capsys.readouterr()
    assert "a curve of 40 points against distance [u]" in said.out
    assert "too short for an error" in said.out and "too short for an error of" in said.err


def test_results_are_not_overwritten_and_formats_are_known(folder: Path, capsys: pytest.CaptureFixture[str]):
    (folder / "there.csv").write_text("mine")
    for name, message in (
        ("there.csv", "already exists"),
        ("there.txt", "--out must end in .csv, .parquet, .nc"),
    ):
        assert run_command(str(folder / "run"), "--out", str(folder / name)) == 2
        assert message in capsys.readouterr().err
    assert (folder / "there.csv").read_text() == "mine"
    assert run_command(str(folder / "run"), "--measure", "g") == 2
    assert "no measure is called 'g'" in capsys.readouterr().err


def test_a_sweep_is_measured_cell_by_cell(folder: Path, capsys: pytest.CaptureFixture[str]):
    out = folder / "cells.csv"
    assert (
        run_command(
            str(folder / "sweep"), "--measure", "polarization,structure_factor", "--out", str(out), "--json"
        )
        == 0
    )
    assert json.loads(capsys.readouterr().out)["cells"] == 2
    table = polars.read_csv(out)
    lines = list(mm.open_sweep(folder / "sweep").cells())
    for number, line in enumerate(lines):
        mine = table.filter((polars.col("cell") == number) & (polars.col("measure") == "polarization"))
        assert mine["rules.vicsek.noise"][0] == line["rules.vicsek.noise"]
        # The same instants of the same runs: the same averages as in the sweep's own table.
        assert mine["value"][0] == pytest.approx(line["polarization"])
        assert mine["error"][0] == pytest.approx(line["polarization_error"])
    assert len(table.filter(polars.col("measure") == "structure_factor")["x"].unique()) > 10
    assert (
        run_command(
            str(folder / "sweep"), "--measure", "pair_distribution", "--out", str(folder / "cells.nc")
        )
        == 0
    )
    stored = xarray.open_dataset(folder / "cells.nc", engine="scipy")
    assert stored.pair_distribution.dims == ("cell", "pair_distribution_distance")
    assert stored["rules.vicsek.noise"].values.tolist() == [0.1, 3.0]


def test_a_run_that_ends_elsewhere_is_reported(folder: Path):
    sweep = mm.open_sweep(folder / "sweep")
    found = measure_sweep(sweep, ["polarization"], discard=0.0)
    assert found[0][1].frames == 8 and np.isfinite(
        found[0][1].found["polarization"].numbers["polarization"].value
    )
    sweep.question = type(sweep.question)(**(vars(sweep.question) | {"steps": 39}))
    told: list[str] = []
    measure_sweep(sweep, ["polarization"], announce=told.append)
    assert len(told) == 4 and "ended in another state" in told[0]
