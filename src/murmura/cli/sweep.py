"""`murmura sweep`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from murmura.cli.idle_options import refuses_idle
from murmura.cli.options import app
from murmura.cli.request_options import options_of
from murmura.cli.sweep_options import SweepOptions, finish, with_progress
from murmura.lab.sweeps.request import SweepRequest

DesignOptions: Any = options_of(SweepRequest)


@app.command
@refuses_idle(*SweepRequest.idle)
def sweep(
    scenario: str, /, *, request: SweepOptions | None = None, options: DesignOptions | None = None
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
    made, seconds = request.do(lab.sweep, scenario, options)
    finish(made, request.plot, request.as_json, seconds)


def continue_sweep(folder: Path, rules: list[str] | None, as_json: bool) -> None:
    """Continue the sweep, the search or the sensitivity analysis in a folder."""
    from murmura.lab.sweeps.sweep import resume_sweep

    begun = time.perf_counter()
    made = with_progress(resume_sweep, folder, folder=folder, rules=rules or ())
    finish(made, None, as_json, time.perf_counter() - begun)
