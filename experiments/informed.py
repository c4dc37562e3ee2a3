"""Couzin et al. 2005: a few informed animals lead a group, the better the larger it is.

    python experiments/informed.py [--quick | --full]

Published: at a fixed share of informed animals the accuracy of a group's direction rises with its size, so that a large
group needs a smaller share. Only this order is compared: the paper's curves were not at hand. A public replication has
steps of 0.2 s. In these animals move a fifth of the repulsion radius at once, and a hundred find no common direction;
so the steps here are a quarter of that, and the longer ones are shown beside.
"""

from __future__ import annotations

import numpy as np
from report import COLORS, Experiment

import murmura as mm

OFF = {
    f"rules.{name}.enabled": False for name in ("separation", "alignment", "cohesion", "noise", "boundary")
}
SIZES = (10, 30, 100)
SHORT, LONG = 0.05, 0.2
"""Time steps [s]."""


def group(agents: int, share: float, step: float = SHORT) -> mm.Scenario:
    """Repulsion 1, range 6 and preference 0.5, as in the public replication; the direction is along x."""
    informed = round(share * agents)
    values = {
        "agents": agents, "world.boundary": "open", "world.width": 100.0, "world.height": 100.0,
        "perception.radius": 6.0, "perception.field_of_view": 360.0, "motion.policy": "constant", "motion.speed": 1.0,
        "motion.time_step": step, "motion.panic_speed": 0.0, "start.layout": "disc",
        "start.radius": 0.7 * np.sqrt(agents), "rules.informed.preference": 0.0,
    }  # fmt: skip
    kinds = [{"name": "others", "share": float(agents - informed)}]
    if informed:
        kinds.append(
            {"name": "informed", "share": float(informed), "values": {"rules.informed.preference": 0.5}}
        )
    else:  # another kind without a preference, so that all worlds share a kernel
        kinds = [{"name": "others", "share": agents - 1.0}, {"name": "informed", "share": 1.0}]
    return mm.Scenario().with_values(OFF | values | {"species": kinds})


def accuracies(
    agents: int, share: float, trials: int, seconds: float, step: float
) -> tuple[np.ndarray, np.ndarray]:
    """For each group 1 - |angle| / 90 degrees, from its way in the last quarter to x: 1 is right, 0 is chance. And its
    speed over that of one animal: how much they agree."""
    flocks = mm.Ensemble(group(agents, share, step), seeds=range(trials))
    steps = round(seconds / step)
    flocks.step(steps - steps // 4)
    before = flocks.positions.mean(axis=1)
    flocks.step(steps // 4)
    way = flocks.positions.mean(axis=1) - before
    accuracy = 1.0 - np.abs(np.degrees(np.arctan2(way[:, 1], way[:, 0]))) / 90.0
    return accuracy, np.linalg.norm(flocks.velocities.mean(axis=1), axis=1)


def measure(lab: Experiment) -> list[tuple]:
    from scipy.stats import mannwhitneyu

    trials, seconds = lab.pick((20, 40.0), (200, 480.0), (400, 1_000.0))
    rows = []
    for share, step in ((0.0, SHORT), (0.1, SHORT), (0.1, LONG), (0.2, SHORT), (0.3, SHORT), (0.5, SHORT)):
        found = [accuracies(agents, share, trials, seconds, step) for agents in SIZES]
        for k, (agents, (each, order)) in enumerate(zip(SIZES, found, strict=True)):
            p = (
                float(mannwhitneyu(each, found[k - 1][0], alternative="greater").pvalue)
                if k
                else float("nan")
            )
            error = float(each.std(ddof=1) / np.sqrt(trials))
            rows.append((step, share, agents, trials, float(each.mean()), error, p, float(order.mean())))
        lab.say(
            f"share {share:g}, steps of {step:g} s: "
            + ", ".join(
                f"N {row[2]}: {row[4]:.3f} +- {row[5]:.3f} (p {row[6]:.1e}, polarization {row[7]:.2f})"
                for row in rows[-len(SIZES) :]
            )
        )
    return rows


def draw(lab: Experiment, rows: list[tuple]) -> None:
    figure, axes = lab.figure(1, 5.0)
    for k, agents in enumerate(SIZES):
        for step, style in ((SHORT, "o-"), (LONG, "x")):
            share, mean, error = np.array(
                [(row[1], row[4], row[5]) for row in rows if row[0] == step and row[2] == agents]
            ).T
            label = f"{agents} animals" + (", steps of 0.2 s" if step == LONG else "")
            axes[0].errorbar(share, mean, error, fmt=style, ms=4, lw=1, color=COLORS[k], label=label)
    axes[0].axhline(0.0, color="0.7", lw=0.8)
    axes[0].set(xlabel="share of informed animals", ylabel="accuracy: 1 − |angle|/90°")
    axes[0].legend(frameon=False, fontsize=7)
    lab.save(figure)


def main() -> None:
    lab = Experiment(
        "informed", "The larger the group, the smaller the share of informed it needs (Couzin et al. 2005)."
    )
    rows = measure(lab)
    columns = (
        "step",
        "share",
        "agents",
        "trials",
        "accuracy",
        "error",
        "p_more_than_the_size_before",
        "polarization",
    )
    lab.table(columns, rows)
    draw(lab, rows)


if __name__ == "__main__":
    main()
