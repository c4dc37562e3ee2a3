"""`murmura sensitivity`."""

from __future__ import annotations

import time
from typing import Annotated, Any

from cyclopts import Parameter

from murmura.cli.options import Whole, app
from murmura.cli.sweep import finish
from murmura.cli.sweep_options import Asking, Vary, check_plot, told


@app.command
def sensitivity(
    scenario: str,
    /,
    *,
    vary: Vary = None,
    method: Annotated[
        str, Parameter(help="sobol (shares of variance) or morris (sizes of effects).")
    ] = "sobol",
    samples: Annotated[
        Whole, Parameter(help="sobol: a power of two, times 2 paths + 2 cells; morris: times paths + 1.")
    ] = 64,
    asking: Asking | None = None,
) -> None:
    """Say how much each path matters for each measure: Sobol indices or Morris' effects.

    Ranges are given as --vary PATH=LOW:HIGH. The same command again goes on where it stopped.

    Parameters
    ----------
    scenario
        Name of a shipped scenario, or a .json or .toml file.
    """
    from murmura.lab import sensitivity as lab

    asking = asking or Asking()
    check_plot(asking.plot)
    begun = time.perf_counter()
    made = told(
        lab.sensitivity,
        asking.out,
        vary=vary or [],
        method=method,
        samples=samples,
        **asking.options(scenario),
    )
    lines = lab.indices(made, list(made.measures))
    if asking.as_json:
        more: dict[str, Any] = {"indices": list(lines)}
    else:
        more = {line["path"]: _shown(line) for line in lines if line["measure"] == made.measures[0]}
    finish(made, asking, time.perf_counter() - begun, all_indices=str(made.folder / lab.INDICES), **more)


def _shown(line: dict[str, Any]) -> dict[str, Any]:
    return {
        key: "none" if value is None else f"{value:.3f}"
        for key, value in line.items()
        if key not in ("measure", "path")
    }
