"""Errors in time, moments of order parameters and finite sizes, against the runs themselves."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import murmura as mm
from murmura.core.errors import RunError, ScenarioError
from murmura.lab.sweeps.folder import Sweep
from murmura.lab.sweeps.statistics import IN_TIME
from murmura.lab.verify import verify_sweep
from murmura.measure.time.errors import average, order_statistics

VARY = {"rules.vicsek.noise": [300.0, 40.0], "agents": [25, 100]}


def make(folder: Path, **more: Any) -> Sweep:
    options = {
        "measures": ["polarization", "groups"], "steps": 80, "discard": 20, "every": 2, "workers": 0, "repeats": 3,
        "constant_density": True, "progress": lambda done, end: None,
    }  # fmt: skip
    return mm.sweep("vicsek", VARY, out=folder, **(options | more))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Sweep:
    return make(tmp_path_factory.mktemp("statistics") / "sweep")


def series(made: Sweep, line: dict[str, Any]) -> np.ndarray[Any, np.dtype[np.float64]]:
    """The polarization of a run at its instants, simulated anew."""
    values = {path: line[path] for path in made.design.paths}
    simulation = mm.Simulation(mm.load_scenario("vicsek").with_values(values), line["seed"], "cpu", 1)
    simulation.step(22)
    found = [simulation.measure(["polarization"])["polarization"]]
    for _ in range(29):
        simulation.step(2)
        found.append(simulation.measure(["polarization"])["polarization"])
    return np.array(found)


def test_a_run_has_errors_in_time_or_says_nothing(made: Sweep):
    lines = list(made.runs())
    for line in (lines[0], lines[5], lines[-1]):
        values = series(made, line)
        expected, order = average(values), order_statistics(values, line["agents"])
        assert line["polarization"] == pytest.approx(expected.mean)
        for name, value in (
            ("polarization_error", expected.error),
            ("polarization_susceptibility", order.susceptibility),
            ("polarization_binder", order.binder),
            ("polarization_binder_error", order.binder_error),
        ):
            assert (line[name] is None) == math.isnan(value)
            assert line[name] is None or line[name] == pytest.approx(value)
    known = [line["polarization_error"] for line in lines]
    assert any(error is None for error in known) and any(error is not None for error in known)


def test_a_cell_pools_its_runs(made: Sweep):
    runs = list(made.runs())
    for number, cell in enumerate(made.cells()):
        mine = runs[3 * number : 3 * number + 3]
        values = [series(made, line) for line in mine]
        pooled = np.concatenate(values)
        binder = 1.0 - (pooled**4).mean() / (3.0 * (pooled**2).mean() ** 2)
        assert cell["polarization_binder"] == pytest.approx(binder)
        assert cell["polarization_susceptibility"] == pytest.approx(cell["agents"] * pooled.var())
        left = [np.concatenate([values[j] for j in range(3) if j != k]) for k in range(3)]
        found = np.array([1.0 - (each**4).mean() / (3.0 * (each**2).mean() ** 2) for each in left])
        error = math.sqrt(2.0 / 3.0 * ((found - found.mean()) ** 2).sum())
        assert cell["polarization_binder_error"] == pytest.approx(error)
        errors = [line["polarization_error"] for line in mine]
        expected = None if None in errors else pytest.approx(math.hypot(*errors) / 3.0)
        assert cell[f"polarization{IN_TIME}"] == expected


def test_the_world_follows_the_number_of_agents(made: Sweep, tmp_path: Path):
    world, agents = mm.load_scenario("vicsek").world, mm.load_scenario("vicsek").agents
    for cell in made.cells():
        area = cell["world.width"] * cell["world.height"]
        assert cell["agents"] / area == pytest.approx(agents / (world.width * world.height))
        assert f"--set world.width={cell['world.width']}" in cell["replay"]
    assert not verify_sweep(made.folder).damages
    in_space = mm.sweep(
        "couzin-space", {"agents": [20, 160]}, 2, tmp_path / "space", measures=["polarization"], workers=0,
        constant_density=True, progress=lambda done, end: None,
    )  # fmt: skip
    sides = [[cell[f"world.{side}"] for side in ("width", "height", "depth")] for cell in in_space.cells()]
    assert np.array(sides[1]) / sides[0] == pytest.approx([2.0, 2.0, 2.0])


def test_a_density_needs_varied_agents_and_free_sides(tmp_path: Path):
    for vary, message in (
        ({"rules.vicsek.noise": [1.0]}, "add --vary agents"),
        ({"agents": [5, 9], "world.width": [20.0]}, "world.width follows agents"),
    ):
        with pytest.raises(ScenarioError, match=message):
            mm.sweep("vicsek", vary, 4, tmp_path / "s", constant_density=True, workers=0)


def test_short_runs_are_told(tmp_path: Path):
    told: list[str] = []
    make(tmp_path / "short", every=20, announce=told.append)
    assert told == [next(line for line in told if "too few independent instants" in line)]
    assert "polarization (12 runs)" in told[0] and "its column is empty there" in told[0]


def test_a_sweep_from_before_errors_goes_on_without_them(tmp_path: Path):
    made = make(tmp_path / "old", repeats=1)
    rows = made.folder / "rows.jsonl"
    from murmura.lab.files.json_lines import line_of, row_of
    from murmura.lab.sweeps.folder import FOLDER

    old = [row_of(line) for line in rows.read_bytes().splitlines(keepends=True)]
    rows.write_bytes(
        b"".join(line_of({k: v for k, v in row.items() if k not in ("errors", "orders")}) for row in old[:2])
    )
    manifest = json.loads((made.folder / "sweep.json").read_text())
    del manifest["question"]["errors"]
    FOLDER.write(made.folder, **manifest)
    again = make(tmp_path / "old", repeats=1)
    assert len(list(again.runs())) == 4 and "polarization_error" not in next(again.runs())
    assert not verify_sweep(made.folder).damages
    with pytest.raises(RunError, match="made without moments of polarization"):
        mm.plot(made.folder, tmp_path / "f.svg", "binder")


@pytest.mark.parametrize("part", ['"errors":[]', '"orders":{"polarization":{"square":"x"}}'])
def test_rows_with_damaged_statistics_are_refused(part: str):
    from murmura.lab.sweeps.rows import check_row

    row = {"values": {}, "seed": 1, "measures": {"a": 1.0}} | json.loads("{" + part + "}")
    with pytest.raises(ValueError, match=r"expected errors and orders|must be a number or null"):
        check_row(row, [], ["a"])


def test_the_figure_of_sizes_has_a_curve_for_each(made: Sweep, tmp_path: Path):
    mm.plot(made.folder, tmp_path / "sizes.svg", "binder")
    text = (tmp_path / "sizes.svg").read_text(encoding="utf-8")
    sides = [f"L = {cell['world.width']:.4g}, N = {cell['agents']}" for cell in made.cells()]
    assert all(side in text for side in sides) and "vicsek noise [deg]" in text and "polarization φ" in text
    with pytest.raises(ScenarioError, match="groups is no order parameter"):
        mm.plot(made.folder, tmp_path / "no.svg", "binder", of="groups")
