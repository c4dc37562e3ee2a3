"""`murmura run`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from murmura.cli.words import (
    Agents,
    Backend,
    Json,
    Progress,
    RuleFiles,
    Seed,
    Threads,
    Values,
    Whole,
    app,
    chosen_scenario,
    print_facts,
    say,
)
from murmura.core.errors import RunError, ScenarioError


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
    every: Annotated[Whole, Parameter(help="Steps between two lines of metrics.")] = 100,
    backend: Backend = "auto",
    threads: Threads = None,
    rules: RuleFiles = None,
    expect_hash: Annotated[str | None, Parameter(help="Fail unless the final state has this hash.")] = None,
    as_json: Json = False,
) -> None:
    """Run a scenario and write scenario, metrics and final state to a new folder.

    Parameters
    ----------
    scenario
        Name of a shipped scenario, or a .json or .toml file.
    steps
        How many steps.
    out
        The folder to write; new or empty.
    """
    from murmura.engine.simulation import Simulation
    from murmura.lab.recording import check_request, record

    if expect_hash is not None and not expect_hash.strip():
        raise ScenarioError("--expect-hash takes the hash of a final state or its beginning, got nothing")
    chosen = chosen_scenario(scenario, agents, values, rules)
    check_request(steps, out, every)
    simulation = Simulation(chosen, seed, backend, threads, announce=say)
    begun = time.perf_counter()
    with Progress(steps) as progress:
        try:
            done = record(simulation, steps, out, every, progress.update)
        except KeyboardInterrupt:
            say(f"stopped at step {simulation.step_count}; what was recorded is in {out}")
            raise
    seconds = time.perf_counter() - begun
    last = list(done.metrics())[-1]
    facts = {
        "scenario": simulation.scenario.name,
        "agents": simulation.agent_count,
        "seed": seed,
        "steps": steps,
        "seconds": round(seconds, 3),
        "backend": simulation.backend,
        "threads": simulation.threads,
        "polarization": last["polarization"],
        "hash": done.final_hash,
        "folder": str(out),
    }
    print_facts(facts, as_json)
    if expect_hash is not None and not (done.final_hash or "").startswith(expect_hash):
        raise RunError(f"the final state has the hash {done.final_hash}, expected {expect_hash}")
