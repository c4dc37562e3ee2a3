"""Every writer of the lab on a full disk, and at an impossible path: a message, and no leftovers."""

from __future__ import annotations

import resource
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import murmura as mm
from murmura.core.errors import RunError
from murmura.lab.exports.export import export
from murmura.lab.exports.lineage import export_lineage
from murmura.lab.figures.plot import plot
from murmura.lab.files.atomic_write import atomic_write
from murmura.lab.films.film import Cut, render
from murmura.lab.films.film_frames import RecordedReel
from murmura.lab.films.picture import Look
from murmura.lab.runs.recording import record
from murmura.lab.sweeps.tables import write_table
from murmura.view.standalone.page import write_page

LEAST = 256  # greatest size of a file on the small disk [bytes]


@contextmanager
def small_disk() -> Iterator[None]:
    before, writes = resource.getrlimit(resource.RLIMIT_FSIZE), sys.dont_write_bytecode
    sys.dont_write_bytecode = True  # truncated modules in the cache would break every other process
    resource.setrlimit(resource.RLIMIT_FSIZE, (LEAST, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        sys.dont_write_bytecode = writes


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> mm.Run:
    scenario = mm.load_scenario("colony").with_values({"agents": 60})
    return record(
        mm.Simulation(scenario, seed=2, backend="reference"), 8, tmp_path_factory.mktemp("run") / "run", 2
    )


def film(run: mm.Run, out: Path) -> None:
    look = Look(size=(256, 144), labels=False)
    render(RecordedReel(run.scenario, run.seed, run.frames), out, look, Cut(fps=25.0))


WRITERS: dict[str, Callable[[mm.Run, Path], object]] = {
    "film.mp4": film,
    "film.gif": film,
    "film.png": film,
    "family.csv": lambda run, out: export_lineage(run, out),
    "family.parquet": lambda run, out: export_lineage(run, out),
    "family.nwk": lambda run, out: export_lineage(run, out),
    "run.csv": lambda run, out: export(run, "csv", out),
    "run.parquet": lambda run, out: export(run, "parquet", out),
    "run.zarr": lambda run, out: export(run, "zarr", out),
    "figure.png": lambda run, out: plot(run.folder, out),
    "figure.svg": lambda run, out: plot(run.folder, out),
    "table.csv": lambda run, out: write_table(out, ({"a": k, "b": 0.1 * k} for k in range(1000))),
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk_gives_a_message_and_leaves_nothing(name: str, run: mm.Run, tmp_path: Path) -> None:
    WRITERS[name](run, tmp_path / name)  # also compiles and imports everything while there is space
    whole = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert max(len(content) for content in whole.values()) > LEAST
    narrow = tmp_path / "narrow"
    narrow.mkdir()
    with small_disk(), pytest.raises(RunError, match=r"File too large|could not be written"):
        WRITERS[name](run, narrow / name)
    assert not list(narrow.iterdir())


@pytest.mark.parametrize("name", ["page.html", "scenario.json", "scenario.toml"])
def test_a_full_disk_leaves_the_older_file_as_it_was(name: str, tmp_path: Path) -> None:
    def write() -> None:
        if name == "page.html":
            write_page("<p>flock</p>" * 100, tmp_path / name)
        else:
            mm.save_scenario(mm.load_scenario("emergent"), tmp_path / name)

    (tmp_path / name).write_text("older")
    with small_disk(), pytest.raises(mm.MurmuraError, match=rf"cannot write .*{name}: .*File too large"):
        write()
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text() == "older"
    write()
    assert (tmp_path / name).stat().st_size > LEAST


def test_a_table_that_fits_stays_when_its_parquet_does_not(tmp_path: Path) -> None:
    lines = [{"a": k} for k in range(10)]
    with small_disk(), pytest.raises(RunError, match=r"table\.parquet.*The rows are safe"):
        write_table(tmp_path / "table.csv", iter(lines))
    assert [path.name for path in tmp_path.iterdir()] == ["table.csv"]


def test_what_is_no_trouble_of_the_disk_is_told_as_it_is_and_leaves_nothing(tmp_path: Path) -> None:
    def break_off() -> None:
        with atomic_write(tmp_path / "file", tmp_path / "folder") as (file, folder):
            file.write_text("half")
            folder.mkdir()
            (folder / "part").write_text("half")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        break_off()
    assert not list(tmp_path.iterdir())


def test_nothing_is_written_below_a_file(run: mm.Run, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(RunError, match=r"cannot write .*run\.csv.*The run itself is untouched"):
        export(run, "csv", tmp_path / "file" / "run.csv")
