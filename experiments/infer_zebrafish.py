"""Which rules predict the next move of 8, 15 and 100 zebrafish?

    python experiments/infer_zebrafish.py [--quick]

The fish are those of the package trajectorytools. From nothing (a fish keeps its velocity), the rule that predicts best
what it was not fitted to is added, until none helps clearly. Every rule is a plain acceleration whose weight may have
either sign, so that the fish decide about that, too.
"""

from __future__ import annotations

import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from report import COLORS, Experiment

import murmura as mm
from murmura.lab.infer.models import animal_score, baselines, fitted, forward_selection
from murmura.lab.infer.transitions import recording_of, world_values
from murmura.lab.sweeps.axes import Axis
from murmura.scenario.rule_files import load_rule_file

SMOOTH, AHEAD = 5, 4
"""Frames of the video: velocities come from five, and a prediction reaches four ahead, so that they hardly overlap."""
RULES = ("fish_drag", "fish_wall", "fish_match", "fish_join", "fish_part")
GROUPS: dict[str, tuple[str, dict[str, Any]]] = {
    "8 fish": ("test_trajectories_idtrackerai.npy", {"trust_pickle": True, "scale": "body", "fill": 5}),
    "15 fish": ("trajectories_with_points.npy", {"trust_pickle": True, "scale": "body", "fill": 5}),
    "100 fish": ("test_trajectories.npy", {"fps": 32.0, "fill": 5}),
}
"""The file of 100 fish has neither a frame rate nor a body length: the rate is assumed, lengths are below."""


def tracks(name: str, folder: Path) -> Any:
    spec = find_spec("trajectorytools")
    assert spec is not None and spec.origin is not None, "pip install trajectorytools"
    file, options = GROUPS[name]
    path = Path(spec.origin).parent / "data" / file
    if "scale" not in options:  # half the distance to the nearest neighbour stands for a body length
        from scipy.spatial import cKDTree

        places = np.load(path)
        far = [cKDTree(p).query(p, 2)[0][:, 1] for p in places[::20] if np.isfinite(p).all()]
        options = options | {"scale": 0.5 * float(np.median(np.concatenate(far)))}
    return mm.load_tracks(path, folder / name.split()[0], smooth=SMOOTH, **options)


def fish_model(run: Any) -> mm.Scenario:
    """Nothing but reflection at the walls: a fish keeps its velocity."""
    interval = AHEAD * run.scenario.motion.time_step
    top = min(1.2 * run.scenario.motion.max_speed, 0.3 * min(run.scenario.world.sides) / interval)
    base = mm.Scenario().with_values({"motion.time_step": interval, "start.speed": 0.0})
    off = {f"rules.{name}.enabled": False for name, rule in base.rules if rule.enabled}
    silent = {f"rules.{name}.enabled": True for name in RULES}
    return base.with_values(
        {**off, **silent, **world_values(run, base, AHEAD), "perception.radius": 6.0, "perception.field_of_view": 360.0,
         "motion.max_speed": top, "motion.max_force": 100.0}
    )  # fmt: skip


def judged(work: Experiment, name: str, folder: Path, frames: int) -> list[dict[str, Any]]:
    """What each rule adds for one group of fish, in the order in which they are chosen."""
    run = tracks(name, folder)
    model = fish_model(run)
    recording = recording_of(run, model, AHEAD, frames)
    path = forward_selection(model, recording, RULES, 0, lambda text: None)
    rows = [{"fish": name, "rule": "keeps its velocity", "gain": 0.0, "gain error": 0.0, "kept": True,
             "explained": path[0]["explained"]}]  # fmt: skip
    chosen = [step["rule"] for step in path[1:] if step["kept"]]
    for step in path[1:]:
        rows.append({"fish": name, "rule": step["rule"], "gain": step["gain"], "gain error": step["gain_error"],
                     "kept": step["kept"], "explained": step["explained"]})  # fmt: skip
    axes = [Axis(f"rules.{rule}.weight", low=-100.0, high=100.0) for rule in chosen]
    if axes:
        fit = fitted(model, recording, axes, 0)
        for row, one in zip(rows[1:], fit.estimates, strict=False):
            row |= {"weight": one.value, "low": one.low, "high": one.high}
        animals = animal_score(fit)
        left_out = f"{animals.likelihood:.3f}" if animals else "too few"
        work.say(f"{name}: {fit.by_time.likelihood:.3f} nat, of fish that were left out {left_out}")
        known = baselines(fit.estimation.predictor)
        for word, score in known.items():
            work.say(f"{name}: {word}: {score.likelihood:.3f} nat, explains {score.explained:.1%}")
        missed = fit.estimation.predictor.residuals(fit.solution.velocities)
        far = (missed / missed.std(axis=0)) ** 4
        work.say(
            f"{name}: kurtosis of what is missed, speed and turn: {far.mean(axis=0).round(1)} (normal: 3)"
        )
    for row in rows:
        interval = (
            f", weight {row['weight']:.2f} ({row['low']:.2f} to {row['high']:.2f})" if "weight" in row else ""
        )
        work.say(f"{name}: {row['rule']}: {row['gain']:+.4f} ± {row['gain error']:.4f} nat"
                 f"{'' if row['kept'] else ', no clear gain'}, explained {row['explained']:.1%}{interval}")  # fmt: skip
    return rows


def main() -> None:
    work = Experiment("infer-zebrafish", "Which rules predict the next move of zebrafish.")
    load_rule_file(Path(__file__).parent / "rules" / "fish.py")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name in list(GROUPS)[: work.size(3, 1)]:
            rows += judged(work, name, Path(folder), work.size(1000, 60))
    columns = ["fish", "rule", "gain", "gain error", "kept", "explained", "weight", "low", "high"]
    work.table(columns, [[row.get(column, "") for column in columns] for row in rows])
    names = list(dict.fromkeys(row["fish"] for row in rows))
    figure, panels = work.figure(len(names), 3.2, 2.4)
    for panel, name in zip(panels, names, strict=True):
        mine = [row for row in rows if row["fish"] == name][1:]
        places = np.arange(len(mine))
        panel.barh(places, [row["gain"] for row in mine], xerr=[row["gain error"] for row in mine],
                   color=[COLORS[0] if row["kept"] else "0.7" for row in mine])  # fmt: skip
        panel.set_yticks(places, [row["rule"].removeprefix("fish_") for row in mine])
        panel.invert_yaxis()
        panel.set(title=name, xlabel="gain [nat per fish and frame]")
    work.save(figure)


if __name__ == "__main__":
    main()
