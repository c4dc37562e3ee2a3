"""Inertial spin model (Cavagna et al. 2014): turns travel as waves, at the speed of second sound.

    python experiments/inertial_spin.py [--quick | --full]

Published: the equations. On a fixed lattice they give, for a small turn of wave number k, chi w^2 + i eta w = J Lambda,
Lambda = 2 (1 - cos k a) along an axis of the square lattice: waves of the speed a sqrt(J / chi) for long waves with
little friction, none below k0 where J Lambda = eta^2 / 4 chi; and each spin has the variance chi T.
"""

from __future__ import annotations

import math

import numpy as np
from report import COLORS, Experiment

import murmura as mm
from murmura.measure.time.errors import average

OFF = {
    f"rules.{name}.enabled": False for name in ("separation", "alignment", "cohesion", "noise", "boundary")
}
LONG, WIDE = 64, 4
CHI, STIFFNESS, STEP = 1.25, 0.8, 0.02


def lattice(friction: float, temperature: float, angle: np.ndarray, seed: int = 1) -> mm.Simulation:
    """Agents on a square lattice of a torus that see four neighbours, so slow that they stay where they are."""
    x, y = np.meshgrid(np.arange(LONG) + 0.5, np.arange(WIDE) + 0.5, indexing="ij")
    values = {
        "agents": LONG * WIDE, "world.width": float(LONG), "world.height": float(WIDE), "world.boundary": "wrap",
        "perception.radius": 1.2, "perception.field_of_view": 360.0, "motion.policy": "constant",
        "motion.speed": 1e-7, "motion.time_step": STEP, "rules.inertial_spin.inertia": CHI,
        "rules.inertial_spin.stiffness": STIFFNESS, "rules.inertial_spin.friction": friction,
        "rules.inertial_spin.temperature": temperature,
    }  # fmt: skip
    scenario = mm.Scenario().with_values(OFF | values)
    turn = np.repeat(angle, WIDE)
    velocities = 1e-7 * np.c_[np.cos(turn), np.sin(turn)]
    return mm.Simulation(scenario, seed, positions=np.c_[x.ravel(), y.ravel()], velocities=velocities)


def wave(t: np.ndarray, omega: float, decay: float) -> np.ndarray:
    """A turn that starts at rest; `omega` is what the square root of the dispersion relation gives."""
    return np.exp(-decay * t) * (np.cos(omega * t) + decay / omega * np.sin(omega * t))


def modes(lab: Experiment, friction: float, numbers: list[int]) -> list[tuple]:
    """All these waves at once, each with its own small amplitude: they do not disturb each other."""
    from scipy.optimize import curve_fit

    k = 2.0 * np.pi * np.array(numbers) / LONG
    place = np.arange(LONG)
    size = 0.02 / len(numbers)
    sim = lattice(friction, 0.0, size * np.cos(np.outer(k, place)).sum(axis=0))
    every, count = 20, lab.pick(100, 400, 1_000)
    seen = np.empty((count, len(k)))
    for row in seen:
        sim.step(every)
        angle = np.arctan2(*sim.velocities.T[::-1]).reshape(LONG, WIDE).mean(axis=1)
        row[:] = 2.0 / LONG * np.cos(np.outer(k, place)) @ angle / size
    t, rows = STEP * every * np.arange(1, count + 1), []
    for number, wave_number, series in zip(numbers, k, seen.T, strict=True):
        square = STIFFNESS * 2.0 * (1.0 - math.cos(wave_number)) / CHI - (friction / (2.0 * CHI)) ** 2
        exact = math.sqrt(square) if square > 0.0 else 0.0
        found, error = 0.0, 0.0
        if series.min() < -2e-4:  # it swings through zero
            guess = max(exact, 0.02), friction / (2.0 * CHI)
            best, covariance = curve_fit(wave, t, series, p0=guess)
            found, error = float(abs(best[0])), float(np.sqrt(covariance[0, 0]))
        rows.append((friction, number, float(wave_number), found, error, exact))
    return rows


def spins(lab: Experiment) -> list[tuple]:
    """The variance of the spin over chi T, with its error, in the plane: with friction, small and large."""
    rows = []
    for friction in (0.3, 1.0):
        sim = lattice(friction, 0.05, np.zeros(LONG))
        sim.step(1_000)
        seen = []
        for _ in range(lab.pick(100, 1_000, 4_000)):
            sim.step(20)
            seen.append(float(np.mean(sim.column("inertial_spin") ** 2)) / (CHI * 0.05))
        found = average(np.array(seen))
        rows.append((friction, 0, 0.0, found.mean, found.error, 1.0))
        lab.say(f"eta {friction}: variance of spins / (chi T) {found.mean:.4f} +- {found.error:.4f}")
    return rows


def draw(lab: Experiment, rows: list[tuple]) -> None:
    figure, axes = lab.figure(2)
    for n, friction in enumerate(sorted({row[0] for row in rows if row[1]})):
        mine = np.array([row for row in rows if row[1] and row[0] == friction])
        axes[0].plot(mine[:, 2], mine[:, 3], "o", ms=4, color=COLORS[n], label=f"η {friction:g}")
        fine = np.linspace(0.0, mine[-1, 2], 200)
        square = STIFFNESS * 2.0 * (1.0 - np.cos(fine)) / CHI - (friction / (2.0 * CHI)) ** 2
        axes[0].plot(fine, np.sqrt(np.maximum(square, 0.0)), "-", lw=1, color=COLORS[n])
        use = mine[:, 5] > 0.0
        axes[1].plot(
            mine[use, 2],
            mine[use, 3] / mine[use, 5] - 1.0,
            "o-",
            ms=3,
            lw=1,
            color=COLORS[n],
            label=f"η {friction:g}",
        )
    axes[0].set(xlabel="wave number k a", ylabel="frequency", title="Dispersion; lines are exact")
    axes[1].axhspan(-0.01, 0.01, color="0.92")
    axes[1].set(xlabel="wave number k a", ylabel="relative error of the frequency", ylim=(-0.03, 0.03))
    for ax in axes:
        ax.legend(frameon=False, fontsize=8)
    lab.save(figure)


def main() -> None:
    lab = Experiment("inertial-spin", "Turns travel as waves (Cavagna et al. 2014).")
    rows = []
    for friction in (0.02, 0.5, 1.0):
        mine = modes(lab, friction, [1, 2, 3, 4, 5, 6, 7, 8, 10, 12])
        rows += mine
        waves = [row[1] for row in mine if row[3] > 0.0]
        k0 = math.acos(1.0 - friction**2 / (8.0 * CHI * STIFFNESS)) * LONG / (2.0 * math.pi)
        lab.say(f"eta {friction}: waves from mode {min(waves)} on; exact limit {k0:.2f}")
    slow = rows[0]
    # The frequency without the little friction there is.
    speed, exact = math.hypot(slow[3], slow[0] / (2.0 * CHI)) / slow[2], math.sqrt(STIFFNESS / CHI)
    lab.say(f"second sound: {speed:.4f}, exact {exact:.4f} ({100.0 * (speed / exact - 1.0):+.2f} %)")
    rows += spins(lab)
    lab.table(("friction", "mode", "k", "found", "error", "exact"), rows)
    draw(lab, rows)


if __name__ == "__main__":
    main()
