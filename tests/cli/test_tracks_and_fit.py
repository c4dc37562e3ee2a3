"""`murmura tracks` and `murmura fit` as a user types them, in this process: exit codes, facts and messages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from murmura.cli import main
from tests.lab.tracks.shoals import circling, table


def said(words: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of a command."""
    with pytest.raises(SystemExit) as ended:
        main(words)
    out, error = capsys.readouterr()
    return int(ended.value.code or 0), out, error


@pytest.fixture
def fish(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    places = circling(12, 4)
    places[4, 1] = np.nan
    (tmp_path / "fish.csv").write_text(table(places))
    return tmp_path


def test_tracks_tell_what_they_did(fish: Path, capsys: pytest.CaptureFixture[str]):
    code, out, _ = said(["tracks", "fish.csv", "--fps", "10", "--out", "fish", "--json"], capsys)
    facts: dict[str, Any] = json.loads(out)
    assert code == 0 and facts["animals"] == 4
    assert facts["missing"].startswith("1 of 48 points") and facts["filled"].startswith("1 points")
    code, out, _ = said(["verify", "fish", "--json"], capsys)
    assert code == 0 and json.loads(out)["whole"] is True


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["fish.csv"], "add --fps"),
        (["no.csv"], "no.csv: it cannot be read: No such file"),
        (["fish.csv", "--fps", "10", "--smooth", "4"], "an odd number of at least 3 frames"),
        (["fish.csv", "--fps", "10", "--columns", "id=fish"], "it has no column 'fish'"),
        (["fish.csv", "--fps", "10", "--columns", "ids"], "--columns takes ROLE=NAME"),
    ],
)
def test_bad_tracks_are_reported_in_one_line(
    fish: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
):
    code, out, error = said(["tracks", *words, "--out", "fish"], capsys)
    assert (code, out) == (2, "") and message in error and error.startswith("murmura: ")
    assert error.count("\n") == 1 and not (fish / "fish").exists()


def test_a_fit_from_end_to_end(fish: Path, capsys: pytest.CaptureFixture[str]):
    pytest.importorskip("pyabc")
    assert said(["tracks", "fish.csv", "--fps", "10", "--out", "fish"], capsys)[0] == 0
    words = [
        "fit", "couzin", "--to", "fish", "--out", "fit", "--vary", "motion.speed=0.5:6", "--measure", "speeds",
        "--population", "4", "--generations", "1", "--predictions", "0", "--instants", "2", "--batch", "4",
        "--workers", "0", "--backend", "reference", "--set", "perception.radius=4", "--seconds", "0.5", "--json",
    ]  # fmt: skip
    code, out, error = said(words, capsys)
    facts = json.loads(out)
    assert code == 0, error
    assert facts["models"] == {"couzin": "1.000"} and "90 %" in facts["motion.speed"]
    assert (fish / "fit" / "posterior.csv").exists() and (fish / "fit" / "best" / "run.gsd").exists()
    code, again, _ = said(["resume", "fit", "--json"], capsys)
    assert code == 0 and json.loads(again)["motion.speed"] == facts["motion.speed"]
    code, _, error = said([*words, "--seed", "1"], capsys)
    assert code == 2 and "contains another fit, which differs in seed" in error
