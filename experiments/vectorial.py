"""Vectorial noise (Grégoire and Chaté 2004; Mahault, Ginelli and Chaté 2019): a jump of order, bands, and number
fluctuations.

    python experiments/vectorial.py [--quick | --full]

Published: the transition is discontinuous, with bands and hysteresis in large worlds; at v0 1, density 2 and noise 0.5
the variance of the number in a box grows as its mean to the power 1.67 +- 0.02. Of the noise at the transition only our
own reference run is known, in plain Python with another generator: at L 32, v0 0.5 and density 2, order 0.742 at 0.61
and 0.083 at 0.62, and Binder cumulants of 0.666 and 0.332.
"""

from __future__ import annotations

import numpy as np
from report import COLORS, Experiment

import murmura as mm
from murmura.measure.time.errors import equilibration, order_statistics

OFF = {f"rules.{name}.enabled": False for name in ("separation", "alignment", "cohesion")}
EVERY = 10


def gas(side: float, noise: float, speed: float = 0.5) -> mm.Scenario:
    """Density 2, radius 1, steps of 1; agents move along their new heading."""
    values = {
        "agents": round(2.0 * side * side),
        "world.width": side,
        "world.height": side,
        "motion.speed": speed,
    }
    values |= {"motion.time_step": 1.0, "rules.vicsek.vectorial": True, "rules.vicsek.noise": 360.0 * noise}
    return mm.load_scenario("vicsek").with_values(values)


