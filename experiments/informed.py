"""Couzin et al. 2005: a few informed animals lead a group, the better the larger it is.

    python experiments/informed.py [--quick | --full]

Published: at a fixed share of informed animals the accuracy of a group's direction rises with its size, so that a large
group needs a smaller share. Only this order is compared: the paper's curves were not at hand.
"""

from __future__ import annotations

import numpy as np
from report import COLORS, Experiment

import murmura as mm

OFF = {
    f"rules.{name}.enabled": False for name in ("separation", "alignment", "cohesion", "noise", "boundary")
}
SIZES = (10, 30, 100)


def group(agents: int, share: float) -> mm.Scenario:
    """Repulsion 1, range 6, preference 0.5, steps of 0.2, as in the public replication; the direction is along x."""
    informed = round(share * agents)
    values = {
        "agents": agents, "world.boundary": "open", "world.width": 100.0, "world.height": 100.0,
        "perception.radius": 6.0, "perception.field_of_view": 360.0, "motion.policy": "constant", "motion.speed": 1.0,
        "motion.time_step": 0.2, "motion.panic_speed": 0.0, "start.layout": "disc",
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


def accuracies(agents: int, share: float, trials: int, steps: int) -> np.ndarray:
    """For each group 1 - |angle| / 90 degrees, from its way in the last quarter to x: 1 is right, 0 is chance."""
    flocks = mm.Ensemble(group(agents, share), seeds=range(trials))
    flocks.step(steps - steps // 4)
    before = flocks.positions.mean(axis=1)
    flocks.step(steps // 4)
    way = flocks.positions.mean(axis=1) - before
    return 1.0 - np.abs(np.degrees(np.arctan2(way[:, 1], way[:, 0]))) / 90.0


def measure(lab: Experiment) -> list[tuple]:
    from scipy.stats import mannwhitneyu

    trials, steps = lab.pick((20, 200), (300, 2_400), (400, 5_000))
    rows = []
    for share in (0.0, 0.1, 0.2, 0.3, 0.5):
        found = [accuracies(agents, share, trials, steps) for agents in SIZES]
        for k, (agents, each) in enumerate(zip(SIZES, found, strict=True)):
            p = float(mannwhitneyu(each, found[k - 1], alternative="greater").pvalue) if k else float("nan")
            rows.append(
                (share, agents, trials, float(each.mean()), float(each.std(ddof=1) / np.sqrt(trials)), p)
            )
        lab.say(
            f"share {share:g}: "
            + ", ".join(
                f"N {row[1]}: {row[3]:.3f} +- {row[4]:.3f} (p {row[5]:.1e})" for row in rows[-len(SIZES) :]
            )
        )
    return rows


def draw(lab: Experiment, rows: list[tuple]) -> None:
    figure, axes = lab.figure(1, 5.0)
    for k, agents in enumerate(SIZES):
        mine = np.array([row for row in rows if row[1] == agents])
        axes[0].errorbar(
            mine[:, 0],
            mine[:, 3],
            mine[:, 4],
            fmt="o-",
            ms=3,
            lw=1,
            color=COLORS[k],
            label=f"{agents} animals",
        )
    axes[0].axhline(0.0, color="0.7", lw=0.8)
    axes[0].set(xlabel="share of informed animals", ylabel="accuracy: 1 − |angle|/90°")
    axes[0].legend(frameon=False)
    lab.save(figure)


def main() -> None:
    lab = Experiment(
        "informed", "The larger the group, the smaller the share of informed it needs (Couzin et al. 2005)."
    )
    rows = measure(lab)
    lab.table(("share", "agents", "trials", "accuracy", "error", "p_more_than_the_size_before"), rows)
    draw(lab, rows)


if __name__ == "__main__":
    main()
