"""`murmura export`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from murmura.cli.options import (
    Agents,
    Backend,
    Json,
    RuleFiles,
    Seed,
    Values,
    Whole,
    app,
    chosen_scenario,
    load_rules,
    print_facts,
)
from murmura.core.errors import ScenarioError
from murmura.lab.progress import Progress


@app.command
def export(
    what: str | None = None,
    /,
    *,
    to: Annotated[str | None, Parameter(help="zarr, parquet or csv; or html, a self-contained page.")] = None,
    out: Annotated[
        Path | None, Parameter(help="Output file; by default run.FORMAT in the run's folder, or NAME.html.")
    ] = None,
    also: Annotated[
        str | None, Parameter(help="Further scenarios that the page offers as presets: NAME,NAME.")
    ] = None,
    gallery: Annotated[
        Path | None,
        Parameter(help="Write a static site with all shipped scenarios, which run in the browser."),
    ] = None,
    lineage: Annotated[
        Path | None,
        Parameter(help="Write the family tree: a table (.csv, .parquet) or the maternal lines (.nwk)."),
    ] = None,
    living: Annotated[
        bool, Parameter(help="With --lineage: only lines with a living member at the end.", negative="")
    ] = False,
    least: Annotated[
        Whole, Parameter(help="With --lineage: only founders' families with at least this many members.")
    ] = 1,
    seed: Seed = 0,
    agents: Agents = None,
    values: Values = None,
    backend: Backend = "auto",
    rules: RuleFiles = None,
    as_json: Json = False,
) -> None:
    """Convert a recorded run for other programs, or write a scenario or run as a page that needs no Python.

    `murmura export starlings --to html --out flock.html` writes one file that simulates the flock in any browser with
    WebGPU, and plays recorded frames in others.

    Parameters
    ----------
    what
        The folder of a run, or with `--to html` also the name or file of a scenario.
    """
    if gallery is not None:
        export_gallery(gallery, seed, backend, as_json)
        return
    if what is None:
        raise ScenarioError(
            "say what to export: the folder of a run, a scenario with --to html, or --gallery DIR"
        )
    if to == "html":
        export_page(what, out, also, seed, agents, values, backend, rules, as_json)
        return
    load_rules(rules)
    export_run(Path(what), to, out, lineage, living, least, as_json)


def export_run(
    folder: Path,
    to: str | None,
    out: Path | None,
    lineage: Path | None,
    living: bool,
    least: int,
    as_json: bool,
) -> None:
    """Write the tables of a run."""
    from murmura.lab.exports.export import export as write
    from murmura.lab.exports.lineage import export_lineage
    from murmura.lab.runs.run import open_run

    if to is None and lineage is None:
        raise ScenarioError(
            "say what to write: frames with --to zarr, parquet or csv, a page with --to html, or the family tree with "
            "--lineage FILE"
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


def export_page(
    what: str,
    out: Path | None,
    also: str | None,
    seed: int,
    agents: int | None,
    values: list[str] | None,
    backend: str,
    rules: list[Path] | None,
    as_json: bool,
) -> None:
    """Write a page of a scenario or of a recorded run."""
    from murmura.scenario import load_scenario
    from murmura.view.standalone.page import flock_page, write_page
    from murmura.view.standalone.scene import why_not

    if Path(what).is_dir():
        load_rules(rules)
        page, name, reason = _run_page(Path(what)), Path(what).resolve().name, "it is a recorded run"
    else:
        scenario = chosen_scenario(what, agents, values, rules)
        beside = [load_scenario(name.strip()) for name in (also or "").split(",") if name.strip()]
        unable = [each for each in beside if why_not(each)]
        if unable:
            raise ScenarioError(f"--also {unable[0].name}: {why_not(unable[0])}")
        page, name, reason = flock_page([scenario, *beside], seed, backend), scenario.name, why_not(scenario)
    target = out or Path(f"{name}.html")
    size = write_page(page, target)
    facts: dict[str, Any] = {"written": str(target), "bytes": size}
    print_facts(facts | {"shows": f"recorded frames ({reason})" if reason else "a simulation"}, as_json)


def _run_page(folder: Path) -> str:
    from murmura.lab.runs.branching import BranchableRun
    from murmura.lab.runs.run import open_run
    from murmura.view.standalone.loop import loop_of, played
    from murmura.view.standalone.page import run_page

    run = BranchableRun(open_run(folder))
    return run_page(run.scenario, run.seed, run.name, loop_of(played(run)))


def export_gallery(folder: Path, seed: int, backend: str, as_json: bool) -> None:
    """Write a static site of all shipped scenarios."""
    from murmura.scenario import scenario_names
    from murmura.view.standalone.gallery import write_gallery

    folder.mkdir(parents=True, exist_ok=True)
    names = list(scenario_names())
    with Progress("pages") as progress:
        done = iter(range(len(names)))
        write_gallery(folder, names, seed, backend, lambda name: progress.update(next(done), len(names)))
    print_facts({"written": str(folder / "index.html"), "scenarios": names}, as_json)