def orders(flocks: mm.Ensemble, steps: int) -> np.ndarray:
    """The order parameter of every world, one row for each ten steps."""
    rows = []
    for _ in range(steps // EVERY):
        flocks.step(EVERY)
        velocities = flocks.velocities
        rows.append(np.linalg.norm(velocities.mean(axis=1), axis=1) / np.linalg.norm(velocities[0, 0]))
    return np.array(rows)


def transition(
    lab: Experiment, side: float, noises: list[float], seeds: int, steps: int
) -> tuple[list, dict]:
    """Order and Binder's cumulant for each noise from random starts, without what `equilibration` finds to be settling
    in any of the flocks, and without the first fifth."""
    worlds = [gas(side, noise) for noise in noises for _ in range(seeds)]
    seen = orders(mm.Ensemble(worlds, seeds=list(range(len(worlds)))), steps)[steps // EVERY // 5 :]
    rows, kept = [], {}
    for k, noise in enumerate(noises):
        series = seen[:, k * seeds : (k + 1) * seeds]
        series = series[max(equilibration(one) for one in series.T) :]
        kept[noise] = series
        each = [order_statistics(one, 2.0 * side * side) for one in series.T]
        order, binder = ([getattr(e, name) for e in each] for name in ("mean", "binder"))
        means = np.array([m.mean for m in order])
        # Two errors, of time and of seeds: the greater one.
        error = max(float(np.nanmean([m.error for m in order])), float(means.std(ddof=1)) / np.sqrt(seeds))
        spread = float(np.std(binder, ddof=1)) / np.sqrt(seeds)
        ratio = 1.0 - float((series**4).mean() / (3.0 * (series**2).mean() ** 2))
        rows.append(("transition", side, noise, seeds, steps, float(means.mean()), error, ratio, spread))
        lab.say(
            f"L {side:g}, noise {noise:g}: order {means.mean():.3f} +- {error:.3f} "
            f"({', '.join(f'{m:.2f}' for m in means)}), Binder {ratio:.3f} +- {spread:.3f}"
        )
    return rows, kept


def hysteresis(lab: Experiment, side: float, noises: np.ndarray, steps: int) -> list[tuple]:
    """Order as the noise rises from an ordered flock, and falls from a disordered one, `steps` at each noise."""
    rows = []
    for way, sequence in (("up", noises), ("down", noises[::-1])):
        flocks = mm.Ensemble(gas(side, float(sequence[0])), seeds=[1, 2])
        orders(flocks, 4 * steps)
        for noise in sequence:
            flocks.retune({"rules.vicsek.noise": 360.0 * float(noise)})
            seen = orders(flocks, steps)[steps // EVERY // 3 :]
            rows.append(
                (
                    way,
                    side,
                    float(noise),
                    2,
                    steps,
                    float(seen.mean()),
                    float(seen.mean(axis=0).std()),
                    np.nan,
                    np.nan,
                )
            )
        lab.say(
            f"L {side:g}, noise {way}: order " + " ".join(f"{row[5]:.2f}" for row in rows[-len(noises) :])
        )
    return rows


def fluctuations(lab: Experiment, side: int, seeds: int, steps: int) -> tuple[list, float, float]:
    """Variance of the number of agents in boxes against its mean; the exponent, with its error over seeds."""
    flocks = mm.Ensemble(gas(float(side), 0.5, 1.0), seeds=range(seeds))
    flocks.step(steps // 3)
    boxes = [side // 2**k for k in range(2, 10) if side // 2**k >= 2]
    sums = np.zeros((seeds, len(boxes), 3))
    for _ in range(steps // 50):
        flocks.step(50)
        for world, places in enumerate(flocks.positions):
            for k, box in enumerate(boxes):
                cells = np.floor(places / box).astype(int) % (side // box)
                count = np.bincount(cells[:, 0] * (side // box) + cells[:, 1], minlength=(side // box) ** 2)
                sums[world, k] += count.size, count.sum(), (count.astype(float) ** 2).sum()
    mean = sums[:, :, 1] / sums[:, :, 0]
    variance = sums[:, :, 2] / sums[:, :, 0] - mean**2
    slopes = [
        float(np.polyfit(np.log(m[1:]), np.log(v[1:]), 1)[0]) for m, v in zip(mean, variance, strict=True)
    ]
    slope, error = float(np.mean(slopes)), float(np.std(slopes, ddof=1) / np.sqrt(seeds))
    lab.say(
        f"L {side}, v0 1, noise 0.5: variance ~ mean^{slope:.3f} +- {error:.3f} (published: 1.67 +- 0.02)"
    )
    rows = [
        ("boxes", side, 0.5, seeds, steps, float(mean[:, k].mean()), float("nan"), float(variance[:, k].mean()),
         float(variance[:, k].std(ddof=1) / np.sqrt(seeds)))
        for k in range(len(boxes))
    ]  # fmt: skip
    return rows, slope, error


def band(lab: Experiment, side: float, noise: float, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """Density along x after a long time, from a start in which all fly along x."""
    sim = mm.Simulation(gas(side, noise).with_values({"start.direction": 0.0}), seed=2)
    sim.step(steps)
    mean = sim.velocities.mean(axis=0)
    counts, edges = np.histogram(sim.positions[:, 0], bins=64, range=(0.0, side))
    density = counts / (side * side / 64.0)
    lab.say(
        f"L {side:g}, noise {noise:g}: order {np.linalg.norm(mean) / 0.5:.2f}, direction "
        f"{np.degrees(np.arctan2(*mean[::-1])):.0f} deg, density along x {density.min():.2f} to {density.max():.2f}"
    )
    return 0.5 * (edges[1:] + edges[:-1]), density


def draw(lab: Experiment, rows: list, kept: dict, slope: tuple[float, float], flock: tuple) -> None:
    figure, axes = lab.figure(6)
    for k, side in enumerate(sorted({row[1] for row in rows if row[0] == "transition"})):
        mine = np.array([row[2:] for row in rows if row[0] == "transition" and row[1] == side])
        for ax, column in ((axes[0], 3), (axes[1], 5)):
            ax.errorbar(
                mine[:, 0],
                mine[:, column],
                mine[:, column + 1],
                fmt="o-",
                ms=3,
                lw=1,
                color=COLORS[k],
                label=f"L {side:g}",
            )
    axes[0].set(xlabel="noise η", ylabel="order φ", title="ρ 2, r 1, v0 0.5, random starts")
    axes[1].axhline(2.0 / 3.0, color="0.7", lw=0.8)
    axes[1].axhline(1.0 / 3.0, color="0.7", lw=0.8)
    axes[1].set(xlabel="noise η", ylabel="Binder's cumulant")
    axes[0].legend(frameon=False)
    side = max(kept)
    for k, noise in enumerate(list(kept[side])[1:6]):
        axes[2].hist(
            kept[side][noise].ravel(), bins=60, range=(0.0, 0.9), histtype="step", density=True,
            color=COLORS[k], label=f"η {noise:g}",
        )  # fmt: skip
    axes[2].set(xlabel="order φ", ylabel="density", title=f"L {side:g}", yscale="log")
    axes[2].legend(frameon=False, fontsize=7)
    for way, color in (("up", COLORS[1]), ("down", COLORS[0])):
        mine = np.array([row[2:] for row in rows if row[0] == way])
        axes[3].plot(mine[:, 0], mine[:, 3], "o-", ms=3, lw=1, color=color, label=f"noise {way}")
    axes[3].set(xlabel="noise η", ylabel="order φ", title="Hysteresis")
    axes[3].legend(frameon=False)
    x, density = flock
    axes[4].plot(x, density, "-", lw=1, color=COLORS[0])
    axes[4].axhline(2.0, color="0.7", lw=0.8)
    axes[4].set(xlabel="x", ylabel="density", title="Density along x")
    boxes = np.array([row[5:] for row in rows if row[0] == "boxes"])
    axes[5].errorbar(boxes[:, 0], boxes[:, 2], boxes[:, 3], fmt="o", ms=3, color=COLORS[2])
    fit = np.exp(np.polyval(np.polyfit(np.log(boxes[1:, 0]), np.log(boxes[1:, 2]), 1), np.log(boxes[:, 0])))
    axes[5].plot(boxes[:, 0], fit, "-", lw=1, color=COLORS[2], label=f"{slope[0]:.2f} ± {slope[1]:.2f}")
    axes[5].set(
        xscale="log", yscale="log", xlabel="mean number in a box", ylabel="variance", title="v0 1, η 0.5"
    )
    axes[5].legend(frameon=False)
    lab.save(figure)


def main() -> None:
    lab = Experiment("vectorial", "With vectorial noise order jumps (Grégoire and Chaté 2004).")
    rows, kept = [], {}
    for side, noises, seeds, steps in lab.pick(
        [(16.0, [0.5, 0.6, 0.65], 2, 1_000)],
        [
            (32.0, [0.58, 0.60, 0.605, 0.61, 0.615, 0.62, 0.63, 0.66], 3, 8_000),
            (64.0, [0.58, 0.595, 0.60, 0.605, 0.61, 0.62], 2, 6_000),
        ],
        [
            (32.0, [0.58, 0.60, 0.605, 0.61, 0.615, 0.62, 0.63, 0.66], 8, 20_000),
            (64.0, [0.58, 0.595, 0.60, 0.605, 0.61, 0.615, 0.62], 6, 40_000),
            (128.0, [0.58, 0.59, 0.595, 0.60, 0.605, 0.61, 0.615], 4, 80_000),
        ],
    ):
        more, kept[side] = transition(lab, side, noises, seeds, steps)
        rows += more
    noises = np.arange(0.57, 0.641, lab.pick(0.035, 0.005, 0.0025))
    rows += hysteresis(lab, *lab.pick((16.0, noises, 150), (64.0, noises, 1_000), (128.0, noises, 10_000)))
    more, slope, error = fluctuations(lab, *lab.pick((32, 2, 300), (128, 4, 2_500), (256, 8, 10_000)))
    rows += more
    flock = band(lab, *lab.pick((32.0, 0.6, 300), (128.0, 0.612, 8_000), (256.0, 0.612, 60_000)))
    names = (
        "part",
        "side",
        "noise",
        "seeds",
        "steps",
        "order_or_mean",
        "error",
        "binder_or_variance",
        "its_error",
    )
    lab.table(names, rows)
    draw(lab, rows, kept, (slope, error), flock)


if __name__ == "__main__":
    main()
