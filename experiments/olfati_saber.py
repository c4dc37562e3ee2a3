"""Olfati-Saber 2006: without a common goal a flock falls apart, with one it forms a lattice.

    python experiments/olfati_saber.py [--quick | --full]

Published: algorithm 1 (no goal) fragments from a spread start, algorithm 2 (a goal) does not. What follows from the
equations: connectivity rank(L) / (N - 1) is 1 for one group; distances in the lattice are d; energy never grows.
"""

from __future__ import annotations

import numpy as np
from report import COLORS, Experiment

import murmura as mm

OFF = {
    f"rules.{name}.enabled": False for name in ("separation", "alignment", "cohesion", "noise", "boundary")
}
AGENTS, SIDE, D, REACH = 50, 90.0, 7.0, 8.4
STEP = 0.02


def flocks(seeds: int, goal: bool) -> mm.Ensemble:
    """Agents anywhere in a square, so sparse that they are in several groups; d 7, r 1.2 d."""
    values = {
        "agents": AGENTS, "world.width": SIDE, "world.height": SIDE, "world.boundary": "open",
        "perception.radius": REACH, "perception.field_of_view": 360.0, "motion.time_step": STEP,
        "motion.max_speed": 100.0, "motion.panic_speed": 0.0, "start.speed": 1.0,
        "rules.olfati_saber.goal_pull": 0.1 if goal else 0.0, "rules.olfati_saber.goal_friction": 0.4 if goal else 0.0,
        "rules.olfati_saber.goal_x": SIDE / 2.0, "rules.olfati_saber.goal_y": SIDE / 2.0,
    }  # fmt: skip
    return mm.Ensemble(mm.Scenario().with_values(OFF | values), seeds=range(seeds))


def sigma(square: np.ndarray) -> np.ndarray:
    """The sigma-norm, from squared lengths."""
    return (np.sqrt(1.0 + 0.1 * square) - 1.0) / 0.1


def pair_potential() -> tuple[np.ndarray, np.ndarray]:
    """The potential of a pair against its sigma-norm, by numerical integration."""
    z = np.linspace(0.0, float(sigma(np.array(REACH**2))), 20_001)
    bump = np.where(z / z[-1] < 0.2, 1.0, 0.5 * (1.0 + np.cos(np.pi * (z / z[-1] - 0.2) / 0.8)))
    stretch = z - float(sigma(np.array(D**2)))
    slope = bump * 5.0 * stretch / np.sqrt(1.0 + stretch**2)
    return z, np.concatenate([[0.0], np.cumsum(0.5 * (slope[1:] + slope[:-1])) * (z[1] - z[0])])


def connectivity(distance: np.ndarray) -> float:
    """rank(L) / (N - 1) of the graph of those nearer than r: 1 for one group."""
    from scipy.sparse.csgraph import connected_components

    groups, _ = connected_components(distance < REACH, directed=False)
    return (AGENTS - groups) / (AGENTS - 1)


def follow(lab: Experiment, goal: bool, seeds: int, steps: int) -> tuple[list[tuple], np.ndarray, np.ndarray]:
    """Connectivity and energy over time, and distances of neighbours and places of one flock at the end."""
    worlds, (z, potential) = flocks(seeds, goal), pair_potential()
    upper, rows, energies = np.triu_indices(AGENTS, 1), [], []
    for number in range(101):
        if number:
            worlds.step(steps // 100)
        x, v = worlds.positions.astype(float), worlds.velocities.astype(float)
        distance = np.linalg.norm(x[:, :, None] - x[:, None], axis=-1)
        linked = [connectivity(one) for one in distance]
        pairs = np.interp(sigma(distance[:, upper[0], upper[1]] ** 2), z, potential).sum(axis=1)
        pull = 0.1 if goal else 0.0
        energy = pairs + 0.5 * (v**2).sum(axis=(1, 2)) + 0.5 * pull * ((x - SIDE / 2.0) ** 2).sum(axis=(1, 2))
        energies.append(energy)
        rows.append(
            (
                1 + goal,
                worlds.step_count * STEP,
                seeds,
                float(np.mean(linked)),
                float(np.std(linked)),
                float(energy.mean()),
            )
        )
    steps_up = np.diff(np.array(energies), axis=0) / (np.array(energies)[0] - np.array(energies)[-1])
    near = distance[:, upper[0], upper[1]]
    near = near[near < REACH]
    lab.say(
        f"algorithm {1 + goal}: connectivity {rows[0][3]:.2f} at first, {rows[-1][3]:.3f} (least {min(linked):.3f}) at "
        f"the end; distances {near.mean():.2f} +- {near.std():.2f}; largest step of energy upwards "
        f"{100 * steps_up.max():.2g} % of its fall"
    )
    return rows, near, x[0]


def draw(lab: Experiment, rows: list[tuple], near: list[np.ndarray], places: np.ndarray) -> None:
    figure, axes = lab.figure(3)
    for k in (0, 1):
        mine = np.array([row for row in rows if row[0] == k + 1])
        axes[0].errorbar(
            mine[::5, 1],
            mine[::5, 3],
            mine[::5, 4],
            fmt="o-",
            ms=3,
            lw=1,
            color=COLORS[k],
            label=f"algorithm {k + 1}",
        )
        axes[1].hist(near[k], bins=40, range=(4.0, REACH), histtype="step", density=True, color=COLORS[k])
    axes[0].set(xlabel="time", ylabel="connectivity rank(L)/(N − 1)")
    axes[0].legend(frameon=False)
    axes[1].axvline(D, color="0.7", lw=0.8)
    axes[1].set(xlabel="distance of neighbours at the end", ylabel="density")
    axes[2].plot(*places.T, "o", ms=4, color=COLORS[1])
    axes[2].set(aspect="equal", title="Algorithm 2 at the end")
    lab.save(figure)


def main() -> None:
    lab = Experiment("olfati-saber", "A common goal keeps a flock together (Olfati-Saber 2006).")
    seeds, steps = lab.pick((3, 500), (10, 4_000), (100, 10_000))
    found = [follow(lab, goal, seeds, steps) for goal in (False, True)]
    rows = found[0][0] + found[1][0]
    lab.table(("algorithm", "time", "seeds", "connectivity", "spread", "energy"), rows)
    draw(lab, rows, [one[1] for one in found], found[1][2])


if __name__ == "__main__":
    main()
