"""Vicsek et al. 1995, figures 2 and 3: order against noise and against density, and the exponents.

    python experiments/vicsek.py [--quick]

Published: with r = 1, v = 0.03 and density 4, the order v_a falls from 1 to 0 as the noise eta grows from 0 to 5, the
more sharply the larger the world (N = 40 … 10,000); at fixed noise it grows with density. Near the transition
v_a ~ (eta_c - eta)^b with b = 0.45 +- 0.07, and v_a ~ (rho - rho_c)^d with d = 0.35 +- 0.06.

Agents move along their old heading, as in the paper.
"""

from __future__ import annotations

import math

import numpy as np
from report import COLORS, Experiment

import murmura as mm

SIZES = ((40, 3.1), (100, 5.0), (400, 10.0), (4_000, 31.6), (10_000, 50.0))
LOOK_EVERY = 20


def flock_of(agents: int, side: float, eta: float) -> mm.Simulation:
    """Random positions and equal headings: a disordered start would first have to coarsen."""
    scenario = mm.load_scenario("vicsek").with_values(
        {"agents": agents, "world.width": side, "world.height": side, "rules.vicsek.noise": math.degrees(eta)}
    )
    places = np.random.default_rng(agents).random((agents, 2)) * side * 0.999999
    return mm.Simulation(
        scenario, seed=1, positions=places, velocities=np.tile([1.0, 0.0], (agents, 1)), threads=1
    )


def order(sim: mm.Simulation, settle: int, steps: int) -> tuple[float, float]:
    """The mean of v_a over time, and its fluctuation."""
    sim.step(settle)
    seen = []
    for _ in range(steps // LOOK_EVERY):
        sim.step(LOOK_EVERY)
        seen.append(mm.measure_flock(sim.flock(), ["polarization"])["polarization"])
    return float(np.mean(seen)), float(np.std(seen))


def against_noise(
    lab: Experiment, agents: int, side: float, etas: np.ndarray, settle: int, steps: int
) -> list:
    sim, rows = flock_of(agents, side, 0.0), []
    for eta in etas:
        sim.retune({"rules.vicsek.noise": math.degrees(float(eta))})
        mean, deviation = order(sim, settle, steps)
        rows.append((agents, side, float(eta), agents / side**2, mean, deviation))
    lab.say(f"N = {agents}, L = {side}: v_a from {rows[0][4]:.3f} to {rows[-1][4]:.3f}")
    return rows


def exponent(
    x: np.ndarray, y: np.ndarray, candidates: np.ndarray, sign: float, most: float
) -> tuple[float, float]:
    """The critical value with the straightest line of log y against log |x - x_c|, and the slope of that line.

    Only where order is neither full (above `most`) nor the chance agreement of a finite flock (below 0.3 or so).
    """
    best = (-1.0, math.nan, math.nan)
    for critical in candidates:
        gap = sign * (x - critical)
        use = (gap > 0.0) & (y > 0.3) & (y < most)
        if use.sum() >= 4:
            a, b = np.log(gap[use]), np.log(y[use])
            best = max(
                best, (float(np.corrcoef(a, b)[0, 1] ** 2), float(critical), float(np.polyfit(a, b, 1)[0]))
            )
    return best[1:]


def measure(lab: Experiment) -> list[tuple]:
    etas = np.linspace(0.0, 5.0, lab.size(26, 11))
    rows = []
    for agents, side in SIZES[: lab.size(5, 3)]:
        work = lab.size(8_000 if agents < 1_000 else 2_000, 600)
        rows += against_noise(lab, agents, side, etas, work // 3, work)
    for density in np.geomspace(0.1, 10.0, lab.size(22, 7)):
        agents = round(density * 400)
        mean, deviation = order(flock_of(agents, 20.0, 2.0), lab.size(3_000, 300), lab.size(5_000, 600))
        rows.append((agents, 20.0, 2.0, agents / 400.0, mean, deviation))
    lab.say(f"density {density:.2f} at L = 20: v_a {mean:.3f}")
    return rows


def draw(lab: Experiment, rows: np.ndarray) -> None:
    figure, axes = lab.figure(3)
    for k, (agents, side) in enumerate(SIZES):
        curve = rows[(rows[:, 0] == agents) & (rows[:, 1] == side)]
        if not len(curve):
            continue
        eta, order = curve[:, 2], curve[:, 4]
        axes[0].plot(eta, order, "o-", ms=3, lw=1, color=COLORS[k], label=f"N = {agents:,}")
        if agents in (400, 4_000):
            critical, beta = exponent(eta, order, np.arange(2.5, 5.0, 0.05), -1.0, 0.85)
            if math.isnan(critical):
                lab.say(f"N = {agents}: too few points for an exponent")
                continue
            below = eta < critical
            label = f"noise, N = {agents:,}: {beta:.2f} at {critical:.2f}"
            axes[2].plot(critical - eta[below], order[below], "o", ms=3, color=COLORS[k], label=label)
            lab.say(
                f"N = {agents}: v_a ~ (eta_c - eta)^{beta:.2f}, eta_c = {critical:.2f} (paper: 0.45 +- 0.07)"
            )
    axes[0].set(xlabel="noise η [rad]", ylabel="order $v_a$", title="Density 4, r = 1, v = 0.03")
    axes[0].legend(frameon=False)
    dense = rows[(rows[:, 1] == 20.0) & (rows[:, 2] == 2.0)]
    density, order = dense[:, 3], dense[:, 4]
    axes[1].plot(density, order, "o-", ms=3, lw=1, color=COLORS[5])
    axes[1].set(xlabel="density ρ [agents/r²]", ylabel="order $v_a$", title="L = 20, η = 2")
    # Below 0.4 the few agents of a sparse world agree this much by chance.
    seen = order > 0.4
    critical, delta = exponent(density[seen], order[seen], np.arange(0.0, 1.2, 0.02), 1.0, 0.75)
    if math.isnan(critical):
        lab.say("density: too few points for an exponent; the full size has enough")
    else:
        above = seen & (density > critical)
        label = f"density: {delta:.2f} at {critical:.2f}"
        axes[2].plot(density[above] - critical, order[above], "s", ms=3, color=COLORS[5], label=label)
        lab.say(f"v_a ~ (rho - rho_c)^{delta:.2f}, rho_c = {critical:.2f} (paper: 0.35 +- 0.06)")
    axes[2].set(xscale="log", yscale="log", xlabel="distance from the critical value", ylabel="order $v_a$")
    axes[2].set_title("Exponents (paper: 0.45, 0.35)")
    axes[2].set_yticks([0.1, 0.2, 0.5, 1.0], ["0.1", "0.2", "0.5", "1"])
    axes[2].minorticks_off()
    axes[2].legend(frameon=False, fontsize=8, loc="lower right")
    lab.save(figure)


def main() -> None:
    lab = Experiment(
        "vicsek", "Order falls with noise and grows with density (Vicsek et al. 1995, figures 2 and 3)."
    )
    rows = measure(lab)
    lab.table(("agents", "side", "eta", "density", "order", "deviation"), rows)
    draw(lab, np.array(rows))


if __name__ == "__main__":
    main()
