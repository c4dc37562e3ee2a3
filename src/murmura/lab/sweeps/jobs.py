"""What a worker does with a task: a run of a sweep or of a fit, depending on the question."""

from __future__ import annotations

from typing import Any, Protocol


class JobQuestion(Protocol):
    """The settings common to all runs of an executor."""

    @property
    def threads(self) -> int: ...

    def data(self) -> dict[str, Any]:
        """As plain data."""


def do_job(question: dict[str, Any], task: dict[str, Any]) -> dict[str, Any]:
    """Execute one run and return its row."""
    if question.get("kind") == "fit":
        from murmura.lab.fit.one_fit_run import answer as fitted

        return fitted(question, task)
    from murmura.lab.sweeps.one_run import answer

    return answer(question, task)
