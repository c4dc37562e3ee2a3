"""What can be asked of tasks with many runs: sweeps, sensitivity analyses and searches, in Python and by command."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from murmura.core.errors import ScenarioError, nearest
from murmura.core.request import Idle, Request, argument, names_in, option

if TYPE_CHECKING:
    from murmura.scenario import Scenario

Progress = Callable[[int, int], None]
Announce = Callable[[str], None]

ONE_THREAD = ("reference", "cuda", "webgpu")
"""Backends that are not told how many threads to use."""
ONLY_CPU = "only the backend cpu takes a number of threads"
NO_THREADS = Idle("threads", lambda given: given.backend in ONE_THREAD, ONLY_CPU)
NO_SECOND_MODEL = Idle(
    "vary_against", lambda given: given.against is None, "it is for a second model: add --against"
)
METHODS = {"sobol": "saltelli", "morris": "morris"}
"""Methods of sensitivity analysis and their designs."""


def silent(text: str) -> None:
    pass


@dataclass(frozen=True, kw_only=True)
class Execution(Request):
    """Where many runs take place, and who hears of them."""

    workers: int | None = option(
        None, "Number of processes on this machine; by default one per core. 0: this process alone."
    )
    scheduler: str | None = option(None, "Address of a Dask scheduler that distributes the runs.")
    progress: Progress | None = argument(
        None, "Called with the number of finished runs and their total; by default shown on standard error."
    )
    announce: Announce = argument(silent, "Called with a line of text that a user should see.")

    def __post_init__(self) -> None:
        if self.scheduler is not None and self.workers is not None:
            raise ScenarioError(
                "--workers is for this machine and --scheduler for a cluster: use one of them"
            )
        if self.workers is not None and self.workers < 0:
            raise ScenarioError(f"expected at least 0 workers (0: run in this process), got {self.workers}")


@dataclass(frozen=True, kw_only=True)
class ManyRuns(Execution):
    """What all tasks with many runs can be asked."""

    seed: int = option(0, "Seed of all random numbers: those of all runs are derived from it.")
    threads: int = option(1, "Threads per run.")
    backend: str = option("auto", "auto, reference, cpu, cuda or webgpu.")
    rules: Iterable[str | Path] = option(
        (), "Python file or module with your own rules; it is executed.", typed=list[str] | None
    )
    changes: Mapping[str, object] | None = argument(None, "Values to change in the scenario, by path.")

    idle: ClassVar[tuple[Idle, ...]] = (NO_THREADS,)


@dataclass(frozen=True)
class RunsRequest(ManyRuns):
    """What is common to sweeps, sensitivity analyses and searches."""

    scenario: Scenario | str | Path
    vary: list[str] | Mapping[str, Iterable[object]]
    steps: int
    out: str | Path
    _: KW_ONLY
    repeats: int = option(1, "Number of runs per cell, with independent seeds.")
    measures: Sequence[str] | None = option(
        None, "Measures, separated by commas; by default all, the costly ones at fewer instants.", "--measure",
        str | None,
    )  # fmt: skip
    discard: int | None = option(None, "Initial steps that are not measured; by default half of all.")
    every: int | None = option(None, "Steps between measurements; by default chosen for twenty of them.")
    sure: bool = option(False, "Allow a very large number of runs.", "--yes")
    source: str | None = argument(None, "The scenario on a command line, for replay commands.")

    @property
    def measure_names(self) -> list[str] | None:
        return None if self.measures is None else names_in(self.measures)


@dataclass(frozen=True)
class SweepRequest(RunsRequest):
    """A sweep."""

    _: KW_ONLY
    design: str = option("grid", "grid, lhs (Latin hypercube) or sobol.")
    samples: int | None = option(None, "Number of points of an lhs or sobol design.")
    constant_density: bool = option(False, "Let the sides of the world follow the varied number of agents.")

    idle = (
        Idle("samples", lambda given: given.design == "grid", "a grid gets its counts from --vary"),
        NO_THREADS,
    )


@dataclass(frozen=True)
class SensitivityRequest(RunsRequest):
    """A sensitivity analysis."""

    _: KW_ONLY
    method: str = option(
        "sobol", "sobol (shares of variance) or morris (elementary effects, with far fewer runs)."
    )
    samples: int = option(
        64, "sobol: a power of two N, for N × (2 × paths + 2) cells; morris: N × (paths + 1) cells."
    )
    constant_density: bool = argument(False, "As for `sweep`.")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.method not in METHODS:
            raise ScenarioError(
                f"no method is called {self.method!r}{nearest(self.method, METHODS)}; known: {', '.join(METHODS)}"
            )


@dataclass(frozen=True)
class OptimizeRequest(RunsRequest):
    """A search."""

    _: KW_ONLY
    maximize: str | None = option(
        None, "The measure to maximize: its average over time, and its mean over the repeats."
    )
    minimize: str | None = option(None, "The measure to minimize.")
    trials: int = option(50, "Number of points to try.")
    batch: int = option(
        4, "Number of trials proposed at a time, independently of each other; use more for many workers."
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.batch < 1:
            raise ScenarioError(f"expected a batch of at least 1 trial, got {self.batch}")
        if (self.maximize is None) == (self.minimize is None):
            raise ScenarioError(
                "say what to search for, with either --maximize MEASURE or --minimize MEASURE"
            )

    @property
    def measure(self) -> str:
        """The measure that is searched for."""
        return self.maximize or self.minimize or ""
