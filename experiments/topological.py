"""Ballerini et al. 2008, figure 5: flocks with topological interaction stay together where metric ones break up.

    python experiments/topological.py [--quick]

Published: when a flock is attacked, a model in which each bird interacts with a fixed number of nearest others mostly
stays one group, while the same model with a fixed radius, tuned to the same number of neighbours in the calm flock,
breaks into several and leaves stragglers. Starlings interact with six to seven.

Here 200 birds fly past a threat in their path. Afterwards we count groups: birds connected by
chains of gaps of at most five times the distance of nearest neighbours before the attack.
"""

from __future__ import annotations

import numpy as np
from report import COLORS, Experiment

import murmura as mm

AGENTS = 200
SETTLE, FLIGHT = 900, 1_500  # steps
REACH = 60.0  # [u] of the threat
USUAL = 0.2  # its strength, as rules.fear.weight


def flock_of(nearest: int | None, radius: float, fright: float, seed: int) -> mm.Simulation:
    scenario = mm.load_scenario("topological").with_values(
        {
            "agents": AGENTS,
            "world.boundary": "open",
            "perception.nearest": nearest,
            "perception.radius": radius,
            "rules.fear.weight": fright,
            "rules.fear.spread": 0.0,
            "rules.fear.threats": [{"x": 1e6, "y": 1e6, "radius": 1.0}],
        }
    )
    rng = np.random.default_rng(seed)
    angles, distances = rng.random(AGENTS) * 2.0 * np.pi, np.sqrt(rng.random(AGENTS)) * 140.0
    places = np.column_stack([np.cos(angles), np.sin(angles)]) * distances[:, None]
    velocities = np.tile([40.0, 0.0], (AGENTS, 1)) + rng.normal(size=(AGENTS, 2))
    return mm.Simulation(scenario, seed=seed, positions=places, velocities=velocities, threads=1)


def attacked(sim: mm.Simulation) -> tuple[int, int, float]:
    """Groups and stragglers (birds outside the largest group) after the attack, and neighbours before it."""
    sim.step(SETTLE)
    calm = mm.measure_flock(sim.flock(), ["nearest_neighbor_distance", "spread"])
    middle, heading = sim.positions.mean(axis=0), sim.velocities.mean(axis=0)
    ahead = middle + heading / np.hypot(*heading) * (3.0 * calm["spread"] + REACH)
    sim.retune({"rules.fear.threats": [{"x": float(ahead[0]), "y": float(ahead[1]), "radius": REACH}]})
    neighbors = float(sim.column("local_density").mean())
    sim.step(FLIGHT)
    now = sim.flock()
    gaps = mm.Flock(
        now.positions, now.velocities, now.width, now.height, False, 5.0 * calm["nearest_neighbor_distance"]
    )
    found = mm.measure_flock(gaps, ["groups", "largest_group"])
    return int(found["groups"]), AGENTS - int(found["largest_group"]), neighbors


def metric_radius(wanted: float, seeds: range) -> float:
    """The radius at which a calm metric flock has as many neighbours as a topological one, by bisection."""
    low, high = 15.5, 150.0  # the radius must exceed the separation of birds
    for _ in range(9):
        middle = 0.5 * (low + high)
        counts = []
        for seed in seeds:
            sim = flock_of(None, middle, 0.0, seed)
            sim.step(SETTLE)
            counts.append(sim.column("local_density").mean())
        low, high = (middle, high) if np.mean(counts) < wanted else (low, middle)
    return 0.5 * (low + high)


def main() -> None:
    lab = Experiment(
        "topological", "Minding the nearest few keeps a flock together under attack (Ballerini et al. 2008)."
    )
    repeats = lab.size(30, 4)
    cases = [(7, f) for f in ((0.0, 0.05, 0.1, USUAL, 0.4, 0.8) if not lab.quick else (0.0, USUAL))]
    cases += [(k, USUAL) for k in ((3, 5, 10, 15) if not lab.quick else ())]
    radii = {k: metric_radius(k, range(lab.size(4, 1))) for k, _ in cases}
    rows = []
    for nearest, fright in cases:
        for kind, few, radius in (("topological", nearest, 1e4), ("metric", None, radii[nearest])):
            found = [attacked(flock_of(few, radius, fright, 1_000 + k)) for k in range(repeats)]
            rows += [(kind, nearest, fright, radius, *f) for f in found]
            groups, left, near = np.mean(found, axis=0)
            whole = np.mean([f[0] == 1 for f in found])
            lab.say(
                f"fright {fright}, {kind}, {nearest} neighbours ({near:.1f} found): one group in {whole:.0%}, "
                f"{groups:.1f} groups, {left:.0f} outside the largest"
            )
    lab.table(("kind", "nearest", "fright", "radius", "groups", "stragglers", "neighbors"), rows)

    def share_whole(kind: str, nearest: int, fright: float) -> float:
        return float(np.mean([r[4] == 1 for r in rows if r[:3] == (kind, nearest, fright)]))

    figure, axes = lab.figure(3, 3.7)
    for kind, color, shift in (("topological", COLORS[0], -0.2), ("metric", COLORS[1], 0.2)):
        groups = np.array([r[4] for r in rows if r[:3] == (kind, 7, USUAL)])
        axes[0].bar(
            np.arange(1, 9) + shift, [np.mean(groups == m) for m in range(1, 9)], 0.4, color=color, label=kind
        )
        frights = sorted({f for k, f in cases if k == 7})
        axes[1].plot(
            frights, [share_whole(kind, 7, f) for f in frights], "o-", ms=4, lw=1, color=color, label=kind
        )
        counts = sorted({k for k, f in cases if f == USUAL})
        axes[2].plot(
            counts, [share_whole(kind, k, USUAL) for k in counts], "o-", ms=4, lw=1, color=color, label=kind
        )
    axes[0].set(
        xlabel="groups after the attack", ylabel="share of flocks", title=f"7 neighbours, fright {USUAL}"
    )
    axes[0].legend(frameon=False)
    axes[1].set(
        xlabel="strength of the fright",
        ylabel="share that stays whole",
        title="7 neighbours",
        ylim=(-0.03, 1.03),
    )
    axes[2].set(xlabel="neighbours minded", title=f"fright {USUAL}", ylim=(-0.03, 1.03))
    lab.save(figure)


if __name__ == "__main__":
    main()
