"""Figures of curves over time: what is drawn is what is measured, with units and error bars."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure

import murmura as mm
from murmura.lab.figures import curves
from murmura.lab.figures.plot import PlotOptions
from murmura.lab.runs.recording import record
from murmura.lab.runs.run import Run

LABELS = {
    "msd": ["mean squared displacement [u²]", "lag [s]", "slope 2"],
    "correlation": ["C of velocity fluctuations", "distance [u]", "[u²/s²]"],
    "structure": ["pair distribution g(r)", "wave number [1/u]"],
    "fluctuations": ["variance of the number of agents [agents²]", "independent agents"],
    "groups": ["group size [agents]", "fission"],
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    scenario = mm.load_scenario("vicsek").with_values({"agents": 60, "rules.vicsek.noise": 300})
    return record(mm.Simulation(scenario, 1, "cpu"), 600, tmp_path_factory.mktemp("curves") / "run", 4)


@pytest.mark.parametrize("kind", LABELS)
def test_a_curve_is_drawn_with_its_units(kind: str, run: Run):
    out = run.folder.parent / f"{kind}.svg"
    assert mm.plot(run.folder, out, kind) == kind
    text = out.read_text(encoding="utf-8")
    assert all(label in text for label in LABELS[kind]), kind


def test_points_and_bars_are_what_was_measured(run: Run):
    figure = Figure()
    curves.draw_structure(run, figure, PlotOptions())
    expected = mm.measure_run(run, ["pair_distribution"])
    bars = next(each for each in figure.axes[0].containers if isinstance(each, ErrorbarContainer))
    assert bars.lines[0].get_ydata() == pytest.approx(expected.pair_distribution.values)
    heights = [segment[1, 1] - segment[0, 1] for segment in bars.lines[2][0].get_segments()]
    assert heights == pytest.approx(2.0 * np.nan_to_num(expected.pair_distribution_error.values))
    assert max(heights) > 0.0


def test_a_run_too_short_for_errors_says_so(tmp_path: Path):
    scenario = mm.load_scenario("vicsek").with_values({"agents": 20})
    short = record(mm.Simulation(scenario, 1, "reference"), 12, tmp_path / "run", 2)
    mm.plot(short.folder, tmp_path / "groups.svg", "groups")
    text = (tmp_path / "groups.svg").read_text(encoding="utf-8")
    assert curves.SHORT in text and "too short for an error" in text
