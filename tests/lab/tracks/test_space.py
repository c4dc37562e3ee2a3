"""Tracks with a height become runs in a 3-D world, which work with everything that reads runs."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

import murmura as mm
from murmura.core.errors import RunError, ScenarioError
from murmura.lab.exports.export import export
from murmura.lab.films.film import Cut, render
from murmura.lab.films.film_frames import RecordedReel
from murmura.lab.films.picture import Look
from murmura.lab.runs.run import Run
from murmura.lab.tracks.tracks import read_tracks

from .shoals import circling

FPS = 10.0


def rising() -> np.ndarray:
    """Animals that circle upwards, each at its own speed; one is not seen for two frames."""
    flat = circling(16, 3, FPS)
    heights = 2.0 + np.arange(16)[:, None] * 0.1 * np.arange(1, 4)
    places = np.concatenate([flat, heights[..., None]], axis=2)
    places[5:7, 1] = np.nan
    return places


def table(places: np.ndarray) -> str:
    rows = [
        f"{frame},{animal},{x!r},{y!r},{z!r}"
        for frame, animals in enumerate(places.tolist())
        for animal, (x, y, z) in enumerate(animals)
        if x == x
    ]
    return "\n".join(["frame,id,x,y,z", *rows]) + "\n"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("space")
    np.save(folder / "bats.npy", rising())
    return mm.load_tracks(folder / "bats.npy", folder / "bats", fps=FPS, fill=2, arena="circle")


def test_a_run_has_a_depth_and_every_height(run: Run):
    places = rising()
    gaps = np.isnan(places[..., 0])
    world = run.scenario.world
    assert world.dimension == 3 and world.depth == pytest.approx(4.5, rel=0.02)  # from 2 to 6.5
    moved = np.stack([frame.positions for frame in run.frames]) - places
    moved -= np.nanmedian(moved, axis=(0, 1))
    assert np.abs(moved[~gaps]).max() < 1e-5
    speeds = np.stack([frame.velocities for frame in run.frames])[8]
    assert speeds[:, 2] == pytest.approx(
        [1.0, 2.0, 3.0], abs=1e-4
    )  # 0.1, 0.2 and 0.3 u in a tenth of a second
    assert run.frames[6].positions[1, 2] == pytest.approx(
        0.5 * (run.frames[4].positions + run.frames[7].positions)[1, 2] + 0.1, abs=1e-4
    )


def test_measures_are_those_of_space(run: Run):
    [row] = [row for row in run.metrics() if row["step"] == 8]
    frame = run.frames[8]
    headings = frame.velocities / np.linalg.norm(frame.velocities, axis=1)[:, None]
    assert row["polarization"] == pytest.approx(np.linalg.norm(headings.mean(axis=0)), abs=1e-5)
    away = np.linalg.norm(frame.positions[:, None] - frame.positions[None], axis=2) + 1e9 * np.eye(3)
    assert row["nearest_neighbor_distance"] == pytest.approx(away.min(axis=1).mean(), rel=1e-5)


def test_exports_pictures_and_plots(run: Run, tmp_path: Path):
    export(run, "csv", tmp_path / "bats.csv")
    with (tmp_path / "bats.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 16 * 3 and float(rows[-1]["position_z [u]"]) == pytest.approx(
        float(run.frames[15].positions[2, 2]), abs=1e-4
    )
    reel = RecordedReel(run.scenario, run.seed, run.frames.sound())
    render(reel, tmp_path / "bats.png", Look(size=(320, 200)), Cut(at=12))
    assert (tmp_path / "bats.png").stat().st_size > 1000
    assert mm.plot(run.folder, tmp_path / "metrics.svg", of=["polarization"]) == "series"
    with pytest.raises(RunError, match="interaction maps can only be drawn for the plane"):
        mm.plot(run.folder, tmp_path / "map.png", kind="neighbors")


def test_a_table_with_heights_is_the_same(run: Run, tmp_path: Path):
    (tmp_path / "bats.csv").write_text(table(rising()))
    one = read_tracks(tmp_path / "bats.csv", fps=FPS, fill=2)
    other = read_tracks(run.folder.parent / "bats.npy", fps=FPS, fill=2)
    np.testing.assert_allclose(one.positions, other.positions, atol=1e-12)
    assert one.depth == other.depth


def test_a_height_that_is_missing_is_reported_with_its_row(tmp_path: Path):
    lines = table(rising()).splitlines()
    lines[4] = ",".join([*lines[4].split(",")[:4], ""])
    (tmp_path / "bats.csv").write_text("\n".join(lines))
    with pytest.raises(ScenarioError, match=r"row 5, column z: one coordinate is given and the other is not"):
        read_tracks(tmp_path / "bats.csv", fps=FPS)
