"""`murmura optimize`."""

from __future__ import annotations

import time
from typing import Annotated

from cyclopts import Parameter

from murmura.cli.idle_options import NO_THREADS, refuses_idle
from murmura.cli.options import Whole, app
from murmura.cli.sweep import finish
from murmura.cli.sweep_options import SweepOptions, Vary, check_plot, with_progress
from murmura.core.errors import ScenarioError


@app.command
@refuses_idle(NO_THREADS)
def optimize(
    scenario: str,
    /,
    *,
    vary: Vary = None,
    maximize: Annotated[str | None, Parameter(help="The measure to maximize.")] = None,
    minimize: Annotated[str | None, Parameter(help="The measure to minimize.")] = None,
    trials: Annotated[Whole, Parameter(help="Number of points to try.")] = 50,
    batch: Annotated[
        Whole,
        Parameter(
            help="Number of trials proposed at a time, independently of each other; use more for many workers."
        ),
    ] = 4,
    request: SweepOptions | None = None,
) -> None:
    """Search for the values that maximize or minimize a measure.

    Ranges are given as --vary PATH=LOW:HIGH. Repeat the command to continue an interrupted search, or with more
    --trials to extend it.

    Parameters
    ----------
    scenario
        Name of a shipped scenario, or a .json or .toml file.
    """
    from murmura.lab import search

    if (maximize is None) == (minimize is None):
        raise ScenarioError("say what to search for, with either --maximize MEASURE or --minimize MEASURE")
    request = request or SweepOptions()
    check_plot(request.plot, request.out)
    begun = time.perf_counter()
    goal = maximize or minimize or ""
    made = with_progress(
        search.optimize, request.out, vary=vary or [], maximize=maximize, minimize=minimize, trials=trials,
        batch=batch, **request.options(scenario),
    )  # fmt: skip
    best = search.best_cell(made)
    found = {
        f"best {goal}": best[goal],
        "at": {path: best[path] for path in made.paths},
        "watch": best["replay"],
    }
    finish(made, request, time.perf_counter() - begun, **found)
