"""`murmura bench`."""

from __future__ import annotations

import json
from typing import Annotated

from cyclopts import Parameter

from murmura.cli.idle_options import refuses_idle
from murmura.cli.options import Backend, Json, Threads, app, chosen_scenario
from murmura.core.errors import ScenarioError
from murmura.core.request import Idle
from murmura.lab.sweeps.request import NO_THREADS


@app.command
@refuses_idle(
    Idle(
        "space",
        lambda given: given.scenario is not None,
        "it times the common workload, and a scenario has its own dimensions",
    ),
    Idle(
        "ensemble",
        lambda given: given.backend == "reference",
        "the backend reference steps one world: choose another one",
    ),
    NO_THREADS,
)
def bench(
    *,
    agents: Annotated[str, Parameter(help="Flock sizes, separated by commas.")] = "2000,10000,100000,1000000",
    backend: Backend = "auto",
    threads: Threads = None,
    scenario: Annotated[
        str | None, Parameter(help="Time this scenario, at its own density, instead of the common workload.")
    ] = None,
    baselines: Annotated[
        bool,
        Parameter(
            help="Also time NumPy + cKDTree or, for a scenario, its three flocking rules alone.",
            negative="--no-baselines",
        ),
    ] = True,
    space: Annotated[
        bool, Parameter(help="Also time the common workload in three dimensions.", negative="")
    ] = False,
    ensemble: Annotated[
        bool,
        Parameter(help="Also time as many agents in flocks of 100, stepped as an ensemble.", negative=""),
    ] = False,
    as_json: Json = False,
) -> None:
    """Time a step: the common workload, all forces on, and NumPy with SciPy's tree for comparison."""
    sizes = _sizes(agents)
    from murmura.lab.bench.workload import bench as measure

    chosen = chosen_scenario(scenario, None, None, None) if scenario else None
    if not as_json:
        print(
            f"{'agents':>10} {'program':<22} {'threads':>7} {'ms/step':>10} {'median':>10} "
            f"{'M agent-steps/s':>16} {'times':>8}"
        )
    for row in measure(sizes, backend, threads, chosen, baselines, space, ensemble):
        if as_json:
            print(json.dumps(row), flush=True)
        else:
            print(
                f"{row['agents']:>10,} {row['program']:<22} {row['threads']:>7} {row['best_ms']:>10.3f} "
                f"{row['median_ms']:>10.3f} {row['agent_steps_per_second'] / 1e6:>16.2f} {row['times_murmura']:>8.2f}",
                flush=True,
            )


def _sizes(text: str) -> tuple[int, ...]:
    try:
        sizes = tuple(int(word.replace("_", "")) for word in text.split(","))
    except ValueError:
        raise ScenarioError(f"--agents takes whole numbers separated by commas, got {text!r}") from None
    if min(sizes) < 1:
        raise ScenarioError(f"--agents takes numbers of at least 1, got {text!r}")
    return sizes
