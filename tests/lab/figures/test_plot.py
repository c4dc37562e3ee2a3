"""Figures show the data of the folder, with labels and units, as text."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import murmura as mm
from murmura.core.errors import ScenarioError
from murmura.core.extras import install_command
from murmura.lab.figures.plot import KINDS, PlotOptions, plot, register_plot
from murmura.lab.figures.run import draw_series
from murmura.lab.figures.sweep import draw_lines, draw_phase, draw_scatter
from murmura.lab.runs.recording import record
from murmura.lab.sweeps.sweep import sweep

pytest.importorskip("matplotlib")
from matplotlib.figure import Figure

QUICK: dict[str, Any] = {
    "changes": {"agents": 10}, "workers": 0, "backend": "reference", "measures": ["polarization", "groups"],
}  # fmt: skip
PLANE = ["perception.radius=30:60:4", "rules.alignment.weight=0:2:3"]


@pytest.fixture(scope="module")
def plane(tmp_path_factory: pytest.TempPathFactory):
    return sweep("classic", PLANE, 4, tmp_path_factory.mktemp("sweeps") / "plane", repeats=2, **QUICK)


@pytest.fixture(scope="module")
def line(tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("sweeps") / "line"
    return sweep("classic", ["motion.max_speed=1:4:4"], 4, folder, repeats=3, **QUICK)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory):
    scenario = mm.load_scenario("classic").with_values({"agents": 20})
    simulation = mm.Simulation(scenario, 3, "reference")
    return record(simulation, 12, tmp_path_factory.mktemp("runs") / "run", every=3)


def texts(path: Path) -> list[str]:
    return re.findall(r"<text[^>]*>([^<]+)</text>", path.read_text())


def test_a_phase_diagram_has_each_cell_in_its_place(plane):
    figure = Figure()
    draw_phase(plane, figure, PlotOptions())
    mesh = figure.axes[0].collections[0]
    shown = np.asarray(mesh.get_array()).reshape(3, 4)
    corners = mesh.get_coordinates()
    for cell in plane.cells():
        x, y = cell["perception.radius"], cell["rules.alignment.weight"]
        column, row = round((x - 30.0) / 10.0), round(y)
        assert shown[row, column] == cell["polarization"]
        assert corners[row, column, 0] < x < corners[row, column + 1, 0]
        assert corners[row, column, 1] < y < corners[row + 1, column, 1]
    assert mesh.get_clim() == (0.0, 1.0)


def test_several_measures_have_maps_side_by_side(plane):
    figure = Figure(layout="constrained")
    draw_phase(plane, figure, PlotOptions(of=("polarization", "groups")))
    assert tuple(figure.get_size_inches()) == (5.5, pytest.approx(0.75 * 2.75))
    left, right = figure.subfigs
    for part, name in ((left, "polarization"), (right, "groups")):
        panel, bar = part.axes
        mesh = panel.collections[0]
        expected = np.full((3, 4), np.nan)
        for cell in plane.cells():
            column = round((cell["perception.radius"] - 30.0) / 10.0)
            expected[round(cell["rules.alignment.weight"]), column] = cell[name]
        np.testing.assert_array_equal(np.asarray(mesh.get_array()).reshape(3, 4), expected)
        assert bar.get_ylabel() == name and panel.get_xlabel() == "perception radius [u]"
    figure.draw_without_rendering()
    assert left.axes[0].get_window_extent().x1 < right.axes[0].get_window_extent().x0


def test_measures_of_a_scattered_design_stand_side_by_side(tmp_path: Path):
    options = {**QUICK, "design": "lhs", "samples": 4}
    scattered = sweep(
        "classic", ["motion.max_speed=1:4", "perception.radius=30:60"], 2, tmp_path / "s", **options
    )
    figure = Figure(layout="constrained")
    draw_scatter(scattered, figure, PlotOptions(of=("polarization", "groups")))
    cells = list(scattered.cells())
    for part, name in zip(figure.subfigs, ("polarization", "groups"), strict=True):
        dots = part.axes[0].collections[0]
        np.testing.assert_array_equal(dots.get_array(), [cell[name] for cell in cells])
        np.testing.assert_array_equal(dots.get_offsets()[:, 0], [cell["motion.max_speed"] for cell in cells])


def test_a_phase_diagram_is_labelled_with_units_as_text(plane, tmp_path: Path):
    assert plot(plane.folder, tmp_path / "p.svg") == "phase"
    found = texts(tmp_path / "p.svg")
    assert {"perception radius [u]", "alignment weight", "polarization", "60"} <= set(found)
    plot(plane.folder, tmp_path / "turned.svg", x="rules.alignment.weight", of="groups")
    assert {"groups", "alignment weight"} <= set(texts(tmp_path / "turned.svg"))
    assert (tmp_path / "p.svg").read_bytes() != (tmp_path / "turned.svg").read_bytes()


@pytest.mark.parametrize(("ending", "magic"), [("png", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<?xml")])
def test_the_same_folder_gives_the_same_bytes(ending: str, magic: bytes, plane, tmp_path: Path):
    for name in ("a", "b"):
        plot(plane.folder, tmp_path / f"{name}.{ending}")
    first = (tmp_path / f"a.{ending}").read_bytes()
    assert first.startswith(magic)
    assert first == (tmp_path / f"b.{ending}").read_bytes()
    assert sorted(p.name for p in tmp_path.iterdir()) == [f"a.{ending}", f"b.{ending}"]


def test_lines_have_a_band_of_one_standard_error(line, tmp_path: Path):
    figure = Figure()
    draw_lines(line, figure, PlotOptions())
    panel = figure.axes[0]
    cells = list(line.cells())
    np.testing.assert_array_equal(panel.lines[0].get_xdata(), [1.0, 2.0, 3.0, 4.0])
    np.testing.assert_array_equal(panel.lines[0].get_ydata(), [c["polarization"] for c in cells])
    band = panel.collections[0].get_paths()[0].vertices
    for cell in cells:
        edge = [y for x, y in band if x == cell["motion.max_speed"]]
        assert max(edge) == pytest.approx(cell["polarization"] + cell["polarization_error"])
        assert min(edge) == pytest.approx(cell["polarization"] - cell["polarization_error"])
    assert plot(line.folder, tmp_path / "l.svg", of=["polarization", "groups"]) == "lines"
    # In classic, speeds are per tick, and the axis says so.
    assert {"motion max speed [u/tick]", "polarization", "groups"} <= set(texts(tmp_path / "l.svg"))


def test_a_second_path_becomes_lines_and_a_third_and_fourth_facets(plane, tmp_path: Path):
    figure = Figure()
    draw_lines(plane, figure, PlotOptions())
    assert [t.get_text() for t in figure.axes[0].get_legend().get_texts()] == ["0", "1", "2"]
    vary = [
        "agents=4,8",
        "perception.radius=30,60",
        "world.boundary=wrap,open",
        "rules.cohesion.weight=0:2:3",
    ]
    made = sweep("classic", vary, 2, tmp_path / "s", **QUICK)
    figure = Figure()
    draw_phase(made, figure, PlotOptions(x="perception.radius", y="agents"))
    titles = [panel.get_title() for panel in figure.axes if panel.get_title()]
    assert len(titles) == 6
    assert titles[1] == "world boundary = open, cohesion weight = 0"
    mesh = figure.axes[1].collections[0]
    wanted = [
        c["polarization"]
        for c in made.cells()
        if c["world.boundary"] == "open" and c["rules.cohesion.weight"] == 0.0
    ]
    np.testing.assert_array_equal(np.asarray(mesh.get_array()).ravel(), wanted)
    plot(made.folder, tmp_path / "words.svg", x="world.boundary", y="rules.cohesion.weight")
    assert {"wrap", "open"} <= set(texts(tmp_path / "words.svg"))


def test_scattered_designs_and_logarithmic_axes(tmp_path: Path):
    vary = ["agents=4:16:2:log", "perception.radius=30:60"]
    made = sweep("classic", vary, 2, tmp_path / "two", design="lhs", samples=5, **QUICK)
    assert plot(made.folder, tmp_path / "two.png") == "scatter"
    made = sweep(
        "classic",
        [*vary, "world.boundary=wrap,open"],
        2,
        tmp_path / "three",
        design="sobol",
        samples=4,
        **QUICK,
    )
    assert plot(made.folder, tmp_path / "three.svg") == "scatter"
    assert {"agents", "perception radius [u]", "world boundary"} <= set(texts(tmp_path / "three.svg"))
    made = sweep("classic", ["agents=4:16:3:log", vary[1] + ":2"], 2, tmp_path / "log", **QUICK)
    figure = Figure()
    draw_phase(made, figure, PlotOptions())
    assert figure.axes[0].get_xscale() == "log"


def test_unfinished_and_failed_cells_are_grey(plane, tmp_path: Path):
    folder = tmp_path / "part"
    folder.mkdir()
    for name in ("scenario.json", "sweep.json"):
        (folder / name).write_bytes((plane.folder / name).read_bytes())
    rows = (plane.folder / "rows.jsonl").read_text().splitlines(keepends=True)
    (folder / "rows.jsonl").write_text("".join(rows[:-2]))
    figure = Figure()
    draw_phase(mm.open_sweep(folder), figure, PlotOptions())
    assert np.ma.getmaskarray(figure.axes[0].collections[0].get_array()).sum() == 1


def test_a_run_is_drawn_over_time(run, tmp_path: Path):
    figure = Figure()
    draw_series(run, figure, PlotOptions(of=("polarization",)))
    rows = list(run.metrics())
    np.testing.assert_array_equal(figure.axes[0].lines[0].get_xdata(), [r["time"] for r in rows])
    np.testing.assert_array_equal(figure.axes[0].lines[0].get_ydata(), [r["polarization"] for r in rows])
    assert plot(run.folder, tmp_path / "r.svg") == "series"
    assert {"polarization", "nearest neighbor distance", "time [s]"} <= {
        text.partition(" [u]")[0] for text in texts(tmp_path / "r.svg")
    }


def test_a_kind_of_ones_own(run, tmp_path: Path):
    @register_plot(
        "headline", "the name of the run in large letters", lambda source: hasattr(source, "metrics")
    )
    def draw(source: Any, figure: Any, options: PlotOptions) -> None:
        figure.text(0.5, 0.5, source.scenario.name)

    try:
        assert plot(run.folder, tmp_path / "own.svg", kind="headline") == "headline"
    finally:
        del KINDS["headline"]
    assert texts(tmp_path / "own.svg") == ["classic"]


def test_what_the_documents_show_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any):
    """Also without a main guard, which workers that import a user's script would need."""
    page = Path(__file__).parents[3] / "docs" / "sweeps.md"
    sweeping, own_figure = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.S)
    monkeypatch.chdir(tmp_path)
    exec(sweeping, {})
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == ["0.0", "1.0", "2.0"]
    assert "alignment weight" in texts(tmp_path / "sweep.svg")
    exec(own_figure, {})
    try:
        assert plot("sweep", "own.svg", kind="histogram") == "histogram"
    finally:
        del KINDS["histogram"]


