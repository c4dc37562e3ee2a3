"""Family trees of recorded runs: the table, Newick read by a separate parser, and interrupted runs."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import murmura as mm
from murmura.core.errors import RunError, ScenarioError
from murmura.engine.lineage import COLUMNS, Lineage, Register
from murmura.lab.exports.lineage import export_lineage, newick, table
from murmura.lab.files.json_lines import line_of
from murmura.lab.runs.recording import record
from murmura.lab.runs.resuming import resume
from tests.cli.terminal import complaint, murmura_says
from tests.lab.births_and_deaths import family
from tests.lab.tampering import as_killed

polars = pytest.importorskip("polars")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory):
    simulation = mm.Simulation(family(), 1, "reference")
    return record(simulation, 90, tmp_path_factory.mktemp("lines") / "run", every=15), simulation


def parsed(text: str) -> list[tuple]:
    """Newick as nested tuples (name, length, species, children): a recursive-descent reader of the grammar."""
    at = 0

    def label() -> tuple[str, float, str]:
        nonlocal at
        begin = at
        while text[at] not in "(),;[":
            at += 1
        name, _, length = text[begin:at].partition(":")
        kind = ""
        if text[at] == "[":
            end = text.index("]", at)
            head, _, kind = text[at:end].partition("S=")
            assert head == "[&&NHX:"
            at = end + 1
        return name, float(length), kind

    def node() -> tuple:
        nonlocal at
        children = []
        if text[at] == "(":
            while text[at] in "(,":
                at += 1
                children.append(node())
            assert text[at] == ")", text[at : at + 20]
            at += 1
        return *label(), children

    trees = []
    while at < len(text):
        trees.append(node())
        assert text[at : at + 2] == ";\n"
        at += 2
    return trees


def test_a_run_tells_what_its_simulation_knows(run) -> None:
    recorded, simulation = run
    tree, live = mm.lineage(recorded), mm.lineage(simulation)
    for name in COLUMNS:
        np.testing.assert_array_equal(getattr(tree, name), getattr(live, name), name)
    assert (tree.first, tree.last, tree.time_step) == (live.first, live.last, live.time_step)
    assert tree.species_names == ("finch", "owl")
    assert len(mm.lineage(str(recorded.folder))) == len(tree) > 100


def test_the_table_says_it_in_words(run) -> None:
    recorded, simulation = run
    tree = mm.lineage(recorded)
    rows = table(tree)
    assert rows.columns == [
        "id", "species", "mother", "father", "born", "died", "cause", "killer", "generation", "young",
    ]  # fmt: skip
    assert rows.filter(polars.col("mother").is_null())["id"].to_list() == list(range(20))
    assert rows.filter(polars.col("died").is_null())["id"].to_list() == simulation.ids.tolist()
    assert set(rows["cause"].drop_nulls()) == {"age", "starvation"}
    mothers = rows.drop_nulls("mother").group_by("mother").len().sort("mother")
    assert dict(zip(mothers["mother"], mothers["len"], strict=True)) == {
        row["id"]: row["young"] for row in rows.iter_rows(named=True) if row["young"]
    }


@pytest.mark.parametrize("pruning", [{}, {"living": True}, {"least": 6}])
def test_newick_read_back_is_the_maternal_lines(run, pruning: dict) -> None:
    tree = mm.lineage(run[0]).pruned(**pruning)
    found: dict[int, tuple] = {}

    def walk(node: tuple, mother: int) -> None:
        name, length, kind, children = node
        found[int(name)] = (mother, length, kind)
        assert [int(child[0]) for child in children] == sorted(int(child[0]) for child in children)
        for child in children:
            walk(child, int(name))

    for each in parsed(newick(tree)):
        walk(each, -1)
    assert sorted(found) == tree.ids.tolist()
    for row, i in enumerate(tree.ids.tolist()):
        mother, length, kind = found[i]
        assert mother == tree.mothers[row]
        begun = 0 if mother < 0 else tree.born[tree.row(mother)]
        assert length == pytest.approx((tree.born[row] - begun) * tree.time_step, rel=1e-5)
        assert kind == tree.species_names[tree.species[row]]


def chain(length: int) -> Lineage:
    """Every agent is the child of the previous one."""
    register = Register(np.array([0]), np.array([0]), 0)
    rows = np.zeros((length - 1, 8))
    rows[:, 0] = rows[:, 2] = np.arange(1, length)
    rows[:, 1], rows[:, 3], rows[:, 7] = 1, np.arange(length - 1), -1
    register.note(rows)
    return register.lineage(("one",), length, 0.5)


def test_a_line_may_be_longer_than_python_recurses() -> None:
    text = newick(chain(3_000))
    assert text.count("(") == text.count(")") == 2_999
    assert text.startswith("(" * 2_999 + "2999:0.5)") and text.endswith(")1:0.5)0:0;\n")
    assert chain(3_000).line_totals(np.ones(3_000))[0] == 3_000


@pytest.mark.parametrize("ending", ["csv", "parquet", "nwk"])
def test_export_from_the_command_line(run, ending: str, tmp_path: Path) -> None:
    target = tmp_path / f"tree.{ending}"
    done = murmura_says(
        "export", run[0].folder, "--lineage", target, "--living", "--json", "--rules", HEIRS, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    tree = mm.lineage(run[0]).pruned(living=True)
    assert json.loads(done.stdout) == {"lives": len(tree), "lineage": str(target)}
    if ending == "nwk":
        assert target.read_text() == newick(tree)
    else:
        read = polars.read_csv if ending == "csv" else polars.read_parquet
        assert read(target).rows() == table(tree).rows()


HEIRS = Path(__file__).parents[1] / "births_and_deaths.py"


def test_what_cannot_be_exported_is_reported(run, tmp_path: Path) -> None:
    folder = run[0].folder
    with pytest.raises(ScenarioError, match=r"end in \.csv, \.parquet, \.nwk, got 'tree.newick'"):
        export_lineage(folder, tmp_path / "tree.newick")
    with pytest.raises(ScenarioError, match="at least 1 member, got 0"):
        export_lineage(folder, tmp_path / "tree.csv", least=0)
    with pytest.raises(ScenarioError, match="there is no folder"):
        export_lineage(folder, tmp_path / "nowhere" / "tree.csv")
    export_lineage(folder, tmp_path / "tree.csv")
    with pytest.raises(ScenarioError, match="already exists"):
        export_lineage(folder, tmp_path / "tree.csv")
    assert [p.name for p in tmp_path.iterdir()] == ["tree.csv"]
    assert "--lineage FILE" in complaint(murmura_says("export", folder, "--rules", HEIRS, cwd=tmp_path), 2)


def test_a_damaged_story_is_reported(run, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(run[0].folder, copy)
    as_killed(copy)
    row = {"step": 3, "kind": "birth", "id": "nobody", "other": 1}
    (copy / "events.jsonl").write_bytes(line_of(row))
    with pytest.raises(RunError, match="are damaged"):
        mm.lineage(copy)


def test_a_run_that_was_stopped_leaves_the_same_metrics(run, tmp_path: Path) -> None:
    # Births of the last minute were reported before the run stopped; they still count after it is resumed.
    whole = run[0]
    record(mm.Simulation(family(), 1, "reference"), 40, tmp_path / "part", every=15)
    resume(tmp_path / "part", steps=90)
    names = json.loads((tmp_path / "part" / "metrics.jsonl").read_text().splitlines()[-1])
    assert {"births", "deaths_by_age", "gene_speed_mean@owl", "generation_max"} <= set(names)
    last = list(mm.open_run(tmp_path / "part").metrics())[-1]
    assert last == pytest.approx(list(whole.metrics())[-1], nan_ok=True) and last["births"] > 0
    twin = mm.lineage(tmp_path / "part")
    for name in COLUMNS:
        np.testing.assert_array_equal(getattr(twin, name), getattr(mm.lineage(whole), name))


def test_chosen_measures_are_recorded_and_swept(tmp_path: Path) -> None:
    names = ["gene_speed_q95", "gene_speed_selection@owl", "births"]
    made = record(mm.Simulation(family(), 1, "reference"), 30, tmp_path / "run", every=30, measures=names)
    assert list(list(made.metrics())[-1]) == ["step", "time", "agents", *names]
    with pytest.raises(
        ScenarioError, match=r"no measure is called 'gene_sped_mean'.*did you mean 'gene_speed_mean'"
    ):
        record(mm.Simulation(family(), 1, "reference"), 3, tmp_path / "no", measures=["gene_sped_mean"])
    swept = mm.sweep(
        family(),
        ["rules.heirs.dies_at=0.3,0.5"],
        30,
        tmp_path / "sweep",
        measures=names,
        workers=0,
        backend="reference",
    )
    cells = list(swept.cells())
    assert len(cells) == 2 and all(np.isfinite(cell["gene_speed_q95"]) for cell in cells)
    assert cells[0]["births"] > 0
