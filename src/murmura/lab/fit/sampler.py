"""pyABC's sampler on the executor that sweeps use.

pyABC draws values, simulates and judges in one call. Here that call is made twice for each candidate, with the same
random numbers: the first call stops as soon as the values are drawn; the executor then runs a batch of candidates; the
second call finds the result, and pyABC judges it. So draws depend only on the seed and earlier results, not on where
runs are executed, and a killed fit resumes to the result that it would have had.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from murmura.lab.fit.summaries import summary_size
from murmura.lab.sweeps.design import run_seed
from murmura.lab.sweeps.rows import Row


class Pending(Exception):
    """Raised when a candidate's values are drawn but it has not been run yet."""

    def __init__(self, model: int, values: dict[str, Any]) -> None:
        super().__init__(f"model {model}")
        self.model, self.values = model, values


class Candidates:
    """Draws batches of candidates, runs them, and keeps pyABC's verdicts.

    Args:
        do: Executes tasks and returns their rows, in order; known rows are not repeated.
        read: From a model's number and pyABC's parameters to values by path.
        measures: The measures in a row.
        seed: The seeds of all candidates derive from it.
        batch: The number of candidates that are drawn at once, independently.
        most: The greatest number of runs.
    """

    def __init__(
        self,
        do: Callable[[list[Row]], list[Row]],
        read: Callable[[int, Any], dict[str, Any]],
        measures: tuple[str, ...],
        seed: int,
        batch: int,
        most: int,
    ) -> None:
        self.do, self.read, self.measures = do, read, measures
        self.seed, self.batch, self.most = seed, batch, most
        self.number = 0
        self.evaluated = 0
        """Candidates judged in the current generation."""
        self.accepted: list[tuple[Row, Any]] = []
        """Row and particle of each accepted candidate of the last generation."""
        self._row: Row | None = None

    def model(self, number: int, parameters: Any) -> dict[str, Any]:
        """The summaries of the current row; raises `Pending` if there is none yet."""
        if self._row is None:
            raise Pending(number, self.read(number, parameters))
        found = self._row.get("summaries", {})
        return {name: as_array(found.get(name), summary_size(name)) for name in self.measures}

    def particles(self, simulate_one: Callable[[], Any]) -> list[tuple[Row, Any]]:
        """Run and judge a batch of candidates."""
        count = min(self.batch, self.most - self.number)
        numbers = range(self.number, self.number + count)
        rows = self.do([self._task(number, simulate_one) for number in numbers])
        judged = []
        for number, row in zip(numbers, rows, strict=True):
            self._row = row
            try:
                judged.append((row, self._drawn(number, simulate_one)))
            finally:
                self._row = None
        self.number += count
        return judged

    def _task(self, number: int, simulate_one: Callable[[], Any]) -> Row:
        try:
            self._drawn(number, simulate_one)
        except Pending as found:
            return {
                "run": number,
                "model": found.model,
                "values": found.values,
                "seed": run_seed(self.seed, number, 0),
            }
        raise AssertionError("a candidate was judged before its run")

    def _drawn(self, number: int, simulate_one: Callable[[], Any]) -> Any:
        # pyABC and the distributions of SciPy that it uses draw from NumPy's global generator.
        kept = np.random.get_state()
        np.random.seed(run_seed(self.seed, number, 1) % 2**32)
        try:
            return simulate_one()
        finally:
            np.random.set_state(kept)


def as_array(values: Any, size: int) -> Any:
    """A summary in a row as numbers, not numbers where it is undefined."""
    if values is None:
        return np.full(size, np.nan)
    return np.array([np.nan if value is None else value for value in values], np.float64)


def executor_sampler(candidates: Candidates) -> Any:
    """A sampler of pyABC that runs its candidates in batches."""
    import pyabc.sampler

    class ExecutorSampler(pyabc.sampler.Sampler):  # type: ignore[misc]
        def sample_until_n_accepted(
            self, n: int, simulate_one: Any, t: int, *, max_eval: Any = np.inf, **_: Any
        ) -> Any:
            sample = self._create_empty_sample()
            candidates.accepted, candidates.evaluated = [], 0
            while (
                sample.n_accepted < n
                and candidates.evaluated < max_eval
                and candidates.number < candidates.most
            ):
                for row, particle in candidates.particles(simulate_one):
                    if sample.n_accepted == n:
                        break  # in the order of drawing, so that fast runs are not preferred
                    candidates.evaluated += 1
                    sample.append(particle)
                    if particle.accepted:
                        candidates.accepted.append((row, particle))
            self.nr_evaluations_ = candidates.evaluated
            sample.ok = sample.n_accepted == n
            return sample

    return ExecutorSampler()
