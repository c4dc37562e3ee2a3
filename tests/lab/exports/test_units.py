"""Units stand in every file that is written, and one file has one unit of speed (issue 29, point 31)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import gsd.hoomd
import numpy as np
import polars
import pyarrow.parquet
import pytest
import xarray

import murmura as mm
from murmura.lab.exports.export import export
from murmura.lab.exports.lineage import export_lineage
from murmura.lab.runs.recording import record


@pytest.fixture(scope="module", params=["second", "tick"])
def run(request: Any, tmp_path_factory: pytest.TempPathFactory) -> mm.Run:
    """The same kind of flock with velocities per second and per tick; a tick is a tenth of a second."""
    scenario = mm.load_scenario("classic").with_values(
        {"agents": 20, "motion.velocity_unit": request.param, "motion.time_step": 0.1}
    )
    simulation = mm.Simulation(scenario, 3, "reference")
    return record(simulation, 4, tmp_path_factory.mktemp("runs") / request.param, 2, columns=["mating_timer"])


def speeds(table: polars.DataFrame, x: str = "velocity_x", y: str = "velocity_y") -> list[float]:
    """The mean speed of each step."""
    moving = table.group_by(polars.col(table.columns[0])).agg(
        (polars.col(x) ** 2 + polars.col(y) ** 2).sqrt().mean()
    )
    return moving.sort(table.columns[0])[x].to_list()


def measured(run: mm.Run) -> list[float]:
    return [row["mean_speed"] for row in run.metrics()]


def test_a_table_has_the_speeds_that_are_measured(run: mm.Run, tmp_path: Path):
    export(run, "parquet", tmp_path / "a.parquet")
    assert speeds(polars.read_parquet(tmp_path / "a.parquet")) == pytest.approx(measured(run), rel=1e-5)
    fields = pyarrow.parquet.read_schema(tmp_path / "a.parquet")
    assert fields.field("velocity_x").metadata[b"unit"] == b"u/s"
    assert json.loads(fields.metadata[b"units"])["mating_timer"] == "s"
    taken = pyarrow.parquet.read_schema(tmp_path / "a-metrics.parquet")
    assert taken.field("mean_speed").metadata[b"unit"] == b"u/s"
    assert polars.read_parquet(tmp_path / "a-metrics.parquet").equals(run.to_polars("metrics").collect())

    export(run, "csv", tmp_path / "a.csv")
    table = polars.read_csv(tmp_path / "a.csv")
    assert table.columns[:6] == ["step", "time [s]", "id", "species", "position_x [u]", "position_y [u]"]
    assert speeds(table, "velocity_x [u/s]", "velocity_y [u/s]") == pytest.approx(measured(run), rel=1e-5)
    assert "mean_speed [u/s]" in polars.read_csv(tmp_path / "a-metrics.csv").columns


def test_arrays_have_the_speeds_that_are_measured(run: mm.Run, tmp_path: Path):
    export(run, "zarr", tmp_path / "a.zarr")
    run.to_xarray().to_netcdf(tmp_path / "a.nc")
    opened = (
        run.to_xarray(), xarray.open_zarr(tmp_path / "a.zarr", chunks=None), xarray.open_dataset(tmp_path / "a.nc"),
    )  # fmt: skip
    for data in opened:
        found = np.sqrt((data.velocity**2).sum("axis")).mean("agent")
        assert found.values == pytest.approx(measured(run), rel=1e-5)
        assert (data.velocity.units, data.position.units, data.mating_timer.units) == ("1/s", "1", "s")
        data.close()


def test_recorded_frames_name_the_unit_of_the_scenario(run: mm.Run):
    """They keep it, because a run continues from their bits."""
    expected = "u/s" if run.scenario.motion.velocity_unit == "second" else "u/tick"
    assert run.velocity_unit == run.manifest["units"]["velocity"] == expected
    assert run.manifest["units"]["mean_speed"] == "u/s"
    with gsd.hoomd.open(run.folder / "run.gsd") as trajectory:
        units = json.loads(bytes(trajectory[0].log["units"]).decode())
        assert (units["velocity"], units["position"], units["mating_timer"]) == (expected, "u", "s")
        assert units["time_step"] == f"{run.scenario.motion.time_step!r} s"
        assert units.get("tick") == (None if expected == "u/s" else "0.1 s")
        unit = 1.0 if expected == "u/s" else 0.1
        found = np.linalg.norm(trajectory[2].particles.velocity, axis=1).mean() / unit
        assert found == pytest.approx(measured(run)[2], rel=1e-5)


def test_family_trees_count_steps(run: mm.Run, tmp_path: Path):
    export_lineage(run, tmp_path / "a.csv")
    assert {"born [steps]", "died [steps]"} <= set(polars.read_csv(tmp_path / "a.csv").columns)
    export_lineage(run, tmp_path / "a.parquet")
    metadata = pyarrow.parquet.read_metadata(tmp_path / "a.parquet").metadata
    assert json.loads(metadata[b"units"]) == {"born": "steps", "died": "steps"}
