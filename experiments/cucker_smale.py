"""Cucker and Smale 2007: unconditional and conditional agreement.

    python experiments/cucker_smale.py [--quick]

Published: influence falls as 1 / (1 + d^2)^beta. For beta < 1/2 velocities agree whatever the start; for beta >= 1/2
only if velocities differ little enough at the start (at exactly 1/2 still always: Ha and Liu 2009). For two agents that
move apart with relative speed w from distance d the threshold is exact: w* = K times the integral of (1 + s^2)^-beta
from d on.
"""

from __future__ import annotations

import numpy as np
from report import COLORS, Experiment

import murmura as mm

STRENGTH, GAP, SECONDS = 1.0, 1.0, 0.005


def scenario(agents: int, decay: float, seconds: float) -> mm.Scenario:
    return mm.load_scenario("cucker-smale").with_values(
        {
            "agents": agents,
            "world.boundary": "open",
            "perception.radius": 1e6,
            "motion.max_speed": 100.0,
            "motion.time_step": seconds,
            "rules.cucker_smale.decay": decay,
            "rules.cucker_smale.strength": STRENGTH,
        }
    )


def pair_after(decay: float, speed: float, time: float) -> float:
    """The relative speed, after some time, of two agents that move apart."""
    sim = mm.Simulation(
        scenario(2, decay, SECONDS),
        positions=[[0.0, 0.0], [GAP, 0.0]],
        velocities=[[-speed / 2.0, 0.0], [speed / 2.0, 0.0]],
        threads=1,
    )
    sim.step(round(time / SECONDS))
    return float(sim.velocities[1, 0] - sim.velocities[0, 0])


def theory(decay: float, speed: float, time: float) -> float:
    """The same from the differential equation d'' = -K psi(d) d', by SciPy in double precision."""
    from scipy.integrate import solve_ivp

    def change(_: float, y: np.ndarray) -> list[float]:
        return [y[1], -STRENGTH * y[1] / (1.0 + y[0] ** 2) ** decay]

    return float(solve_ivp(change, (0.0, time), [GAP, speed], rtol=1e-9, atol=1e-12).y[1, -1])


def threshold(decay: float) -> float:
    from scipy.integrate import quad

    return float(STRENGTH * quad(lambda s: (1.0 + s * s) ** -decay, GAP, np.inf)[0])


def disagreement(decay: float, times: tuple[float, ...], agents: int) -> list[float]:
    """The remaining spread of velocities of scattering agents at some times, as a share of the initial spread."""
    rng = np.random.default_rng(3)
    places, velocities = rng.normal(size=(agents, 2)) * 3.0, rng.normal(size=(agents, 2)) * 3.0
    sim = mm.Simulation(scenario(agents, decay, 0.1), positions=places, velocities=velocities, threads=1)
    at_first, left = float(velocities.std(axis=0).mean()), []
    for time in times:
        sim.step(round(time / 0.1) - sim.step_count)
        left.append(float(sim.velocities.std(axis=0).mean()) / at_first)
    return left


def main() -> None:
    lab = Experiment(
        "cucker-smale",
        "Agreement for sure below a decay of 1/2, above only for a calm start (Cucker and Smale 2007).",
    )
    time, rows, worst = 200.0, [], 0.0
    speeds = np.linspace(0.1, 4.0, lab.size(27, 7))
    betas = (0.25, 0.5, 0.75, 1.0)
    for decay in betas:
        for speed in speeds:
            found, expected = pair_after(decay, float(speed), time), theory(decay, float(speed), time)
            worst = max(worst, abs(found - expected))
            rows.append(("pair", decay, float(speed), time, found, expected))
    lab.say(f"two agents: greatest difference from the differential equation {worst:.4f} u/s")
    for decay in betas[2:]:
        lost = float(speeds[-1]) - next(r[4] for r in rows if r[1] == decay and r[2] == speeds[-1])
        lab.say(
            f"beta {decay}: parting at {speeds[-1]:g} cost {lost:.3f} in {time:g} s; for ever {threshold(decay):.3f}"
        )

    agents, times = lab.size(100, 40), (20.0, 200.0, lab.size(2_000, 400) * 1.0)
    decays = np.linspace(0.0, 1.5, lab.size(25, 7))
    for decay in decays:
        for t, left in zip(times, disagreement(float(decay), times, agents), strict=True):
            rows.append(("crowd", float(decay), 3.0, t, left, ""))
    lab.table(("case", "decay", "speed", "time", "left", "theory"), rows)

    figure, axes = lab.figure(2)
    for decay, color in zip(betas, COLORS, strict=False):
        cells = np.array([r[2:6] for r in rows if r[0] == "pair" and r[1] == decay], float)
        axes[0].plot(cells[:, 0], cells[:, 2], "o", ms=3, color=color, label=f"β = {decay}")
        axes[0].plot(cells[:, 0], cells[:, 3], "-", lw=1, color=color)
        if decay > 0.5:
            axes[0].axvline(threshold(decay), color=color, lw=0.8, ls=":")
    axes[0].set(xlabel="relative speed at the start [u/s]", ylabel=f"after {time:g} s [u/s]")
    axes[0].set_title("Two agents: dots simulated, lines theory")
    axes[0].legend(frameon=False)
    for t, color in zip(times, COLORS, strict=False):
        cells = np.array([(r[1], r[4]) for r in rows if r[0] == "crowd" and r[3] == t], float)
        axes[1].plot(
            cells[:, 0], np.maximum(cells[:, 1], 1e-7), "o-", ms=3, lw=1, color=color, label=f"{t:g} s"
        )
        below, above = (cells[np.abs(cells[:, 0] - b).argmin(), 1] for b in (0.375, 1.0))
        lab.say(
            f"crowd after {t:g} s: {below:.2g} of the disagreement left at beta 0.375, {above:.2g} at 1.0"
        )
    axes[1].axvline(0.5, color="0.5", lw=0.8, ls=":")
    axes[1].set(
        yscale="log", xlabel="decay β", ylabel="disagreement left", title=f"{agents} agents that scatter"
    )
    axes[1].legend(frameon=False)
    lab.save(figure)


if __name__ == "__main__":
    main()
