"""One kind of task folder: what it writes, what it refuses, and what it says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from murmura.core.errors import RunError, ScenarioError
from murmura.lab.damage import Damage, refuse
from murmura.lab.files.task_folder import Manifest, TaskFolder


class Asked(Manifest):
    format: int
    trials: int
    note: str = ""
    seal: str | None = None


FOLDER = TaskFolder(
    "inquiry", "murmura inquire", Asked, "asked.json", "asked.lock", ("asked.lock", "asked.json", "rows.jsonl"),
    beginning=("rows.jsonl",),
)  # fmt: skip


@pytest.fixture
def made(tmp_path: Path) -> Path:
    with FOLDER.claimed(tmp_path / "i"):
        FOLDER.write(tmp_path / "i", trials=3, format=1)
    return tmp_path / "i"


def test_a_manifest_is_written_in_the_order_of_its_fields_and_sealed(made: Path):
    data = json.loads((made / "asked.json").read_text())
    assert list(data) == ["format", "trials", "seal"]
    assert FOLDER.read(made, refuse).trials == 3 and FOLDER.holds(made)


def test_an_altered_manifest_is_damaged(made: Path):
    path, said = made / "asked.json", list[Damage]()
    path.write_text(path.read_text().replace('"trials": 3', '"trials": 4'))
    assert FOLDER.read(made, said.append).trials == 4
    assert "does not match its seal" in str(said[0])


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('{"format": 1, "trials": "3"}', "asked.json: trials: Input should be a valid integer, got '3'"),
        ('{"format": 1, "trials": 3, "more": 1}', "asked.json: more: Extra inputs are not permitted"),
        ("[1]", "asked.json: it is not a JSON object"),
        ("{", "the inquiry in .* is damaged: asked.json: "),
    ],
)
def test_a_manifest_that_lies_is_named(made: Path, content: str, words: str):
    (made / "asked.json").write_text(content)
    with pytest.raises(RunError, match=words):
        FOLDER.read(made, refuse)


def test_other_folders_are_refused(made: Path, tmp_path: Path):
    with pytest.raises(
        ScenarioError, match=r"is not the folder of an inquiry: .*Make one with `murmura inquire`"
    ):
        FOLDER.read(tmp_path, refuse)
    (made / "asked.json").unlink()
    (made / ".rows.jsonl.4711").write_text("half")
    with FOLDER.claimed(made):  # stopped before it began
        assert not (made / ".rows.jsonl.4711").exists()
    with (
        FOLDER.claimed(made),
        pytest.raises(ScenarioError, match="another process is working on the inquiry"),
        FOLDER.claimed(made),
    ):
        pass
    (made / "notes.txt").write_text("mine")
    with (
        pytest.raises(ScenarioError, match="is not empty and does not contain an inquiry"),
        FOLDER.claimed(made),
    ):
        pass
