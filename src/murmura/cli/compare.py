"""`murmura compare`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from murmura import __version__
from murmura.cli.idle_options import is_folder, refuses_idle
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
    load_rules,
)
from murmura.core.request import Idle
from murmura.lab.sweeps.request import NO_THREADS

LeftValues = Annotated[
    list[str] | None,
    Parameter(name="--left", help="Change a value on the left only: PATH=VALUE.", negative=""),
]
RightValues = Annotated[
    list[str] | None,
    Parameter(name="--right", help="Change a value on the right only: PATH=VALUE.", negative=""),
]

AS_RECORDED = "a recorded run is shown as it was"


@app.command
@refuses_idle(
    Idle("left_values", lambda given: is_folder(given.left), AS_RECORDED),
    Idle("right_values", lambda given: is_folder(given.right), AS_RECORDED),
    Idle(
        "agents seed values backend",
        lambda given: is_folder(given.left) and is_folder(given.right),
        AS_RECORDED,
    ),
    NO_THREADS,
)
def compare(
    left: str,
    right: str,
    /,
    *,
    agents: Agents = None,
    seed: Seed = 0,
    values: Values = None,
    left_values: LeftValues = None,
    right_values: RightValues = None,
    port: Port = None,
    no_open: NoOpen = False,
    speed: Pace | None = None,
    backend: Backend = "auto",
    threads: Threads = None,
    rules: RuleFiles = None,
) -> None:
    """Watch two scenarios or two recorded runs side by side in the browser, at the same simulated time.

    Parameters
    ----------
    left
        Name of a shipped scenario, a .json or .toml file, or the folder of a run.
    right
        As `left`; it may be the same scenario with a value changed by --right.
    """
    if speed is not None:
        check_pace(speed)
    print(f"murmura {__version__} - starting...", flush=True)
    from murmura.view.compare import Pair, SyncedPlayback, SyncedSession
    from murmura.view.server.app import serve

    load_rules(rules)

    def side(source: str, own: list[str] | None) -> Any:
        if Path(source).is_dir():
            from murmura.lab.runs.branching import BranchableRun
            from murmura.lab.runs.run import open_run

            run = BranchableRun(open_run(source), threads=threads)
            found: SyncedSession = SyncedPlayback(run, speed)
            found.label = run.name
            return found
        scenario = chosen_scenario(source, agents, [*(values or ()), *(own or ())], None)
        found = SyncedSession(scenario, seed, backend, threads, speed)
        found.label = ", ".join([scenario.name, *(own or ())])
        return found

    serve(Pair(side(left, left_values), side(right, right_values)), port=port, open_page=not no_open)
