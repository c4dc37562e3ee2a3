"""Runs in space: the files, read by Murmura, gsd, freud, and as tables."""

from __future__ import annotations

from pathlib import Path

import freud
import gsd.hoomd
import numpy as np
import polars
import pytest
import xarray

import murmura as mm
from murmura.lab.exports.export import export
from murmura.lab.runs.recording import record
from murmura.lab.runs.resuming import resume

SIDES = [150.0, 140.0, 130.0]


def simulation(backend: str = "reference") -> mm.Simulation:
    scenario = mm.Scenario().with_values(
        {
            "agents": 40, "world.width": SIDES[0], "world.height": SIDES[1], "world.depth": SIDES[2],
            "world.boundary": "wrap", "perception.radius": 40.0, "rules.feeding.enabled": True,
            "rules.energy.enabled": True, "rules.feeding.count": 2, "rules.feeding.margin": 20.0,
        }
    )  # fmt: skip
    return mm.Simulation(scenario, seed=3, backend=backend)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> mm.Run:
    return record(simulation("cpu"), 6, tmp_path_factory.mktemp("runs") / "space", every=2, metrics_every=2)


def test_frames_are_the_flock_in_space(run: mm.Run) -> None:
    sim = simulation("cpu")
    for frame in run.frames:
        sim.step(frame.step - sim.step_count)
        np.testing.assert_allclose(frame.positions, sim.positions, atol=1e-4)
        assert np.array_equal(frame.velocities, sim.velocities)
        assert frame.items["feeding"].shape == sim.state.items["feeding"].shape
    assert run.final_hash == sim.state_hash()
    assert list(run.metrics())[-1]["polarization"] == pytest.approx(sim.measure()["polarization"], rel=1e-5)


def test_the_gsd_package_and_freud_see_a_box_of_three_lengths(run: mm.Run) -> None:
    with gsd.hoomd.open(run.folder / "run.gsd") as frames:
        last = frames[-1]
    assert last.configuration.dimensions == 3
    assert last.configuration.box[:3].tolist() == SIDES
    np.testing.assert_allclose(
        last.particles.position + np.array(SIDES) / 2.0, run.frames[-1].positions, atol=1e-4
    )
    assert np.array_equal(last.particles.velocity, run.frames[-1].velocities)
    # OVITO draws the box around the origin: no agent may be outside.
    assert (np.abs(last.particles.position) <= np.array(SIDES) / 2.0 + 1e-4).all()
    query = freud.locality.AABBQuery.from_system(last)
    pairs = query.query(last.particles.position, {"r_max": 40.0, "exclude_ii": True}).toNeighborList()
    ours = mm.Simulation(
        run.scenario.with_values({"perception.field_of_view": 360.0}), backend="reference",
        positions=np.clip(run.frames[-1].positions, 0.0, np.nextafter(np.float32(SIDES), np.float32(0.0))),
    )  # fmt: skip
    for agent in (0, 13, 39):
        assert (
            sorted(pairs.point_indices[pairs.query_point_indices == agent]) == ours.neighbors(agent).tolist()
        )


def test_tables_have_a_third_axis(run: mm.Run, tmp_path: Path) -> None:
    data = run.to_xarray()
    assert data.axis.values.tolist() == ["x", "y", "z"]
    assert np.array_equal(data.position[-1].values, run.frames[-1].positions)
    [zarr] = export(run, "zarr", tmp_path / "run.zarr")
    with xarray.open_zarr(zarr, consolidated=True) as again:
        assert np.array_equal(again.velocity[-1].values, run.frames[-1].velocities)
        assert again.attrs["world_depth"] == SIDES[2]
    for kind, read, u, speed in (
        ("parquet", polars.read_parquet, "", ""),
        ("csv", polars.read_csv, " [u]", " [u/s]"),
    ):
        rows = read(export(run, kind, tmp_path / f"run.{kind}")[0]).filter(polars.col("step") == 6)
        np.testing.assert_allclose(
            rows[f"position_z{u}"].to_numpy(), run.frames[-1].positions[:, 2], rtol=1e-6
        )
        assert f"velocity_z{speed}" in rows.columns


def test_a_run_in_space_goes_on_with_the_same_bits(run: mm.Run, tmp_path: Path) -> None:
    whole = record(simulation("cpu"), 8, tmp_path / "whole", every=2)
    record(simulation("cpu"), 4, tmp_path / "parts", every=2, checkpoint_every="2")
    assert resume(tmp_path / "parts", steps=8).final_hash == whole.final_hash
