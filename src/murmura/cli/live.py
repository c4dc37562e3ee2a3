"""`murmura live`, also without a word."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from murmura import __version__
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


@app.default
@app.command
def live(
    scenario: str = "starlings",
    /,
    *,
    agents: Agents = None,
    seed: Seed = 0,
    values: Values = None,
    host: Annotated[str, Parameter(help="Where to listen.")] = "127.0.0.1",
    port: Port = None,
    no_open: NoOpen = False,
    exit_on_close: Annotated[bool, Parameter(help="Stop when the last page is closed.", negative="")] = False,
    speed: Pace | None = None,
    backend: Backend = "auto",
    threads: Threads = None,
    rules: RuleFiles = None,
) -> None:
    """Open a scenario in the browser and watch it live.

    Parameters
    ----------
    scenario
        Name of a shipped scenario, or a .json or .toml file.
    """
    if speed is not None:
        check_pace(speed)
    print(f"murmura {__version__} - starting...", flush=True)
    from murmura.view.server.app import serve
    from murmura.view.session.session import Session

    session = Session(chosen_scenario(scenario, agents, values, rules), seed, backend, threads, speed)
    serve(session, host, port, not no_open, exit_on_close)
