"""Compilation is shown with a counter on a terminal, and as a single line elsewhere."""

from __future__ import annotations

import io
import re
import sys
import threading
from typing import Any

import pytest

import murmura as mm
from murmura.core.notices import in_notebook, print_notice
from murmura.engine import compile_progress, compile_times
from murmura.engine.compile_progress import CompileProgress, announced

CLASSIC = mm.load_scenario("classic")


class Terminal(io.StringIO):
    """Standard error on a terminal; signals when a counting line has been written."""

    def __init__(self) -> None:
        super().__init__()
        self.counted = threading.Event()

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if "compiling, " in text:
            self.counted.set()
        return super().write(text)


@pytest.fixture(autouse=True)
def _own_times(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setattr(compile_times, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(compile_progress, "TICK", 0.001)


def test_on_a_terminal_the_line_counts_and_ends_with_the_time_taken(monkeypatch: pytest.MonkeyPatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with announced(CLASSIC, print_notice) as tell:
        assert tell is not None
        tell("compiling the kernel")
        assert terminal.counted.wait(20.0)
    seen = [line.rpartition("\x1b[K")[2].rstrip() for line in terminal.getvalue().split("\n")]
    assert seen[0] == "murmura: compiling the kernel" and seen[2:] == [""]
    assert re.fullmatch(r"murmura: the kernel of classic is ready after \d+\.\d s", seen[1])
    assert not any(thread.name == "murmura-count" for thread in threading.enumerate())


def test_a_kernel_that_was_on_disk_is_not_mentioned(monkeypatch: pytest.MonkeyPatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with announced(CLASSIC, print_notice):
        pass
    assert terminal.getvalue() == ""


def test_in_a_log_there_is_one_line(capsys: pytest.CaptureFixture[str]):
    with announced(CLASSIC, print_notice) as tell:
        assert tell is print_notice
        tell("compiling the kernel")
    assert capsys.readouterr().err == "murmura: compiling the kernel\n"


def test_only_listeners_are_notified(capsys: pytest.CaptureFixture[str]):
    heard: list[str] = []
    with announced(CLASSIC, heard.append) as tell:
        assert tell is not None
        tell("compiling the kernel")
    with announced(CLASSIC, None) as nobody:
        assert nobody is None
    assert heard == ["compiling the kernel"] and capsys.readouterr().err == ""


def test_a_failure_ends_the_count(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "stderr", Terminal())

    def build() -> None:
        with CompileProgress(CLASSIC).counted() as tell:
            tell("compiling the kernel")
            raise ValueError("no such instruction")

    with pytest.raises(ValueError, match="no such instruction"):
        build()
    assert not any(thread.name == "murmura-count" for thread in threading.enumerate())


def test_a_program_that_only_imports_ipykernel_is_not_a_notebook():
    import ipykernel  # noqa: F401

    assert not in_notebook()
