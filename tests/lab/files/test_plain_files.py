"""Pipes, devices and sockets in place of files: no command waits for them or reads them without end."""

from __future__ import annotations

import ast
import os
import resource
import shutil
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

import murmura as mm
from murmura.core.errors import MurmuraError, RunError
from murmura.lab.exports.export import export
from murmura.lab.figures.plot import plot
from murmura.lab.films.film import Look, render
from murmura.lab.films.film_frames import RecordedReel
from murmura.lab.runs.branching import BranchableRun
from murmura.lab.runs.checkpoints import SLOTS
from murmura.lab.runs.recording import record
from murmura.lab.runs.resuming import resume
from murmura.lab.tracks.tracks import read_tracks
from murmura.scenario.rule_files import load_rule_file
from murmura.view.playback.replay import read_record
from murmura.view.wire.lessons import read_lesson
from tests.sizes import size

SOURCES = Path(mm.__file__).parent
OWN = {  # what this program or its package wrote: caches, package data, the standard streams of a terminal
    "cli/__init__.py", "compute/kernel_cache.py", "core/extras.py", "engine/compile_times.py", "lab/films/font.py",
    "lab/films/looks.py", "scenario/files.py", "scenario/plain_files.py", "scenario/plugins.py", "view/notebook.py",
    "view/server/app.py", "view/server/files.py", "view/standalone/gallery.py", "view/standalone/page.py",
    "view/wire/frames.py",
}  # fmt: skip
PATIENCE, MOST_MEMORY = 60, 2 * 2**30


def _read_all(folder: Path) -> None:
    run = mm.open_run(folder)
    with suppress(MurmuraError):
        run.final("reference")
    list(run.metrics()), list(run.events()), len(run.frames)


def _film(folder: Path, out: Path) -> None:
    run = mm.open_run(folder)
    render(RecordedReel(run.scenario, run.seed, run.frames.sound()), out / "run.png", Look(size=(64, 64)))


COMMANDS: dict[str, Callable[[Path, Path], object]] = {
    "verify": lambda folder, out: mm.open_run(folder).verify(),
    "resume": lambda folder, out: resume(folder),
    "export": lambda folder, out: export(mm.open_run(folder), "csv", out / "run.csv"),
    "plot": lambda folder, out: plot(folder, out / "run.svg"),
    "render": _film,
    "replay": lambda folder, out: BranchableRun(mm.open_run(folder)).branch(2),
    "open_run": lambda folder, out: _read_all(folder),
    "restore": lambda folder, out: mm.Simulation.restore(folder / SLOTS[0], "reference"),
}
FILES = ("config.json", "manifest.json", "run.gsd", "metrics.jsonl", "events.jsonl", *SLOTS)


@pytest.fixture(autouse=True)
def nobody_waits() -> Iterator[None]:
    """A command that waits for a pipe or reads a device without end fails here, and does not stop the whole suite."""

    def over(*_: Any) -> None:
        pytest.fail("it waited for a file that never ends")  # no Exception: readers turn those into sentences

    before, limits = signal.signal(signal.SIGALRM, over), resource.getrlimit(resource.RLIMIT_AS)
    held = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (held + MOST_MEMORY, limits[1]))
    signal.setitimer(signal.ITIMER_REAL, PATIENCE, PATIENCE)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    resource.setrlimit(resource.RLIMIT_AS, limits)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stopped") / "run"
    simulation = mm.Simulation(
        mm.load_scenario("classic").with_values({"agents": 6}), seed=3, backend="reference"
    )

    def press(step: int, end: int) -> None:
        if step == 5:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        record(simulation, 9, folder, every=1, progress=press)
    return folder


def _replace(path: Path, kind: str) -> None:
    path.unlink()
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        here = os.getcwd()
        os.chdir(path.parent)  # the name of a socket has at most 108 bytes
        with closing(socket.socket(socket.AF_UNIX)) as made:
            made.bind(path.name)
        os.chdir(here)


def test_all_commands_work_on_the_whole_run(stopped: Path, tmp_path: Path):
    for command, do in COMMANDS.items():
        shutil.copytree(stopped, tmp_path / command)
        do(tmp_path / command, tmp_path)


# A device and a socket by default for one file: what is opened is decided in one place for all.
ODD = [(name, kind) for name in FILES for kind in ("pipe", "device", "socket")]


@pytest.mark.parametrize(
    ("name", "kind"), size([(n, k) for n, k in ODD if k == "pipe" or n == FILES[0]], ODD)
)
@pytest.mark.filterwarnings("ignore::murmura.lab.damage.DamageWarning")
def test_no_command_waits_for_a_file_of_a_run(name: str, kind: str, stopped: Path, tmp_path: Path):
    for command, do in COMMANDS.items():
        folder, out = tmp_path / command, tmp_path / f"{command}-out"
        shutil.copytree(stopped, folder)
        out.mkdir()
        _replace(folder / name, kind)
        with suppress(MurmuraError):
            do(folder, out)


@pytest.mark.parametrize("kind", ["pipe", "device", "socket"])
@pytest.mark.filterwarnings("ignore::murmura.lab.damage.DamageWarning")
def test_a_checkpoint_that_is_no_file_is_named_whatever_else_is_damaged(
    kind: str, stopped: Path, tmp_path: Path
):
    folder = shutil.copytree(stopped, tmp_path / "run")
    _replace(folder / SLOTS[0], kind)
    with pytest.raises(RunError, match="expected a plain file"):
        mm.Simulation.restore(folder / SLOTS[0], "reference")
    damages = mm.open_run(folder).verify().damages
    assert [damage.file.name for damage in damages] == [SLOTS[0]]
    (folder / "config.json").write_text("{}")  # so that the scenario is sought in the checkpoints
    assert mm.open_run(folder).scenario.name == "classic"


@pytest.mark.parametrize("kind", ["pipe", "device", "socket"])
def test_files_that_users_name_are_not_waited_for(kind: str, tmp_path: Path):
    for name, read in (
        ("session.json", read_record),
        ("lesson.toml", read_lesson),
        ("tracks.npy", lambda path: read_tracks(path, fps=25)),
        ("tracks.npz", lambda path: read_tracks(path, fps=25)),
        ("tracks.h5", lambda path: read_tracks(path, fps=25)),
        ("rules.py", load_rule_file),
    ):
        path = tmp_path / name
        path.touch()
        _replace(path, kind)
        with pytest.raises(MurmuraError):
            read(path)


def test_files_from_outside_are_opened_by_one_function():
    """Only `plain_files` and `safe_open` open them; every other module that opens files reads its own."""
    openers = set()
    for file in sorted(SOURCES.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            is_method = isinstance(node.func, ast.Attribute)
            name = node.func.attr if is_method else ast.unparse(node.func)
            words = {str(word.value) for word in node.args if isinstance(word, ast.Constant)}
            opens = name == "open" and (not is_method or words & {"r", "rb"})
            if opens or (is_method and name in ("read_bytes", "read_text")):
                openers.add(str(file.relative_to(SOURCES)))
    assert openers <= OWN
