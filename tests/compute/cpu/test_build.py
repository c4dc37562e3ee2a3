"""Machine code stays in memory while it may be called, even if two threads compile the same code simultaneously."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from murmura.compute.cpu import build, scatter


def test_threads_that_link_the_same_code_share_one_engine(monkeypatch: pytest.MonkeyPatch):
    """The engine of the slower thread must not replace, and so free, code that the faster one already calls."""
    both, first_is_done = threading.Barrier(2), threading.Event()
    link, order = build._engine, iter((True, False))

    def slow_for_the_second(code: bytes) -> Any:
        both.wait(timeout=120)
        engine = link(code)
        if not next(order):
            assert first_is_done.wait(timeout=120)
        return engine

    def compile_scatter(_: int) -> Any:
        found = build.compiled_once("scatter", scatter.FUNCTIONS.module)
        first_is_done.set()
        return found

    monkeypatch.setattr(build, "_engines", {})
    monkeypatch.setattr(build, "_engine", slow_for_the_second)
    with ThreadPoolExecutor(2) as pool:
        one, other = pool.map(compile_scatter, range(2))
    assert one is other
