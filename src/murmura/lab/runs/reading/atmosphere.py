"""Periods of a recorded run (booms, famines, extinctions), derived from its metrics and events and stored with it."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from pathlib import Path

from murmura.engine.census import censuses, hunting_species
from murmura.lab.exports.lineage import lineage_of_run
from murmura.lab.runs.manifest import Manifest, sha256
from murmura.lab.runs.run import Run, open_run
from murmura.measure.atmosphere import Atmosphere, Period, Thresholds
from murmura.scenario.plain_files import write_atomically

ATMOSPHERE = "atmosphere.json"


def atmosphere(run: Run, limits: Thresholds | None = None) -> list[Period]:
    """Mass extinctions, mating seasons, predator dominance, starvation and booms of a run, in order of their beginning.

    Checked at every measured step. Starvation needs the measure `energy_mean`, which is a default where agents die.

    Args:
        run: The run.
        limits: The thresholds; by default those of `Thresholds`.
    """
    limits = limits or Thresholds()
    rows = [row for row in run.metrics() if _is_measured(row)]
    if not rows:
        return []
    tree = lineage_of_run(run)
    if tree.alive.all() and tree.founders.all():
        return []
    watch = Atmosphere(int(tree.population([tree.first])[0]), limits)
    steps = [int(row["step"]) for row in rows]
    energies = [row.get("energy_mean", math.nan) for row in rows]
    for now in censuses(tree, steps, limits.window, hunting_species(run.scenario), energies):
        watch.look(now)
    return watch.periods


def _is_measured(row: dict[str, float]) -> bool:
    """Whether a row has more measures than the number of agents; without agents there is no energy."""
    return math.isfinite(row.get("energy_mean", 0.0)) or not row["agents"]


def keep_atmosphere(folder: Path, manifest: Manifest) -> None:
    """Write the periods of a run to its folder, if it has births and deaths."""
    periods = atmosphere(open_run(folder))
    if not periods:
        return
    kept = {"thresholds": asdict(Thresholds()), "spells": [asdict(period) for period in periods]}
    content = (json.dumps(kept, indent=2, allow_nan=False) + "\n").encode()
    write_atomically(folder / ATMOSPHERE, content)
    manifest.files = manifest.files | {ATMOSPHERE: sha256(content)}
    manifest.write(folder)
