"""Damaged and hostile sweep folders are reported without a traceback, and the rest is read."""

from __future__ import annotations

import json
import shutil
import tracemalloc
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import murmura as mm
from murmura.engine.checkpoint import seal
from murmura.lab.damage import DamageWarning
from murmura.lab.files.json_lines import line_of
from murmura.lab.sweeps.folder import open_sweep
from murmura.lab.sweeps.sweep import resume_sweep, sweep
from tests.cli.terminal import murmura_says
from tests.lab.tampering import forged_line

MOST_MEMORY = 100 * 2**20


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("made") / "s"
    sweep(
        "classic", ["perception.radius=30,40,50", "rules.alignment.weight=0:1:2"], 2, out, changes={"agents": 8},
        backend="reference", workers=0, measures=["polarization"], repeats=2,
    )  # fmt: skip
    return out


def manifests(good: dict[str, Any]) -> Iterator[tuple[str, bytes]]:
    """False manifests with correct seals: an attacker can write one."""

    def changed(*path: str, to: Any = None) -> bytes:
        data = json.loads(json.dumps({key: value for key, value in good.items() if key != "seal"}))
        place = data
        for part in path[:-1]:
            place = place[int(part)] if isinstance(place, list) else place[part]
        if to is None:
            del place[path[-1]]
        else:
            place[path[-1]] = to
        return json.dumps(data | {"seal": seal(data)}).encode()

    for key in ("versions", "points", "question", "design", "start"):
        yield f"no {key}", changed(key)
        for value in ([], {}, "text", 7):
            yield f"{key} {value!r}", changed(key, to=value)
    for key in good["question"]:
        yield f"no question.{key}", changed("question", key)
        for value in ({}, "", -1, 10**30, ["x", 7]):
            yield f"question.{key} {value!r}", changed("question", key, to=value)
    for key in good["design"]:
        yield f"no design.{key}", changed("design", key)
        for value in ({}, "", -1, 10**12, [7]):
            yield f"design.{key} {value!r}", changed("design", key, to=value)
    for key in good["design"]["axes"][0]:
        for value in ({}, "", -1, 10**12, [7], True):
            yield f"axis.{key} {value!r}", changed("design", "axes", "0", key, to=value)
    for key in good["start"]:
        yield f"start.{key}", changed("start", key, to=7)
    yield "a goal", changed("goal", to={"measure": "milling", "maximize": True, "batch": 1})
    yield "a log of nothing", changed("design", "axes", "1", "log", to=True)
    yield "brackets", b"[" * 100_000
    yield "nested", b'{"question":' * 100_000
    yield "a key twice", json.dumps(good).replace('"points"', '"start": 1, "points"').encode()
    yield "not UTF-8", b"\xff\xfe\x00"
    yield "empty", b""
    yield "an altered digit", json.dumps(good).replace('"repeats": 2', '"repeats": 1').encode()


def lines(good: list[bytes]) -> Iterator[tuple[str, bytes]]:
    row = json.loads(good[3])
    del row["crc32"]
    for what, change in {
        "no values": {"values": None}, "other values": {"values": {"agents": 3}}, "no seed": {"seed": None},
        "measures of nothing": {"measures": {}}, "a measure in words": {"measures": {"polarization": "x"}},
        "a run that there is not": {"run": 99}, "a run in words": {"run": "3"}, "a negative run": {"run": -1},
        "true": {"run": True}, "an error that is none": {"error": 7}, "infinity": {"seed": 10**400},
    }.items():  # fmt: skip
        yield what, line_of(row | change)
    yield "two keys", line_of({"run": 0, "measures": {}})
    yield "a changed digit", good[3].replace(b'"seed": ', b'"seed": 1')
    yield "brackets", b"[" * 100_000 + b"\n"
    yield "very long", b" " * 3_000_000 + b"\n"
    yield "not UTF-8", b"\xff\xfe\n"


BOMBS = ("brackets", "nested", "very long", "1000000000000")
"""In the names of cases that might take much memory; measuring it takes three times as long."""


def heard(folder: Path, figure: Path, what: str) -> str:
    """The messages when a folder is read, drawn, verified and resumed: our own errors, or reported damage."""
    said: list[str] = []

    def read() -> None:
        there = open_sweep(folder)
        assert all(isinstance(line["seed"], int) for line in there.runs())
        list(there.cells())
        there.verify()

    if any(word in what for word in BOMBS):
        tracemalloc.start()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", DamageWarning)
        for act in (
            read,
            lambda: mm.plot(folder, figure),
            lambda: resume_sweep(folder, workers=0, announce=said.append),
        ):
            try:
                act()
            except mm.MurmuraError as error:
                said.append(str(error))
    if tracemalloc.is_tracing():
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < MOST_MEMORY, peak
    return "; ".join([*said, *(str(warning.message) for warning in told)])


def test_manifests_that_lie_are_named(made: Path, tmp_path: Path):
    good, count = json.loads((made / "sweep.json").read_text()), 0
    for what, content in manifests(good):
        folder = shutil.copytree(made, tmp_path / "s", dirs_exist_ok=True)
        (folder / "sweep.json").write_bytes(content)
        said = heard(folder, tmp_path / "f.svg", what)
        # With a correct seal, a false value of the right type cannot be detected.
        possible = what.startswith(("question.", "axis.", "design.", "start.")) and not what.endswith("{}")
        possible = possible or what in (
            "no question.costly",
            "no question.thin",
            "no question.errors",
        )  # as in earlier versions
        assert possible or "sweep.json" in said, (what, said)
        count += 1
    assert count > 100


def test_damaged_rows_are_named_and_the_rest_is_read(made: Path, tmp_path: Path):
    good, table = (
        (made / "rows.jsonl").read_bytes().splitlines(keepends=True),
        (made / "table.csv").read_bytes(),
    )
    for what, line in lines(good):
        folder = shutil.copytree(made, tmp_path / what.replace(" ", "-"))
        (folder / "rows.jsonl").write_bytes(b"".join([*good[:3], line, *good[4:]]))
        with pytest.warns(DamageWarning, match=r"rows\.jsonl is damaged: line 4: "):
            assert len(list(open_sweep(folder).runs())) == 11, what
        assert [damage.line for damage in open_sweep(folder).verify().damages] == [4], what
        assert "line 4" in heard(folder, tmp_path / "f.svg", what), what
        # Resuming has repeated the run, with the same result.
        assert (folder / "table.csv").read_bytes() == table, what
        assert open_sweep(folder).verify().is_whole, what


def test_verify_compares_rows_with_the_design_and_tables_with_the_rows(made: Path, tmp_path: Path):
    assert open_sweep(made).verify().is_whole
    folder = shutil.copytree(made, tmp_path / "s")
    forged_line(folder / "rows.jsonl", 4, seed=4711)
    assert ["other values than in the design" in d.what for d in open_sweep(folder).verify().damages] == [
        True
    ]
    folder = shutil.copytree(made, tmp_path / "t")
    text = (folder / "cells.csv").read_text()
    (folder / "cells.csv").write_text(text.replace(",2,", ",3,", 1))
    found = open_sweep(folder).verify().damages
    assert [(damage.file.name, damage.line) for damage in found] == [("cells.csv", 2)]
    done = murmura_says("verify", folder, cwd=tmp_path)
    assert done.returncode == 1 and "cells.csv is damaged: line 2" in done.stderr
