"""Resumes a run from its newest intact checkpoint, bit for bit as if it had never stopped."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from murmura.core.errors import RunError, ScenarioError
from murmura.engine.reading.instant import check_measure
from murmura.engine.simulation import Simulation
from murmura.lab.damage import refuse
from murmura.lab.exports.lineage import lineage_of_run
from murmura.lab.rule_code import check_rule_code, rule_code
from murmura.lab.runs.checkpoints import SLOTS, Checkpoints, whole_checkpoints
from murmura.lab.runs.early_end import never_came_far
from murmura.lab.runs.manifest import Manifest, now, versions
from murmura.lab.runs.reading.atmosphere import ATMOSPHERE, keep_atmosphere
from murmura.lab.runs.recorder import Outputs, Progress, Recorder
from murmura.lab.runs.recording import writing
from murmura.lab.runs.run import EVENTS, METRICS, TRAJECTORY, Run, open_run

Announce = Callable[[str], None]
Ready = Callable[[Simulation], None]


def resume(
    folder: str | Path,
    steps: int | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
    announce: Announce | None = None,
) -> Run:
    """Resume a run that was stopped or killed, or extend one that has ended.

    Args:
        folder: The run's folder.
        steps: The total number of steps; by default as originally requested.
        threads: Number of threads; the result does not depend on it.
        progress: Called now and then with the current and the last step.
        announce: Called with a line of text about damage, other versions and long waits.
    """
    folder = Path(folder)
    announce = announce or (lambda text: None)
    Run(folder, refuse)  # raises if it is not a run or cannot be read
    with writing(folder):
        run = Run(folder, refuse)  # again: another process may have resumed it in the meantime
        manifest = Manifest.model_validate(run.manifest)
        _check_resumable(run, manifest, steps)
        end = manifest.first_step + (manifest.steps if steps is None else steps)
        _warn_of_differences(manifest, announce)
        check_rule_code(manifest.rule_code, rule_code([run.scenario]), folder, announce)

        def ready(simulation: Simulation) -> None:
            """Mark the run as running before anything is truncated: its counts and hashes belong to the old files."""
            nonlocal manifest
            manifest = _going_on(manifest, simulation, end)
            manifest.write(folder)
            run.manifest["counts"] = {}

        simulation, outputs, used = _restore(run, manifest, end, threads, announce, ready)
        try:
            Recorder(simulation, folder, manifest, outputs, Checkpoints(folder, used)).go(progress)
            keep_atmosphere(folder, manifest)
        finally:
            outputs.close()
    return open_run(folder)


def _going_on(manifest: Manifest, simulation: Simulation, end: int) -> Manifest:
    """The manifest of a resumed run."""
    entry = {"step": simulation.step_count, "when": now(), **versions()}
    return manifest.model_copy(
        update=versions()
        | {"rule_code": rule_code([simulation.scenario])}
        | {"steps": end - manifest.first_step, "status": "running", "error": None, "final_hash": None}
        | {
            "hashes": {},
            "counts": {},
            "checkpoints": {},
            "threads": simulation.threads,
            "resumed": [*manifest.resumed, entry],
        }
        # Rewritten at the end; a crash in between must not leave hashes of the old files.
        | {"files": {name: found for name, found in manifest.files.items() if name != ATMOSPHERE}}
    )


def _check_resumable(run: Run, manifest: Manifest, steps: int | None) -> None:
    run.check_known()
    if steps is not None and steps < 0:
        raise ScenarioError(f"expected at least 0 steps, got {steps}")
    if run.is_tracked:
        raise ScenarioError(
            f"{run.folder} has tracked animals, whose rules are unknown, so it cannot be continued. Fit a model to "
            "them with `murmura fit`"
        )
    if manifest.status == "finished" and (steps is None or steps <= manifest.steps):
        raise ScenarioError(
            f"{run.folder} is finished: it has all {manifest.steps:,} steps. To extend it, give the total number of "
            f"steps: `murmura resume {run.folder} --steps {2 * max(manifest.steps, 1)}`"
        )
    unknown = [name for name in manifest.recording.measures if not _is_known(name, run)]
    if unknown:
        raise ScenarioError(
            f"the metrics of {run.folder} have the measures {', '.join(unknown)}, which are not registered: load the "
            "file that registers them, on the command line with --rules"
        )


def _is_known(name: str, run: Run) -> bool:
    try:
        check_measure(name, run.scenario)
    except ValueError:
        return False
    return True


def _warn_of_differences(manifest: Manifest, announce: Announce) -> None:
    here = versions()
    differing = [key for key in here if getattr(manifest, key) not in (None, here[key])]
    if differing:
        listed = ", ".join(f"{key} {getattr(manifest, key)} then, {here[key]} now" for key in differing)
        announce(f"the run was made with other versions, which may give different results: {listed}")


def _restore(
    run: Run, manifest: Manifest, end: int, threads: int | None, announce: Announce, ready: Ready
) -> tuple[Simulation, Outputs, Path | None]:
    """Restore the newest intact checkpoint with its outputs; restart a run that never had one."""
    if never_came_far(run.folder):
        return *_begun_anew(run, manifest, threads, announce, ready), None
    problems: list[str] = []
    for path, found in whole_checkpoints(run.folder, problems):
        is_own = (found.seed, found.scenario, found.portable) == (
            manifest.seed,
            run.scenario,
            manifest.portable,
        )
        if not is_own or found.step_count < manifest.first_step:
            problems.append(f"{path} belongs to another run")
            continue
        if found.step_count > end:
            reached = found.step_count - manifest.first_step
            raise ScenarioError(
                f"{run.folder} already has {reached:,} steps; --steps is the total number of steps of the run"
            )
        simulation = Simulation.restore(path, manifest.backend, threads, announce)
        try:
            outputs = Outputs.reopen(run, manifest, found.notes["outputs"], partial(ready, simulation))
        except RunError as error:
            problems.append(str(error))
            continue
        except (LookupError, TypeError, ValueError, OverflowError):
            problems.append(f"{path} does not belong to a recorded run")
            continue
        # Measures of births and deaths look back, so the family tree needs earlier lives.
        if found.step_count > manifest.first_step:
            simulation.restore_lineage(lineage_of_run(run, found.step_count))
        for problem in problems:
            announce(f"{problem}; continuing from {path.name} at step {found.step_count:,}")
        return simulation, outputs, path
    raise RunError(
        f"{run.folder} cannot be resumed: {'; '.join(problems) or f'neither {SLOTS[0]} nor {SLOTS[1]} exists'}"
    )


def _begun_anew(
    run: Run, manifest: Manifest, threads: int | None, announce: Announce, ready: Ready
) -> tuple[Simulation, Outputs]:
    """The run from the start of its scenario; only checkpoints contain other starts."""
    simulation = Simulation(
        run.scenario, run.seed, manifest.backend, threads, portable=manifest.portable, announce=announce
    )
    if manifest.first_step or simulation.state_hash() != manifest.start_hash:
        raise RunError(
            f"{run.folder} cannot be resumed: it was stopped before its first checkpoint, and did not begin from the "
            "start of its scenario. Remove the folder and run it again"
        )
    announce("the run was stopped before its first checkpoint and starts again")
    ready(simulation)
    for name in (TRAJECTORY, METRICS, EVENTS):
        (run.folder / name).unlink(missing_ok=True)
    return simulation, Outputs.create(run.folder, run.scenario, manifest)
