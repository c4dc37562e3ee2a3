"""Every user error gives exit code 2 and a message; nothing is written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from .terminal import complaint, murmura_says

RUN = ["run", "classic", "--steps", "1", "--out", "out"]

MISTAKES = {
    "unknown scenario": (
        ["run", "clasic", "--steps", "1", "--out", "out"],
        r"no scenario is called 'clasic' \(did you mean 'classic'\?\)",
    ),
    "no such file": (
        ["run", "mine.toml", "--steps", "1", "--out", "out"],
        r"cannot read the scenario mine\.toml",
    ),
    "broken file": (
        ["run", "broken.json", "--steps", "1", "--out", "out"],
        r"broken\.json is not valid JSON",
    ),
    "set without a value": ([*RUN, "--set", "agents"], r"--set takes PATH=VALUE.*got 'agents'"),
    "set an unknown path": (
        [*RUN, "--set", "rules.alignment.wieght=2"],
        r"'rules\.alignment\.wieght' \(did you mean 'rules\.alignment\.weight'\?\)",
    ),
    "set a word for a number": (
        [*RUN, "--set", "rules.alignment.weight=fast"],
        r"rules\.alignment\.weight: .*number.*got 'fast'",
    ),
    "set out of range": (
        [*RUN, "--set", "perception.radius=-1"],
        r"perception\.radius must be > 0 \[u\], got -1",
    ),
    "set a wrong word": ([*RUN, "--set", "world.boundary=warp"], r"world\.boundary must be one of .*'wrap'"),
    "set not a number": ([*RUN, "--set", "perception.radius=NaN"], r"perception\.radius must be a finite"),
    "far too many": ([*RUN, "--agents", "1000000000000"], r"agents must be <= "),
    "agents are no number": ([*RUN, "--agents", "many"], r"--agents: expected a whole number, got 'many'"),
    "steps are no number": (["run", "classic", "--steps", "1.5", "--out", "out"], r"--steps.*got '1\.5'"),
    "steps below 0": (["run", "classic", "--steps", "-1", "--out", "out"], r"at least 0 steps.*got -1"),
    "steps missing": (["run", "classic", "--out", "out"], r"--steps.*requires an argument"),
    "every 0 steps": ([*RUN, "--every", "0"], r"at least 1 step between metrics, got 1 and 0"),
    "seed below 0": ([*RUN, "--seed", "-1"], r"seed must be a whole number from 0"),
    "no threads": ([*RUN, "--threads", "0"], r"threads must be a whole number from 1"),
    "unknown backend": ([*RUN, "--backend", "cpuu"], r"'cpuu' \(did you mean 'cpu'\?\)"),
    "unknown option": ([*RUN, "--stepz", "3"], r"--stepz"),
    "unknown command": (["frobnicate"], r"no scenario is called 'frobnicate'"),
    "mistyped command": (["scenario"], r"no command and .* 'scenario' \(did you mean 'scenarios'\?\)"),
    "no rule file": ([*RUN, "--rules", "absent.py"], r"--rules takes a Python file .* module, got absent\.py"),
    "rule file that fails": ([*RUN, "--rules", "fails.py"], r"fails\.py could not be run: ZeroDivisionError"),
    "rule file that is not Python": ([*RUN, "--rules", "prose.py"], r"prose\.py could not be run: SyntaxError"),
    "rule with a taken name": ([*RUN, "--rules", "taken.py"], r"the name 'alignment' is taken"),
    "folder in use": (["run", "classic", "--steps", "1", "--out", "full"], r"full is not empty"),
    "folder is a file": (["run", "classic", "--steps", "1", "--out", "broken.json"], r"cannot write to broken"),
    "column that is none": ([*RUN, "--columns", "enregy"], r"'enregy' \(did you mean 'energy'\?\)"),
    "checkpoints never": ([*RUN, "--checkpoint-every", "never"], r"steps \(500\) or a time \(30s.*got 'never'"),
    "metrics between frames": ([*RUN, "--metrics-every", "7"], r"a multiple of 100 steps between them, got 7"),
    "resume what is not there": (["resume", "absent"], r"absent is not a run folder: there is no such folder"),
    "resume a file": (["resume", "broken.json"], r"broken\.json is not a run folder"),
    "resume a folder of somebody else": (["resume", "full"], r"full is not a run folder.*Make one with `murmura run`"),
    "resume a folder of another program": (["resume", "other"], r"other is not a run of murmura"),
    "resume less than no steps": (["resume", "absent", "--steps", "x"], r"--steps.*whole number, got 'x'"),
    "export what is not there": (["export", "absent", "--to", "csv"], r"absent is not a run folder"),
    "export to nothing": (["export", "absent"], r"--to"),
    "film in no time": (["render", "classic", "--steps", "9", "--speed", "0", "--out", "o.png"], r"speed .*got 0"),
    "film at no pace": (["render", "classic", "--steps", "9", "--speed", "nan", "--out", "o.png"], r"speed .*got nan"),
    "film without end": (
        ["render", "classic", "--steps", "9" * 25, "--out", "o.png"],
        r"at most 1,000,000 pictures, got 5,000,000,.*fewer --steps, or a greater --speed",
    ),
    "live at no pace": (["live", "classic", "--speed", "nan", "--no-open"], r"--speed takes a number from 0\.05 to 16"),
    "live backwards": (["live", "classic", "--speed", "-1", "--no-open"], r"--speed takes a number .*got -1"),
    "compare at no pace": (
        ["compare", "classic", "classic", "--speed", "0", "--no-open"],
        r"--speed takes a number from 0\.05 to 16, got 0",
    ),
    "bench sizes": (["bench", "--agents", "10,x"], r"--agents takes whole numbers .*'10,x'"),
    "bench nobody": (["bench", "--agents", "0"], r"numbers of at least 1, got '0'"),
    "scenario to list": (["scenarios", "fihs"], r"'fihs' \(did you mean 'fish'\?\)"),
    "word too many": (["doctor", "please"], r"please"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_reported_and_nothing_written(mistake: str, tmp_path: Path):
    words, message = MISTAKES[mistake]
    (tmp_path / "broken.json").write_text('{"agents": ')
    (tmp_path / "fails.py").write_text("1 / 0\n")
    (tmp_path / "prose.py").write_text("a rule of my own\n")
    (tmp_path / "taken.py").write_text(
        "import murmura\n\n@murmura.register_rule('alignment')\nclass Mine(murmura.Rule):\n    pass\n"
    )
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").write_text("keep me")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "manifest.json").write_text('{"name": "an extension of a browser"}')
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    said = complaint(murmura_says(*words, cwd=tmp_path), code=2)
    assert re.search(message, said, re.DOTALL), said
    after = {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file() and "__pycache__" not in p.parts}
    assert after == before
    assert not (tmp_path / "out").exists()


def test_an_empty_hash_is_no_expectation(tmp_path: Path):
    """An unset shell variable must not turn the check into one that cannot fail."""
    done = murmura_says("run", "classic", "--steps", 1, "--out", "out", "--expect-hash", "", cwd=tmp_path)
    assert "--expect-hash takes the hash" in complaint(done, code=2)
    assert not (tmp_path / "out").exists()
