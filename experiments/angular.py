"""Angular noise (Chaté 2019): how order falls towards its value in an infinite flock.

    python experiments/angular.py [--quick | --full]

Published: at r 1, density 2, v0 0.5 and noise 0.2 (a turn of up to 0.2 pi) order falls to 0.8685 +- 0.0002 as L grows
up to 2,048, and what lies above falls as L^-0.64. Agents move along their new heading; `vicsek` has the old one, as in
the paper of 1995, so the rule is derived from it here.
"""

from __future__ import annotations

import numpy as np
from report import COLORS, Experiment

import murmura as mm
from murmura.measure.time.errors import average, equilibration
from murmura.rules.models.vicsek import Vicsek

EVERY = 10
LIMIT, EXPONENT = 0.8685, -0.64
LEAST = 32.0
"""The smallest world that is fitted."""


@mm.register_rule("vicsek_ahead")
class VicsekAhead(Vicsek):
    """Adopt the mean heading of all near, plus noise, and move along the new one."""

    moves_first = False

    def variant(self) -> type[mm.Rule]:
        return type(self)


def gas(side: float) -> mm.Scenario:
    values = {
        "agents": round(2.0 * side * side), "world.width": side, "world.height": side, "motion.speed": 0.5,
        "motion.time_step": 1.0, "rules.vicsek.enabled": False, "rules.vicsek_ahead.enabled": True,
        "rules.vicsek_ahead.noise": 72.0, "start.direction": 0.0,
    }  # fmt: skip
    return mm.load_scenario("vicsek").with_values(values)


def order(lab: Experiment, side: float, seeds: int, steps: int) -> tuple:
    """Order over time and flocks, without what `equilibration` finds to be settling. The error is the greater of that
    of time and that of seeds."""
    flocks = mm.Ensemble(gas(side), seeds=range(seeds))
    seen = np.empty((steps // EVERY, seeds))
    for row in seen:
        flocks.step(EVERY)
        row[:] = np.linalg.norm(flocks.velocities.mean(axis=1), axis=1) / 0.5
    each = [average(series[equilibration(series) :]) for series in seen.T]
    means = np.array([one.mean for one in each])
    error = float(np.sqrt(np.nanmean([one.error**2 for one in each]) / seeds))
    if seeds > 1:
        error = max(error, float(means.std(ddof=1) / np.sqrt(seeds)))
    longest = EVERY * max(one.time for one in each)
    lab.say(f"L {side:g}: order {means.mean():.5f} +- {error:.5f}, correlated for {longest:.0f} steps")
    return "order", side, seeds, steps, float(means.mean()), error


def law(side: np.ndarray, limit: float, size: float, exponent: float) -> np.ndarray:
    return limit + size * side**exponent


def fits(lab: Experiment, rows: list[tuple]) -> list[tuple]:
    """The limit and the exponent, each alone with the other as published, and both together."""
    from scipy.optimize import curve_fit

    side, mean, error = np.array([(r[1], r[4], r[5]) for r in rows if r[1] >= LEAST and np.isfinite(r[5])]).T
    if len(side) < 3:
        return []
    options = {"sigma": error, "absolute_sigma": True}
    found = []
    best, spread = curve_fit(lambda x, a, b: law(x, a, b, EXPONENT), side, mean, p0=(0.87, 0.1), **options)
    found.append(("limit, exponent as published", best[0], spread[0, 0]))
    best, spread = curve_fit(lambda x, b, c: law(x, LIMIT, b, c), side, mean, p0=(0.1, -0.6), **options)
    found.append(("exponent, limit as published", best[1], spread[1, 1]))
    if len(side) > 3:
        best, spread = curve_fit(law, side, mean, p0=(0.87, 0.1, -0.6), **options)
        found += [("limit of both", best[0], spread[0, 0]), ("exponent of both", best[2], spread[2, 2])]
    for name, value, variance in found:
        lab.say(f"{name}: {value:.4f} +- {np.sqrt(variance):.4f}")
    return [(name, LEAST, len(side), 0, float(value), float(np.sqrt(v))) for name, value, v in found]


def draw(lab: Experiment, rows: list[tuple]) -> None:
    figure, axes = lab.figure(2)
    side, mean, error = np.array([(r[1], r[4], r[5]) for r in rows if r[0] == "order"]).T
    axes[0].errorbar(side, mean, error, fmt="o", ms=3, color=COLORS[0])
    axes[0].axhline(LIMIT, color="0.7", lw=0.8)
    axes[0].set(
        xscale="log", xlabel="side L", ylabel="order Π", title="ρ 2, v0 0.5, η 0.2; line: Π∞ published"
    )
    axes[1].errorbar(side, mean - LIMIT, error, fmt="o", ms=3, color=COLORS[0])
    middle = mean[side == LEAST][0] - LIMIT if LEAST in side else mean[0] - LIMIT
    axes[1].plot(side, middle * (side / LEAST) ** EXPONENT, "-", lw=1, color="0.6", label="L^−0.64")
    axes[1].set(xscale="log", yscale="log", xlabel="side L", ylabel="Π − 0.8685")
    axes[1].legend(frameon=False)
    for ax in axes:
        ax.set_xticks(side, [f"{x:g}" for x in side], minor=False)
        ax.set_xticks([], minor=True)
    lab.save(figure)


def main() -> None:
    lab = Experiment(
        "angular", "Order falls towards its value in an infinite flock as a power of L (Chaté 2019)."
    )
    quick = [(16.0, 4, 1_000), (32.0, 4, 1_000), (64.0, 2, 1_000)]
    usual = [
        (16.0, 16, 10_000),
        (32.0, 16, 10_000),
        (64.0, 8, 10_000),
        (128.0, 3, 10_000),
        (256.0, 1, 12_000),
    ]
    rows = [order(lab, *each) for each in lab.pick(quick, usual, [*usual, (512.0, 1, 20_000)])]
    rows += fits(lab, rows)
    lab.table(("part", "side", "flocks", "steps", "found", "error"), rows)
    draw(lab, rows)


if __name__ == "__main__":
    main()
