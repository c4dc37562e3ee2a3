"""`murmura run`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from murmura.cli.options import (
    Agents,
    Backend,
    ExpectHash,
    Json,
    RuleFiles,
    Seed,
    Threads,
    Values,
    Whole,
    app,
    chosen_scenario,
    print_facts,
)
from murmura.core.errors import RunError, ScenarioError
from murmura.core.notices import print_notice
from murmura.lab.progress import Progress


@app.command
def run(
    scenario: str,
    /,
    *,
    steps: Whole,
    out: Path,
    agents: Agents = None,
    seed: Seed = 0,
    values: Values = None,
    every: Annotated[Whole, Parameter(help="Steps between frames, and between lines of metrics.")] = 100,
    columns: Annotated[
        list[str] | None,
        Parameter(
            help="Columns to record besides position, velocity, species and id, such as energy,panic. May be repeated.",
            negative="",
        ),
    ] = None,
    metrics_every: Annotated[
        Whole | None,
        Parameter(
            help="Steps between lines with all measures; by default they take at most a fifth of the run's time."
        ),
    ] = None,
    measure: Annotated[
        str | None,
        Parameter(
            help="Measures to compute for every frame, separated by commas; by default all, costly ones less often."
        ),
    ] = None,
    checkpoint_every: Annotated[
        str, Parameter(help="Steps or time between checkpoints: 500, 30s, 5min.")
    ] = "30s",
    backend: Backend = "auto",
    threads: Threads = None,
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
        The folder to write; new or empty.
    """
    from murmura.engine.simulation import Simulation
    from murmura.lab.runs.recording import check_request, record, usual_cadence
    from murmura.lab.sweeps.one_run import check_measures

    if expect_hash is not None and not expect_hash.strip():
        raise ScenarioError("--expect-hash takes the hash of a final state or a prefix of it, got nothing")
    chosen = chosen_scenario(scenario, agents, values, rules)
    names = [name.strip() for text in columns or () for name in text.split(",") if name.strip()]
    check_request(steps, out, every, names, metrics_every, checkpoint_every, chosen, seed)
    measures = [name.strip() for name in measure.split(",")] if measure else None
    check_measures(measures or (), chosen)
    simulation = Simulation(chosen, seed, backend, threads)
    if not (measures or metrics_every):
        announce_rare_measures(usual_cadence(chosen, steps, every))
    with Progress() as progress:
        try:
            done = record(
                simulation, steps, out, every, progress.update,
                columns=names, metrics_every=metrics_every, checkpoint_every=checkpoint_every,
                rule_files=[str(file) for file in rules or ()],
                measures=measures,
            )  # fmt: skip
        except KeyboardInterrupt:
            print_notice(f"stopped at step {simulation.step_count}; what was recorded is in {out}")
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
        "polarization": last.get("polarization"),
        "hash": done.final_hash,
        "folder": str(done.folder),
    }
    print_facts(facts, as_json)
    if expect_hash is not None and not (done.final_hash or "").startswith(expect_hash):
        raise RunError(f"the final state has the hash {done.final_hash}, expected {expect_hash}")
