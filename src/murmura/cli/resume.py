"""`murmura resume`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from murmura.cli.run import report
from murmura.cli.words import ExpectHash, Json, Progress, RuleFiles, Threads, Whole, app, load_rules, say


@app.command
def resume(
    folder: Path,
    /,
    *,
    steps: Annotated[
        Whole | None,
        Parameter(help="How many steps the whole run shall have; by default as many as it was to have."),
    ] = None,
    threads: Threads = None,
    rules: RuleFiles = None,
    expect_hash: ExpectHash = None,
    as_json: Json = False,
) -> None:
    """Go on with a run that was stopped or killed, with the very bits of one that never stopped.

    Parameters
    ----------
    folder
        The folder of the run.
    """
    load_rules(rules)
    from murmura.lab.resuming import resume as go_on

    with Progress() as progress:
        try:
            done = go_on(folder, steps, threads, progress.update, say)
        except KeyboardInterrupt:
            say(f"stopped; what was recorded is in {folder}")
            raise
    report(done, expect_hash, as_json)
