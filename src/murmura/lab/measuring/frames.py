"""Gathers measures over time from frames: first until when to discard, then everything in one pass."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from murmura.core.errors import ScenarioError
from murmura.measure import Flock
from murmura.measure.time.catalog import OBSERVABLES, Found, Gathering, Number, Observable, observable
from murmura.measure.time.errors import Curve
from murmura.measure.time.series import Series

if TYPE_CHECKING:
    from numpy.typing import NDArray

JUDGES = ("polarization", "mean_speed")
"""Measures whose equilibrium is detected: cheap ones that every flock has."""
LATE = 0.4
"""A run that takes a greater share of its time to reach equilibrium may not have reached it (half is the most)."""
Report = Callable[[int, int], None]


@dataclass(frozen=True)
class Source:
    """Frames that can be read more than once.

    Attributes:
        flocks: Frames from a given number on, in order.
        count: How many there are.
        seconds: The time between two of them [s].
        columns, species: What agents of a frame have, for measures of traits.
        usual: Names of measures of an instant that suit the frames.
    """

    flocks: Callable[[int], Iterator[Flock]]
    count: int
    seconds: float
    columns: tuple[str, ...] = ()
    species: tuple[str, ...] = ()
    usual: tuple[str, ...] = ()


@dataclass(frozen=True)
class Measured:
    """What was found in one run, or in several.

    Attributes:
        found: Curves and numbers, by name of the measure.
        observables: What these measures are.
        seconds: The time between two frames [s].
        frames: How many frames count, of one run.
        discarded: The time at the beginning that does not count [s].
        detected: Whether that was detected, or else given.
        runs: How many runs were averaged; errors of several are those of their means.
    """

    found: dict[str, Found]
    observables: dict[str, Observable]
    seconds: float
    frames: int
    discarded: float
    detected: bool
    runs: int = 1

    @property
    def notices(self) -> list[str]:
        """What a reader should know: averages that have no error, and runs that may still change."""
        lines = []
        total = self.discarded + self.frames * self.seconds
        if self.detected and self.discarded > LATE * total:
            lines.append(
                f"equilibrium is only reached after {self.discarded:g} of {total:g} s, if at all: make a longer run"
            )
        short = [name for name, one in self.found.items() if not _has_error(one)]
        if short:
            which = "runs are too few" if self.runs > 1 else "run is too short"
            lines.append(f"the {which} for an error of {', '.join(short)}: the frames are too much alike")
        return lines


def _has_error(found: Found) -> bool:
    errors = [found.curve.errors] if found.curve is not None else []
    errors += [np.array([one.error]) for name, one in found.numbers.items() if not name.endswith("_time")]
    return all(np.isfinite(each).any() for each in errors)


def check_names(names: Iterable[str] | None, source: Source) -> list[str]:
    """The measures that are wanted: by default all over time, and the averages of all usual ones.

    Raises:
        ScenarioError: If one is unknown.
    """
    if isinstance(names, str):
        raise ScenarioError(f"names must be a list of names, got the text {names!r}; write [{names!r}]")
    chosen = list(dict.fromkeys([*OBSERVABLES, *source.usual] if names is None else names))
    for name in chosen:
        try:
            observable(name, source.columns, source.species)
        except ValueError as error:
            raise ScenarioError(f"no measure is called {name!r}: {error}") from None
    return chosen


def measure_frames(
    source: Source,
    names: Iterable[str],
    discard: float | None = None,
    report: Report = lambda done, end: None,
) -> Measured:
    """Measure frames over time.

    Args:
        source: The frames.
        names: Measures over time, or of an instant.
        discard: The time at the beginning that does not count [s]; None: detected.
        report: Called with the number of frames read and their total.
    """
    passes = 1 if discard is not None else 2
    ticker = _Ticker(report, passes * source.count)
    first = _first(source, ticker) if discard is None else _skipped(source, discard)
    ticker.total = source.count * (passes - 1) + source.count - first
    gathering = Gathering(names, source.columns, source.species)
    for flock in source.flocks(first):
        gathering.add(flock)
        ticker.tick()
    return measured_by(gathering, source.seconds, source.count - first, first, discard is None)


def measured_by(
    gathering: Gathering, seconds: float, frames: int, first: int = 0, detected: bool = False
) -> Measured:
    """What was gathered from this many frames, after the first ones were skipped."""
    found = gathering.found(seconds)
    return Measured(found, gathering.observables, seconds, frames, first * seconds, detected)


class _Ticker:
    def __init__(self, report: Report, total: int) -> None:
        self._report, self.total, self._done = report, total, 0

    def tick(self) -> None:
        self._done += 1
        self._report(self._done, self.total)


def _first(source: Source, ticker: _Ticker) -> int:
    """The first frame in equilibrium."""
    series = Series(*JUDGES)
    for flock in source.flocks(0):
        series.add(flock)
        ticker.tick()
    return series.equilibration()


def _skipped(source: Source, discard: float) -> int:
    """How many frames to skip for a time that was given."""
    first = math.ceil(round(discard / source.seconds, 6)) if math.isfinite(discard) else -1
    if not 0 <= first < max(1, source.count):
        raise ScenarioError(
            f"--discard takes 0 to less than the run's {source.count * source.seconds:g} s, got {discard:g}"
        )
    return first


def together(several: list[Measured]) -> Measured:
    """The means over runs, with the standard error of these means. One run keeps the error over its own time."""
    if len(several) == 1:
        return several[0]
    first = several[0]
    found = {name: _mean([one.found[name] for one in several]) for name in first.found}
    return Measured(
        found, first.observables, first.seconds, min(one.frames for one in several),
        max(one.discarded for one in several), first.detected, len(several),
    )  # fmt: skip


def _mean(several: list[Found]) -> Found:
    first = several[0]
    curve = None
    if first.curve is not None:
        x = first.curve.x
        # Off a torus, places depend on the run.
        rows = [_at(x, one.curve) for one in several if one.curve is not None]
        curve = Curve(x, *_means_and_errors(np.stack(rows)))
    numbers = {}
    for name, one in first.numbers.items():
        column = np.array([[each.numbers[name].value] for each in several])
        mean, error = _means_and_errors(column)
        numbers[name] = Number(float(mean[0]), float(error[0]), one.unit)
    return Found(curve, numbers)


def _at(x: NDArray[np.float64], curve: Curve) -> NDArray[np.float64]:
    if len(x) == len(curve.x) and np.allclose(x, curve.x, rtol=1e-9, atol=0.0):
        return curve.values
    known = np.isfinite(curve.values)
    if not known.any():
        return np.full(len(x), math.nan)
    return np.interp(x, curve.x[known], curve.values[known], math.nan, math.nan)


def _means_and_errors(rows: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean and standard error of the mean of each column, of the rows where it is known; NaN for fewer than two."""
    known = np.isfinite(rows)
    counts = known.sum(axis=0)
    filled = np.where(known, rows, 0.0)
    means = np.divide(filled.sum(axis=0), counts, out=np.full(rows.shape[1], math.nan), where=counts > 0)
    squares = (np.where(known, rows - means, 0.0) ** 2).sum(axis=0)
    several = counts > 1
    errors = np.full(rows.shape[1], math.nan)
    np.divide(squares, counts * (counts - 1.0), out=errors, where=several)
    return means, np.sqrt(errors)
