"""`murmura sensitivity`."""

from __future__ import annotations

import time
from typing import Annotated, Any

from cyclopts import Parameter

from murmura.cli.idle_options import NO_THREADS, refuses_idle
from murmura.cli.options import Whole, app
from murmura.cli.sweep import finish
from murmura.cli.sweep_options import SweepOptions, Vary, check_plot, with_progress


@app.command
@refuses_idle(NO_THREADS)
def sensitivity(
    scenario: str,
    /,
    *,
    vary: Vary = None,
    method: Annotated[
        str, Parameter(help="sobol (shares of variance) or morris (elementary effects).")
    ] = "sobol",
    samples: Annotated[
        Whole,
        Parameter(
            help="sobol: a power of two N, for N × (2 × paths + 2) cells; morris: N × (paths + 1) cells."
        ),
    ] = 64,
    request: SweepOptions | None = None,
) -> None:
    """Measure how much each path affects each measure: Sobol indices or Morris effects.

    Ranges are given as --vary PATH=LOW:HIGH. Repeat the command to continue an interrupted one.

    Parameters
    ----------
    scenario
        Name of a shipped scenario, or a .json or .toml file.
    """
    from murmura.lab import sensitivity as lab

    request = request or SweepOptions()
    check_plot(request.plot, request.out)
    begun = time.perf_counter()
    made = with_progress(
        lab.sensitivity,
        request.out,
        vary=vary or [],
        method=method,
        samples=samples,
        **request.options(scenario),
    )
    lines = lab.indices(made, list(made.measures))
    if request.as_json:
        more: dict[str, Any] = {"indices": list(lines)}
    else:
        more = {line["path"]: _shown(line) for line in lines if line["measure"] == made.measures[0]}
    finish(made, request, time.perf_counter() - begun, all_indices=str(made.folder / lab.INDICES), **more)


def _shown(line: dict[str, Any]) -> dict[str, Any]:
    return {
        key: "none" if value is None else f"{value:.3f}"
        for key, value in line.items()
        if key not in ("measure", "path")
    }