def test_mistakes_are_named(plane, run, tmp_path: Path):
    for options, message in (
        ({"out": tmp_path / "a.bmp"}, r"end in \.png, \.svg, \.pdf, got 'a\.bmp'"),
        ({"out": tmp_path / "none" / "a.png"}, "there is no folder"),
        ({"kind": "fase"}, "did you mean 'phase'"),
        ({"kind": "series"}, "series cannot show .* can be drawn as phase, lines"),
        ({"of": "milling"}, "has no measure 'milling'"),
        ({"x": "rules.alignment.wieght"}, r"did you mean 'rules\.alignment\.weight'"),
        ({"x": "rules.alignment.weight", "y": "rules.alignment.weight"}, "must differ"),
        ({"width": 0.1}, "a width of 1 to 40"),
        ({"folder": tmp_path}, "is not the folder of a run"),
    ):
        with pytest.raises(ScenarioError, match=message):
            plot(**({"folder": plane.folder, "out": tmp_path / "a.png"} | options))
    assert list(tmp_path.iterdir()) == []


def test_a_missing_library_is_reported_with_how_to_install_it(plane, tmp_path: Path):
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from murmura.cli import main\n"
        f"main(['plot', {str(plane.folder)!r}, '--out', {str(tmp_path / 'a.png')!r}])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1 and install_command("analysis") in done.stderr


