"""`murmura run`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from murmura.cli.idle_options import refuses_idle
from murmura.cli.options import (
    Agents,
    Backend,
    ExpectHash,
    Json,
    Portable,
    RuleFiles,
    Seed,
    Threads,
    Values,
    Whole,
    app,
    chosen_scenario,
    output_folder,
    print_facts,
)
from murmura.cli.request_options import options_of
from murmura.core.errors import RunError, ScenarioError
from murmura.core.notices import print_notice
from murmura.lab.progress import Progress
from murmura.lab.runs.request import RunRequest
from murmura.lab.sweeps.request import NO_THREADS

RunOptions: Any = options_of(RunRequest)


@app.command
@refuses_idle(NO_THREADS)
def run(
    scenario: str,
    /,
    *,
    steps: Whole,
    out: Path | None = None,
    agents: Agents = None,
    seed: Seed = 0,
    values: Values = None,
    options: RunOptions | None = None,
    backend: Backend = "auto",
    threads: Threads = None,
    portable: Portable = False,
    rules: RuleFiles = None,
    expect_hash: ExpectHash = None,
    as_json: Json = False,
) -> None:
    """Run a scenario and record frames, metrics, events and checkpoints in a new folder.

    Ctrl-C stops it; `murmura resume` continues it, also after a crash, and gives the same bits.

    Parameters
    ----------
    scenario
        Name of a shipped scenario, or a .json or .toml file.
    steps
        Number of steps.
    out
        The folder to write, new or empty; by default the next free one, such as runs/classic-0.
    """
    from murmura.engine.simulation import Simulation
    from murmura.lab.runs.recording import check_request, record_run, usual_cadence
    from murmura.lab.sweeps.one_run import check_measures

    if expect_hash is not None and not expect_hash.strip():
        raise ScenarioError("--expect-hash takes the hash of a final state or a prefix of it, got nothing")
    chosen = chosen_scenario(scenario, agents, values, rules)
    request = (options or RunOptions()).request(
        steps=steps,
        folder=output_folder(out, "runs", scenario),
        rule_files=[str(file) for file in rules or ()],
    )
    check_request(request, chosen, seed)
    check_measures(request.measures or (), chosen)
    simulation = Simulation(chosen, seed, backend, threads, portable=portable)
    if not (request.measures or request.metrics_every):
        announce_rare_measures(usual_cadence(chosen, steps, request.every))
    with Progress() as progress:
        try:
            done = record_run(simulation, request, progress.update)
        except KeyboardInterrupt:
            print_notice(f"stopped at step {simulation.step_count}; what was recorded is in {request.folder}")
            raise
    report(done, expect_hash, as_json)


def announce_rare_measures(rare: tuple[list[str], int] | None) -> None:
    """Print which measures are taken less often than every frame, if any."""
    if rare:
        print_notice(
            f"measured less often than every frame (at the end every {rare[1]:,} steps), because they cost more than "
            "the steps: "
            f"{', '.join(rare[0])}. To measure them with every frame, use --measure NAMES"
        )


def report(done: Any, expect_hash: str | None, as_json: bool) -> None:
    """Print how a run ended, and compare its hash with the expected one."""
    *_, last = done.metrics()
    manifest = done.manifest
    facts = {
        "scenario": manifest["scenario"],
        "agents": last["agents"],
        "seed": done.seed,
        "steps": manifest["steps"],
        "seconds": manifest["seconds"],
        "backend": manifest["backend"],
        "threads": manifest["threads"],
        **({"arithmetic": "portable"} if manifest.get("portable") else {}),
        "polarization": last.get("polarization"),
        "hash": done.final_hash,
        "folder": str(done.folder),
    }
    print_facts(facts, as_json)
    if expect_hash is not None and not (done.final_hash or "").startswith(expect_hash):
        raise RunError(f"the final state has the hash {done.final_hash}, expected {expect_hash}")
