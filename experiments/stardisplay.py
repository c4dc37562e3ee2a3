"""Hildenbrandt, Carere & Hemelrijk 2010 (StarDisplay): the shape of starling flocks over their roost.

    python experiments/stardisplay.py [--quick]

Published: birds that interact with 6 to 7 neighbours, fly by lift and drag, roll into turns and stay above a roost form
flocks like those measured over Rome (Ballerini et al. 2008): flat and parallel to the ground, three times as wide and
almost six times as long as thick whatever their size, nearest neighbours at 0.7 to 1.5 m and at the sides rather than
in front or behind, which fades with the sixth or seventh neighbour. Here each flock begins as a ball over the roost
that flies in one direction, within 5 degrees.
"""

from __future__ import annotations

import numpy as np
from report import COLORS, Experiment

import murmura as mm
from murmura.measure.structure.neighbors import anisotropy

MEASURED = (
    "thickness",
    "thickness_to_width",
    "thickness_to_length",
    "anisotropy",
    "nearest_neighbor_distance",
)
COLUMNS = ("birds", "seed", "time", *MEASURED, "volume", "density", "level", "polarization", "roll")
START_DENSITY = 0.3  # birds per cubic metre
PROPORTIONS = (1 / 2.8, 1 / 5.6)  # I1/I2 and I1/I3 of the flocks over Rome
DISTANCES = (0.68, 1.51)  # [m] of nearest neighbours there
NEAREST = 12


def flock_of(birds: int, seed: int) -> mm.Simulation:
    """The scenario with this many birds, in a ball whose density does not depend on their number."""
    radius = (birds / START_DENSITY * 0.75 / np.pi) ** (1 / 3)
    values = {"agents": birds, "start.radius": radius, "perception.radius": 20.0}
    return mm.Simulation(mm.load_scenario("stardisplay").with_values(values), seed=seed)


def look(sim: mm.Simulation) -> tuple[float, ...]:
    """Measures of a flock at one instant, in the order of COLUMNS from the thickness on."""
    flock = sim.flock()
    found = mm.measure_flock(flock, (*MEASURED, "polarization"))
    variances, axes = np.linalg.eigh(np.cov(sim.positions.T.astype(float)))
    volume = float(np.prod(np.sqrt(12.0 * variances)))
    roll = float(np.degrees(np.abs(sim.column("roll"))).mean())
    values = [float(found[name]) for name in MEASURED]
    return (
        *values, volume, len(sim.ids) / volume, float(abs(axes[2, 0])), float(found["polarization"]), roll
    )  # fmt: skip


def main() -> None:
    lab = Experiment(
        "stardisplay", "Flat flocks with neighbours at the sides, as published (Hildenbrandt et al. 2010)."
    )
    sizes = (100, 300, 1000)[: lab.size(3, 1)]
    repeats, seconds = lab.size(2, 1), lab.size(120, 10)
    rows, instants = [], {birds: [] for birds in sizes}
    for birds in sizes:
        for seed in range(repeats):
            sim = flock_of(birds, seed)
            for second in range(5, seconds + 1, 5):
                sim.step(round(5.0 / sim.scenario.motion.time_step))
                rows.append((birds, seed, second, *look(sim)))
                if second > seconds / 2:
                    instants[birds].append(sim.flock())
        late = np.mean([r[3:] for r in rows if r[0] == birds and r[2] > seconds / 2], axis=0)
        said = ", ".join(f"{name} {value:.3g}" for name, value in zip(COLUMNS[3:], late, strict=True))
        lab.say(f"{birds} birds: {said}")
    lab.table(COLUMNS, rows)
    draw(lab, sizes, rows, instants)


def draw(lab: Experiment, sizes: tuple[int, ...], rows: list, instants: dict) -> None:
    figure, axes = lab.figure(3)
    for birds, color in zip(sizes, COLORS, strict=False):
        times = sorted({r[2] for r in rows if r[0] == birds})
        for column, style in ((4, "-"), (5, "--")):
            mean = [np.mean([r[column] for r in rows if r[0] == birds and r[2] == t]) for t in times]
            axes[0].plot(
                times, mean, style, lw=1.2, color=color, label=f"{birds:,}" if style == "-" else None
            )
        near = [np.mean([r[7] for r in rows if r[0] == birds and r[2] == t]) for t in times]
        axes[1].plot(times, near, lw=1.2, color=color)
        gamma = anisotropy(instants[birds], nearest=NEAREST)
        axes[2].plot(np.arange(1, NEAREST + 1), gamma, "o-", ms=3, lw=1, color=color)
    for share, style in zip(PROPORTIONS, "-:", strict=True):
        axes[0].axhline(share, color="0.5", lw=3, alpha=0.35, ls=style)
    axes[0].set(
        title="I1/I2 (full) and I1/I3 (dashed)\ngrey: flocks over Rome", xlabel="time [s]", ylim=(0, 1)
    )
    axes[0].legend(frameon=False, fontsize=8, title="birds")
    axes[1].axhspan(*DISTANCES, color="0.5", alpha=0.2)
    axes[1].set(title="nearest neighbour [m]\ngrey: flocks over Rome", xlabel="time [s]", ylim=(0, 2))
    axes[2].axhline(1 / 3, color="0.5", lw=3, alpha=0.35)
    axes[2].set(
        title="anisotropy γ\ngrey: in all directions alike", xlabel="nearest, second nearest …", ylim=(0, 1)
    )
    lab.save(figure)


if __name__ == "__main__":
    main()
