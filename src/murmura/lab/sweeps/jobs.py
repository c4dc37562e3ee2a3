"""What a worker does with tasks: runs of a sweep or of a fit, depending on the question."""

from __future__ import annotations

from typing import Any, Protocol

from murmura.lab.sweeps.batches import Row, failure


class JobQuestion(Protocol):
    """The settings common to all runs of an executor."""

    @property
    def threads(self) -> int: ...

    @property
    def batch(self) -> int:
        """How many runs are worth being executed together."""

    def data(self) -> dict[str, Any]:
        """As plain data."""

    def answers(self, tasks: list[Row]) -> list[Row]:
        """The rows of some runs, in the same order; raises if none of them can begin."""


_last: tuple[dict[str, Any], JobQuestion] | None = None
"""The question of the last job, whose scenario is not validated again."""


def do_job(question: dict[str, Any], tasks: list[Row]) -> list[Row]:
    """Execute some runs and return their rows, in the same order."""
    try:
        return _question(question).answers(tasks)
    except Exception as error:
        return [task | failure(error) | {"seconds": 0.0} for task in tasks]


def _question(data: dict[str, Any]) -> JobQuestion:
    global _last
    last = _last  # another thread may be at work
    if last is None or last[0] != data:
        _last = last = (data, _read(data))
    return last[1]


def _read(data: dict[str, Any]) -> JobQuestion:
    if data.get("kind") == "fit":
        from murmura.lab.fit.one_fit_run import FitQuestion

        return FitQuestion.from_data(data)
    from murmura.lab.sweeps.one_run import Question

    return Question.from_data(data)
