"""Interaction maps of a simulated run: reproducible, and refused without enough data."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

import murmura as mm
from murmura.core.errors import RunError
from murmura.lab.figures.interaction import draw_delay
from murmura.lab.figures.plot import PlotOptions, plot
from murmura.lab.runs.recording import record
from murmura.lab.runs.run import Run
from murmura.measure import polarization


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    scenario = mm.load_scenario("classic").with_values(
        {"agents": 12, "world.width": 120.0, "world.height": 120.0}
    )
    simulation = mm.Simulation(scenario, 1, "reference")
    return record(simulation, 30, tmp_path_factory.mktemp("maps") / "run", 1)


@pytest.mark.parametrize("kind", ["neighbors", "response", "delay"])
def test_maps_are_drawn_the_same_twice(run: Run, tmp_path: Path, kind: str):
    for name in ("a.svg", "b.svg"):
        assert plot(run.folder, tmp_path / name, kind) == kind
    content = (tmp_path / "a.svg").read_bytes()
    assert len(content) > 5000 and content == (tmp_path / "b.svg").read_bytes()


def test_bars_of_leadership_stand_beside_the_rows_of_the_matrix(run: Run):
    figure = Figure()
    draw_delay(run, figure, PlotOptions())
    panel, bars, *_ = figure.axes
    assert bars.get_ylim() == panel.get_ylim() == (11.5, -0.5)


def test_the_flocks_of_a_run_are_its_frames(run: Run):
    found = list(run.flocks())
    rows = list(run.metrics())
    assert len(found) == 31
    for flock, row in zip(found, rows, strict=True):
        assert polarization(flock) == pytest.approx(row["polarization"], abs=1e-6)
    assert found[0].before is None and found[1].elapsed == pytest.approx(1.0 / 60.0)
    np.testing.assert_allclose(found[2].before, found[1].velocities)
    assert len(list(run.flocks(10))) == 4


def test_a_run_of_one_has_no_map(tmp_path: Path):
    scenario = mm.load_scenario("classic").with_values({"agents": 1})
    made = record(mm.Simulation(scenario, 0, "reference"), 3, tmp_path / "run", 1)
    with pytest.raises(RunError, match="maps need neighbours"):
        plot(made.folder, tmp_path / "a.png", "neighbors")
