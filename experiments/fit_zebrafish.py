"""Which of two models moves more like eight zebrafish: zones or nearest neighbours?

    python experiments/fit_zebrafish.py [--quick]

The fish are included in the package trajectorytools (idtracker.ai's example video: 18 seconds of 28 frames).
Lengths are body lengths. Both models have the box and the initial positions of the fish, and four free parameters
each: speed, turning, interaction and noise.
"""

from __future__ import annotations

import tempfile
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from report import Experiment

import murmura as mm

MEASURES = ["polarization", "speeds", "nearest_neighbor_distances", "turning_rates"]
ZONES = [
    "motion.speed=0.5:6", "rules.zones.orientation=0:8", "rules.zones.turning_rate=20:600:log",
    "rules.zones.noise=0.02:2:log",
]  # fmt: skip
NEAREST = [
    "motion.max_speed=0.5:10", "motion.max_force=0.005:0.5:log", "rules.alignment.weight=0:3",
    "rules.noise.strength=0.01:3:log",
]  # fmt: skip
STEP = 1.0 / 14.0  # [s] two frames of the video


def fish() -> Path:
    spec = find_spec("trajectorytools")
    assert spec is not None and spec.origin is not None, "pip install trajectorytools"
    return Path(spec.origin).parent / "data" / "test_trajectories_idtrackerai.npy"


def zones() -> mm.Scenario:
    return mm.load_scenario("couzin").with_values(
        {"name": "zonal", "motion.time_step": STEP, "rules.zones.repulsion": 0.5, "rules.zones.attraction": 8.0,
         "perception.radius": 20.0}
    )  # fmt: skip


def nearest() -> mm.Scenario:
    return mm.load_scenario("topological").with_values(
        {
            "motion.time_step": STEP, "motion.min_speed": 0.1, "motion.max_speed": 5.0, "start.speed": 2.0,
            "perception.radius": 20.0, "perception.nearest": 4,
            "rules.separation.radius": 0.8, "rules.fear.enabled": False, "rules.noise.enabled": True,
        }
    )  # fmt: skip


def main() -> None:
    work = Experiment("fit-zebrafish", "Zones against the nearest four, fitted to eight zebrafish.")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run = mm.load_tracks(fish(), folder / "fish", trust_pickle=True, scale="body", smooth=7)
        found = mm.fit(
            zones(), run, ZONES, folder / "fit", against=nearest(), vary_against=NEAREST, measures=MEASURES,
            population=work.size(60, 8), generations=work.size(5, 2), instants=30, discard=6.0,
            predictions=work.size(40, 6), workers=0, progress=lambda done, end: None,
        )  # fmt: skip
        rows: list[list[object]] = []
        for number, model in enumerate(found.names):
            work.say(f"{model}: probability {found.probabilities[model]:.3f}")
            for path, line in found.table(number).items():
                rows.append([model, path, line["q05"], line["q50"], line["q95"]])
                work.say(f"{path}: {line['q50']:.3g} (90 %: {line['q05']:.3g} to {line['q95']:.3g})")
            for measure, far in found.distances(number).items():
                middle = float(np.median(far)) if far else float("nan")
                rows.append([model, f"distance of {measure}", "", middle, ""])
                work.say(f"{measure}: median distance of predictions {middle:.3g}")
        for generation in found.result["generations"]:
            shares = dict(zip(found.names, generation["probabilities"], strict=True))
            work.say(f"accepting below {generation['epsilon']:.3g}, of {generation['runs']} runs: {shares}")
        work.say(f"{found.result['runs']} runs in all")
        work.table(["model", "quantity", "q05", "q50", "q95"], rows)
        work.images.mkdir(parents=True, exist_ok=True)
        for kind in ("corner", "predictive", "models"):
            mm.plot(
                found.folder, work.images / f"{work.name}-{kind}.png", kind, width=6.5, dpi=110, force=True
            )
        for kind in ("neighbors", "response"):
            mm.plot(run.folder, work.images / f"{work.name}-{kind}.png", kind, width=6.5, dpi=110, force=True)
            mm.plot(
                found.folder / "best",
                work.images / f"{work.name}-best-{kind}.png",
                kind,
                width=6.5,
                dpi=110,
                force=True,
            )


if __name__ == "__main__":
    main()
