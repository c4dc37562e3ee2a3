"""Runs in the formats of ParaView, OVITO and movement, and conventions of CF, as those programs read them."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import meshio
import numpy as np
import pint
import pytest
import xarray

import murmura as mm
from murmura.core.errors import ScenarioError
from murmura.lab.exports.export import export
from murmura.lab.exports.particles import FIRST_HUNTER
from murmura.lab.runs.recording import record
from murmura.lab.units import UNITS, cf_unit
from murmura.measure import MEASURES


@pytest.fixture(scope="module")
def hunted(tmp_path_factory: pytest.TempPathFactory) -> mm.Run:
    """Birds and a hawk, some frames."""
    simulation = mm.Simulation(mm.load_scenario("murmuration-hawk").with_values({"agents": 30}), seed=2)
    folder = tmp_path_factory.mktemp("runs") / "hunted"
    return record(simulation, 20, folder, every=5, columns=["panic_level"])


def hawk_of(run: mm.Run, number: int) -> np.ndarray:
    rows = run.frames[number].items["predators"]
    hawk = mm.hunters(mm.Simulation.restore(run.folder / "checkpoint-A.npz"))[0]
    assert (len(rows), hawk["kind"]) == (1, "hawk")
    return rows[0, :2]


def test_paraview_gets_agents_and_hunters_of_each_frame(hunted: mm.Run, tmp_path: Path) -> None:
    collection, folder = export(hunted, "vtk", tmp_path / "film.pvd")
    sets = ElementTree.parse(collection).getroot().findall("./Collection/DataSet")
    assert [float(one.attrib["timestep"]) for one in sets] == [frame.time for frame in hunted.frames]
    for number, one in enumerate(sets):
        file = tmp_path / one.attrib["file"]
        assert file.parent == folder
        grid, frame = meshio.read(file), hunted.frames[number]
        assert np.array_equal(grid.points[:30, :2], frame.positions) and not grid.points[:, 2].any()
        assert np.array_equal(grid.point_data["velocity"][:30, :2], frame.velocities)
        assert np.array_equal(grid.point_data["id"], [*frame.ids, FIRST_HUNTER])
        assert np.array_equal(grid.point_data["panic_level"][:30], frame.columns["panic_level"])
        assert grid.point_data["type"].tolist() == [0] * 30 + [1]
        assert np.allclose(grid.points[30, :2], hawk_of(hunted, number))


def test_ovito_gets_identifiers_types_and_the_box(hunted: mm.Run, tmp_path: Path) -> None:
    [file] = export(hunted, "ovito", tmp_path)
    lines = file.read_text().splitlines()
    size = 2 + 31
    assert len(lines) == size * len(hunted.frames)
    for number, frame in enumerate(hunted.frames):
        count, comment, *rows = lines[number * size : (number + 1) * size]
        assert count == "31"
        assert re.search(r'Lattice="1600.0 0 0 0 1000.0 0 0 0 1.0" .*pbc="F F F"', comment)
        assert f"Step={frame.step} Time={frame.time!r}" in comment
        cells = [row.split() for row in rows]
        assert [int(cell[0]) for cell in cells] == [*frame.ids, FIRST_HUNTER]
        assert [cell[1] for cell in cells] == ["default"] * 30 + ["hawk"]
        numbers = np.array([cell[2:] for cell in cells], np.float32)
        assert np.array_equal(numbers[:30, :2], frame.positions)
        assert np.array_equal(numbers[:30, 3:5], frame.velocities)
        assert np.allclose(numbers[30, :2], hawk_of(hunted, number))


def test_ovito_itself_reads_it(hunted: mm.Run, tmp_path: Path) -> None:
    ovito = pytest.importorskip("ovito.io")
    [file] = export(hunted, "ovito", tmp_path)
    data = ovito.import_file(str(file)).compute(2)
    assert list(data.particles.identifiers) == [*hunted.frames[2].ids, FIRST_HUNTER]
    assert {kind.name for kind in data.particles.particle_types.types} == {"default", "hawk"}


def test_movement_gets_poses(hunted: mm.Run, tmp_path: Path) -> None:
    [file] = export(hunted, "movement", tmp_path)
    with xarray.open_dataset(file) as data:
        assert data.position.dims == ("time", "space", "keypoints", "individuals")
        assert (data.ds_type, data.time_unit) == ("poses", "seconds")
        assert data.fps == pytest.approx(12.0)
        for number, frame in enumerate(hunted.frames):
            now = data.position.isel(time=number, keypoints=0).sel(space=["x", "y"]).to_numpy()
            assert np.array_equal(now.T, frame.positions)


def test_movement_wants_equal_intervals(tmp_path: Path) -> None:
    simulation = mm.Simulation(mm.load_scenario("classic").with_values({"agents": 3}), backend="reference")
    run = record(simulation, 0, tmp_path / "still")
    with pytest.raises(ScenarioError, match="equal intervals"):
        export(run, "movement")
    assert not list((tmp_path / "still").glob("*.nc*"))


def test_units_are_those_of_other_programs() -> None:
    registry = pint.UnitRegistry()
    lengths = {"u": "", "u/s": "1/s"}
    for unit in {*UNITS.values(), *(measure.unit for measure in MEASURES.values()), ""}:
        found = registry.parse_units(cf_unit(unit))
        if unit in lengths:
            assert found == registry.parse_units(lengths[unit])
        assert found != registry.unified_atomic_mass_unit
    assert registry.parse_units(cf_unit("deg/s")) == registry.degree / registry.second


def test_time_is_an_index_by_the_conventions(hunted: mm.Run) -> None:
    data = hunted.to_xarray()
    assert data.Conventions.startswith("CF-")
    assert (data.time.axis, data.time.standard_name) == ("T", "time")
    moment = float(data.time[2])
    assert np.array_equal(data.sel(time=moment).position, hunted.frames[2].positions)
