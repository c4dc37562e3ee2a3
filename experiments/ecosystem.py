"""The ecosystem of document 003 survives: ten seeds, half an hour of simulated time each, after a parameter sweep.

    python experiments/ecosystem.py [--quick] [--first-seed 10]

The sweep (half as long, one seed) varies what decides between extinction and explosion: the maximum number of
predators, how fast they get hungry, how much aggression speeds up a hunter, how much food a source holds, and how far
the explorers notice it. A setting is good if all kinds survive to the end.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from report import COLORS, Experiment

import murmura as mm

SAMPLES = 60


NUMBERS = {
    "cap": ("predator", "reproduction.most_of_kind"), "hunger": ("predator", "energy.decay"),
    "sprint": ("predator", "behavior.sprint"), "food": ("", "feeding.amount"), "reach": ("explorer", "feeding.reach"),
}  # fmt: skip
"""What the sweep varies: of which species, or of all."""
SWEEP: tuple[dict[str, float], ...] = (
    {}, {"cap": 30.0}, {"cap": 120.0}, {"hunger": 0.00075}, {"hunger": 0.003}, {"sprint": 0.0}, {"sprint": 1.0},
    {"food": 30.0}, {"reach": 200.0}, {"food": 30.0, "reach": 200.0},
)  # fmt: skip


def changed(numbers: dict[str, float]) -> mm.Scenario:
    """The ecosystem with other numbers."""
    data = mm.load_scenario("ecosystem").model_dump(mode="json")
    common: dict[str, float] = {}
    for name, value in numbers.items():
        owner, path = NUMBERS[name]
        kinds = [kind for kind in data["species"] if kind["name"] == owner]
        (kinds[0]["values"] if kinds else common)[f"rules.{path}"] = value
    return mm.Scenario.from_data(data).with_values(common)


def numbers_of(scenario: mm.Scenario) -> list[float]:
    """The values of what the sweep varies."""
    names = [kind.name for kind in scenario.species]
    found = []
    for owner, path in NUMBERS.values():
        rule, _, field = path.partition(".")
        own = scenario.of_species(names.index(owner)) if owner else scenario
        found.append(float(getattr(getattr(own.rules, rule), field)))
    return found


def lived(scenario: mm.Scenario, seed: int, seconds: float) -> tuple[np.ndarray, Counter[str], float]:
    """Populations by species over time (rows: samples), deaths by cause, and the last mean generation."""
    sim = mm.Simulation(scenario, seed=seed)
    steps = round(seconds / SAMPLES / scenario.motion.time_step)
    found, deaths = [], Counter[str]()
    for _ in range(SAMPLES):
        sim.step(steps)
        deaths.update(e["cause"] for e in sim.events() if e["kind"] == "death")
        found.append(np.bincount(sim.column("species"), minlength=len(scenario.species)))
        if found[-1].sum() == 0:
            break
    generation = float(sim.column("generation").mean()) if sim.agent_count else 0.0
    return np.array(found), deaths, generation


def row(run: str, seed: int, scenario: mm.Scenario, found: np.ndarray) -> list[Any]:
    """One row of the table."""
    least, last = int(found[:, :-1].sum(axis=1).min()), found[-1]
    return [run, seed, *numbers_of(scenario), least, *last.tolist(), bool((last > 0).all())]


def sweep(lab: Experiment, seconds: float) -> list[list[Any]]:
    rows: list[list[Any]] = []
    for numbers in SWEEP[: lab.size(len(SWEEP), 1)]:
        scenario = changed(numbers)
        found, _, _ = lived(scenario, 100, seconds)
        rows.append(row("sweep", 100, scenario, found))
        lab.say(f"{numbers or 'as shipped'}: {found[-1].tolist()} alive")
    return rows


def main() -> None:
    lab = Experiment(
        "ecosystem", "Prey and predators of document 003 live together for half an hour and more.", seeds=10
    )
    seconds = lab.size(1800, 60)
    scenario = mm.load_scenario("ecosystem")
    rows = [] if lab.seeds[0] else sweep(lab, seconds / 2)  # with other seeds only the chosen setting
    figure, axes = lab.figure(len(lab.seeds), 2.6, 2.2)
    for seed, ax in zip(lab.seeds, axes, strict=True):
        found, deaths, generation = lived(scenario, seed, seconds)
        minutes = (np.arange(len(found)) + 1) * seconds / SAMPLES / 60.0
        for kind, color, counts in zip(scenario.species, COLORS, found.T, strict=False):
            ax.plot(minutes, counts, color=color, lw=1.2, label=kind.name)
        ax.set(title=f"seed {seed}", xlabel="minutes", ylim=(0, None))
        rows.append(row("shipped", seed, scenario, found))
        lab.say(f"seed {seed}: {found[-1].tolist()} alive, generation {generation:.0f}, {dict(deaths)}")
    axes[0].legend(frameon=False, fontsize=7)
    kinds = [kind.name for kind in scenario.species]
    lab.table(("run", "seed", *NUMBERS, "least_prey", *kinds, "all_live"), rows)
    lab.save(figure)


if __name__ == "__main__":
    main()
