"""`murmura render`, `replay` and `compare` as a user types them."""

from __future__ import annotations

import http.client
import json
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from murmura.cli import main

from .terminal import MURMURA, PATIENCE, murmura_says, started, wait_until

SMALL = ("--size", "160x90", "--backend", "reference", "--agents", "30")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("films")
    words = (
        "run",
        "classic",
        "--steps",
        40,
        "--agents",
        30,
        "--every",
        4,
        "--backend",
        "reference",
        "--out",
        "r",
    )
    done = murmura_says(*words, cwd=place)
    assert done.returncode == 0, done.stderr
    return place


def test_a_run_becomes_a_film_a_gif_and_a_picture(folder: Path):
    for name, pictures in (("a.mp4", 11), ("a.gif", 11), ("a.png", 1)):
        done = murmura_says("render", "r", "--out", name, "--size", "160x90", "--json", cwd=folder)
        assert done.returncode == 0, done.stderr
        facts = json.loads(done.stdout)
        assert (facts["pictures"], facts["exact"], facts["size"]) == (pictures, True, "160x90")
        assert (folder / name).stat().st_size > 1000


def test_a_scenario_is_filmed_as_it_runs_beside_another(folder: Path):
    words = (
        "render",
        "classic",
        "--steps",
        12,
        "--beside",
        "classic",
        "--beside-set",
        "rules.alignment.weight=0",
    )
    done = murmura_says(*words, "--seed", 7, "--out", "two.png", *SMALL, "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["steps"] == [12, 12]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("r", "--out", "a.avi"), "--out must end in .mp4, .gif, .png"),
        (("r", "--out", "a.png", "--size", "big"), "--size takes WIDTHxHEIGHT"),
        (("r", "--out", "a.png", "--color", "energy"), "which was not recorded"),
        (("r", "--out", "a.png", "--follow", "500"), "no agent has the id 500"),
        (("r", "--out", "a.mp4", "--from", 30, "--to", 20), "must not be after --to"),
        (("r", "--out", "a.png", "--beside-set", "agents=3"), "a recorded run is shown as it was"),
        (("nowhere", "--out", "a.mp4"), "add --steps N"),
        ((".", "--out", "a.mp4"), "is not a run folder"),
        (("classic", "--steps", 5, "--at", 5, "--out", "a.png"), "--at has no effect here"),
    ],
)
def test_mistakes_are_reported_and_nothing_is_written(
    folder: Path,
    words: tuple[object, ...],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    monkeypatch.chdir(folder)
    kept = {path.name: path.stat().st_mtime for path in folder.iterdir()}
    assert message in refusal("render", *words, "--force", capsys=capsys)
    assert {path.name: path.stat().st_mtime for path in folder.iterdir()} == kept


def refusal(*words: object, capsys: pytest.CaptureFixture[str]) -> str:
    """The error message of a mistake, in this process: a new one would take a second each time."""
    with pytest.raises(SystemExit) as left:
        main([str(word) for word in words])
    assert left.value.code == 2
    told = capsys.readouterr().err
    assert told.startswith("murmura: ") and "Traceback" not in told
    return told


def test_ctrl_c_leaves_a_shorter_film(folder: Path):
    words = ["render", "classic", "--steps", "100000", "--out", "long.mp4", *SMALL]
    with started(*MURMURA, *words, cwd=folder, stderr=subprocess.PIPE) as process:
        # The first bytes of the film:
        wait_until(lambda: any(path.stat().st_size for path in folder.glob(".long.mp4*")), process)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert "stopped; long.mp4 contains the frames so far" in told and "Traceback" not in told
    from murmura.lab.films.encode import ffmpeg

    check = subprocess.run(
        [ffmpeg(), "-v", "error", "-i", folder / "long.mp4", "-f", "null", "-"], capture_output=True
    )
    assert check.returncode == 0 and check.stderr == b""
    assert not list(folder.glob(".long*"))


@pytest.mark.parametrize("words", [("replay", "r"), ("compare", "r", "classic", "--backend", "reference")])
def test_replay_and_compare_serve_and_leave_on_ctrl_c(folder: Path, words: tuple[str, ...]):
    page = Path(sys.modules["murmura"].__file__ or "").parent / "view/static/compare.html"
    if not page.exists():
        pytest.skip("the page is not built")
    with started(*MURMURA, *words, "--no-open", cwd=folder, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline().endswith("starting...\n")
        port = int(process.stdout.readline().partition("http://127.0.0.1:")[2].partition("/")[0])
        assert answer(port) == 403  # it is there and requires its token
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=PATIENCE)
    assert "stopped" in rest and process.returncode == 0


def answer(port: int) -> int:
    """The status of the first answer; the socket accepts connections before the server reads from it."""
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)) as connection:
        connection.request("GET", "/")
        return connection.getresponse().status


def test_replay_names_what_is_wrong(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(folder)
    assert "is not a run folder" in refusal("replay", ".", "--no-open", capsys=capsys)
    told = refusal("replay", "r", "--speed", 99, "--no-open", capsys=capsys)
    assert "--speed takes a number from 0.05 to 16" in told
