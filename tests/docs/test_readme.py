"""The README's first screen: the command that opens a flock, and the one that passes the tests."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.sizes import IS_LONG

from .pages import ROOT, blocks_of

SCRIPT = ROOT / "scripts" / "test"
FIRST_SCREEN = 24
"""Lines of a terminal."""


def two_commands() -> list[str]:
    first = blocks_of(ROOT / "README.md")[0]
    assert first.line + first.text.count("\n") < FIRST_SCREEN
    return [line.partition("#")[0].strip() for line in first.text.splitlines()]


def test_the_first_screen_opens_a_flock_and_passes_the_tests():
    opens, passes = two_commands()
    gate = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert passes == gate[-1]
    python, install, start = (words.split() for words in opens.split(" && "))
    assert python == ["python3", "-m", "venv", ".venv"]
    assert install == [".venv/bin/pip", "install", "."]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert [Path(word).name for word in start] == list(project["scripts"])


def bare_machine(folder: Path, *programs: str) -> dict[str, str]:
    """The environment of a machine with few programs, where everybody is root."""
    for name in ("bash", "dirname", "ls", *programs):
        (folder / name).symlink_to(shutil.which(name) or name)
    program(folder / "id", "echo 0")
    return {**os.environ, "PATH": str(folder)}


def program(path: Path, text: str) -> None:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def test_it_names_all_programs_that_are_missing_and_does_without_them_when_asked(tmp_path: Path):
    done = subprocess.run(
        ["bash", SCRIPT], env=bare_machine(tmp_path), capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "scripts/test needs: chromium-headless-shell firefox-esr nodejs npm" in done.stderr
    assert "bash scripts/test --no-browser" in done.stderr


def test_it_says_what_it_installs_before_it_does(tmp_path: Path):
    environment = bare_machine(tmp_path)
    program(tmp_path / "apt-get", 'echo "apt-get $@"\nexit 1')
    done = subprocess.run(["bash", SCRIPT], env=environment, capture_output=True, text=True, check=False)
    said, installs = done.stdout.splitlines()
    assert said.startswith(
        "scripts/test installs with apt-get: chromium-headless-shell firefox-esr nodejs npm"
    )
    assert installs.startswith("apt-get update")


@pytest.mark.skipif(not IS_LONG, reason="builds a page with another Node")
def test_pip_builds_the_page_where_node_is_missing(tmp_path: Path):
    """hatch_build.py: what npm starts must find that Node too."""
    tree, programs = tmp_path / "murmura", tmp_path / "bin"
    subprocess.run(["git", "clone", "--quiet", ROOT, tree], check=True)
    programs.mkdir()
    wheel = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--wheel-dir",
        str(tmp_path),
        str(tree),
    ]
    subprocess.run(wheel, env=bare_machine(programs, "sh", "env"), check=True)
    assert (tree / "src" / "murmura" / "view" / "static" / "index.html").exists()
    assert list(tmp_path.glob("murmura-*.whl"))
