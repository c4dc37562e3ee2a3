"""Starts to record a run into a folder. The request is checked before anything is compiled or written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from murmura.core.errors import MurmuraError, RunError, ScenarioError
from murmura.core.state import column_name
from murmura.engine.reading.instant import measures_of
from murmura.engine.simulation import Simulation
from murmura.lab.damage import refuse
from murmura.lab.files.safe_open import leftovers, refuse_links, remove_leftovers
from murmura.lab.gsd.schema import IMPLIED
from murmura.lab.runs.cadence import Cadence, parse_interval
from murmura.lab.runs.checkpoints import SLOTS, Checkpoints
from murmura.lab.runs.manifest import LARGEST_STEP, MANIFEST, Recording, new_manifest, sha256
from murmura.lab.runs.reading.atmosphere import ATMOSPHERE, keep_atmosphere
from murmura.lab.runs.recorder import Outputs, Progress, Recorder
from murmura.lab.runs.request import CHECKPOINT_EVERY, RunRequest
from murmura.lab.runs.run import CONFIG, EVENTS, METRICS, TRACKS, TRAJECTORY, Run, open_run
from murmura.lab.sweeps.one_run import check_measures
from murmura.scenario import Scenario
from murmura.scenario.files import json_content
from murmura.scenario.plain_files import write_atomically

LOCK = ".lock"
OWN_FILES = (LOCK, CONFIG, MANIFEST, TRAJECTORY, METRICS, EVENTS, ATMOSPHERE, TRACKS, *SLOTS)


def record(
    simulation: Simulation,
    steps: int,
    folder: str | Path,
    every: int = 100,
    progress: Progress | None = None,
    **options: Any,
) -> Run:
    """Run `steps` steps and write them to a new folder.

    An interrupt keeps what was recorded and is raised again; `resume` continues from there.

    Args:
        simulation: The simulation to record.
        steps: Number of steps.
        folder: A new or empty folder.
        every: Steps between two frames, and between two lines of metrics.
        progress: Called now and then with the current and the last step.
        **options: Other fields of `RunRequest`: columns, metrics_every, measures, checkpoint_every, rule_files.
    """
    return record_run(simulation, RunRequest(steps, Path(folder), every, **options), progress)


def record_run(simulation: Simulation, request: RunRequest, progress: Progress | None = None) -> Run:
    """Run the steps that are requested, as `record` does."""
    folder, columns, measures = request.folder, request.columns, request.measures
    check_request(request)
    check_measures(measures or (), simulation.scenario)
    if not simulation.has_current_rules:
        raise ScenarioError(
            "a rule, or what it calls or reads, was changed after this simulation was made, which still runs the older "
            "one: make a new Simulation and record that"
        )
    for name in columns:
        simulation.state[name]  # raises if there is no such column
    settings = Recording(
        every=request.every,
        metrics_every=request.metrics_every,
        checkpoint_every=request.checkpoint_every,
        columns=_full_names(columns),
        measures=measures_of(simulation.scenario) if measures is None else list(dict.fromkeys(measures)),
        named=measures is not None,
        rule_files=list(request.rule_files),
    )
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ScenarioError(f"cannot write to {folder}: {error}") from None
    with writing(folder):
        content = json_content(simulation.scenario)
        manifest = new_manifest(simulation, request.steps, settings, {CONFIG: sha256(content)})
        # These two first: after this, the run can be restarted, whatever happens to this process.
        write_atomically(folder / CONFIG, content)
        manifest.write(folder)
        outputs = Outputs.create(folder, simulation.scenario, manifest)
        try:
            Recorder(simulation, folder, manifest, outputs, Checkpoints(folder)).go(progress)
            if simulation.keeps_lineage:
                keep_atmosphere(folder, manifest)
        finally:
            outputs.close()
    return open_run(folder)


def usual_cadence(scenario: Scenario, steps: int, every: int) -> tuple[list[str], int] | None:
    """The measures that `record` computes less often than frames, and their final interval in steps; None if none."""
    settings = Recording(every=every, checkpoint_every=CHECKPOINT_EVERY, measures=measures_of(scenario))
    return Cadence(settings, 0, steps).thinned(scenario.agents)


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Lock a folder for writing, and report disk errors in one line.

    Links in the folder are refused, and temporary files of killed processes are removed.
    """
    from filelock import FileLock, Timeout

    try:
        refuse_links(folder, OWN_FILES)
        with FileLock(folder / LOCK, timeout=0):
            refuse_links(folder, OWN_FILES)
            remove_leftovers(folder, OWN_FILES)
            yield
    except Timeout:
        raise ScenarioError(
            f"another process is writing to {folder}: wait for it, or stop it first"
        ) from None
    except OSError as error:
        rest = (
            f". What was recorded is safe; continue with `murmura resume {folder}`"
            if (folder / MANIFEST).exists()
            else ""
        )
        raise RunError(f"cannot write the run to {folder}: {error}{rest}") from None


def check_request(request: RunRequest, scenario: Scenario | None = None, seed: int | None = None) -> None:
    """Raise if a run cannot begin, before anything is compiled or written: a run never overwrites another.

    With `scenario` and `seed`, the message distinguishes a folder that contains the same run from one with another.
    """
    _check_steps(request.steps, request.every, request.metrics_every)
    _full_names(request.columns)
    parse_interval(request.checkpoint_every)
    if scenario is not None:
        json_content(scenario)  # raises if it could not be read back
    check_folder(request.folder, scenario, seed)


def _check_steps(steps: int, every: int, metrics_every: int | None) -> None:
    if steps < 0 or every < 1:
        raise ScenarioError(
            f"expected at least 0 steps and at least 1 step between metrics, got {steps} and {every}"
        )
    if max(steps, every, metrics_every or 0) > LARGEST_STEP:
        raise ScenarioError(
            f"expected at most {LARGEST_STEP} steps, got {max(steps, every, metrics_every or 0)}"
        )
    if metrics_every is not None and (metrics_every < 1 or metrics_every % every):
        raise ScenarioError(
            f"metrics are computed for frames: expected a multiple of {every} steps between them, got {metrics_every}"
        )


def check_folder(folder: Path, scenario: Scenario | None = None, seed: int | None = None) -> None:
    """Raise if a folder is not free for a new run."""
    try:
        if folder.exists() and not is_free(folder):
            raise ScenarioError(f"{folder} is not empty: {_what_is_there(folder, scenario, seed)}")
    except OSError as error:
        raise ScenarioError(f"cannot write to {folder}: {error}") from None


def is_free(folder: Path) -> bool:
    """Whether a folder is empty, or contains only remains of a run that was killed before it began."""
    names = {path.name for path in folder.iterdir()}
    return not names or (LOCK in names and names - leftovers(names, OWN_FILES) <= {LOCK, CONFIG})


def _what_is_there(folder: Path, scenario: Scenario | None, seed: int | None) -> str:
    if not (folder / MANIFEST).exists():
        return "choose a new folder, or remove its content first"
    try:
        there = Run(folder, refuse)
    except MurmuraError:
        there = None
    if there is None or there.scenario != scenario or there.seed != seed:
        return f"choose a new folder, or continue that run with `murmura resume {folder}`"
    if there.status == "finished":
        return f"it contains this run, finished with {there.manifest['steps']:,} steps; choose a new folder"
    return f"it contains this run, unfinished; continue it with `murmura resume {folder}`, or choose a new folder"


def _full_names(columns: Sequence[str]) -> list[str]:
    full = list(dict.fromkeys(column_name(name) for name in columns))
    return [name for name in full if name not in IMPLIED]
