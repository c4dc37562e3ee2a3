"""`murmura replay`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from murmura import __version__
from murmura.cli.idle_options import is_folder, no_threads_in, refuses_idle
from murmura.cli.options import (
    Json,
    NoOpen,
    Pace,
    Port,
    RuleFiles,
    Threads,
    app,
    check_pace,
    load_rules,
    print_facts,
)
from murmura.core.request import Idle
from murmura.lab.progress import Progress
from murmura.lab.sweeps.request import NO_THREADS, ONLY_CPU


@app.command
@refuses_idle(
    Idle(
        "live as_json",
        lambda given: given.path.suffix == ".gsd" or is_folder(given.path),
        "a run always opens in the browser; they are for a file of actions",
    ),
    Idle(
        "backend threads",
        lambda given: given.path.suffix == ".gsd",
        "a trajectory without its folder cannot be continued, only watched",
    ),
    Idle("as_json", lambda given: given.live, "--live opens the browser and prints no results"),
    Idle(
        "speed port no_open",
        lambda given: not (given.live or given.path.suffix == ".gsd" or is_folder(given.path)),
        "actions are replayed without a browser; --live shows them in one",
    ),
    NO_THREADS,
    Idle(
        "threads",
        lambda given: given.backend is None and is_folder(given.path) and no_threads_in(given.path),
        ONLY_CPU,
    ),
)
def replay(
    path: Path,
    /,
    *,
    live: Annotated[
        bool, Parameter(help="Watch the actions in the browser; a run always opens there.", negative="")
    ] = False,
    speed: Pace | None = None,
    port: Port = None,
    no_open: NoOpen = False,
    backend: Annotated[
        str | None, Parameter(help="By default the recorded one; others give slightly different results.")
    ] = None,
    threads: Threads = None,
    rules: RuleFiles = None,
    as_json: Json = False,
) -> None:
    """Watch a recorded run with a time line, or replay the actions of a live session, bit for bit.

    A run opens in the browser and can be continued live from any of its frames. Actions are replayed without a
    browser, and the resulting flock is compared with the recorded one.

    Parameters
    ----------
    path
        The folder of a run, as `murmura run` writes it, its `run.gsd` alone, or a file of actions saved by the live
        view.
    """
    if speed is not None:
        check_pace(speed)
    load_rules(rules)
    if path.suffix == ".gsd":
        replay_trajectory(path, speed, port, not no_open)
    elif path.is_dir():
        replay_folder(path, speed, port, not no_open, backend, threads)
    else:
        replay_actions(path, live, speed, port, not no_open, backend, threads, as_json)


def replay_trajectory(path: Path, speed: float | None, port: int | None, open_page: bool) -> None:
    """Show a trajectory without its folder."""
    print(f"murmura {__version__} - starting...", flush=True)
    from murmura.lab.runs.reading.bare_trajectory import BareTrajectory
    from murmura.view.playback.playback import Playback
    from murmura.view.server.app import serve

    serve(Playback(BareTrajectory(path), speed), port=port, open_page=open_page)


def replay_folder(
    folder: Path,
    speed: float | None,
    port: int | None,
    open_page: bool,
    backend: str | None,
    threads: int | None,
) -> None:
    """Show a run in the live view."""
    print(f"murmura {__version__} - starting...", flush=True)
    from murmura.lab.runs.branching import BranchableRun
    from murmura.lab.runs.run import open_run
    from murmura.view.playback.playback import Playback
    from murmura.view.server.app import serve

    run = BranchableRun(open_run(folder), backend, threads)
    serve(Playback(run, speed), port=port, open_page=open_page)


def replay_actions(
    path: Path,
    live: bool,
    speed: float | None,
    port: int | None,
    open_page: bool,
    backend: str | None,
    threads: int | None,
    as_json: bool,
) -> None:
    """Replay a file of actions."""
    from murmura.view.playback.replay import read_record, replay, replay_session

    record = read_record(path)
    if live:
        from murmura.view.server.app import serve

        serve(replay_session(record, backend, threads, speed), port=port, open_page=open_page)
        return
    with Progress() as progress:
        scene = replay(record, backend, threads, progress.update)
    facts = {
        "scenario": scene.scenario.name,
        "agents": scene.simulation.agent_count,
        "seed": scene.simulation.seed,
        "actions": len(record.actions) + 1,
        "steps": record.total_steps,
        "backend": scene.simulation.backend,
        "hash": scene.simulation.state_hash(),
        "same_as_recorded": True,
    }
    print_facts(facts, as_json)
