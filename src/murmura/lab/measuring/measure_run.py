"""Measures over time of recorded runs, tracked animals and ensembles, as an xarray dataset with units."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from murmura import __version__
from murmura.core.errors import RunError, ScenarioError
from murmura.core.extras import needs
from murmura.core.request import takes
from murmura.engine.ensemble import Ensemble
from murmura.engine.reading.instant import measures_of
from murmura.lab.measuring.frames import (
    JUDGES,
    Measured,
    Report,
    Source,
    check_names,
    measure_frames,
    measured_by,
    together,
)
from murmura.lab.measuring.request import MeasureRequest
from murmura.lab.observations import flocks_of, seconds_between
from murmura.lab.runs.run import Run, open_run
from murmura.measure import MEASURES
from murmura.measure.time.catalog import Gathering, Observable
from murmura.scenario import Scenario

if TYPE_CHECKING:
    import xarray

LAG = "lag"


@takes(MeasureRequest)
def measure_run(request: MeasureRequest) -> xarray.Dataset:
    """Measure a run over time, or several runs of the same scenario: curves and averages with standard errors.

    Returns:
        For each curve `name` and `name_error`; for each average too, without a dimension. Errors are NaN where the
        frames are too few. Units and what was discarded are attributes.

    Args:
        run: A run or its folder; of several, means over the runs are returned, with the errors of these means.
    """
    runs = [request.run] if isinstance(request.run, Run | str | Path) else list(request.run)
    if not runs:
        raise ScenarioError("give a run, or a list of runs that is not empty")
    opened = [one if isinstance(one, Run) else open_run(one) for one in runs]
    return dataset_of(
        measured_runs(opened, request.names, request.discard, request.every, request.progress), about(opened)
    )


def measured_runs(
    runs: Sequence[Run],
    names: Iterable[str] | None = None,
    discard: float | None = None,
    every: int = 1,
    progress: Report | None = None,
) -> Measured:
    """The same before it becomes a dataset."""
    wanted = None if names is None or isinstance(names, str) else list(names)
    sources = [source_of(run, every, wanted) for run in runs]
    chosen = check_names(names if isinstance(names, str) else wanted, sources[0])
    report = progress or (lambda done, end: None)
    found: list[Measured] = []
    for k, source in enumerate(sources):
        found.append(
            measure_frames(
                source, chosen, discard,
                lambda done, end, k=k: report(k * end + done, len(sources) * end),  # type: ignore[misc]
            )
        )  # fmt: skip
    return together(found)


def source_of(run: Run, every: int = 1, names: Iterable[str] | None = None) -> Source:
    """The frames of a run; a last one that came early is left out.

    Args:
        run: The run.
        every: Only every n-th frame counts.
        names: Measures that are wanted: of the agents' columns, frames have those that these are about.
    """
    if every < 1:
        raise ScenarioError(f"expected every frame or every n-th, got every {every}")
    count = len(range(0, len(run.frames), every))
    if not count:
        raise RunError(f"the run in {run.folder} has no frames: there is nothing to measure")
    seconds = seconds_between(run, every)
    times = run.frames.times[::every]
    if count > 2 and times[-1] - times[-2] < 0.999 * seconds:
        count -= 1
    wanted = [] if isinstance(names, str) else list(names or ())
    columns = tuple(
        column for column in run.frames.columns if any(name.startswith(f"{column}_") for name in wanted)
    )
    return Source(
        lambda first: flocks_of(run, every, first, count, columns), count, seconds, columns,
        tuple(run.scenario.species_names()), usual_of(run.scenario),
    )  # fmt: skip


def usual_of(scenario: Scenario) -> tuple[str, ...]:
    """The usual measures of an instant that need no more than positions and velocities."""
    known = [name for name in measures_of(scenario) if name in MEASURES]
    return tuple(name for name in known if MEASURES[name].of in ("any", "space"))


def measure_ensemble(
    ensemble: Ensemble,
    names: Iterable[str] | None = None,
    *,
    frames: int,
    every: int = 1,
    progress: Report | None = None,
) -> xarray.Dataset:
    """Step an ensemble and measure its worlds over time: means over the worlds, with the errors of these means.

    Args:
        ensemble: The worlds; those that have not reached equilibrium should be stepped before.
        names: As for `measure_run`.
        frames: How many instants count.
        every: Steps between them.
        progress: Called with the number of instants done and their total.
    """
    if frames < 1 or every < 1:
        raise ScenarioError(f"expected 1 or more frames, and steps between them, got {frames} and {every}")
    scenario = ensemble.scenarios[0]
    seconds = scenario.motion.time_step * every
    chosen = check_names(names, Source(lambda first: iter(()), frames, seconds, usual=usual_of(scenario)))
    gatherings = [Gathering(chosen) for _ in range(len(ensemble))]
    for number in range(frames):
        for gathering, flock in zip(gatherings, ensemble.flocks(), strict=True):
            gathering.add(flock)
        if progress is not None:
            progress(number + 1, frames)
        if number < frames - 1:
            ensemble.step(every)
    found = [measured_by(one, seconds, frames) for one in gatherings]
    title = {"title": f"{len(ensemble)} worlds of {scenario.name}", "source": f"murmura {__version__}"}
    return dataset_of(together(found), title)


def about(runs: Sequence[Run]) -> dict[str, Any]:
    """Where runs come from, as attributes of a dataset."""
    from murmura.lab.exports.tables import facts

    return facts(runs[0]) | {
        "source": f"murmura {__version__}",
        "runs_of": ", ".join(str(run.folder) for run in runs),
    }


def dataset_of(measured: Measured, facts: dict[str, Any]) -> xarray.Dataset:
    """Curves over their own coordinates, averages as scalars, each with its error, unit and meaning."""
    with needs("analysis"):
        import xarray

    variables: dict[str, Any] = {}
    coordinates: dict[str, Any] = {}
    for name, found in measured.found.items():
        one = measured.observables[name]
        if found.curve is not None:
            along = coordinate(name, one)
            coordinates[along] = (
                along,
                found.curve.x,
                {"units": one.x_unit, "long_name": one.x.replace("_", " ")},
            )
            unit = {"units": one.unit or "1"}
            variables[name] = (along, found.curve.values, unit | {"long_name": one.meaning})
            variables[f"{name}_error"] = (
                along,
                found.curve.errors,
                unit | {"long_name": f"standard error of {name}"},
            )
        for number, value in found.numbers.items():
            unit = {"units": value.unit or "1"}
            variables[number] = ((), value.value, unit)
            if not number.endswith("_time"):
                variables[f"{number}_error"] = (
                    (),
                    value.error,
                    unit | {"long_name": f"standard error of {number}"},
                )
    return xarray.Dataset(variables, coordinates, facts | how(measured))


def coordinate(name: str, one: Observable) -> str:
    """The name of a curve's coordinate: all lags are the same, everything else is the curve's own."""
    return LAG if one.x == LAG else f"{name}_{one.x}"


def how(measured: Measured) -> dict[str, Any]:
    """How it was measured, as attributes."""
    return {
        "frames": measured.frames,
        "seconds_between_frames": measured.seconds,
        "discarded_seconds": measured.discarded,
        "equilibrium": f"detected by {' and '.join(JUDGES)}" if measured.detected else "given",
        "runs": measured.runs,
        "errors": "standard errors, of means over runs"
        if measured.runs > 1
        else "standard errors, by the integrated autocorrelation time",
        "notes": "; ".join(measured.notices),
    }
