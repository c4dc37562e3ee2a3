"""What murmura does in the contest of `inference.py`.

python inference_murmura.py TASK FOLDER BEGIN END        prints a line of JSON for each seed
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import inference_fish
import inference_rules  # noqa: F401  registers the rules
import numpy as np
from numpy.typing import NDArray

import murmura as mm
from murmura.lab.infer.models import fitted
from murmura.lab.infer.request import axes_of
from murmura.lab.infer.transitions import Recording, Transition
from murmura.lab.runs.recording import record

Numbers = NDArray[np.float64]
Found = dict[str, tuple[float, float, float, float]]
"""Value, error, and the ends of the interval that holds 90 %, by number."""
EMPTY = {"rules.separation.enabled": False, "rules.alignment.enabled": False, "rules.cohesion.enabled": False,
         "rules.boundary.enabled": False, "perception.field_of_view": 360.0}  # fmt: skip


def found_of(table: dict[str, dict[str, float]]) -> Found:
    return {short(path): tuple(line.values()) for path, line in table.items()}  # type: ignore[misc]


def short(path: str) -> str:
    """The name of a number; that of its rule, if it is a weight."""
    *_, rule, name = path.split(".")
    return rule if name == "weight" else name


def flock(file: Path, out: Path) -> Found:
    """Cohesion and alignment from positions alone."""
    run = mm.load_tracks(file, out / "run", fps=200)
    changes = EMPTY | {
        "rules.springs.enabled": True,
        "world.boundary": "open",
        "perception.radius": 50.0,
        "motion.max_speed": 100.0,
    }
    vary = ["rules.springs.cohesion=0:1", "rules.springs.damping=0:2"]
    found = mm.infer(
        mm.Scenario(), run, vary, out / "found", frames=3000, compared="velocities", shares=False,
        changes=changes,
    )  # fmt: skip
    return found_of(found.table())


def particles(file: Path, out: Path) -> Found:
    """Speed, repulsion and torque from positions and headings: one model predicts moves, the other turns."""
    states = np.load(file)
    places, moves = states[..., :2] % 30.0, np.diff(states[..., :2], axis=0) / 0.02
    headings = np.stack([np.cos(states[..., 2]), np.sin(states[..., 2])], axis=2)
    world = EMPTY | {"world.width": 30.0, "world.height": 30.0, "world.boundary": "wrap", "motion.time_step": 0.02,
                     "perception.radius": 14.0, "motion.max_speed": 100.0}  # fmt: skip
    swims = mm.Scenario().with_values(world | {"motion.policy": "overdamped", "rules.swimming.enabled": True})
    turns = mm.Scenario().with_values(world | {"rules.torque.enabled": True})
    found = {}
    for model, later, compared, vary in (
        (swims, moves, "velocities", ["rules.swimming.pace", "rules.swimming.repulsion"]),
        (turns, headings[1:], "turns", ["rules.torque.strength"]),
    ):
        recording = recording_from(places, headings, later, 0.02, compared)
        fit = fitted(model, recording, axes_of(vary, model), 0)
        found |= {one.path.split(".")[-1]: (one.value, one.error, one.low, one.high) for one in fit.estimates}
    return found


def recording_from(
    places: Numbers, headings: Numbers, later: Numbers, seconds: float, compared: Any
) -> Recording:
    """Arrays (frames, animals, axes) as transitions."""
    kinds, ids = np.zeros(places.shape[1], np.int64), np.arange(places.shape[1])
    steps = [
        Transition(*now, kinds, ids, k) for k, now in enumerate(zip(places, headings, later, strict=False))
    ]
    return Recording(
        tuple(steps), 1, seconds, places.shape[2], 1, 0, ids.size * len(steps), 0, compared=compared
    )


def fish(seed: int, out: Path) -> Found:
    """The turns of two fish that burst and coast: a transition for each kick, of the one that kicks."""
    kicks = inference_fish.kicks(seed, 3000)
    later = np.stack([np.cos(kicks["after"]), np.sin(kicks["after"])], axis=1)
    headings = np.stack([np.cos(kicks["angles"]), np.sin(kicks["angles"])], axis=2)
    seen = np.full(headings.shape, np.nan)
    rows = np.arange(len(later))
    seen[rows, kicks["who"]] = later
    side = 2.0 * inference_fish.TANK
    model = mm.Scenario().with_values(
        EMPTY | {"world.width": side, "world.height": side, "world.boundary": "open", "perception.radius": side,
                 "motion.max_speed": 10.0, "motion.time_step": 0.5, "rules.kick.enabled": True}
    )  # fmt: skip
    recording = recording_from(kicks["places"] + inference_fish.TANK, headings, seen, 0.5, "turns")
    vary = [f"rules.kick.{name}" for name in inference_fish.PLANTED]
    fit = fitted(model, recording, axes_of(vary, model), 0)
    return {one.path.split(".")[-1]: (one.value, one.error, one.low, one.high) for one in fit.estimates}


def zones_truth(seed: int) -> dict[str, float]:
    rng = np.random.default_rng(seed)
    return {
        "rules.zones.repulsion": round(float(rng.uniform(0.8, 1.6)), 3),
        "rules.zones.orientation": round(float(rng.uniform(2.0, 6.0)), 3),
        "rules.zones.turning_rate": float(rng.uniform(30.0, 60.0)),
        "motion.speed": float(rng.uniform(2.0, 4.0)),
    }


def nearest_truth(seed: int) -> dict[str, float]:
    rng = np.random.default_rng(seed)
    return {
        "perception.nearest": int(rng.integers(4, 10)),
        "rules.alignment.weight": float(rng.uniform(0.5, 2.0)),
        "rules.cohesion.weight": float(rng.uniform(0.3, 1.0)),
        "rules.separation.weight": float(rng.uniform(0.5, 2.0)),
    }


def zones_model() -> mm.Scenario:
    return mm.load_scenario("couzin").with_values(
        {"agents": 30, "world.width": 40.0, "world.height": 40.0, "perception.radius": 18.0,
         "rules.zones.attraction": 8.0}
    )  # fmt: skip


def nearest_model() -> mm.Scenario:
    return mm.load_scenario("topological").with_values(
        {"agents": 60, "world.width": 600.0, "world.height": 600.0, "perception.radius": 250.0}
    )


def simulated(model: mm.Scenario, truth: dict[str, float], seed: int, out: Path) -> Any:
    """A flock with hidden numbers, whose agents turn at random besides."""
    jitter = {"rules.jitter.enabled": True, "rules.jitter.max_turn_rate": 20.0}
    sim = mm.Simulation(model.with_values({**truth, **jitter}), seed=seed, backend="cpu")
    sim.step(200)
    return record(sim, 150, out / "run", 1, measures=["polarization"])


def own(model: mm.Scenario, truth: dict[str, float], vary: list[str], seed: int, out: Path) -> Found:
    run = simulated(model, truth, seed, out)
    found = mm.infer(model, run, vary, out / "found", shares=False)
    return found_of(found.table())


def zones(seed: int, out: Path) -> Found:
    vary = [
        "rules.zones.repulsion=0.3:3",
        "rules.zones.orientation=0:10",
        "rules.zones.turning_rate",
        "motion.speed=1:8",
    ]
    return own(zones_model().with_values({"rules.zones.noise": 0.0}), zones_truth(seed), vary, seed, out)


def nearest(seed: int, out: Path) -> Found:
    vary = [
        "perception.nearest=2:14",
        "rules.alignment.weight",
        "rules.cohesion.weight",
        "rules.separation.weight",
    ]
    return own(nearest_model(), nearest_truth(seed), vary, seed, out)


def main() -> None:
    task, folder, begin, end = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    infer = {"flock": flock, "particles": particles, "fish": fish, "zones": zones, "nearest": nearest}[task]
    for seed in range(begin, end):
        fresh = seed == begin
        begun = 0.0 if fresh else time.process_time()  # the first one pays for importing
        with tempfile.TemporaryDirectory() as name:
            data = folder / f"{task}-{seed}.npy"
            found = infer(data if task in ("flock", "particles") else seed, Path(name))  # type: ignore[operator]
        used = time.process_time() - begun
        print(json.dumps({"found": found, "cpu": used, "fresh": fresh}), flush=True)


if __name__ == "__main__":
    main()
