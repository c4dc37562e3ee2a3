"""`murmura bench`."""

from __future__ import annotations

import json
from typing import Annotated

from cyclopts import Parameter

from murmura.cli.words import Backend, Json, Threads, app, chosen_scenario
from murmura.core.errors import ScenarioError


@app.command
def bench(
    *,
    agents: Annotated[str, Parameter(help="Flock sizes, separated by commas.")] = "2000,10000,100000,1000000",
    backend: Backend = "auto",
    threads: Threads = None,
    scenario: Annotated[
        str | None, Parameter(help="Time this scenario instead of the common workload.")
    ] = None,
    yardsticks: Annotated[bool, Parameter(help="Time NumPy + cKDTree beside it.")] = True,
    as_json: Json = False,
) -> None:
    """Time a step: the common workload, all forces on, and NumPy with SciPy's tree as a yardstick."""
    from murmura.lab.bench import bench as measure

    try:
        sizes = tuple(int(word.replace("_", "")) for word in agents.split(","))
    except ValueError:
        raise ScenarioError(f"--agents takes whole numbers separated by commas, got {agents!r}") from None
    if min(sizes) < 1:
        raise ScenarioError(f"--agents takes numbers of 1 and more, got {agents!r}")
    chosen = chosen_scenario(scenario, None, None, None) if scenario else None
    if not as_json:
        print(
            f"{'agents':>10} {'program':<22} {'threads':>7} {'ms/step':>10} {'median':>10} "
            f"{'M agent-steps/s':>16} {'times':>8}"
        )
    for row in measure(sizes, backend, threads, chosen, yardsticks):
        if as_json:
            print(json.dumps(row), flush=True)
        else:
            print(
                f"{row['agents']:>10,} {row['program']:<22} {row['threads']:>7} {row['best_ms']:>10.3f} "
                f"{row['median_ms']:>10.3f} {row['agent_steps_per_second'] / 1e6:>16.2f} {row['times_murmura']:>8.2f}",
                flush=True,
            )