def test_the_figure_of_a_life_counts_every_event(tmp_path: Path) -> None:
    """Rates times their minutes are the events of the run; curves are its metrics."""
    from matplotlib.figure import Figure

    import murmura as mm
    from murmura.lab.figures.plot import PlotOptions
    from murmura.lab.figures.run import LIFE_BINS, draw_life
    from murmura.lab.runs.recording import record

    scenario = mm.load_scenario("feeding-grounds").with_values({"agents": 40, "rules.energy.decay": 0.2})
    simulation = mm.Simulation(scenario, 3, "cpu", 1)
    run = record(simulation, 900, tmp_path / "run", every=100, measures=["energy_mean"])
    meals = sum(event["kind"] == "meal" for event in run.events())
    assert meals > 0
    figure = Figure()
    draw_life(run, figure, PlotOptions())
    population, energy, rates = figure.axes
    assert population.lines[0].get_ydata().tolist() == [row["agents"] for row in run.metrics()]
    assert energy.lines[0].get_ydata().tolist() == [row["energy_mean"] for row in run.metrics()]
    [steps] = rates.patches
    minutes = 900 * scenario.motion.time_step / 60.0 / LIFE_BINS
    assert round(float(steps.get_data().values.sum()) * minutes) == meals
    assert rates.get_legend_handles_labels()[1] == ["meals"]
