"""The public surface in Python: completion of names, tables in a notebook, tables of a sweep."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import murmura as mm
from murmura.core.errors import UnknownNameError
from murmura.lab.runs.recording import record
from murmura.lab.sweeps.folder import Sweep

from .cli.terminal import environment


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Sweep:
    scenario = mm.load_scenario("classic").with_values({"agents": 12})
    vary = {"rules.cohesion.weight": [0.5, 1.0], "world.boundary": ["wrap", "soft"]}
    folder = tmp_path_factory.mktemp("sweep") / "s"
    return mm.sweep(
        scenario, vary, 4, folder, repeats=2, measures=["polarization"], workers=0, backend="reference"
    )


def test_completion_shows_the_public_surface_alone():
    code = "import murmura as mm; mm.Simulation; print(*dir(mm))"
    done = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, text=True)
    assert set(done.stdout.split()) == {*mm.__all__, "__version__"}


def test_completion_of_a_scenario_shows_its_own_names():
    """pydantic adds forty more, which are hidden."""
    shown = {name for name in dir(mm.load_scenario("classic")) if not name.startswith("_")}
    assert {"agents", "world", "rules", "edit", "with_values", "hidden_values"} <= shown
    assert not {name for name in shown if name.startswith(("model_", "parse_", "schema_json"))} | (
        shown & {"copy", "dict"}
    )


def test_the_representation_of_a_sweep(swept: Sweep):
    assert repr(swept) == f"<Sweep 'classic', 8 runs: {swept.folder}>"


def test_a_notebook_shows_tables(swept: Sweep, tmp_path: Path):
    scenario = mm.load_scenario("mixed").with_values({"agents": 30, "title": "Fish & <chips>"})
    simulation = mm.Simulation(scenario, 7, "reference")
    shown = [scenario._repr_html_(), simulation._repr_html_()]
    run = record(simulation, 3, tmp_path / "run", 1)
    shown += [run._repr_html_(), swept._repr_html_()]
    for html, facts in zip(
        shown,
        (["mixed", "Fish &amp; &lt;chips&gt;", "alignment"], ["30", "reference x 1", simulation.state_hash()[:0]],
         ["finished", "3 of 3"], ["8 of 8 runs", "rules.cohesion.weight", "grid, 4 cells x 2 repeats"]),
        strict=True,
    ):  # fmt: skip
        assert html.startswith("<table>") and html.endswith("</table>")
        assert all(fact in html for fact in facts), html


def test_a_sweep_as_polars_and_pandas(swept: Sweep):
    lines = list(swept.runs())
    assert swept.to_polars().rows(named=True) == lines
    cells = swept.to_pandas("cells")
    assert list(cells["world.boundary"]) == ["wrap", "soft", "wrap", "soft"]
    by_hand = [np.mean([row["polarization"] for row in lines if row["cell"] == k]) for k in range(4)]
    assert list(cells["polarization"]) == pytest.approx(by_hand)
    with pytest.raises(UnknownNameError, match="the tables runs and cells, got 'rows'"):
        swept.to_polars("rows")  # type: ignore[arg-type]


def test_a_run_as_pandas(tmp_path: Path):
    scenario = mm.load_scenario("classic").with_values({"agents": 5})
    run = record(mm.Simulation(scenario, 1, "reference"), 4, tmp_path / "run", 2)
    assert len(run.to_pandas()) == 15
    assert run.to_pandas("metrics")["step"].tolist() == [0, 2, 4]
