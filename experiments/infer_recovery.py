"""Twenty flocks with hidden numbers, noise in their motion and errors of tracking: are the intervals honest?

    python experiments/infer_recovery.py [--quick] [--first-seed 20]

Every flock has its own weights. Agents turn at random (jitter), and velocities are observed with an error. The model
knows the rules but not the weights, and neither source of noise.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from report import COLORS, Experiment

import murmura as mm
from murmura.lab.infer.models import fitted
from murmura.lab.infer.transitions import Recording, recording_of, world_values
from murmura.lab.runs.recording import record
from murmura.lab.sweeps.axes import Axis

RULES = ("alignment", "cohesion", "separation")
AGENTS, FRAMES = 40, 200
TRACKING = (0.0, 0.1, 0.5)
"""Errors of velocities, as shares of the change of velocity from frame to frame."""


def model() -> mm.Scenario:
    return mm.load_scenario("classic").with_values(
        {"agents": AGENTS, "world.width": 300.0, "world.height": 300.0, "perception.radius": 50.0}
    )


def recorded(seed: int, truth: dict[str, float], frames: int) -> tuple[mm.Scenario, Recording]:
    """A flock with hidden weights."""
    jitter = {"rules.jitter.enabled": True, "rules.jitter.max_turn_rate": 60.0}
    with tempfile.TemporaryDirectory() as folder:
        flock = mm.Simulation(model().with_values({**truth, **jitter}), seed=seed, backend="cpu")
        flock.step(200)
        run = record(flock, frames, Path(folder) / "run", 1, measures=["polarization"])
        own = model().with_values(world_values(run, model()))
        return own, recording_of(run, own)


def observed(recording: Recording, share: float, chance: np.random.Generator) -> Recording:
    """The same with errors of tracking."""
    change = np.sqrt(np.mean([((t.later - t.velocities) ** 2).mean() for t in recording.transitions]))
    shape = (len(recording.transitions) + 1, *recording.transitions[0].velocities.shape)
    noise = chance.normal(0.0, share * change, shape)
    return replace(
        recording,
        transitions=tuple(
            replace(t, velocities=t.velocities + noise[t.frame], later=t.later + noise[t.frame + 1])
            for t in recording.transitions
        ),
    )


def recovered(seed: int, frames: int) -> list[dict[str, Any]]:
    """The estimates of one flock for all errors of tracking."""
    chance = np.random.default_rng(seed)
    truth = {f"rules.{rule}.weight": float(chance.uniform(0.5, 2.0)) for rule in RULES}
    own, recording = recorded(seed, truth, frames)
    rows = []
    for share in TRACKING:
        axes = [Axis(path, low=0.0, high=4.0) for path in truth]
        fit = fitted(own, observed(recording, share, chance), axes, 0)
        for one, naive in zip(fit.estimates, fit.naive or fit.estimates, strict=True):
            rows.append(
                {"flock": seed, "tracking": share, "rule": one.path.split(".")[1], "truth": truth[one.path],
                 "naive": naive.value, "naive held": naive.low <= truth[one.path] <= naive.high,
                 "value": one.value, "low": one.low, "high": one.high,
                 "held": one.low <= truth[one.path] <= one.high}
            )  # fmt: skip
    return rows


def main() -> None:
    work = Experiment("infer-recovery", "Intervals of inference one step ahead hold the truth.", seeds=20)
    count, frames = len(work.seeds), work.size(FRAMES, 40)
    rows = [row for seed in work.seeds for row in recovered(seed, frames)]
    work.table(list(rows[0]), [list(row.values()) for row in rows])
    figure, panels = work.figure(len(TRACKING), 3.2, 2.8)
    for panel, share in zip(panels, TRACKING, strict=True):
        for rule, color in zip(RULES, COLORS, strict=False):
            mine = [row for row in rows if row["tracking"] == share and row["rule"] == rule]
            truth, value, low, high = (
                np.array([row[key] for row in mine]) for key in ("truth", "value", "low", "high")
            )
            panel.errorbar(truth, value - truth, [value - low, high - value], fmt="o", markersize=3, linewidth=0.8,
                           color=color, label=rule)  # fmt: skip
            held, naive = (sum(row[key] for row in mine) for key in ("held", "naive held"))
            bias, before = (
                float((value - truth).mean()),
                float(np.mean([r["naive"] - r["truth"] for r in mine])),
            )
            told = f"tracking {share:g}, {rule}: {held} of {count} hold the truth, mean error {bias:+.4f}"
            work.say(
                f"{told}, width {float((high - low).mean()):.4f}; by least squares {naive}, {before:+.4f}"
            )
        panel.axhline(0.0, color="black", linewidth=0.6)
        panel.set(title=f"tracking error {share:g}", xlabel="true weight", ylabel="estimate - truth (90 %)")
    panels[0].legend(frameon=False)
    work.save(figure)


if __name__ == "__main__":
    main()
