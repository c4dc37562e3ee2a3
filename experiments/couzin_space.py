"""Couzin et al. 2002 in space, figures 2, 3 and 5: four kinds of group, and memory, with the paper's parameters.

    python experiments/couzin_space.py [--quick]

Published: as the zone of orientation widens at a wide zone of attraction, a group of 100 goes from a swarm (no order)
to a torus (little polarization, much rotation) to a dynamic and then a highly parallel group. In between, the state
depends on the previous one (hysteresis). N = 100, repulsion 1, speed 3, turning rate 40 deg/s, blind angle 90
deg, error 0.05 rad, steps of 0.1 s, no edges, start in a ball. `couzin.py` does the same in the plane.
"""

from __future__ import annotations

import numpy as np
from report import COLORS, Experiment

import murmura as mm

ATTRACTION = 14.0
KINDS = (  # name, zones of orientation and attraction
    ("swarm", 0.0, 14.0),
    ("torus", 2.0, 14.0),
    ("dynamic parallel", 4.0, 14.0),
    ("highly parallel", 14.0, 14.0),
)
LOOKED_AT = ("polarization", "milling", "largest_group", "nearest_neighbor_distance")


def group(orientation: float, seed: int, attraction: float = ATTRACTION) -> mm.Simulation:
    scenario = mm.load_scenario("couzin-space").with_values(
        {
            "world.boundary": "open",
            "rules.zones.orientation": orientation,
            "rules.zones.attraction": attraction,
            "perception.radius": 40.0,
        }
    )
    return mm.Simulation(scenario, seed=seed, threads=1)


def look(sim: mm.Simulation, steps: int, looks: int = 20) -> tuple[float, ...]:
    """The measures, averaged over the last quarter of some steps."""
    sim.step(steps * 3 // 4)
    seen = []
    for _ in range(looks):
        sim.step(max(1, steps // 4 // looks))
        seen.append(tuple(mm.measure_flock(sim.flock(), LOOKED_AT).values()))
    return tuple(float(value) for value in np.mean(seen, axis=0))


def ramp(widths: np.ndarray, seed: int, steps: int) -> list[tuple[float, ...]]:
    """One group whose zone of orientation changes gradually, so that its state depends on its past."""
    sim, rows = group(float(widths[0]), seed), []
    sim.step(2 * steps)
    for width in widths:
        sim.retune({"rules.zones.orientation": float(width)})
        rows.append((float(width), *look(sim, steps)))
    return rows


def draw_kinds(lab: Experiment, axes: list, steps: int, seeds: range) -> None:
    """Draw each kind of group from above, with averages over some groups."""
    for ax, (name, width, attraction) in zip(axes, KINDS, strict=False):
        sims = [group(width, seed, attraction) for seed in seeds]
        p, m, _, near = np.mean([look(sim, steps) for sim in sims], axis=0)
        sim = sims[0]
        x, v = sim.positions - np.median(sim.positions, axis=0), sim.velocities
        ax.quiver(x[:, 0], x[:, 1], v[:, 0], v[:, 1], color=COLORS[0], width=0.008, scale=60)
        zones = f"$Δr_o$ = {width:g}, $Δr_a$ = {attraction:g}"
        ax.set(title=f"{name}\n{zones}", xlabel=f"polarization {p:.2f}, rotation {m:.2f}", aspect="equal")
        ax.set(xlim=(-12, 12), ylim=(-12, 12))
        lab.say(
            f"{name}: orientation {width:g}: polarization {p:.3f}, rotation {m:.3f}, neighbour {near:.2f}"
        )


def main() -> None:
    lab = Experiment(
        "couzin-space", "Four kinds of group in space, with hysteresis, as published (Couzin et al. 2002)."
    )
    widths = np.linspace(0.0, 6.0, lab.size(25, 7))
    repeats, steps = lab.size(6, 2), lab.size(2_000, 600)
    rows = []
    for seed in range(repeats):
        rows += [("wider", seed, *r) for r in ramp(widths, seed, steps)]
        rows += [("narrower", seed, *r) for r in ramp(widths[::-1], seed, steps)]
        lab.say(f"group {seed + 1} of {repeats}")
    lab.table(("change", "seed", "orientation", *LOOKED_AT), rows)

    figure, axes = lab.figure(6, 2.9, 3.0)
    draw_kinds(lab, axes, lab.size(4_000, 1_500), range(repeats))
    means = {}
    for ax, column, label in ((axes[4], 3, "polarization"), (axes[5], 4, "rotation")):
        for change, color in (("wider", COLORS[0]), ("narrower", COLORS[1])):
            found = [np.mean([r[column] for r in rows if r[0] == change and r[2] == w]) for w in widths]
            ax.plot(widths, found, "o-", ms=3, lw=1, color=color, label=f"growing {change}")
            means[change, label] = np.array(found)
        ax.set(xlabel="zone of orientation $Δr_o$ [u]", title=f"{label} ({repeats} groups)", ylim=(0, 1.02))
    axes[5].legend(frameon=False, fontsize=8)
    lab.save(figure)
    up, down = means["wider", "rotation"], means["narrower", "rotation"]
    k = int(np.abs(up - down).argmax())
    lab.say(
        f"memory: at {widths[k]:g} rotation is {up[k]:.2f} growing wider and {down[k]:.2f} growing narrower"
    )


if __name__ == "__main__":
    main()
