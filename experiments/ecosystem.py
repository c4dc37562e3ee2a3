"""The ecosystem of document 003 survives: ten seeds, half an hour of simulated time each, after a parameter sweep.

    python experiments/ecosystem.py [--quick] [--first-seed 10]

The sweep (half as long, one seed) varies what decides between extinction and explosion: the maximum number of
predators, how fast they get hungry, and how much aggression speeds up a hunter. A setting is good if prey and
predators both survive to the end.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from report import COLORS, Experiment

import murmura as mm

SAMPLES = 60


def with_predators(values: dict[str, float]) -> mm.Scenario:
    """The ecosystem with other parameters of its predators."""
    data = mm.load_scenario("ecosystem").model_dump(mode="json")
    predators = data["species"][-1]
    predators["values"] |= {f"rules.{path}": value for path, value in values.items()}
    return mm.Scenario.from_data(data)


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


def sweep(lab: Experiment, seconds: float) -> list[list[Any]]:
    rows: list[list[Any]] = []
    settings = [(cap, 0.0015, 0.5) for cap in (30.0, 60.0, 120.0)]
    settings += [(60.0, decay, 0.5) for decay in (0.00075, 0.003)] + [
        (60.0, 0.0015, sprint) for sprint in (0.0, 1.0)
    ]
    for cap, decay, sprint in settings[: lab.size(len(settings), 1)]:
        numbers = {
            "reproduction.most_of_kind": cap,
            "energy.decay": decay,
            "behavior.sprint": sprint,
        }
        for seed in range(100, 101):
            found, _, _ = lived(with_predators(numbers), seed, seconds)
            prey, predators = found[:, :-1].sum(axis=1), found[:, -1]
            fine = bool(prey[-1] > 0 and predators[-1] > 0)
            rows.append(
                ["sweep", seed, cap, decay, sprint, int(prey.min()), int(prey[-1]), int(predators[-1]), fine]
            )
            lab.say(
                f"cap {cap:g}, decay {decay:g}, sprint {sprint:g}: {prey[-1]} prey, {predators[-1]} predators"
            )
    return rows


def main() -> None:
    lab = Experiment(
        "ecosystem", "Prey and predators of document 003 live together for half an hour and more.", seeds=10
    )
    seconds = lab.size(1800, 60)
    scenario = mm.load_scenario("ecosystem")
    rows = [] if lab.seeds[0] else sweep(lab, seconds / 2)  # with other seeds only the chosen setting
    own = scenario.species[-1].values
    numbers = [own[f"rules.{p}"] for p in ("reproduction.most_of_kind", "energy.decay", "behavior.sprint")]
    figure, axes = lab.figure(len(lab.seeds), 2.6, 2.2)
    for seed, ax in zip(lab.seeds, axes, strict=True):
        found, deaths, generation = lived(scenario, seed, seconds)
        minutes = (np.arange(len(found)) + 1) * seconds / SAMPLES / 60.0
        for kind, color, counts in zip(scenario.species, COLORS, found.T, strict=False):
            ax.plot(minutes, counts, color=color, lw=1.2, label=kind.name)
        ax.set(title=f"seed {seed}", xlabel="minutes", ylim=(0, None))
        prey, predators = found[:, :-1].sum(axis=1), found[:, -1]
        fine = bool(prey[-1] > 0 and predators[-1] > 0)
        rows.append(["shipped", seed, *numbers, int(prey.min()), int(prey[-1]), int(predators[-1]), fine])
        lab.say(f"seed {seed}: {found[-1].tolist()} alive, generation {generation:.0f}, {dict(deaths)}")
    axes[0].legend(frameon=False, fontsize=7)
    lab.table(
        ("run", "seed", "cap", "decay", "sprint", "least_prey", "prey", "predators", "both_live"),
        rows,
    )
    lab.save(figure)


if __name__ == "__main__":
    main()
