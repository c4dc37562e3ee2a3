"""`murmura live`, which is also the default command."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from murmura import __version__
from murmura.cli.idle_options import refuses_idle
from murmura.cli.options import (
    Agents,
    Backend,
    NoOpen,
    Pace,
    Port,
    RuleFiles,
    Seed,
    Threads,
    Values,
    app,
    check_pace,
    chosen_scenario,
)
from murmura.core.errors import UnknownNameError, nearest
from murmura.lab.sweeps.request import NO_THREADS


@app.default
@app.command
@refuses_idle(NO_THREADS)
def live(
    scenario: str = "roosts",
    /,
    *,
    agents: Agents = None,
    seed: Seed = 0,
    values: Values = None,
    host: Annotated[
        str | None,
        Parameter(help="Address to listen on: by default this machine only, with --share every address."),
    ] = None,
    port: Port = None,
    no_open: NoOpen = False,
    exit_on_close: Annotated[bool, Parameter(help="Stop when the last page is closed.", negative="")] = False,
    speed: Pace | None = None,
    backend: Backend = "auto",
    threads: Threads = None,
    rules: RuleFiles = None,
    share: Annotated[
        bool, Parameter(help="Let others on the network watch, with a code; not encrypted.", negative="")
    ] = False,
    lessons: Annotated[
        list[Path] | None,
        Parameter(help="Folder with your own lessons. May be repeated.", negative=""),
    ] = None,
    runs: Annotated[Path, Parameter(help="Folder for runs that are recorded from the page.")] = Path("runs"),
) -> None:
    """Open a scenario in the browser and watch it live.

    Parameters
    ----------
    scenario
        Name of a shipped scenario, or a .json or .toml file.
    """
    if speed is not None:
        check_pace(speed)
    from murmura.view.server.sharing import check_host

    _check_word(scenario)
    print(f"murmura {__version__} - starting...", flush=True)
    check_host(host, share)
    from murmura.view.wire.lessons import read_lessons

    read_lessons(lessons or ())  # so that errors are reported at once and not to the first page
    from murmura.lab.runs.live_recording import LiveRunRecorder
    from murmura.view.server.app import serve
    from murmura.view.session.session import Session

    session = Session(
        chosen_scenario(scenario, agents, values, rules), seed, backend, threads, speed, good_moments=True
    )
    serve(session, host, port, not no_open, exit_on_close, LiveRunRecorder(runs), share, lessons or ())


def _check_word(word: str) -> None:
    """Refuse a mistyped command, which would otherwise be read as the name of a scenario."""
    from murmura.scenario import scenario_names

    commands = [name for name in app if not name.startswith("-")]
    hint = nearest(word, commands)
    if hint and hint == nearest(word, [*scenario_names(), *commands]) and not Path(word).suffix:
        raise UnknownNameError(
            f"no command and no scenario is called {word!r}{hint}; `murmura --help` lists the commands, "
            "`murmura scenarios` the scenarios"
        )
