"""`murmura sweep`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from murmura.cli.idle_options import NO_THREADS, refuses_idle
from murmura.cli.options import app, print_facts
from murmura.cli.sweep_options import (
    MaybeWhole,
    SweepOptions,
    Vary,
    check_plot,
    warn_of_failures,
    with_progress,
)
from murmura.core.request import Idle


@app.command
@refuses_idle(
    Idle("samples", lambda given: given.design == "grid", "a grid gets its counts from --vary"), NO_THREADS
)
def sweep(
    scenario: str,
    /,
    *,
    vary: Vary = None,
    design: Annotated[str, Parameter(help="grid, lhs (Latin hypercube) or sobol.")] = "grid",
    samples: Annotated[MaybeWhole, Parameter(help="Number of points of an lhs or sobol design.")] = None,
    constant_density: Annotated[
        bool,
        Parameter(help="Let the sides of the world follow the varied number of agents.", negative=""),
    ] = False,
    request: SweepOptions | None = None,
) -> None:
    """Run a scenario over ranges of its values; write a table, a phase diagram, and a command to watch each cell live.

    Repeat the command to continue after Ctrl-C, a crash or a power cut.

    Parameters
    ----------
    scenario
        Name of a shipped scenario, or a .json or .toml file.
    """
    from murmura.lab.sweeps import sweep as lab

    request = request or SweepOptions()
    check_plot(request.plot, request.out)
    begun = time.perf_counter()
    options = request.options(scenario)
    made = with_progress(
        lab.sweep, request.out, vary=vary or [], design=design, samples=samples,
        constant_density=constant_density, **options,
    )  # fmt: skip
    finish(made, request, time.perf_counter() - begun)


def continue_sweep(folder: Path, request: SweepOptions) -> None:
    """Continue the sweep, the search or the sensitivity analysis in a folder."""
    from murmura.lab.sweeps.sweep import resume_sweep

    begun = time.perf_counter()
    made = with_progress(
        resume_sweep,
        folder,
        folder=folder,
        workers=request.workers,
        scheduler=request.scheduler,
        rules=request.rules or (),
    )
    finish(made, request, time.perf_counter() - begun)


def finish(made: Any, request: SweepOptions, seconds: float, **more: Any) -> None:
    """Draw, print the results, and report failed runs."""
    facts = {
        "scenario": made.start["source"],
        "varied": made.paths,
        "cells": made.design.cell_count,
        "runs": made.design.run_count,
        "failed": sum(1 for line in made.runs() if line["error"]),
        "seconds": round(seconds, 1),
        "table": str(made.folder / "table.csv"),
        **more,
    }
    if request.plot is not None:
        from murmura.lab.figures.plot import plot

        plot(made.folder, request.plot, force=True)
        facts["plot"] = str(request.plot)
    print_facts(facts, request.as_json)
    warn_of_failures(made)
