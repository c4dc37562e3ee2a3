"""`murmura export`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from murmura.cli.options import Json, RuleFiles, Whole, app, load_rules, print_facts
from murmura.core.errors import ScenarioError
from murmura.lab.progress import Progress


@app.command
def export(
    folder: Path,
    /,
    *,
    to: Annotated[str | None, Parameter(help="zarr, parquet or csv.")] = None,
    out: Annotated[
        Path | None, Parameter(help="What to write; by default run.FORMAT in the run's folder.")
    ] = None,
    lineage: Annotated[
        Path | None,
        Parameter(help="Write who descends from whom: a table (.csv, .parquet) or maternal lines (.nwk)."),
    ] = None,
    living: Annotated[
        bool, Parameter(help="Of the lineage only lines with somebody alive at the end.", negative="")
    ] = False,
    least: Annotated[Whole, Parameter(help="Of the lineage only founders' families of so many or more.")] = 1,
    rules: RuleFiles = None,
    as_json: Json = False,
) -> None:
    """Write a recorded run for other programs: xarray, polars, pandas, R, spreadsheets, readers of family trees.

    Parameters
    ----------
    folder
        The folder of the run.
    """
    load_rules(rules)
    from murmura.lab.exports.export import export as write
    from murmura.lab.exports.lineage import export_lineage
    from murmura.lab.runs.run import open_run

    if to is None and lineage is None:
        raise ScenarioError(
            "say what to write: the frames with --to zarr, parquet or csv, the family tree with --lineage FILE"
        )
    run = open_run(folder)
    facts: dict[str, Any] = {}
    if lineage is not None:
        facts = {"lives": export_lineage(run, lineage, living, least), "lineage": str(lineage)}
    if to is not None:
        with Progress("frames") as progress:
            written = write(run, to, out, progress.update)
        facts |= {"frames": len(run.frames), "written": [str(path) for path in written]}
    print_facts(facts, as_json)
