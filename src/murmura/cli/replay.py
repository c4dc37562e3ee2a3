"""`murmura replay`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from murmura.cli.words import Json, Progress, Threads, app, print_facts, whole
from murmura.core.errors import ScenarioError


@app.command
def replay(
    path: Path,
    /,
    *,
    live: Annotated[bool, Parameter(help="Watch it in the browser.", negative="")] = False,
    speed: Annotated[float, Parameter(help="With --live: simulated seconds for each second.")] = 2.0,
    port: Annotated[int | None, Parameter(converter=whole, help="With --live: preferred port.")] = None,
    no_open: Annotated[bool, Parameter(help="With --live: do not open the browser.", negative="")] = False,
    backend: Annotated[
        str | None, Parameter(help="By default the recorded one: others give other bits.")
    ] = None,
    threads: Threads = None,
    as_json: Json = False,
) -> None:
    """Play the recorded actions of a live session again, and check that the flock ends in the same state.

    Parameters
    ----------
    path
        A file of actions, as the live view saves it.
    """
    if path.is_dir():
        raise ScenarioError(f"{path} is a folder; a session's actions are a file, as the live view saves it")
    replay_actions(path, live, speed, port, not no_open, backend, threads, as_json)


def replay_actions(
    path: Path,
    live: bool,
    speed: float,
    port: int | None,
    open_page: bool,
    backend: str | None,
    threads: int | None,
    as_json: bool,
) -> None:
    """Play a file of actions."""
    from murmura.view.replay import read_record, replay, replay_session

    record = read_record(path)
    if live:
        from murmura.view.server import serve

        serve(replay_session(record, backend, threads, speed), port=port, open_page=open_page)
        return
    with Progress(record.total_steps) as progress:
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
