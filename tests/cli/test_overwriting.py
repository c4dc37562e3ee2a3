"""No command overwrites a file unless it is told to by --force (issue 29, point 29)."""

from __future__ import annotations

from pathlib import Path

import pytest

import murmura as mm
from murmura.cli import main
from murmura.lab.runs.recording import record

WRITING = {
    "plot run --out a.svg": "a.svg",
    "render run --out a.png --size 64x64": "a.png",
    "render run --out a-%02d.png --size 64x64": "a-00.png",
    "export run --to csv --out a.csv": "a-events.csv",
    "export run --to parquet --out a.parquet": "a.parquet",
    "export run --to html --out a.html": "a.html",
    "export run --to html": "run.html",
    "export classic --to html --agents 5 --out a.html": "a.html",
    "export run --lineage a.nwk": "a.nwk",
}
"""Commands, and a file that each would overwrite."""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    scenario = mm.load_scenario("classic").with_values({"agents": 5})
    folder = tmp_path_factory.mktemp("runs") / "run"
    record(mm.Simulation(scenario, 1, "reference"), 4, folder, 2)
    return folder


@pytest.fixture
def place(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "run").symlink_to(run)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refusal(words: str, capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit) as left:
        main(words.split())
    assert left.value.code == 2
    return capsys.readouterr().err


def written(words: str) -> None:
    with pytest.raises(SystemExit) as left:
        main(words.split())
    assert left.value.code == 0


@pytest.mark.parametrize("words", WRITING)
def test_a_file_is_overwritten_only_by_force(words: str, place: Path, capsys: pytest.CaptureFixture[str]):
    mine = place / WRITING[words]
    mine.write_text("mine")
    names = sorted(place.iterdir())
    said = refusal(words, capsys)
    assert f"{mine.name} already exists: choose another name, or overwrite it with --force" in said
    assert mine.read_text() == "mine" and sorted(place.iterdir()) == names
    written(f"{words} --force")
    assert mine.read_bytes() != b"mine"


def test_a_folder_is_overwritten_only_if_it_is_a_zarr_group(place: Path, capsys: pytest.CaptureFixture[str]):
    words = "export run --to zarr --out a.zarr"
    (place / "a.zarr").mkdir()
    (place / "a.zarr" / "notes.txt").write_text("mine")
    assert "already exists" in refusal(words, capsys)
    assert "not a Zarr group" in refusal(f"{words} --force", capsys)
    assert (place / "a.zarr" / "notes.txt").read_text() == "mine"
    written("export run --to zarr --out b.zarr")
    (place / "b.zarr" / "notes.txt").write_text("not Murmura's")
    written("export run --to zarr --out b.zarr --force")
    assert not (place / "b.zarr" / "notes.txt").exists() and (place / "b.zarr" / ".zgroup").is_file()
    assert sorted(path.name for path in place.iterdir()) == ["a.zarr", "b.zarr", "run"]


def test_a_site_is_not_overwritten(place: Path, capsys: pytest.CaptureFixture[str]):
    (place / "site").mkdir()
    (place / "site" / "index.html").write_text("mine")
    assert "index.html already exists" in refusal("export --gallery site", capsys)


def test_only_a_repeated_sweep_draws_its_figure_again(place: Path, capsys: pytest.CaptureFixture[str]):
    figure = place / "a.svg"
    figure.write_text("mine")
    words = "sweep classic --agents 5 --steps 2 --vary rules.cohesion.weight=0,1 --measure spread --workers 0 --out s"
    assert "a.svg already exists" in refusal(f"{words} --plot a.svg", capsys)
    assert figure.read_text() == "mine" and not (place / "s").exists()
    written(f"{words} --backend reference")
    written(f"{words} --backend reference --plot a.svg")
    assert figure.read_text().startswith("<?xml")
