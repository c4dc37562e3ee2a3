"""Go on with a run: from the newest checkpoint that is whole, with the very bits of a run that never stopped."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from murmura.core.errors import RunError, ScenarioError
from murmura.engine.instant import check_measure
from murmura.engine.simulation import Simulation
from murmura.lab.atmosphere import keep_atmosphere
from murmura.lab.checkpoints import SLOTS, Checkpoints, whole_checkpoints
from murmura.lab.lineage import lineage_of_run
from murmura.lab.manifest import Manifest, now, versions
from murmura.lab.recorder import Outputs, Progress, Recorder
from murmura.lab.recording import writing
from murmura.lab.runs import Run, open_run

Announce = Callable[[str], None]


def resume(
    folder: str | Path,
    steps: int | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
    announce: Announce | None = None,
) -> Run:
    """Go on with a run that was stopped or killed, or further than was asked for at first.

    Args:
        folder: The run's folder.
        steps: How many steps the whole run shall have; by default as many as it was to have.
        threads: How many threads; bits do not depend on it.
        progress: Called now and then with the step and the last step.
        announce: Called with a line of text about damage, other versions, and what takes long.
    """
    folder = Path(folder)
    say = announce or (lambda text: None)
    open_run(folder)  # is it one, and can it be read?
    with writing(folder):
        run = open_run(folder)  # again: another process may have gone on with it until now
        manifest = Manifest.model_validate(run.manifest)
        _check_resumable(run, manifest, steps)
        end = manifest.first_step + (manifest.steps if steps is None else steps)
        _warn_of_differences(manifest, say)
        simulation, outputs, used = _restore(run, manifest, end, threads, say)
        try:
            manifest = manifest.model_copy(
                update=versions()
                | {"steps": end - manifest.first_step, "status": "running", "error": None, "final_hash": None}
                | {"hashes": {}, "threads": simulation.threads}
                | {
                    "resumed": [
                        *manifest.resumed,
                        {"step": simulation.step_count, "when": now(), **versions()},
                    ]
                }
            )
            manifest.write(folder)
            Recorder(simulation, folder, manifest, outputs, Checkpoints(folder, used)).go(progress)
            keep_atmosphere(folder)
        finally:
            outputs.close()
    return open_run(folder)


def _check_resumable(run: Run, manifest: Manifest, steps: int | None) -> None:
    if steps is not None and steps < 0:
        raise ScenarioError(f"expected 0 or more steps, got {steps}")
    if manifest.status == "finished" and (steps is None or steps <= manifest.steps):
        raise ScenarioError(
            f"{run.folder} is finished: it has all {manifest.steps:,} steps. To go further, say how many the whole run "
            f"shall have: `murmura resume {run.folder} --steps {2 * max(manifest.steps, 1)}`"
        )
    unknown = [name for name in manifest.recording.measures if not _is_known(name, run)]
    if unknown:
        raise ScenarioError(
            f"the metrics of {run.folder} hold the measures {', '.join(unknown)}, which nobody registered: load the "
            "file that does, on the command line by --rules"
        )


def _is_known(name: str, run: Run) -> bool:
    try:
        check_measure(name, run.scenario)
    except ValueError:
        return False
    return True


def _warn_of_differences(manifest: Manifest, say: Announce) -> None:
    here = versions()
    differing = [key for key in here if here[key] != getattr(manifest, key)]
    if differing:
        listed = ", ".join(f"{key} {getattr(manifest, key)} then, {here[key]} now" for key in differing)
        say(f"the run was made with other versions, which may change bits: {listed}")


def _restore(
    run: Run, manifest: Manifest, end: int, threads: int | None, say: Announce
) -> tuple[Simulation, Outputs, Path]:
    """From the newest checkpoint that is whole and whose outputs are."""
    problems: list[str] = []
    for path, found in whole_checkpoints(run.folder, problems):
        if found.seed != manifest.seed or found.scenario != run.scenario:
            problems.append(f"{path} is of another run")
            continue
        if found.step_count > end:
            reached = found.step_count - manifest.first_step
            raise ScenarioError(
                f"{run.folder} has reached {reached:,} steps already; --steps says how many the whole run shall have"
            )
        simulation = Simulation.restore(path, manifest.backend, threads, say)
        try:
            outputs = Outputs.reopen(run, found.notes["outputs"])
        except RunError as error:
            problems.append(str(error))
            continue
        except (LookupError, TypeError, ValueError, OverflowError):
            problems.append(f"{path} is not of a recorded run")
            continue
        # Measures of births and deaths look back: what was told before belongs to the story.
        if found.step_count > manifest.first_step:
            simulation.remember(lineage_of_run(run, found.step_count))
        for problem in problems:
            say(f"{problem}; going on from {path.name} at step {found.step_count:,}")
        return simulation, outputs, path
    raise RunError(
        f"{run.folder} cannot go on: {'; '.join(problems) or f'neither {SLOTS[0]} nor {SLOTS[1]} is there'}"
    )
