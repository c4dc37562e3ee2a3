"""Active Brownian discs that repel (Fily and Marchetti 2012): how they diffuse, slow down in a crowd, and separate.

    python experiments/active_brownian.py [--quick | --full]

Published: discs of radius 1 at a rotation rate of 0.005 slow down with density as v0 (1 - 0.9 phi), for speeds of 0.5,
1 and 2; above phi of about 0.4 the number in a box fluctuates as its mean to the power 0.95 +- 0.05. Alone, their mean
squared displacement is known exactly. The stiffness is ours: its value was not at hand.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from report import COLORS, Experiment

import murmura as mm

OFF = {
    f"rules.{name}.enabled": False for name in ("separation", "alignment", "cohesion", "noise", "boundary")
}
TURNING, STIFFNESS, STEP = 0.005, 10.0, 0.02
DILUTE = 0.4
"""Up to this packing the slope of the speed is fitted."""
PUBLISHED = {"slope": 0.9, "exponent": 0.95}


def gas(agents: int, packing: float, **rule: float) -> mm.Scenario:
    """Discs of radius 1 that cover this part of a torus."""
    side = float(np.sqrt(agents * np.pi / packing))
    values = {
        "agents": agents, "world.width": side, "world.height": side, "world.boundary": "wrap",
        "perception.radius": 2.0, "perception.field_of_view": 360.0, "motion.policy": "overdamped",
        "motion.time_step": STEP, "motion.max_speed": 100.0, "motion.panic_speed": 0.0,
    }  # fmt: skip
    numbers = {"turning": TURNING, "stiffness": STIFFNESS} | rule
    named = {f"rules.active_brownian.{name}": value for name, value in numbers.items()}
    return mm.Scenario().with_values(OFF | values | named)


def exact_displacement(steps: np.ndarray, turning: float, thermal: float, dt: float) -> np.ndarray:
    """Mean squared displacement of a walk whose steps of length dt have directions that decay by q = exp(-D dt)."""
    q = np.exp(-turning * dt)
    walk = steps * (1.0 + q) / (1.0 - q) - 2.0 * q * (1.0 - q**steps) / (1.0 - q) ** 2
    return dt**2 * walk + 4.0 * thermal * dt * steps


def displacements(lab: Experiment) -> list[tuple]:
    """Particles that do not meet, with and without thermal noise; one origin, so that agents are independent."""
    rows = []
    for turning, thermal in ((0.5, 0.0), (0.5, 0.3)):
        agents = lab.pick(2_000, 20_000, 100_000)
        scenario = gas(agents, 0.1, turning=turning, thermal=thermal, stiffness=0.0)
        sim = mm.Simulation(scenario.with_values({"world.boundary": "open"}), seed=4)
        begin = sim.positions.astype(np.float64)
        for steps in (5, 15, 50, 150, 500, 1_500):
            sim.step(steps - sim.step_count)
            square = ((sim.positions - begin) ** 2).sum(axis=1)
            mean, error = float(square.mean()), float(square.std(ddof=1) / np.sqrt(agents))
            exact = float(exact_displacement(np.array(float(steps)), turning, thermal, STEP))
            rows.append(("displacement", thermal, steps * STEP, mean, error, exact))
        lab.say(
            f"D_t {thermal:g}: (msd - exact) / error: "
            + ", ".join(f"{(r[3] - r[5]) / r[4]:.2f}" for r in rows[-6:])
        )
    return rows


def speeds(lab: Experiment) -> list[tuple]:
    """The mean velocity along a particle's own direction, over its free speed, against packing; and the slopes."""
    packings = lab.pick(
        (0.1, 0.4), (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8), tuple(np.arange(0.05, 0.86, 0.05))
    )
    rows = []
    for free in (0.5, 1.0, 2.0):
        found = crowded(lab, packings, free, STIFFNESS)
        rows += [("speed", free, x, mean, error, 1.0 - PUBLISHED["slope"] * x) for x, mean, error in found]
        rows.append(slope_of(lab, f"v0 {free:g}", free, found))
    thin = [packing for packing in packings if packing <= DILUTE]
    for stiffness in (1.0, 3.0, 30.0):
        found = crowded(lab, thin, 1.0, stiffness, STEP if stiffness <= STIFFNESS else STEP / 3.0)
        rows.append(slope_of(lab, f"v0 1, stiffness {stiffness:g}", stiffness, found, "slope at stiffness"))
    return rows


def crowded(
    lab: Experiment, packings: Sequence[float], free: float, stiffness: float, dt: float = STEP
) -> list[tuple[float, float, float]]:
    """Packing, mean velocity over the free speed, and its error over flocks."""
    seeds, agents = lab.pick(2, 2, 8), lab.pick(300, 1_000, 10_000)
    rule = {"swim_speed": free, "stiffness": stiffness}
    worlds = [
        gas(agents, packing, **rule).with_values({"motion.time_step": dt})
        for packing in packings
        for _ in range(seeds)
    ]
    flocks = mm.Ensemble(worlds, seeds=range(len(worlds)))
    flocks.step(lab.pick(1_000, 10_000, 100_000))
    found = np.zeros(len(worlds))
    for _ in range(20):
        flocks.step(lab.pick(20, 250, 5_000))
        found += [along(flocks.world(number)) / (20.0 * free) for number in range(len(worlds))]
    each = found.reshape(len(packings), seeds)
    errors = each.std(axis=1, ddof=1) / np.sqrt(seeds)
    return [(*three,) for three in zip(packings, each.mean(axis=1).tolist(), errors.tolist(), strict=True)]


def along(sim: mm.Simulation) -> float:
    facing = np.c_[sim.column("facing_x"), sim.column("facing_y")]
    return float((sim.velocities * facing).sum(axis=1).mean())


