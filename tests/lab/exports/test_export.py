"""A run in other programs' formats, opened by those programs."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars
import pyarrow.parquet
import pytest
import xarray

import murmura as mm
from murmura.core.errors import RunError, ScenarioError
from murmura.core.extras import install_command
from murmura.lab.exports import export as exporting
from murmura.lab.exports.export import export
from murmura.lab.runs.recording import record
from tests.lab.living_simulation import LivingSimulation
from tests.lab.tampering import as_killed


@pytest.fixture(scope="module")
def steady(tmp_path_factory: pytest.TempPathFactory) -> mm.Run:
    """40 agents of four species from start to end."""
    scenario = mm.load_scenario("mixed").with_values({"agents": 40})
    simulation = mm.Simulation(scenario, seed=3, backend="reference")
    folder = tmp_path_factory.mktemp("runs") / "steady"
    return record(simulation, 6, folder, every=2, columns=["energy", "gender", "position_x", "position_y"])


@pytest.fixture(scope="module")
def living(tmp_path_factory: pytest.TempPathFactory) -> mm.Run:
    """Births and deaths; no agent lives through the whole run."""
    scenario = mm.load_scenario("classic").with_values({"agents": 3})
    simulation = LivingSimulation(scenario, seed=1, backend="reference")
    return record(
        simulation, 8, tmp_path_factory.mktemp("runs") / "living", every=1, columns=["energy", "gender"]
    )


def test_arrays_have_names_units_and_the_frames_values(steady: mm.Run):
    data = steady.to_xarray()
    assert dict(data.sizes) == {"step": 4, "agent": 40, "axis": 2}
    assert data.position.dims == ("step", "agent", "axis")
    assert (data.position.units, data.velocity.units, data.time.units) == ("1", "1/s", "s")
    assert data.species.flag_meanings.split() == list(steady.scenario.species_names())
    assert data.attrs["seed"] == "3" and data.attrs["final_hash"] == steady.final_hash
    assert data.attrs["boundary"] == "wrap" and data.attrs["world_width"] == 2000.0
    for number, frame in enumerate(steady.frames):
        now = data.isel(step=number)
        assert (now.step, now.time) == (frame.step, frame.time)
        assert np.array_equal(now.position, frame.positions)
        assert np.array_equal(now.velocity, frame.velocities)
        assert np.array_equal(now.species, frame.species)
        assert np.array_equal(now.energy, frame.columns["energy"])
    assert data.gender.dtype == np.int32


def test_arrays_are_chosen_from_in_every_way(steady: mm.Run):
    data, whole = steady.to_xarray(), steady.to_xarray().load()
    choices: list[dict[str, Any]] = [
        {"step": 1}, {"agent": 7}, {"axis": 0}, {"step": 2, "agent": 5, "axis": 1}, {"step": [3, 0]},
        {"step": slice(None, None, -1)}, {"agent": [9, 3, 3], "axis": [1]},
        {"step": slice(1, 3), "agent": slice(4, 30, 5)},
        {"step": np.array([True, False, True, False])}, {"step": slice(0, 0)}, {"step": -1, "agent": slice(-3, None)},
    ]  # fmt: skip
    for choice in choices:
        assert data.position.isel(choice).identical(whole.position.isel(choice)), choice
    pick = {"step": xarray.DataArray([0, 1], dims="pair"), "agent": xarray.DataArray([5, 6], dims="pair")}
    assert data.position.isel(pick).identical(whole.position.isel(pick))
    assert data.energy.sel(step=4, agent=17).item() == steady.frames[2].columns["energy"][17]


def test_arrays_are_read_when_they_are_needed(steady: mm.Run, monkeypatch: Any):
    read: list[int] = []
    frames = steady.frames
    real = type(frames)._read

    def counted(self: Any, number: int) -> Any:
        read.append(number)
        return real(self, number)

    monkeypatch.setattr(type(frames), "_read", counted)
    data = steady.to_xarray()
    some = data.velocity.isel(step=[3], agent=4)
    table = steady.to_polars()
    assert read == []
    some.load()
    assert read == [3]
    assert table.head(50).select("id").collect().height == 50
    assert read == [3, 0, 1]


def test_those_who_do_not_live_are_nan(living: mm.Run):
    data = living.to_xarray()
    assert data.agent.values.tolist() == [0, 1, 2, 3, 4, 5]
    alive = data.position.notnull().all("axis")
    assert alive.sum("agent").values.tolist() == [3, 4, 5, 3, 2, 1, 0, 0, 1]
    assert np.array_equal(data.gender.notnull(), alive)
    for frame in living.frames:
        now = data.sel(step=frame.step, agent=frame.ids)
        assert np.array_equal(now.position, frame.positions)
        assert np.array_equal(now.gender, frame.columns["gender"])


def test_tables_hold_a_row_for_each_agent_in_each_frame(living: mm.Run):
    table = living.to_polars().collect()
    assert table.height == sum(frame.agent_count for frame in living.frames)
    for frame in living.frames:
        rows = table.filter(polars.col("step") == frame.step)
        assert rows["id"].to_list() == frame.ids.tolist()
        ticks = np.float32(living.scenario.motion.time_step)  # velocities of `classic` are per tick
        assert np.array_equal(rows["velocity_x"], frame.velocities[:, 0] / ticks)
        assert np.array_equal(rows["position_y"], frame.positions[:, 1])
    lazy = living.to_polars().filter(polars.col("id") == 4).select("step", "energy")
    assert lazy.collect()["step"].to_list() == [2, 3, 4, 5]
    metrics = living.to_polars("metrics").collect()
    assert metrics["agents"].to_list() == [frame.agent_count for frame in living.frames]
    assert living.to_polars("events").collect()["kind"].to_list() == [e["kind"] for e in living.events()]
    with pytest.raises(mm.MurmuraError, match=r"'metric' \(did you mean 'metrics'\?\)"):
        living.to_polars("metric")  # type: ignore[arg-type]


@pytest.mark.parametrize("rows", [1, 70, 10**6])
@pytest.mark.parametrize("name", ["steady", "living"])
def test_zarr(name: str, rows: int, tmp_path: Path, request: Any, monkeypatch: Any):
    """In one block or many, xarray opens the same data as directly from the run."""
    monkeypatch.setattr(exporting, "ROWS_AT_ONCE", rows)
    run: mm.Run = request.getfixturevalue(name)
    assert export(run, "zarr", tmp_path / "out.zarr") == [tmp_path / "out.zarr"]
    with xarray.open_zarr(tmp_path / "out.zarr", chunks=None) as data:
        truth = run.to_xarray()
        xarray.testing.assert_identical(data.load().drop_attrs(), truth.load().drop_attrs())
        assert data.attrs == truth.attrs
        for variable in ("position", "velocity", "species"):
            assert data[variable].units == truth[variable].units
    with xarray.open_zarr(tmp_path / "out.zarr", group="metrics", chunks=None) as metrics:
        assert metrics.step.values.tolist() == [row["step"] for row in run.metrics()]
        assert (metrics.mean_speed.units, metrics.polarization.units) == ("1/s", "1")
        assert np.array_equal(
            metrics.polarization, [r["polarization"] for r in run.metrics()], equal_nan=True
        )
    with xarray.open_zarr(tmp_path / "out.zarr", group="events", chunks=None) as events:
        found = list(run.events())
        assert (events.kind.values.tolist() if found else []) == [event["kind"] for event in found]


@pytest.mark.parametrize("name", ["steady", "living"])
def test_parquet_and_csv(name: str, tmp_path: Path, request: Any):
    run: mm.Run = request.getfixturevalue(name)
    truth = run.to_polars().collect()
    assert export(run, "parquet", tmp_path) == [
        tmp_path / file for file in ("run.parquet", "run-metrics.parquet", "run-events.parquet")
    ]
    assert polars.read_parquet(tmp_path / "run.parquet").equals(truth)
    about = pyarrow.parquet.read_schema(tmp_path / "run.parquet").metadata
    assert about[b"seed"] == str(run.seed).encode()
    assert polars.read_parquet(tmp_path / "run-metrics.parquet").equals(run.to_polars("metrics").collect())
    assert polars.read_parquet(tmp_path / "run-events.parquet").equals(run.to_polars("events").collect())
    export(run, "csv", tmp_path / "table.csv")
    rows = polars.read_csv(tmp_path / "table.csv").rename(lambda name: name.partition(" [")[0])
    assert rows.cast(dict(truth.schema)).equals(truth)
    assert len(polars.read_csv(tmp_path / "table-metrics.csv")) == len(list(run.metrics()))


def test_what_is_there_already_is_kept(steady: mm.Run, tmp_path: Path):
    (tmp_path / "run-metrics.csv").write_text("mine")
    with pytest.raises(ScenarioError, match=r"run-metrics\.csv already exists"):
        export(steady, "csv", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["run-metrics.csv"]
    (tmp_path / "old.zarr").mkdir()
    with pytest.raises(ScenarioError, match=r"old\.zarr already exists"):
        export(steady, "zarr", tmp_path / "old.zarr")


def test_unknown_formats_and_names(steady: mm.Run, tmp_path: Path):
    with pytest.raises(ScenarioError, match=r"'parket' \(did you mean 'parquet'\?\)"):
        export(steady, "parket", tmp_path)
    with pytest.raises(ScenarioError, match=r"--out must end in \.zarr"):
        export(steady, "zarr", tmp_path / "out.csv")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("to", ["zarr", "parquet", "csv"])
def test_an_export_that_fails_leaves_nothing(to: str, steady: mm.Run, tmp_path: Path, monkeypatch: Any):
    monkeypatch.setattr(exporting, "ROWS_AT_ONCE", 1)
    calls: list[int] = []

    def fill_up(done: int, count: int) -> None:
        calls.append(done)
        if done == 2:
            raise OSError(28, "No space left on device")

    with pytest.raises(RunError, match=r"No space left on device\. The run itself is untouched"):
        export(steady, to, tmp_path / f"out.{to}", fill_up)
    assert calls == [1, 2]
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("library", "asked"),
    [
        ("polars", "to_polars csv parquet zarr"),
        ("pyarrow", "parquet"),
        ("xarray", "to_xarray zarr"),
        ("zarr", "zarr"),
    ],
)
def test_a_missing_library_is_reported_with_the_command(
    library: str, asked: str, steady: mm.Run, tmp_path: Path, monkeypatch: Any
):
    for name in [name for name in sys.modules if name.partition(".")[0] == library]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, library, None)
    for word in asked.split():
        ask = getattr(steady, word, lambda to=word: export(steady, to, tmp_path))
        with pytest.raises(
            mm.MurmuraError, match=re.escape(f"is not installed: {install_command('analysis')}")
        ):
            ask()
    assert not list(tmp_path.iterdir())


def test_a_run_without_a_single_frame(steady: mm.Run, tmp_path: Path):
    """Killed before the first frame was committed."""
    folder = tmp_path / "run"
    folder.mkdir()
    for name in ("config.json", "manifest.json"):
        (folder / name).write_bytes((steady.folder / name).read_bytes())
    as_killed(folder)
    for name in ("metrics.jsonl", "events.jsonl"):
        (folder / name).write_bytes(b"")
    from murmura.lab.gsd.trajectory import TrajectoryWriter

    TrajectoryWriter.create(folder / "run.gsd", steady.scenario, []).close()
    run = mm.open_run(folder)
    assert (len(run.frames), run.to_xarray().sizes["step"], run.to_polars().collect().height) == (0, 0, 0)
    for to in ("parquet", "csv", "zarr"):
        export(run, to)
    assert polars.read_parquet(folder / "run.parquet").columns[:3] == ["step", "time", "id"]
