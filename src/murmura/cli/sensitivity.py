"""`murmura sensitivity`."""

from __future__ import annotations

from typing import Any

from murmura.cli.idle_options import refuses_idle
from murmura.cli.options import app
from murmura.cli.request_options import options_of
from murmura.cli.sweep_options import SweepOptions, finish
from murmura.lab.sweeps.request import SensitivityRequest

SensitivityOptions: Any = options_of(SensitivityRequest)


@app.command
@refuses_idle(*SensitivityRequest.idle)
def sensitivity(
    scenario: str, /, *, request: SweepOptions | None = None, options: SensitivityOptions | None = None
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
    made, seconds = request.do(lab.sensitivity, scenario, options)
    lines = lab.indices(made, list(made.measures))
    if request.as_json:
        more: dict[str, Any] = {"indices": list(lines)}
    else:
        more = {line["path"]: _shown(line) for line in lines if line["measure"] == made.measures[0]}
    more |= {"all_indices": str(made.folder / lab.INDICES)}
    finish(made, request.plot, request.as_json, seconds, **more)


def _shown(line: dict[str, Any]) -> dict[str, Any]:
    return {
        key: "none" if value is None else f"{value:.3f}"
        for key, value in line.items()
        if key not in ("measure", "path")
    }
