"""Figures of populations show what events, frames and metrics say."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import pytest

import murmura as mm
from murmura.core.errors import ScenarioError
from murmura.lab.figures import lineage as plot_lineage
from murmura.lab.figures.plot import PlotOptions, plot
from murmura.lab.files.json_lines import line_of
from murmura.lab.runs.recording import record
from murmura.measure import selection_differential
from tests.lab.births_and_deaths import family
from tests.lab.tampering import forged

from .test_plot import texts

pytest.importorskip("matplotlib")
from matplotlib.figure import Figure

GENES = ["gene_speed", "gene_size"]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory):
    simulation = mm.Simulation(family(), 1, "reference")
    return record(simulation, 90, tmp_path_factory.mktemp("drawn") / "run", every=5, columns=GENES)


def test_population_curves_by_species(run) -> None:
    figure = Figure()
    plot_lineage.draw_population(run, figure, PlotOptions())
    for kind, line in enumerate(figure.axes[0].lines[:2]):
        assert line.get_label() == ("finch", "owl")[kind]
        steps, counts = np.asarray(line.get_xdata()) * 60.0, line.get_ydata()
        for frame in run.frames:
            at = np.searchsorted(steps, frame.step + 0.5) - 1
            assert counts[at] == (frame.species == kind).sum()


def test_births_upwards_and_deaths_by_cause_downwards(run) -> None:
    figure = Figure()
    plot_lineage.draw_population(run, figure, PlotOptions())
    minutes = 90 / 60 / 60 / plot_lineage.RATE_BINS
    counts = {}
    for bars in figure.axes[1].containers:
        counts[bars.get_label()] = round(sum(bar.get_height() for bar in bars) * minutes)
    events = list(run.events())
    deaths = {c: sum(e["cause"] == c for e in events) for c in ("starvation", "age")}
    assert counts == {"births": sum(e["kind"] == "birth" for e in events)} | {
        f"died of {cause}": -count for cause, count in deaths.items()
    }
    # Causes do not overlap: the bars of the second begin where those of the first end.
    first, second = (figure.axes[1].containers[k] for k in (1, 2))
    assert [bar.get_y() for bar in second] == pytest.approx([bar.get_height() for bar in first])


def test_times_stand_above_the_curves(run, tmp_path: Path) -> None:
    figure = Figure()
    plot_lineage.draw_population(run, figure, PlotOptions())
    drawn = [(line.get_xdata()[0], line.get_xdata()[1]) for line in figure.axes[0].lines[2:]]
    assert sorted(drawn) == sorted((period.begin, period.end) for period in run.atmosphere()) and drawn
    plot(run.folder, tmp_path / "p.svg", "population")
    assert {"mating season", "mass extinction", "finch", "owl", "agents", "time [s]"} <= set(
        texts(tmp_path / "p.svg")
    )


def test_captures_need_not_be_deaths(tmp_path: Path) -> None:
    simulation = mm.Simulation(mm.load_scenario("classic").with_values({"agents": 5}), 3, "reference")
    made = record(simulation, 12, tmp_path / "run", every=3)
    events = [{"step": 3, "kind": "capture", "id": 1}, {"step": 4, "kind": "death", "id": 2, "cause": None}]
    (made.folder / "events.jsonl").write_bytes(b"".join(line_of(event) for event in events))
    forged(made.folder / "manifest.json", counts={})
    made = mm.open_run(made.folder)
    figure = Figure()
    plot_lineage.draw_population(made, figure, PlotOptions())
    assert "captures" in [line.get_label() for line in figure.axes[1].lines]


def test_a_population_in_which_nothing_happens_is_a_line(tmp_path: Path) -> None:
    simulation = mm.Simulation(mm.load_scenario("classic").with_values({"agents": 7}), 3, "reference")
    made = record(simulation, 12, tmp_path / "run", every=3)
    figure = Figure()
    plot_lineage.draw_population(made, figure, PlotOptions())
    [panel] = figure.axes
    assert list(panel.lines[0].get_ydata()) == [7, 7] and panel.get_legend() is None


def test_traits_over_time_are_the_metrics_with_a_band_of_their_spread(run) -> None:
    figure = Figure()
    plot_lineage.draw_traits(run, figure, PlotOptions())
    assert [panel.get_title(loc="left") for panel in figure.axes] == ["gene speed", "gene size"]
    rows = list(run.metrics())
    for panel, gene in zip(figure.axes, GENES, strict=True):
        for line, kind in zip(panel.lines, ("finch", "owl"), strict=True):
            np.testing.assert_allclose(line.get_ydata(), [row[f"{gene}_mean@{kind}"] for row in rows])
        band = panel.collections[0].get_paths()[0].vertices
        last = rows[-1]
        top = max(y for x, y in band if math.isclose(x, last["time"]))
        assert top == pytest.approx(last[f"{gene}_mean@finch"] + last[f"{gene}_sd@finch"])


def test_traits_over_generations_are_those_of_everybody_who_was_seen(run) -> None:
    figure = Figure()
    plot_lineage.draw_traits(run, figure, PlotOptions(x="generation", traits=("gene_size",)))
    tree, seen = mm.lineage(run), {}
    for frame in run.frames:
        seen |= dict(zip(frame.ids.tolist(), frame.columns["gene_size"].tolist(), strict=True))
    for kind, line in enumerate(figure.axes[0].lines):
        for generation, mean in zip(line.get_xdata(), line.get_ydata(), strict=True):
            of = [
                seen[i]
                for i, k, g in zip(tree.ids.tolist(), tree.species, tree.generations, strict=True)
                if k == kind and g == generation and i in seen
            ]
            assert mean == pytest.approx(np.mean(of)) and len(of) >= plot_lineage.FEWEST
        assert len(line.get_xdata()) >= 3


def test_selection_is_added_up_from_frame_to_frame(run) -> None:
    figure = Figure()
    plot_lineage.draw_selection(run, figure, PlotOptions(traits=("gene_speed",)))
    frames, births = list(run.frames), [e for e in run.events() if e["kind"] == "birth"]
    for kind, line in enumerate(figure.axes[0].lines[:2]):
        total, expected = 0.0, [0.0]
        for one, other in itertools.pairwise(frames):
            parents = [e["other"] for e in births if one.step < e["step"] <= other.step]
            own = one.species == kind
            found = selection_differential(one.ids[own], one.columns["gene_speed"][own], parents)
            total += 0.0 if math.isnan(found) else found
            expected.append(total)
        np.testing.assert_allclose(line.get_ydata(), expected)
        assert any(expected)


def test_the_family_tree_hangs_every_life_from_its_mothers(run) -> None:
    figure = Figure()
    plot_lineage.draw_family(run, figure, PlotOptions())
    tree = mm.lineage(run).pruned(living=True)
    lives, stems = figure.axes[0].collections[:2]
    lines = np.array([path.vertices for path in lives.get_paths()])
    assert len(lines) == len(tree) > 50
    rows = lines[:, 0, 1]
    assert sorted(rows) == list(range(len(tree)))
    np.testing.assert_allclose(lines[:, 0, 0] * 60.0, tree.born, atol=1e-6)
    heirs = np.flatnonzero(tree.mother_rows >= 0)
    for stem, row in zip(stems.get_paths(), heirs, strict=True):
        (x, y), (_, end) = stem.vertices
        assert (y, end) == (rows[tree.mother_rows[row]], rows[row]) and x * 60.0 == pytest.approx(
            tree.born[row]
        )
    # No line of another family is between a mother and her child.
    for head in np.unique(tree.families):
        members = np.sort(rows[tree.families == head])
        assert (np.diff(members) == 1).all()
    assert "founding mothers" in figure.axes[0].get_title(loc="left")


def test_a_crowded_tree_shows_some_lines_and_says_so(run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plot_lineage, "MOST_LINES", 40)
    figure = Figure()
    plot_lineage.draw_family(run, figure, PlotOptions())
    assert 10 < len(figure.axes[0].collections[0].get_paths()) <= 40
    assert "(1 in " in figure.axes[0].get_title(loc="left")


def test_an_extinct_family_is_drawn_to_its_last(tmp_path: Path) -> None:
    scene = family(6, **{"rules.heirs.bears_at": 9.0, "rules.heirs.dies_at": 0.1})
    made = record(mm.Simulation(scene, 1, "reference"), 20, tmp_path / "run", every=5)
    assert made.frames[-1].agent_count == 0
    for kind in ("family", "population", "traits"):
        assert plot(made.folder, tmp_path / f"{kind}.svg", kind) == kind


def test_what_cannot_be_drawn_is_reported(run, tmp_path: Path) -> None:
    out = tmp_path / "a.png"
    with pytest.raises(ScenarioError, match=r"has no trait 'gene_sped'.*did you mean 'gene_speed'"):
        plot(run.folder, out, "traits", of="gene_sped")
    with pytest.raises(ScenarioError, match="over time or generation, got --x energy"):
        plot(run.folder, out, "traits", x="energy")
    bare = record(mm.Simulation(family(), 1, "reference"), 5, tmp_path / "bare", every=5)
    with pytest.raises(ScenarioError, match=r"record it with `murmura run ... --columns gene_speed`"):
        plot(bare.folder, out, "traits", x="generation")
    with pytest.raises(ScenarioError, match="selection cannot show"):
        plot(bare.folder, out, "selection")
    assert plot(bare.folder, out, "traits") == "traits"
