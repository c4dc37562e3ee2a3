"""`murmura resume`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from murmura.cli.idle_options import no_threads_in, refuses_idle
from murmura.cli.options import ExpectHash, Json, RuleFiles, Threads, Whole, app, load_rules
from murmura.cli.run import report
from murmura.cli.sweep import continue_sweep
from murmura.core.notices import print_notice
from murmura.core.request import Idle
from murmura.lab.progress import Progress
from murmura.lab.sweeps.request import ONLY_CPU


def continue_fit(folder: Path, as_json: bool) -> None:
    """Continue a fit with its original options."""
    import time

    from murmura.cli.fit import finish
    from murmura.cli.sweep_options import with_progress
    from murmura.lab.fit.fit import resume_fit

    begun = time.perf_counter()
    finish(with_progress(resume_fit, folder, folder=folder), None, time.perf_counter() - begun, as_json)


def _is_fit(given: Any) -> bool:
    from murmura.lab.fit.folder import is_fit

    return is_fit(given.folder)


def _is_sweep(given: Any) -> bool:
    from murmura.lab.sweeps.folder import is_sweep

    return is_sweep(given.folder)


@app.command
@refuses_idle(
    Idle("steps threads rules expect_hash", _is_fit, "a fit continues with its original options"),
    Idle("steps threads expect_hash", _is_sweep, "a sweep continues with its original options"),
    Idle("threads", lambda given: no_threads_in(given.folder), ONLY_CPU),
)
def resume(
    folder: Path,
    /,
    *,
    steps: Annotated[
        Whole | None,
        Parameter(help="Total number of steps of the run; by default as originally requested."),
    ] = None,
    threads: Threads = None,
    rules: RuleFiles = None,
    expect_hash: ExpectHash = None,
    as_json: Json = False,
) -> None:
    """Continue a run, sweep or fit that was stopped or killed. A run ends bit for bit as if it had never stopped.

    Parameters
    ----------
    folder
        The folder of the run, the sweep or the fit.
    """
    from murmura.lab.fit.folder import is_fit
    from murmura.lab.sweeps.folder import is_sweep

    if is_fit(folder):
        continue_fit(folder, as_json)
        return
    if is_sweep(folder):
        continue_sweep(folder, rules, as_json)
        return
    load_rules(rules)
    from murmura.lab.runs.resuming import resume as go_on

    with Progress() as progress:
        try:
            done = go_on(folder, steps, threads, progress.update, print_notice)
        except KeyboardInterrupt:
            print_notice(f"stopped; what was recorded is in {folder}")
            raise
    report(done, expect_hash, as_json)
