"""What a worker does with tasks: runs of a sweep or of a fit, depending on the question."""

from __future__ import annotations

from typing import Any, Protocol


class JobQuestion(Protocol):
    """The settings common to all runs of an executor."""

    @property
    def threads(self) -> int: ...

    @property
    def batch(self) -> int:
        """How many runs are worth being executed together."""

    def data(self) -> dict[str, Any]:
        """As plain data."""


def do_job(question: dict[str, Any], tasks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Execute some runs and return their rows, in the same order."""
    if question.get("kind") == "fit":
        from murmura.lab.fit.one_fit_run import answers as fitted

        return fitted(question, tasks)
    from murmura.lab.sweeps.one_run import answers

    return answers(question, tasks)
