"""How many runs of a fit are left: known exactly only at the end, estimated from the shares accepted so far."""

from __future__ import annotations

FALL = 0.7
"""How much the accepted share falls from one generation to the next, until this fit has shown its own."""
LEAST_ACCEPTANCE = 0.01
"""Least share of accepted candidates; below it the fit ends, because the next generation would take too many runs."""


class Forecast:
    """The number of runs of a whole fit.

    Args:
        population: Runs that a generation accepts.
        generations: How many generations there are.
        predictions: Runs after the last one.
        most: Greatest number of runs before these.
    """

    def __init__(self, population: int, generations: int, predictions: int, most: int) -> None:
        self._population, self._generations = population, generations
        self._predictions, self._most = predictions, most
        self._shares: list[float] = []

    def end_generation(self, share: float) -> None:
        """Note the share of candidates that a generation accepted."""
        self._shares.append(share)

    def end(self) -> None:
        """Note that no generation follows."""
        self._generations = len(self._shares)

    def left(self, number: int, accepted: int, evaluated: int, running: int = 0) -> int:
        """The number of runs that are left.

        Args:
            number: Candidates judged so far.
            accepted, evaluated: Of the current generation.
            running: Runs that are done, but not judged yet.
        """
        left = self._generations - len(self._shares)
        if left <= 0:
            return max(0, self._predictions - running)
        share = self._expected(1)
        if evaluated:
            # As if the expected share had been seen in the runs of half a population.
            seen = 0.5 * self._population
            share = (accepted + share * seen) / (evaluated + seen)
        rest = (self._population - accepted) / share
        for later in range(1, left):
            rest += self._population / max(LEAST_ACCEPTANCE, share * self._fall**later)
        return max(1, min(round(rest), self._most - number) - running) + self._predictions

    def _expected(self, ahead: int) -> float:
        last = self._shares[-1] if self._shares else 1.0 / FALL
        return max(LEAST_ACCEPTANCE, min(1.0, last * self._fall**ahead))

    @property
    def _fall(self) -> float:
        """The mean factor from one generation to the next."""
        if len(self._shares) < 2:
            return FALL
        return min(1.0, float((self._shares[-1] / self._shares[0]) ** (1.0 / (len(self._shares) - 1))))
