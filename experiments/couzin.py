"""Couzin et al. 2002, figures 2, 3 and 5: four kinds of group, and memory.

    python experiments/couzin.py [--quick]

Published (in space): as the zone of orientation widens at a wide zone of attraction, a group goes from a swarm (no
order) to a torus (no polarization, much rotation) to a dynamic and then a highly parallel group; on the way back the
torus does not appear or appears later, depending on the past (hysteresis). Here in the plane, N = 100, speed 3, turning
rate 40 deg/s, blind angle 90 deg, error 0.05 rad, steps of 0.1 s, no edges; ramps with a zone of attraction of 14.
"""

from __future__ import annotations

import numpy as np
from report import COLORS, Experiment

import murmura as mm

ATTRACTION = 14.0
KINDS = (  # name, zones of orientation and attraction, initial zone of orientation
    ("swarm", 0.5, 14.0, 0.5),
    ("torus", 5.0, 14.0, 5.0),
    ("dynamic parallel", 5.0, 8.0, 14.0),
    ("highly parallel", 14.0, 14.0, 14.0),
)


def group(orientation: float, seed: int, attraction: float = ATTRACTION) -> mm.Simulation:
    scenario = mm.load_scenario("couzin").with_values(
        {
            "world.boundary": "open",
            "rules.zones.orientation": orientation,
            "rules.zones.attraction": attraction,
            "perception.radius": 40.0,
        }
    )
    return mm.Simulation(scenario, seed=seed, threads=1)


def look(sim: mm.Simulation, steps: int, looks: int = 25) -> tuple[float, float, float]:
    """Polarization, rotation and size of the largest group, averaged over the last quarter of some steps."""
    sim.step(steps * 3 // 4)
    seen = []
    for _ in range(looks):
        sim.step(max(1, steps // 4 // looks))
        found = mm.measure_flock(sim.flock(), ["polarization", "milling", "largest_group"])
        seen.append(tuple(found.values()))
    p, m, size = np.mean(seen, axis=0)
    return float(p), float(m), float(size)


def ramp(widths: np.ndarray, seed: int, steps: int) -> list[tuple[float, float, float, float]]:
    """One group whose zone of orientation changes gradually, so that its state depends on its past."""
    sim, rows = group(float(widths[0]), seed), []
    sim.step(2 * steps)
    for width in widths:
        sim.retune({"rules.zones.orientation": float(width)})
        rows.append((float(width), *look(sim, steps)))
    return rows


def main() -> None:
    lab = Experiment(
        "couzin", "Swarm, torus, dynamic and highly parallel group, with hysteresis (Couzin et al. 2002)."
    )
    widths = np.linspace(0.0, 16.0, lab.size(33, 9))
    repeats, steps = lab.size(8, 2), lab.size(3_000, 1_000)
    rows = []
    for seed in range(repeats):
        rows += [("wider", seed, *r) for r in ramp(widths, seed, steps)]
        rows += [("narrower", seed, *r) for r in ramp(widths[::-1], seed, steps)]
        lab.say(f"group {seed + 1} of {repeats}")
    lab.table(("change", "seed", "orientation", "polarization", "rotation", "largest_group"), rows)

    figure, axes = lab.figure(6, 2.9, 3.0)
    for ax, (name, width, attraction, origin) in zip(axes, KINDS, strict=False):
        sim = group(origin, 1, attraction)
        sim.step(3_000)
        sim.retune({"rules.zones.orientation": width})
        p, m, _ = look(sim, lab.size(6_000, 2_000))
        x, v = sim.positions - np.median(sim.positions, axis=0), sim.velocities
        ax.quiver(x[:, 0], x[:, 1], v[:, 0], v[:, 1], color=COLORS[0], width=0.008, scale=60)
        zones = f"$Δr_o$ = {width:g}, $Δr_a$ = {attraction:g}"
        ax.set(title=f"{name}\n{zones}", xlabel=f"polarization {p:.2f}, rotation {m:.2f}", aspect="equal")
        ax.set(xlim=(-18, 18), ylim=(-18, 18))
        lab.say(
            f"{name}: orientation {width:g}, attraction {attraction:g}, polarization {p:.2f}, rotation {m:.2f}"
        )
    for ax, column, label in ((axes[4], 3, "polarization"), (axes[5], 4, "rotation")):
        for change, color in (("wider", COLORS[0]), ("narrower", COLORS[1])):
            means = [np.mean([r[column] for r in rows if r[0] == change and r[2] == w]) for w in widths]
            ax.plot(widths, means, "o-", ms=3, lw=1, color=color, label=f"growing {change}")
        ax.set(xlabel="zone of orientation $Δr_o$ [u]", title=f"{label} ({repeats} groups)", ylim=(0, 1.02))
    axes[5].legend(frameon=False, fontsize=8)
    lab.save(figure)
    up, down = (
        {w: np.mean([r[4] for r in rows if r[0] == c and r[2] == w]) for w in widths}
        for c in ("wider", "narrower")
    )
    widest = max(widths, key=lambda w: abs(up[w] - down[w]))
    lab.say(
        f"memory: at {widest:g} rotation is {up[widest]:.2f} growing wider and {down[widest]:.2f} growing narrower"
    )


if __name__ == "__main__":
    main()
