"""Every kept result has a record of the version that made it, and the page says where code is newer."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

FOLDER = Path(__file__).parents[2] / "experiments"
TABLES = sorted((FOLDER / "results").glob("*.csv"))


@pytest.fixture
def versions(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.syspath_prepend(str(FOLDER))
    import versions

    yield versions
    sys.modules.pop("versions", None)


@pytest.mark.parametrize("table", TABLES, ids=lambda path: path.stem)
def test_every_result_records_the_version_that_made_it(table: Path):
    made = json.loads(table.with_suffix(".json").read_text(encoding="utf-8"))
    assert made["murmura"] and made["commit"] and (FOLDER / made["experiment"]).exists()
    assert len(made["script"]) == 64 and {**made["bits"], **made["models"]}


def test_the_page_says_which_results_are_older_than_their_code(versions: ModuleType):
    page = versions.PAGE.read_text(encoding="utf-8")
    assert page == versions.renewed(page), (
        "results are older or newer than the page says: python experiments/versions.py"
    )


def test_other_code_is_noticed(versions: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    script = tmp_path / "swarm.py"
    script.write_text('Experiment("swarm", scenario="vicsek")')
    golden = tmp_path / "golden.json"
    golden.write_text(json.dumps({"vicsek": {"1000": "a"}}))
    monkeypatch.setattr(versions, "HERE", tmp_path)
    monkeypatch.setattr(versions, "GOLDEN", golden)
    table = tmp_path / "swarm.csv"
    assert versions.changes_since(table) == ["no record of the version that made it"]
    versions.record(table, script)
    assert versions.changes_since(table) == []
    golden.write_text(json.dumps({"vicsek": {"1000": "b"}}))
    assert versions.changes_since(table) == ["the bits of vicsek"]
    script.write_text('Experiment("swarm", scenario="vicsek", values={"rules.swarm.pull": 2})')
    (tmp_path / "swarms.py").write_text('@register_rule("swarm")')
    monkeypatch.setattr(versions, "MODELS", tmp_path)
    expected = ["experiments/swarm.py", "the bits of vicsek", "rules/models/swarms.py"]
    assert versions.changes_since(table) == expected
