"""Which statements of the specification (S0-34, …) are verified, judged by tests that passed rather than by comments.

A test names statements in a comment above it, in its body, or at its class. When the whole suite is run, every
statement must be named by a test that passed in the same run. Partial runs are not judged.
"""

from __future__ import annotations

import inspect
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

MODEL = Path(__file__).parents[1] / "docs" / "model.md"
NAMED = re.compile(r"S(\d)-(\d+)(?:\s*(?:…|to)\s*S\1-(\d+))?")


def statements(text: str) -> set[str]:
    """Every statement that a text names: S0-34, S2-4…S2-14, S3-33 to S3-35."""
    return {
        f"S{document}-{number}"
        for document, first, last in NAMED.findall(text)
        for number in range(int(first), int(last or first) + 1)
    }


def statements_of_the_documents() -> set[str]:
    """All statements, as counted in docs/model.md."""
    rows = re.findall(r"^\| (00\d(?:, 00\d)*) \| (\d+(?:, \d+)*) \|", MODEL.read_text(encoding="utf-8"), re.M)
    counts = {
        int(document): int(count)
        for documents, numbers in rows
        for document, count in zip(documents.split(", "), numbers.split(", "), strict=True)
    }
    assert sorted(counts) == [0, 1, 2, 3, 4]
    return {f"S{document}-{k + 1}" for document, count in counts.items() for k in range(count)}


@cache
def _named_by(test: Any) -> list[str]:
    """The statements named in the comments and the body of a test, or of a class of tests."""
    text = test.__doc__ if inspect.isclass(test) else inspect.getsource(test)
    return sorted(statements(f"{inspect.getcomments(test)}\n{text}"))


def _is_whole(config: pytest.Config) -> bool:
    """Whether all tests were selected, except those that need a GPU."""
    chosen = ("keyword", "deselect", "ignore", "ignore_glob", "collectonly")
    return (
        config.args_source is pytest.Config.ArgsSource.TESTPATHS
        and config.option.markexpr in ("", "not cuda")
        and not any(config.getoption(name) for name in chosen)
    )


class Statements:
    """A pytest plugin that fails a run of the whole suite if a statement was not verified."""

    def __init__(self, asked: set[str]) -> None:
        self.asked = asked
        self.shown: set[str] = set()
        self.missing: list[str] = []

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        # The properties of a test reach the controller with its report.
        for test in (getattr(item, "function", None), getattr(item, "cls", None)):
            item.user_properties += [("statement", name) for name in (_named_by(test) if test else ())]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and report.passed:
            self.shown |= {str(value) for name, value in report.user_properties if name == "statement"}

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        is_worker = hasattr(session.config, "workerinput")
        if session.exitstatus == pytest.ExitCode.OK and not is_worker and _is_whole(session.config):
            self.missing = sorted(self.asked - self.shown)
            if self.missing:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.missing:
            terminalreporter.section("statements without a test that passed", red=True)
            terminalreporter.line(", ".join(self.missing))
