"""`murmura optimize`."""

from __future__ import annotations

from typing import Any

from murmura.cli.idle_options import refuses_idle
from murmura.cli.options import app
from murmura.cli.request_options import options_of
from murmura.cli.sweep_options import SweepOptions, finish
from murmura.lab.sweeps.request import OptimizeRequest

SearchOptions: Any = options_of(OptimizeRequest)


@app.command
@refuses_idle(*OptimizeRequest.idle)
def optimize(
    scenario: str, /, *, request: SweepOptions | None = None, options: SearchOptions | None = None
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

    request = request or SweepOptions()
    made, seconds = request.do(search.optimize, scenario, options)
    best, goal = search.best_cell(made), made.goal.measure
    found = {
        f"best {goal}": best[goal],
        "at": {path: best[path] for path in made.paths},
        "watch": best["replay"],
    }
    finish(made, request.plot, request.as_json, seconds, **found)
