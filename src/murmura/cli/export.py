"""`murmura export`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from murmura.cli.words import Json, Progress, RuleFiles, app, load_rules, print_facts


@app.command
def export(
    folder: Path,
    /,
    *,
    to: Annotated[str, Parameter(help="zarr, parquet or csv.")],
    out: Annotated[
        Path | None, Parameter(help="What to write; by default run.FORMAT in the run's folder.")
    ] = None,
    rules: RuleFiles = None,
    as_json: Json = False,
) -> None:
    """Write a recorded run for other programs: xarray, polars, pandas, R, spreadsheets.

    Parameters
    ----------
    folder
        The folder of the run.
    """
    load_rules(rules)
    from murmura.lab.export import export as write
    from murmura.lab.runs import open_run

    run = open_run(folder)
    with Progress("frames") as progress:
        written = write(run, to, out, progress.update)
    print_facts({"frames": len(run.frames), "written": [str(path) for path in written]}, as_json)
