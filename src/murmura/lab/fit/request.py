"""What can be asked of a fit, in Python and by `murmura fit`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from murmura.core.errors import ScenarioError
from murmura.core.request import Idle, names_in, option
from murmura.lab.sweeps.request import NO_SECOND_MODEL, NO_THREADS, ManyRuns

if TYPE_CHECKING:
    from murmura.lab.runs.run import Run
    from murmura.scenario import Scenario

MAPS = ("neighbor_map", "response_map", "alignment_curve")
METRICS = ("wasserstein", "energy")


@dataclass(frozen=True)
class FitRequest(ManyRuns):
    """A fit of one model or of two to a run."""

    scenario: Scenario | str | Path
    to: Run | str | Path
    vary: list[str]
    out: str | Path
    _: KW_ONLY
    measures: Sequence[str] = option(
        "polarization,speeds,nearest_neighbor_distances,turning_rates",
        "What to compare, separated by commas: measures; speeds, nearest_neighbor_distances, turning_rates; "
        "neighbor_map, response_map, alignment_curve.",
        "--measure",
        str,
    )
    against: Scenario | str | Path | None = option(
        None, "A second model, to find out which of the two explains the run better.", typed=str | None
    )
    vary_against: list[str] | None = option(None, "Ranges of the second model: PATH=LOW:HIGH.")
    population: int = option(100, "Number of runs that each generation accepts.")
    generations: int = option(
        5, "Number of generations; each accepts only closer runs than the previous one."
    )
    seconds: float | None = option(
        None, "Simulated time of each run [s]; by default that of the run to fit to, at most a minute."
    )
    discard: float | None = option(None, "Initial time that is not compared [s]; by default half.")
    instants: int = option(40, "Number of instants at which runs are compared.")
    metric: str = option(
        "wasserstein", "Distance between distributions: wasserstein or energy.", "--distance"
    )
    reach: float | None = option(None, "Range of the maps [u].")
    own_world: bool = option(
        False, "Keep the scenario's own world, agents and start; by default it gets those of the run."
    )
    predictions: int = option(40, "Number of runs drawn from the posterior, for predictive checks.")
    batch: int = option(16, "Number of runs drawn at once; use at least as many as workers.")
    most_runs: int = option(20_000, "Greatest total number of runs.")

    idle = (
        NO_SECOND_MODEL,
        Idle(
            "reach",
            lambda given: not set(names_in(given.measures)) & set(MAPS),
            f"it is the range of {', '.join(MAPS)}, none of which is compared",
        ),
        NO_THREADS,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.metric not in METRICS:
            raise ScenarioError(f"--distance takes {' or '.join(METRICS)}, got {self.metric!r}")
        if self.population < 4:
            raise ScenarioError(f"expected a population of at least 4, got {self.population}")
        for name in ("generations", "instants", "batch"):
            if getattr(self, name) < 1:
                raise ScenarioError(f"expected at least 1 for {name}, got {getattr(self, name)}")
        if not self.population <= self.most_runs <= 1_000_000:
            raise ScenarioError(
                f"expected from {self.population:,} (the population) to 1,000,000 runs, got {self.most_runs:,}"
            )
        if self.predictions < 0:
            raise ScenarioError(f"expected at least 0 predictions, got {self.predictions}")
        self._check_times()

    def _check_times(self) -> None:
        seconds, discard = self.seconds, self.discard
        if seconds is not None and not seconds > 0.0:
            raise ScenarioError(f"--seconds takes a number > 0, got {seconds:g}")
        if discard is not None and not (discard >= 0.0 and (seconds is None or discard < seconds)):
            raise ScenarioError(
                f"--discard takes at least 0 and less than the length of a run [s], got {discard:g}"
            )
