"""Runs the command line as a user does: in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import murmura

SOURCES = Path(murmura.__file__).parents[1]
MURMURA = [sys.executable, "-m", "murmura"]


def environment(**more: str) -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(SOURCES), "PYTHONUNBUFFERED": "1"} | more


def murmura_says(*words: object, cwd: Path, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run `murmura WORDS` in a folder and return what came of it."""
    return python_says(*MURMURA[1:], *words, cwd=cwd, **options)


def python_says(*words: object, cwd: Path, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *map(str, words)],
        cwd=cwd,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=120,
        **options,
    )


def complaint(done: subprocess.CompletedProcess[str], code: int) -> str:
    """The message of a command that failed as it should: for the user, on standard error, without a traceback."""
    assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
    assert "Traceback" not in done.stderr
    assert done.stderr.startswith("murmura: ")
    return done.stderr
