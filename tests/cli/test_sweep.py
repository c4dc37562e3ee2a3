"""sweep, sensitivity, optimize and plot as a user types them."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from pathlib import Path

import pytest

from murmura.cli import main
from murmura.compute.machine import available_cores

from .terminal import MURMURA, PATIENCE, complaint, murmura_says, started, wait_until

SWEEP = ["sweep", "classic", "--agents", "10", "--steps", "4", "--out", "out"]
VARIED = [*SWEEP, "--vary", "rules.alignment.weight=0:2:3"]
FAST = ["--backend", "reference", "--measure", "polarization"]

MISTAKES = {
    "nothing varied": (SWEEP, r"nothing is varied: add --vary PATH=LOW:HIGH:COUNT"),
    "no scenario": (["sweep", "--vary", "agents=1,2"], r"SCENARIO.*requires an argument"),
    "no steps": (["sweep", "classic", "--vary", "agents=1,2", "--out", "out"], r"needs --steps, for example"),
    "unknown path": ([*SWEEP, "--vary", "rules.alignment.wieght=0:1:3"], r"did you mean 'rules\.alignment\.weight'"),
    "value out of range": ([*SWEEP, "--vary", "agents=-5,5"], r"with agents=-5: agents must be >= 0, got -5"),
    "a million runs": (
        [*SWEEP, "--vary", "agents=1:1000:1000", "--vary", "rules.alignment.weight=0:1:1000", *FAST],
        r"this design has 1,000,000 runs, which would take about [\d,]+ (minutes|hours|days|years) here; add --yes",
    ),
    "unknown design": ([*VARIED, "--design", "gird"], r"no design is called 'gird' \(did you mean 'grid'\?\)"),
    "unknown measure": ([*VARIED, "--measure", "polarisation"], r"did you mean 'polarization'"),
    "no repeats": ([*VARIED, "--repeats", "0"], r"expected at least 1 repeat, got 0"),
    "workers and scheduler": ([*VARIED, "--workers", "2", "--scheduler", "tcp://x:1", *FAST], r"use one of them"),
    "picture of no kind": ([*VARIED, "--plot", "phase.bmp"], r"must end in \.png, \.svg, \.pdf, got 'phase\.bmp'"),
    "folder of another program": ([*SWEEP[:-1], "full", "--vary", "agents=5,6", *FAST], r"full is not empty"),
    "plot nothing": (["plot", "full", "--out", "a.png"], r"is not the folder of a run, a sweep, a fit or an inference"),
    "no goal": (["optimize", *VARIED[1:]], r"either --maximize MEASURE or --minimize MEASURE"),
    "two goals": (["optimize", *VARIED[1:], "--maximize", "spread", "--minimize", "spread"], r"either --maximize"),
    "samples no power of two": (["sensitivity", *VARIED[1:], "--samples", "3", *FAST], r"power of two"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_reported_and_nothing_written(
    mistake: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    words, message = MISTAKES[mistake]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").write_text("keep me")
    with pytest.raises(SystemExit) as left:
        main(words)
    said = capsys.readouterr().err
    assert left.value.code == 2
    assert re.search(message, said, re.DOTALL), said
    assert sorted(str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*")) == ["full", "full/notes.txt"]


def test_one_command_gives_table_and_picture(tmp_path: Path):
    done = murmura_says(
        *VARIED, "--vary", "rules.cohesion.weight=0,1", *FAST, "--plot", "phase.png", "--json", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert (facts["cells"], facts["runs"], facts["failed"]) == (6, 6, 0)
    assert facts["plot"] == "phase.png" and (tmp_path / "phase.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / facts["table"]).read_text().count("\n") == 7
    resumed = murmura_says("resume", "out", "--json", cwd=tmp_path)
    assert json.loads(resumed.stdout)["cells"] == 6, resumed.stderr
    again = murmura_says("plot", "out", "--out", "lines.svg", "--kind", "lines", cwd=tmp_path)
    assert again.returncode == 0 and "lines.svg" in again.stdout


def test_failed_runs_exit_with_1_after_the_rest_is_done(tmp_path: Path):
    (tmp_path / "own.py").write_text(
        "import murmura\n\n@murmura.register_measure('shy')\ndef shy(flock):\n    return 1 / (flock.radius - 60)\n"
    )
    words = [
        *SWEEP,
        "--vary",
        "perception.radius=30,60,90",
        "--rules",
        "own.py",
        "--measure",
        "shy",
        "--workers",
        "1",
    ]
    said = complaint(murmura_says(*words, "--backend", "reference", cwd=tmp_path), code=1)
    assert "1 of 3 runs failed, the first with: ZeroDivisionError" in said
    lines = (tmp_path / "out" / "table.csv").read_text().splitlines()
    assert ["ZeroDivisionError" in line for line in lines] == [False, False, True, False]


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs process groups")
def test_ctrl_c_keeps_what_is_done_and_leaves_nobody_behind(tmp_path: Path):
    words = [*SWEEP, "--vary", "rules.alignment.weight=0:2:50000", *FAST]
    rows = tmp_path / "out" / "rows.jsonl"
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "start_new_session": True}
    with started(*MURMURA, *words, cwd=tmp_path, **options) as process:
        wait_until(lambda: rows.exists() and rows.read_bytes().count(b"\n") >= 3, process)
        children = [
            int(n)
            for f in Path(f"/proc/{process.pid}/task").glob("*/children")
            for n in f.read_text().split()
        ]
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does, to all of its foreground
        printed, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert printed == "" and "Traceback" not in said
    kept = rows.read_bytes().count(b"\n")
    found = re.search(
        r"murmura: stopped after (\d+) runs, which are saved in out; continue with the same command", said
    )
    # Those that were written together when it came may not be counted yet: at most all that are under way.
    assert found is not None and kept - 2 * available_cores() <= int(found[1]) <= kept, said
    assert children and not any(Path(f"/proc/{pid}").exists() for pid in children)


def test_a_search_and_a_sensitivity_analysis_from_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)

    def printed(*words: str) -> str:
        common = [
            "classic",
            "--agents",
            "10",
            "--steps",
            "4",
            "--vary",
            "rules.alignment.weight=0:2",
            "--workers",
            "0",
        ]
        with pytest.raises(SystemExit) as left:
            main([words[0], *common, *FAST, *words[1:]])
        assert left.value.code == 0
        return capsys.readouterr().out

    found = printed(
        "optimize", "--maximize", "polarization", "--trials", "3", "--out", "o", "--plot", "o.svg"
    )
    assert re.search(r"best polarization +0\.\d+", found)
    assert "murmura live classic --seed" in found
    found = printed(
        "sensitivity", "--method", "morris", "--samples", "2", "--out", "s", "--plot", "s.svg", "--json"
    )
    assert {line["measure"] for line in json.loads(found)["indices"]} == {"polarization", "population"}
    assert (tmp_path / "o.svg").exists() and (tmp_path / "s.svg").exists()
