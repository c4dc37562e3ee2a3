"""Helbing and Molnár 1995: do two streams of pedestrians that meet form lanes?

    python experiments/lanes.py [--quick | --full]

Published: on a walkway of 50 m with 0.3 pedestrians per square metre the mean number of lanes is 0.36 W + 0.59, W the
width in metres, with a step of 2 s in the potential. How lanes were counted is not known to us. Here the direction of
those in 10 m of the walkway is smoothed across it by a Gaussian, and each change of its sign begins a lane. The same is
counted with the directions shuffled, which shows how many lanes the count itself makes.
"""

from __future__ import annotations

import numpy as np
from report import COLORS, Experiment

import murmura as mm

OFF = {
    f"rules.{name}.enabled": False for name in ("separation", "alignment", "cohesion", "noise", "boundary")
}
LONG, DENSITY, STEP = 50.0, 0.3, 0.05
WIDTHS, AHEAD = (3.0, 5.0, 8.0, 11.0, 15.0), (0.25, 0.5, 1.0, 1.5, 2.0)
SMOOTHING = (0.25, 0.5)


def walkway(width: float, ahead: float) -> mm.Scenario:
    """Half go to the right and half to the left, and come back at the other end; walls on both sides."""
    values = {
        "agents": 2 * round(0.5 * DENSITY * LONG * width), "world.width": LONG, "world.height": width,
        "world.boundary": "wrap", "world.boundary_y": "reflect", "perception.radius": 5.0,
        "perception.field_of_view": 360.0, "motion.policy": "overdamped", "motion.time_step": STEP,
        "motion.max_speed": 20.0, "motion.panic_speed": 0.0, "start.speed": 1.0, "rules.pedestrians.enabled": True,
        "rules.pedestrians.ahead": ahead,
    }  # fmt: skip
    ways = [
        {"name": name, "share": 1.0, "values": {"rules.pedestrians.direction": direction}}
        for name, direction in (("right", 0.0), ("left", 180.0))
    ]
    return mm.Scenario().with_values(OFF | values | {"species": ways})


def order(places: np.ndarray, way: np.ndarray) -> float:
    """For each, ((same - opposite) / all)^2 among those less than 0.75 m beside its line, itself included; the mean.
    1: lanes along the whole walkway."""
    beside = np.abs(places[:, None, 1] - places[None, :, 1]) < 0.75
    return float((((beside * way) @ np.ones(len(way)) / beside.sum(axis=1)) ** 2).mean())


def lanes(places: np.ndarray, way: np.ndarray, width: float, smoothing: float) -> float:
    """Lanes in 10 m of the walkway, on average."""
    across = np.arange(0.1, width, 0.1)
    counts = []
    for begin in np.arange(0.0, LONG, 10.0):
        here = (places[:, 0] >= begin) & (places[:, 0] < begin + 10.0)
        near = np.exp(-0.5 * ((across[:, None] - places[here, 1]) / smoothing) ** 2)
        sign = np.sign((near * way[here]).sum(axis=1)[near.sum(axis=1) > 0.05])
        counts.append(1 + np.count_nonzero(np.diff(sign)))
    return float(np.mean(counts))


def measure(lab: Experiment, width: float, ahead: float, rng: np.random.Generator) -> tuple:
    """Means and errors over flocks: order, speed, lanes by both smoothings; order and lanes with shuffled ways too."""
    seeds, looks = lab.pick(2, 4, 16), lab.pick(3, 10, 60)
    flocks = mm.Ensemble(walkway(width, ahead), seeds=range(seeds))
    flocks.step(lab.pick(400, 2_000, 12_000))
    seen = np.zeros((looks, seeds, 7))
    for look in seen:
        flocks.step(200)
        places, velocities = flocks.positions, flocks.velocities
        for number, row in enumerate(look):
            way = 1.0 - 2.0 * flocks.world(number).column("species")
            shuffled = rng.permutation(way)
            both = [(lanes(places[number], w, width, s)) for s in SMOOTHING for w in (way, shuffled)]
            progress = float((velocities[number][:, 0] * way).mean())
            row[:] = order(places[number], way), order(places[number], shuffled), progress, *both
    mean, each = seen.mean(axis=(0, 1)), seen.mean(axis=0)
    error = each.std(axis=0, ddof=1) / np.sqrt(seeds)
    lab.say(
        f"W {width:g} m, step {ahead:g} s: order {mean[0]:.3f} +- {error[0]:.3f} (shuffled {mean[1]:.3f}), speed "
        f"{mean[2]:.2f}, lanes {mean[3]:.2f} and {mean[5]:.2f} (shuffled {mean[4]:.2f} and {mean[6]:.2f}; published "
        f"{0.36 * width + 0.59:.2f})"
    )
    return width, ahead, *(float(x) for pair in zip(mean, error, strict=True) for x in pair)


def draw(lab: Experiment, rows: list[tuple]) -> None:
    figure, axes = lab.figure(2)
    wide = np.array([row for row in rows if row[0] == WIDTHS[-1]])
    axes[0].errorbar(wide[:, 1], wide[:, 2], wide[:, 3], fmt="o-", ms=3, lw=1, color=COLORS[0], label="order")
    axes[0].plot(wide[:, 1], wide[:, 4], "--", lw=1, color="0.6", label="directions shuffled")
    axes[0].set(
        xlabel="step in the potential Δt [s]", ylabel="order of lanes", title=f"width {WIDTHS[-1]:g} m"
    )
    axes[0].legend(frameon=False)
    for ahead, color in ((2.0, COLORS[0]), (0.5, COLORS[1])):
        mine = np.array([row for row in rows if row[1] == ahead])
        for column, style in ((8, "o-"), (12, "s-")):
            smoothing = SMOOTHING[(column - 8) // 4]
            label = f"Δt {ahead:g} s, smoothed over {smoothing:g} m"
            axes[1].plot(mine[:, 0], mine[:, column], style, ms=3, lw=1, color=color, label=label)
            axes[1].plot(mine[:, 0], mine[:, column + 2], "--", lw=0.7, color=color)
    width = np.array(WIDTHS)
    axes[1].plot(width, 0.36 * width + 0.59, "-", lw=1, color="0.5", label="published")
    axes[1].set(xlabel="width W [m]", ylabel="lanes counted", title="dashed: directions shuffled")
    axes[1].legend(frameon=False, fontsize=7)
    lab.save(figure)


def main() -> None:
    lab = Experiment("lanes", "Do two streams of pedestrians form lanes (Helbing and Molnár 1995)?")
    rng = np.random.default_rng(1)
    cases = [(width, ahead) for ahead in (0.5, 2.0) for width in WIDTHS]
    cases += [(WIDTHS[-1], ahead) for ahead in AHEAD if ahead not in (0.5, 2.0)]
    rows = sorted(measure(lab, width, ahead, rng) for width, ahead in cases)
    names = (
        "order",
        "order_shuffled",
        "speed",
        "lanes_025",
        "lanes_025_shuffled",
        "lanes_05",
        "lanes_05_shuffled",
    )
    lab.table(("width", "step", *(f for name in names for f in (name, f"{name}_error"))), rows)
    draw(lab, rows)


if __name__ == "__main__":
    main()
