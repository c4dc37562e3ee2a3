"""`murmura export`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from murmura.cli.idle_options import is_folder, refuses_idle
from murmura.cli.options import (
    Agents,
    Backend,
    Force,
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
from murmura.core.errors import ScenarioError, nearest
from murmura.core.request import Idle, Request, check_free
from murmura.lab.progress import Progress
from murmura.scenario import Scenario

GALLERY_SIZE = (640, 360)
GALLERY_SECONDS = 6.0
"""Simulated time of a picture of the gallery, where a scenario has no good moment [s]."""
SIMULATED = "seed agents values backend also"


@Parameter(name="*")
@dataclass
class TableOptions(Request):
    """What is written of a recorded run besides its frames."""

    lineage: Annotated[
        Path | None,
        Parameter(help="Write the family tree: a table (.csv, .parquet) or the maternal lines (.nwk)."),
    ] = None
    edges: Annotated[
        Path | None,
        Parameter(
            help="Write who perceives whom in every frame: .parquet, or .graphml with a graph for each."
        ),
    ] = None
    living: Annotated[
        bool, Parameter(help="With --lineage: only lines with a living member at the end.", negative="")
    ] = False
    least: Annotated[
        Whole, Parameter(help="With --lineage: only founders' families with at least this many members.")
    ] = 1


@app.command
@refuses_idle(
    Idle(
        "what to out also lineage edges living least agents values rules",
        lambda given: given.gallery is not None,
        "--gallery writes all shipped scenarios as they are",
    ),
    Idle(
        "lineage edges living least",
        lambda given: given.to == "html",
        "a page has no family tree or network; export it by a command of its own",
    ),
    Idle(
        SIMULATED,
        lambda given: given.to == "html" and is_folder(given.what),
        "a page of a recorded run shows it as it was",
    ),
    Idle(
        SIMULATED,
        lambda given: given.to != "html" and given.gallery is None,
        "a recorded run is exported as it was; they are for pages of scenarios, --to html",
    ),
    Idle(
        "backend",
        lambda given: given.to == "html",
        "a page brings its own kernel; --backend is for the pictures of --gallery",
    ),
    Idle(
        "living least",
        lambda given: given.lineage is None,
        "they choose families for --lineage FILE",
    ),
    Idle("out", lambda given: given.to is None, "it names the file of --to; --lineage has its own"),
)
def export(
    what: str | None = None,
    /,
    *,
    to: Annotated[
        str | None,
        Parameter(help="zarr, parquet, csv, movement, ovito or vtk; or html, a self-contained page."),
    ] = None,
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
    tables: TableOptions | None = None,
    seed: Seed = 0,
    agents: Agents = None,
    values: Values = None,
    backend: Backend = "auto",
    force: Force = False,
    rules: RuleFiles = None,
    as_json: Json = False,
) -> None:
    """Convert a recorded run for other programs, or write a scenario or run as a page that needs no Python.

    `murmura export starlings --to html --out flock.html` writes one file that simulates the flock in any browser.

    Parameters
    ----------
    what
        The folder of a run, or with `--to html` also the name or file of a scenario.
    """
    if gallery is not None:
        export_gallery(gallery, seed, backend, force, as_json)
        return
    check_format(to)
    if what is None:
        raise ScenarioError(
            "say what to export: the folder of a run, a scenario with --to html, or --gallery DIR"
        )
    if to == "html":
        export_page(what, out, also, seed, agents, values, rules, force, as_json)
        return
    load_rules(rules)
    export_run(Path(what), to, out, tables or TableOptions(), force, as_json)


def check_format(to: str | None) -> None:
    from murmura.lab.exports.export import WRITERS

    known = (*WRITERS, "html")
    if to is not None and to not in known:
        raise ScenarioError(
            f"--to takes {', '.join(known[:-1])} or {known[-1]}, got {to!r}{nearest(to, known)}"
        )


def export_run(
    folder: Path, to: str | None, out: Path | None, tables: TableOptions, force: bool, as_json: bool
) -> None:
    """Write the tables of a run."""
    from murmura.lab.exports.export import export as write
    from murmura.lab.exports.lineage import export_lineage
    from murmura.lab.runs.run import open_run

    lineage, edges = tables.lineage, tables.edges
    if to is None and lineage is None and edges is None:
        raise ScenarioError(
            "say what to write: frames with --to zarr, parquet, csv, movement, ovito or vtk, a page with --to html, or "
            "the family tree with --lineage FILE"
        )
    run = open_run(folder)
    facts: dict[str, Any] = {}
    if lineage is not None:
        facts = {
            "lives": export_lineage(run, lineage, tables.living, tables.least, force),
            "lineage": str(lineage),
        }
    if edges is not None:
        from murmura.lab.exports.network import export_edges

        with Progress("frames") as progress:
            count = export_edges(run, edges, progress.update, force)
        facts |= {"edges": count, "network": str(edges)}
    if to is not None:
        with Progress("frames") as progress:
            written = write(run, to, out, progress.update, force)
        facts |= {"frames": len(run.frames), "written": [str(path) for path in written]}
    print_facts(facts, as_json)


def export_page(
    what: str,
    out: Path | None,
    also: str | None,
    seed: int,
    agents: int | None,
    values: list[str] | None,
    rules: list[str] | None,
    force: bool,
    as_json: bool,
) -> None:
    """Write a page of a scenario or of a recorded run."""
    from murmura.scenario import load_scenario
    from murmura.view.standalone.page import flock_page, write_page

    if Path(what).is_dir():
        load_rules(rules)
        target = out or Path(f"{Path(what).resolve().name}.html")
        check_free(target, force=force)
        page, reason = _run_page(Path(what)), "it is a recorded run"
    else:
        scenario = chosen_scenario(what, agents, values, rules)
        target = out or Path(f"{scenario.name}.html")
        check_free(target, force=force)
        beside = [load_scenario(name.strip()) for name in (also or "").split(",") if name.strip()]
        page, reason = flock_page([scenario, *beside], seed), ""
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


def export_gallery(folder: Path, seed: int, backend: str, force: bool, as_json: bool) -> None:
    """Write a static site of all shipped scenarios."""
    from murmura.scenario import scenario_names
    from murmura.view.standalone.gallery import write_gallery

    names = list(scenario_names())
    check_free(*(folder / f"{name}.html" for name in ("index", *names)), force=force)
    folder.mkdir(parents=True, exist_ok=True)
    with Progress("pages") as progress:
        done = iter(range(len(names)))
        picture = partial(gallery_picture, backend)
        write_gallery(folder, picture, names, seed, lambda name: progress.update(next(done), len(names)))
    print_facts({"written": str(folder / "index.html"), "scenarios": names}, as_json)


def gallery_picture(backend: str, scenario: Scenario, seed: int) -> bytes:
    """A scenario at its good moment, or some seconds after its start."""
    from murmura.engine.simulation import Simulation
    from murmura.lab.films.still import still
    from murmura.view.session.editing.tools import with_pointer
    from murmura.view.session.good_moments import good_moment

    simulation = good_moment(with_pointer(scenario, None), seed, backend)
    if simulation is None:
        simulation = Simulation(scenario, seed, backend, announce=None)
        simulation.step(round(GALLERY_SECONDS / scenario.motion.time_step))
    return still(simulation, scenario, GALLERY_SIZE)  # its own scenery: a good moment also has the pointer
