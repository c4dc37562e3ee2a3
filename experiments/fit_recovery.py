"""Does a fit recover known parameters? Simulates flocks with known parameters and fits them to their motion.

    python experiments/fit_recovery.py [--quick]

Twenty flocks of ten agents follow Couzin's zones; the width of the zone of orientation and the noise of each are drawn
from the prior. Every flock is recorded and fitted as if it were real animals. Of correct 90 % intervals, 90 % contain
the truth: for twenty flocks, 15 to 20 do in 99 of 100 such experiments (binomial).
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from report import COLORS, Experiment

import murmura as mm
from murmura.lab.runs.recording import record

AGENTS, SIDE = 10, 30.0
SETTLE, STEPS = 150, 300  # of a tenth of a second
RANGES = {"rules.zones.orientation": (0.0, 8.0), "rules.zones.noise": (0.02, 0.8)}
MEASURES = ["polarization", "milling", "nearest_neighbor_distances", "turning_rates"]


def model() -> mm.Scenario:
    return mm.load_scenario("couzin").with_values(
        {
            "agents": AGENTS,
            "world.width": SIDE,
            "world.height": SIDE,
            "world.boundary": "reflect",
            "start.radius": 6.0,
        }
    )


def truth_of(seed: int) -> dict[str, float]:
    """Parameters drawn from the prior."""
    chance = np.random.default_rng(seed)
    return {path: float(chance.uniform(low, high)) for path, (low, high) in RANGES.items()}


def recovered(seed: int, folder: Path, population: int, generations: int) -> dict[str, Any]:
    """The result of fitting one flock."""
    truth = truth_of(seed)
    flock = mm.Simulation(model().with_values(truth), seed=1000 + seed, threads=1)
    flock.step(SETTLE)
    run = record(flock, STEPS, folder / f"run-{seed}", 1, measures=["polarization"])
    found = mm.fit(
        model(), run, [f"{path}={low}:{high}" for path, (low, high) in RANGES.items()], folder / f"fit-{seed}",
        measures=MEASURES, population=population, generations=generations, seconds=20.0, discard=8.0, instants=12,
        predictions=0, seed=seed, workers=0, progress=lambda done, end: None,
    )  # fmt: skip
    row: dict[str, Any] = {"flock": seed, "runs": found.result["runs"]}
    for path, line in found.table().items():
        name = path.rsplit(".", 1)[1]
        row |= {f"{name} truth": truth[path], f"{name} low": line["q05"], f"{name} median": line["q50"]}
        row |= {f"{name} high": line["q95"], f"{name} held": line["q05"] <= truth[path] <= line["q95"]}
    return row


def main() -> None:
    work = Experiment("fit-recovery", "ABC-SMC recovers the numbers of simulated flocks.")
    count = work.size(20, 2)
    with tempfile.TemporaryDirectory() as folder:
        rows = []
        for seed in range(count):
            rows.append(recovered(seed, Path(folder), work.size(24, 8), work.size(3, 2)))
            work.say(
                ", ".join(f"{k} {v:.3g}" if isinstance(v, float) else f"{k} {v}" for k, v in rows[-1].items())
            )
    names = [path.rsplit(".", 1)[1] for path in RANGES]
    for name in names:
        work.say(
            f"{name}: the 90 % interval holds the truth in {sum(row[f'{name} held'] for row in rows)} of {count}"
        )
    work.table(list(rows[0]), [list(row.values()) for row in rows])
    figure, panels = work.figure(2)
    for panel, name, color in zip(panels, names, COLORS, strict=False):
        truth, middle, low, high = (
            np.array([row[f"{name} {word}"] for row in rows]) for word in ("truth", "median", "low", "high")
        )
        panel.errorbar(
            truth, middle, [middle - low, high - middle], fmt="o", markersize=3, color=color, linewidth=0.8
        )
        edge = [0.0, float(max(truth.max(), high.max()))]
        panel.plot(edge, edge, color="black", linewidth=0.6)
        panel.set(xlabel=f"{name}, true", ylabel=f"{name}, fitted (90 %)")
    work.save(figure)


if __name__ == "__main__":
    main()
