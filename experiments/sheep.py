"""Strömbom et al. 2014: a dog brings sheep home, if each sheep minds enough of the others.

    python experiments/sheep.py [--quick | --full]

Published: a dog can bring over 100 sheep home; it may fail where a sheep minds fewer than half of the others. Of 201
sheep that mind their 20 nearest, with a dog that acts on its 20 nearest, 56 of 100 flocks came home.
"""

from __future__ import annotations

import numpy as np
from report import COLORS, Experiment

import murmura as mm

HOME, SIDE, DENSE = 10.0, 150.0, 0.4
SHARES = (0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0)
DOG = {"name": "dog", "share": 1.0, "towards": {"sheep": "chase"}}
DOG["values"] = {"rules.sheep.step": 0.0, "rules.sheepdog.pace": 1.5}


def flock(sheep: int, nearest: int, sight: float = 1000.0) -> mm.Scenario:
    """A dog and its sheep, which mind their `nearest`. The dog sees all within its sight; if that is less than the
    perception radius, it minds its nearest as well."""
    herd = {"name": "sheep", "share": float(sheep), "towards": {"dog": "flee"}}
    values = {"agents": sheep + 1, "perception.nearest": nearest, "rules.sheepdog.sight": sight}
    return mm.load_scenario("sheep").with_values(values | {"species": [DOG, herd]})


def time_home(scenario: mm.Scenario, seed: int, steps: int, spread: float = 1.0) -> float:
    """When the middle of the flock is first within 10 of the goal; infinite if it never is. The sheep start in the
    quarter of the field far from the goal, or in the part of it that `spread` gives along each axis; the dog at the
    goal."""
    rng = np.random.default_rng(seed)
    places = 0.5 * SIDE * (1.0 + spread * rng.random((scenario.agents, 2)))
    places[0] = 0.0
    sim = mm.Simulation(scenario, seed, positions=places, threads=1)
    for step in range(10, steps + 1, 10):
        sim.step(10)
        if np.linalg.norm(sim.positions[1:].mean(axis=0)) < HOME:
            return float(step)
    return float("inf")


def homecomings(
    lab: Experiment, part: str, scenario: mm.Scenario, count: int, steps: int, spread: float = 1.0
) -> tuple:
    """One row of the table: how many of the flocks came home, and their median time."""
    sheep, nearest = scenario.agents - 1, scenario.perception.nearest or 0
    times = np.array([time_home(scenario, seed, steps, spread) for seed in range(count)])
    home = int(np.isfinite(times).sum())
    lab.say(
        f"{part}: {sheep} sheep that mind {nearest}: {home} of {count} home, median step {np.median(times):g}"
    )
    return part, sheep, nearest, nearest / sheep, steps, count, home, float(np.median(times))


def draw(lab: Experiment, rows: list[tuple]) -> None:
    figure, axes = lab.figure(1, 5.0)
    for k, sheep in enumerate(sorted({row[1] for row in rows if row[0] == "share"})):
        share, count, home = np.array(
            [(r[3], r[5], r[6]) for r in rows if r[0] == "share" and r[1] == sheep]
        ).T
        low, high = wilson(home, count)
        part = home / count
        axes[0].errorbar(
            share,
            part,
            (part - low, high - part),
            fmt="o-",
            ms=3,
            lw=1,
            color=COLORS[k],
            label=f"{sheep} sheep",
        )
    axes[0].axhline(0.95, color="0.7", lw=0.8)
    axes[0].set(xlabel="share of the others that a sheep minds, n/N", ylabel="flocks that came home")
    axes[0].legend(frameon=False)
    lab.save(figure)


def wilson(home: np.ndarray, count: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The interval of a share that holds it with 68 %: one standard error."""
    middle = (home + 0.5) / (count + 1.0)
    half = np.sqrt(home * (count - home) / count + 0.25) / (count + 1.0)
    return np.minimum(middle - half, home / count), np.maximum(middle + half, home / count)


def main() -> None:
    lab = Experiment(
        "sheep", "A dog brings sheep home if each minds enough of the others (Strömbom et al. 2014)."
    )
    rows = []
    for sheep in lab.pick((20,), (20, 50, 100), (20, 50, 100)):
        for share in lab.pick((0.3, 0.6, 1.0), SHARES, SHARES):
            scenario = flock(sheep, min(round(share * sheep), sheep - 1))
            rows.append(
                homecomings(lab, "share", scenario, lab.pick(4, 100, 200), lab.pick(1_500, 4_000, 8_000))
            )
    if not lab.quick:
        near = flock(201, 20, sight=SIDE)
        rows.append(homecomings(lab, "near dog", near, lab.pick(1, 100, 200), 8_000))
        rows.append(homecomings(lab, "near dog, dense start", near, lab.pick(1, 40, 200), 8_000, DENSE))
    columns = ("part", "sheep", "nearest", "share", "steps", "flocks", "home", "median_step")
    lab.table(columns, rows)
    draw(lab, rows)


if __name__ == "__main__":
    main()