def slope_of(lab: Experiment, what: str, value: float, found: list[tuple], part: str = "slope") -> tuple:
    """A row with lambda in 1 - lambda phi up to phi = 0.4, and its error from how far the points are off the line."""
    packing, speed, _ = np.array([point for point in found if point[0] <= DILUTE]).T
    slope = float((packing * (1.0 - speed)).sum() / (packing**2).sum())
    rest = 1.0 - speed - slope * packing
    error = float(np.sqrt((rest**2).sum() / (len(rest) - 1) / (packing**2).sum()))
    lab.say(f"{what}: v = v0 (1 - {slope:.3f} (+- {error:.3f}) phi) up to {DILUTE} (published: about 0.9)")
    return part, value, DILUTE, slope, error, PUBLISHED["slope"]


def fluctuations(lab: Experiment) -> tuple[list[tuple], np.ndarray, float]:
    """The standard deviation of the number in boxes against its mean; places of the last flock and its side."""
    agents, seeds = lab.pick(1_000, 4_000, 10_000), lab.pick(2, 2, 8)
    settling, looks, every = lab.pick((500, 5, 200), (30_000, 20, 1_000), (200_000, 100, 10_000))
    packings, rows = lab.pick((0.2, 0.6), (0.2, 0.4, 0.5, 0.6, 0.7), (0.2, 0.3, 0.4, 0.5, 0.6, 0.7)), []
    worlds = [gas(agents, packing) for packing in packings for _ in range(seeds)]
    flocks = mm.Ensemble(worlds, seeds=range(len(worlds)))
    flocks.step(settling)
    cuts = (4, 8, 16, 32)
    sums = np.zeros((len(worlds), len(cuts)))
    for _ in range(looks):
        flocks.step(every)
        for number, places in enumerate(flocks.positions):
            side = worlds[number].world.width
            for k, cut in enumerate(cuts):
                cells = np.floor(places * (cut / side)).astype(int) % cut
                count = np.bincount(cells[:, 0] * cut + cells[:, 1], minlength=cut * cut)
                sums[number, k] += count.var() / looks
    mean = agents / np.array(cuts, float) ** 2
    slopes = np.array([np.polyfit(np.log(mean), 0.5 * np.log(each), 1)[0] for each in sums])
    for k, packing in enumerate(packings):
        mine, fits = sums[k * seeds : (k + 1) * seeds], slopes[k * seeds : (k + 1) * seeds]
        error = float(fits.std(ddof=1) / np.sqrt(seeds))
        lab.say(f"phi {packing:g}: standard deviation ~ mean^{fits.mean():.3f} +- {error:.3f}")
        rows += [
            ("boxes", packing, float(m), float(np.sqrt(v)), float("nan"), float("nan"))
            for m, v in zip(mean, mine.mean(axis=0), strict=True)
        ]
        rows.append(("exponent", packing, float(seeds), float(fits.mean()), error, PUBLISHED["exponent"]))
    shown = packings.index(0.6) * seeds
    return rows, flocks.positions[shown], worlds[shown].world.width


def draw(lab: Experiment, rows: list[tuple], places: np.ndarray, side: float) -> None:
    figure, axes = lab.figure(4)
    draw_displacements(axes[0], rows)
    for k, free in enumerate((0.5, 1.0, 2.0)):
        mine = np.array([row[1:] for row in rows if row[0] == "speed" and row[1] == free])
        axes[1].errorbar(
            mine[:, 1], mine[:, 2], mine[:, 3], fmt="o", ms=3, color=COLORS[k], label=f"v0 {free:g}"
        )
    line = np.array([0.0, 0.9])
    axes[1].plot(line, 1.0 - PUBLISHED["slope"] * line, "-", lw=0.8, color="0.6", label="1 − 0.9 φ")
    axes[1].set(xlabel="packing φ", ylabel="velocity along the own direction / v0")
    axes[1].legend(frameon=False)
    found = np.array([row[1:] for row in rows if row[0] == "exponent"])
    axes[2].errorbar(found[:, 0], found[:, 2], found[:, 3], fmt="o-", ms=3, lw=1, color=COLORS[0])
    axes[2].axhspan(0.9, 1.0, color="0.9")
    axes[2].axhline(0.5, color="0.7", lw=0.8)
    axes[2].set(xlabel="packing φ", ylabel="a in ΔN ~ N^a", title="grey: published above 0.4")
    axes[3].plot(*places.T, ".", ms=0.6, color=COLORS[0])
    axes[3].set(xlim=(0.0, side), ylim=(0.0, side), aspect="equal", title="φ 0.6, at the end")
    lab.save(figure)


def draw_displacements(ax: object, rows: list[tuple]) -> None:
    for k, thermal in enumerate((0.0, 0.3)):
        mine = np.array([row[2:] for row in rows if row[0] == "displacement" and row[1] == thermal])
        ax.errorbar(
            mine[:, 0], (mine[:, 1] - mine[:, 3]) / mine[:, 2], 1.0, fmt="o", ms=3, color=COLORS[k],
            label=f"D_t {thermal:g}",
        )  # fmt: skip
    ax.axhspan(-2.0, 2.0, color="0.93")
    ax.set(xscale="log", xlabel="time", ylabel="(displacement² − exact) / error", title="no repulsion")
    ax.legend(frameon=False)


def main() -> None:
    lab = Experiment(
        "active-brownian", "Active discs slow down in a crowd and separate (Fily and Marchetti 2012)."
    )
    rows = displacements(lab) + speeds(lab)
    more, places, side = fluctuations(lab)
    rows += more
    lab.table(("part", "parameter", "at", "found", "error", "exact_or_published"), rows)
    draw(lab, rows, places, side)


if __name__ == "__main__":
    main()
