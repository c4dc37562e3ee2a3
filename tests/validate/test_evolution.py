"""The scenarios of evolution within minutes: causes of death, killers, and competition.

`experiments/selection.py` shows that mean genes follow over half an hour, with ten seeds each against controls. These
tests check the mechanisms behind it, each of which would vanish if its gene did nothing. By chance, a score exceeds 2.5
once in 160 times.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

import numpy as np

import murmura as mm
from murmura.lab.bench.workload import resized

PREY, PREDATOR = 0, 1
LEAST_SCORE = 2.5
EXPLORER, KILLERS = 0, 4  # in the ecosystem


def score(differences: list[float]) -> float:
    """How many standard errors a mean of standardised differences lies from 0."""
    return float(np.mean(differences)) * len(differences) ** 0.5


class Watched:
    """Some minutes of a scenario: the genes of all observed agents, and how dead ones differ from those alive then.

    Founders vary more than in the scenario, so that a few minutes of selection suffice.
    """

    def __init__(self, name: str, genes: tuple[str, ...], seed: int, minutes: float, spread: float) -> None:
        scenario = mm.load_scenario(name).with_values({"rules.genome.spread": spread})
        sim = mm.Simulation(scenario, seed=seed, backend="cpu", threads=1)
        self.genes: dict[str, dict[int, float]] = {gene: {} for gene in genes}
        self.kinds: dict[int, int] = {}
        self.kills: Counter[int] = Counter()
        self.dead: dict[tuple[str, int, str], list[float]] = {}
        for _ in range(round(minutes * 60)):
            self._look(sim)
            sim.step(10)
            for event in sim.events():
                if event["kind"] == "death" and event["id"] in self.kinds:  # a newborn may die unseen
                    self._note(event)

    def _look(self, sim: mm.Simulation) -> None:
        ids, kinds = sim.ids.tolist(), sim.column("species")
        self.kinds.update(zip(ids, kinds.tolist(), strict=True))
        self.usual = {}
        for gene, known in self.genes.items():
            values = sim.column(f"gene_{gene}")
            known.update(zip(ids, values.tolist(), strict=True))
            for kind in np.unique(kinds).tolist():
                mine = values[kinds == kind]
                self.usual[gene, kind] = float(mine.mean()), float(mine.std())

    def _note(self, event: dict[str, Any]) -> None:
        kind = self.kinds[event["id"]]
        for gene, known in self.genes.items():
            mean, deviation = self.usual[gene, kind]
            different = (known[event["id"]] - mean) / max(deviation, 1e-9)
            self.dead.setdefault((event["cause"], kind, gene), []).append(different)
        if event["cause"] == "predation":
            self.kills[event["other"]] += 1

    def kills_score(self, gene: str, kind: int) -> float:
        """How far kills correlate with a gene among all hunters that lived, in standard errors."""
        hunters = [agent for agent, own in self.kinds.items() if own == kind]
        values = np.array([self.genes[gene][agent] for agent in hunters])
        kills = np.array([self.kills[agent] for agent in hunters], float)
        return float(np.corrcoef(values, kills)[0, 1]) * (len(hunters) - 1) ** 0.5


# S3-30
def test_hunters_catch_slow_prey_and_fast_hunters_catch_more() -> None:
    seen = Watched("arms-race", ("speed", "hue"), seed=2, minutes=7.0, spread=0.25)
    caught = seen.dead["predation", PREY, "speed"]
    assert len(caught) > 60
    assert score(caught) < -LEAST_SCORE
    assert abs(score(seen.dead["predation", PREY, "hue"])) < LEAST_SCORE, "colour must not protect"
    assert seen.kills_score("speed", PREDATOR) > LEAST_SCORE


# S3-45
def test_wasteful_animals_starve() -> None:
    seen = Watched("scarcity", ("efficiency", "hue"), seed=1, minutes=5.0, spread=0.4)
    for kind in range(2):
        starved = seen.dead["starvation", kind, "efficiency"]
        assert len(starved) > 200
        assert score(starved) < -LEAST_SCORE
        assert abs(score(seen.dead["starvation", kind, "hue"])) < LEAST_SCORE, "colour must not feed"


def hunted(gene: str, value: float) -> tuple[Counter[str], float]:
    """Two minutes among hunters with one gene value for all prey: deaths of prey by cause, and mean company."""
    data = mm.load_scenario("fear-and-flocking").model_dump(mode="json")
    data["species"][PREY]["values"][f"rules.genome.{gene}"] = value
    scenario = mm.Scenario.from_data(data).with_values({"rules.reproduction.mutation_rate": 0.0})
    sim = mm.Simulation(scenario, seed=1, backend="cpu", threads=1)
    deaths: Counter[str] = Counter()
    company = []
    for _ in range(12):
        prey = set(sim.ids[sim.column("species") == PREY].tolist())
        sim.step(100)
        deaths.update(e["cause"] for e in sim.events() if e["kind"] == "death" and e["id"] in prey)
        company.append(_company(sim))
    return deaths, float(np.mean(company))


def _company(sim: mm.Simulation) -> float:
    """How many of its kind an animal of prey has within the flocking radius."""
    places = sim.positions[sim.column("species") == PREY].astype(float)
    size = np.array([sim.scenario.world.width, sim.scenario.world.height])
    gaps = places[:, None] - places[None]
    gaps -= size * np.round(gaps / size)
    return float((np.hypot(*gaps.T) < 50.0).sum(axis=1).mean()) - 1.0


# S3-7, S3-45
def test_fear_protects_from_hunters_at_the_cost_of_hunger() -> None:
    (bold, _), (afraid, _) = hunted("fear", 0.0), hunted("fear", 1.0)
    assert bold["predation"] > 30
    assert afraid["predation"] < 0.6 * bold["predation"]
    assert afraid["starvation"] > 1.25 * bold["starvation"]


# S3-33 to S3-35
def test_sociable_animals_have_company() -> None:
    """Whether company protects is another question; docs/evolution.md answers it: no more than by chance."""
    (_, alone), (_, together) = hunted("sociability", 0.05), hunted("sociability", 0.95)
    assert together > 1.6 * alone > 1.0


@cache
def populations(damage: float, rivals: bool) -> tuple[int, ...]:
    """The ecosystem in a smaller world, after 200 s: how many there are of each kind."""
    scenario = resized(mm.load_scenario("ecosystem"), 200).with_values({"rules.combat.damage": damage})
    sim = mm.Simulation(scenario, seed=1, backend="cpu", threads=1)
    kinds = sim.column("species")
    if not rivals:
        sim.remove_agents(sim.ids[(kinds != EXPLORER) & (kinds != KILLERS)])
    sim.step(2000)
    return tuple(np.bincount(sim.column("species"), minlength=5).tolist())


def test_hunters_live_on_prey_and_limit_it() -> None:
    *prey, hunters = populations(40.0, True)
    *free, toothless = populations(0.0, True)
    assert hunters > 40 and sum(prey) > 200
    assert toothless < 5
    assert sum(free) > 1.5 * sum(prey)


def test_kinds_crowd_each_other_out() -> None:
    assert populations(40.0, False)[EXPLORER] > 3 * populations(40.0, True)[EXPLORER]
