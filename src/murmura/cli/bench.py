"""`murmura bench`."""

from __future__ import annotations

import json
from typing import Annotated

from cyclopts import Parameter

from murmura.cli.options import Backend, Json, Threads, Whole, app, chosen_scenario
from murmura.core.errors import ScenarioError

SIZES = "2000,10000,100000,1000000"
LIVE_SIZES = "100000"


@app.command
def bench(
    *,
    agents: Annotated[
        str | None,
        Parameter(help=f"Flock sizes, separated by commas; by default {SIZES}, with --live {LIVE_SIZES}."),
    ] = None,
    backend: Backend = "auto",
    threads: Threads = None,
    scenario: Annotated[
        str | None, Parameter(help="Time this scenario, at its own density, instead of the common workload.")
    ] = None,
    baselines: Annotated[
        bool,
        Parameter(
            help="Also time NumPy + cKDTree or, for a scenario, its three flocking rules alone.",
            name=("--baselines", "--yardsticks"),  # the second is the former name
            negative=("--no-baselines", "--no-yardsticks"),
        ),
    ] = True,
    space: Annotated[
        bool, Parameter(help="Also time the common workload in three dimensions.", negative="")
    ] = False,
    live: Annotated[
        bool,
        Parameter(help="Time the live view instead, from its start to the frames of a page.", negative=""),
    ] = False,
    seconds: Annotated[float, Parameter(help="With --live: how long to watch.")] = 10.0,
    clients: Annotated[Whole, Parameter(help="With --live: number of watching pages.")] = 1,
    stalled: Annotated[
        Whole, Parameter(help="With --live: number of pages that request frames and never read them.")
    ] = 0,
    as_json: Json = False,
) -> None:
    """Time a step: the common workload, all forces on, and NumPy with SciPy's tree for comparison.

    With --live, time the frames of the live view, with a real server process and real WebSocket clients.
    """
    sizes = _sizes(agents or (LIVE_SIZES if live else SIZES))
    if live:
        _bench_live(sizes, scenario, backend, threads, seconds, clients, stalled, as_json)
        return
    if space and scenario:
        raise ScenarioError(
            "--space times the common workload: omit --scenario, which has its own dimensions"
        )
    from murmura.lab.bench.workload import bench as measure

    chosen = chosen_scenario(scenario, None, None, None) if scenario else None
    if not as_json:
        print(
            f"{'agents':>10} {'program':<22} {'threads':>7} {'ms/step':>10} {'median':>10} "
            f"{'M agent-steps/s':>16} {'times':>8}"
        )
    for row in measure(sizes, backend, threads, chosen, baselines, space):
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


def _bench_live(
    sizes: tuple[int, ...],
    scenario: str | None,
    backend: str,
    threads: int | None,
    seconds: float,
    clients: int,
    stalled: int,
    as_json: bool,
) -> None:
    from murmura.lab.bench.workload import workload
    from murmura.view.server.app import MOST_CLIENTS
    from murmura.view.server.bench import bench_live

    if not 0.5 <= seconds <= 3600.0:
        raise ScenarioError(f"--seconds takes a number from 0.5 to 3600, got {seconds:g}")
    if clients < 1 or stalled < 0 or clients + stalled > MOST_CLIENTS:
        raise ScenarioError(
            f"--clients takes at least 1 and --stalled at least 0, together at most {MOST_CLIENTS}, "
            f"got {clients} and {stalled}"
        )
    words = ["--backend", backend, *(["--threads", str(threads)] if threads is not None else [])]
    for size in sizes:
        chosen = chosen_scenario(scenario, size, None, None) if scenario else workload(size)
        row = bench_live(chosen, seconds, clients, stalled, words)
        if as_json:
            print(json.dumps(row), flush=True)
        else:
            print(
                f"{size:,} agents, {clients} watching, {stalled} stalled: {row['steps_per_second']:.1f} steps/s, "
                f"{row['frames_per_second']:.1f} frames/s of {row['bytes_in_a_frame']:,} bytes "
                f"({row['bytes_for_an_agent']:g} per agent), between frames {row['gap_median_ms']:.1f} ms, "
                f"99 % within {row['gap_p99_ms']:.1f} ms; first frame after {row['first_frame_s']:.2f} s; "
                f"server {row['server_cores']:.2f} cores, {row['server_mb']:.0f} MB",
                flush=True,
            )
