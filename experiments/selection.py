"""Does selection have the expected effect? Ten seeds of each scenario, against a control without that selection.

    python experiments/selection.py [--quick] [--first-seed 10]

arms-race: the speed of prey and of predators, against a world without bites and hunger. scarcity:
efficiency, against plenty of food. fear-and-flocking: sociability of prey, against predators that never hunt. Each run
gives one number, the mean gene at its end minus that of the founders; an exact, one-sided permutation test compares the
two groups of ten: how often would a random division of the twenty make the first ten exceed the others by as much?
"""

from __future__ import annotations

from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from report import COLORS, Experiment

import murmura as mm

SAMPLES = 40


class Question(NamedTuple):
    """A gene of a species in a scenario, and the change that removes selection on it."""

    scenario: str
    species: int
    gene: str
    control: dict[str, float]


NEUTRAL = {
    "rules.energy.decay": 0.0, "rules.combat.damage": 0.0, "rules.combat.bite_cost": 0.0,
    "rules.reproduction.energy_threshold": 0.0, "rules.reproduction.cost": 0.0,
}  # fmt: skip
PLENTY = {"rules.feeding.count": 60, "rules.feeding.amount": 60.0}
HARMLESS = {"rules.behavior.hunts_below": 0.0, "rules.behavior.chase_radius": 1.0}
QUESTIONS = (
    Question("arms-race", 0, "speed", NEUTRAL),
    Question("arms-race", 1, "speed", NEUTRAL),
    Question("scarcity", 0, "efficiency", PLENTY),
    Question("fear-and-flocking", 0, "sociability", HARMLESS),
)


def world(name: str, values: dict[str, Any]) -> mm.Scenario:
    """The scenario with these values, for all its species."""
    data = mm.load_scenario(name).model_dump(mode="json")
    for kind in data["species"]:
        kind["values"] = {path: value for path, value in kind["values"].items() if path not in values}
    return mm.Scenario.from_data(data).with_values(values)


def course(scenario: mm.Scenario, seed: int, seconds: float) -> dict[tuple[int, str], np.ndarray]:
    """Mean genes by species over time."""
    sim = mm.Simulation(scenario, seed=seed)
    steps = round(seconds / SAMPLES / scenario.motion.time_step)
    found: dict[tuple[int, str], list[float]] = {}
    for sample in range(SAMPLES + 1):
        kinds = sim.column("species")
        for kind in range(len(scenario.species)):
            for gene in ("speed", "efficiency", "sociability"):
                mine = sim.column(f"gene_{gene}")[kinds == kind]
                found.setdefault((kind, gene), []).append(float(mine.mean()) if len(mine) else np.nan)
        if sample < SAMPLES:
            sim.step(steps)
            sim.events()
    return {key: np.array(values) for key, values in found.items()}


def chance(first: np.ndarray, second: np.ndarray) -> float:
    """The share of all divisions into groups of these sizes whose means differ at least as much (one-sided)."""
    both = np.concatenate([first, second])
    picks = np.array(list(combinations(range(len(both)), len(first))))
    sums = both[picks].sum(axis=1)
    return float(np.mean(sums >= first.sum() - 1e-12))


def main() -> None:
    lab = Experiment(
        "selection",
        "Predation makes prey and predators faster; hunger makes thrifty; company may protect.",
        seeds=10,
    )
    seconds, seeds = lab.size(1500, 60), lab.seeds
    runs: dict[tuple[str, str, int], dict[tuple[int, str], np.ndarray]] = {}
    for name in dict.fromkeys(question.scenario for question in QUESTIONS):
        control = next(question.control for question in QUESTIONS if question.scenario == name)
        for label, values in (("selection", {}), ("control", control)):
            for seed in seeds:
                runs[name, label, seed] = course(world(name, values), seed, seconds)
            lab.say(f"{name}, {label}: {len(seeds)} runs")
    figure, axes = lab.figure(len(QUESTIONS), 3.6, 2.8)
    rows = []
    for question, ax in zip(QUESTIONS, axes, strict=True):
        kind = mm.load_scenario(question.scenario).species[question.species].name
        gains = {}
        for label, color in (("selection", COLORS[1]), ("control", COLORS[0])):
            curves = np.array(
                [runs[question.scenario, label, seed][question.species, question.gene] for seed in seeds]
            )
            minutes = np.arange(curves.shape[1]) * seconds / SAMPLES / 60.0
            ax.plot(minutes, curves.T, color=color, lw=0.5, alpha=0.4)
            ax.plot(minutes, np.nanmean(curves, axis=0), color=color, lw=2, label=label)
            gains[label] = curves[:, -1] - curves[:, 0]
            rows += [
                (question.scenario, kind, question.gene, label, seed, float(g))
                for seed, g in zip(seeds, gains[label], strict=True)
            ]
        luck = chance(gains["selection"], gains["control"])
        ax.set(title=f"{question.scenario}: {kind}, p = {luck:.2g}", xlabel="minutes", ylabel=question.gene)
        ax.legend(frameon=False)
        lab.say(
            f"{question.scenario}, {kind}: {question.gene} {np.mean(gains['selection']):+.3f} against "
            f"{np.mean(gains['control']):+.3f}, p = {luck:.2g}"
        )
    lab.table(("scenario", "species", "gene", "run", "seed", "gain"), rows)
    lab.save(figure)


if __name__ == "__main__":
    main()
