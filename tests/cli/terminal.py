"""Runs the command line as a user does: in its own process."""

from __future__ import annotations

import atexit
import json
import os
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import murmura

SOURCES = Path(murmura.__file__).parents[1]
ROOT = Path(__file__).parents[2]
PATIENCE = 300.0  # [s] only to detect hangs
MURMURA = [sys.executable, "-m", "murmura"]


def environment(**more: str) -> dict[str, str]:
    found = os.environ | {"PYTHONPATH": str(SOURCES), "PYTHONUNBUFFERED": "1"} | more
    found.pop("PYTHONDONTWRITEBYTECODE", None)  # otherwise each process would compile the package again
    return found


def murmura_says(*words: object, cwd: Path, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run `murmura WORDS` in a folder and return the result."""
    if options or not hasattr(os, "fork"):
        return python_says(*MURMURA[1:], *words, cwd=cwd, **options)
    return _forked([str(word) for word in words], cwd)


def _forked(words: list[str], cwd: Path) -> subprocess.CompletedProcess[str]:
    with tempfile.TemporaryDirectory() as scratch:
        printed, said = Path(scratch, "printed"), Path(scratch, "said")
        request = {
            "words": words, "cwd": str(cwd), "environment": environment(), "printed": str(printed), "said": str(said),
        }  # fmt: skip
        server = _server()
        assert server.stdin is not None and server.stdout is not None
        server.stdin.write(json.dumps(request) + "\n")
        server.stdin.flush()
        if not select.select([server.stdout], [], [], PATIENCE)[0]:
            server.kill()
            _server.cache_clear()
            raise subprocess.TimeoutExpired(words, PATIENCE)
        code = int(server.stdout.readline())
        return subprocess.CompletedProcess(words, code, printed.read_text(), said.read_text())


@cache
def _server() -> subprocess.Popen[str]:
    """One per process; it exits when its standard input ends."""
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.cli.fork_server"],
        cwd=ROOT, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    atexit.register(server.communicate)
    return server


@contextmanager
def started(*words: object, **options: Any) -> Iterator[subprocess.Popen[str]]:
    """Start a program that runs alongside the test and always ends with it."""
    process = subprocess.Popen(
        [str(word) for word in words], **{"env": environment(), "text": True} | options
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def wait_until(is_true: Callable[[], Any], process: subprocess.Popen[str] | None = None) -> None:
    """Wait for a condition caused by another process, which must keep running in the meantime."""
    deadline = time.monotonic() + PATIENCE
    while not is_true():
        assert process is None or process.poll() is None, "the process ended before"
        assert time.monotonic() < deadline, "the condition was never met"
        time.sleep(0.005)


def python_says(*words: object, cwd: Path, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *map(str, words)],
        cwd=cwd,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        **options,
    )


def complaint(done: subprocess.CompletedProcess[str], code: int) -> str:
    """The message of a command that failed as expected: on standard error, without a traceback."""
    assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
    assert "Traceback" not in done.stderr
    assert done.stderr.startswith("murmura: ")
    return done.stderr
