"""The scenarios of evolution as they ship, within minutes: causes of death, killers, and competition.

Tests choose the number of animals and the genes of the founders, but no value of a scenario. The one control, without
bites, says so.

`experiments/selection.py` shows that mean genes follow over half an hour, with ten seeds each against controls. These
tests check the mechanisms behind it, each of which would vanish if its gene did nothing. By chance, a score exceeds 2.5
once in 160 times.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

import numpy as np
import pytest

import murmura as mm
from murmura.lab.bench.workload import resized
from tests.sizes import IS_LONG, size

PREY, PREDATOR = 0, 1
LEAST_SCORE = 2.5
EXPLORER, KILLERS, KINDS = 0, 4, 5  # in the ecosystem


def score(differences: list[float]) -> float:
    """How many standard errors a mean of standardised differences lies from 0."""
    return float(np.mean(differences)) * len(differences) ** 0.5


class Watched:
    """Some minutes of a scenario: the genes of all observed agents, and how dead ones differ from those alive then.

    Founders vary more than usual in these genes, so that a few minutes of selection suffice.
    """

    def __init__(self, name: str, genes: tuple[str, ...], seed: int, minutes: float, spread: float) -> None:
        sim = mm.Simulation(name, seed=seed, backend="cpu", threads=1)
        founders, rng = sim.state.copy(), np.random.default_rng(seed)
        for gene in genes:
            column = founders[f"gene_{gene}"]
            column[:] = np.clip(column + rng.uniform(-spread, spread, len(column)), 0.0, 1.0)
        sim.load_state(founders)
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
    """Two minutes among hunters with one gene value for all founders of prey: its deaths by cause, and its company."""
    sim = mm.Simulation("fear-and-flocking", seed=1, backend="cpu", threads=1)
    founders = sim.state.copy()
    founders[f"gene_{gene}"][founders["species"] == PREY] = value
    sim.load_state(founders)
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
    """Whether company protects is another question, of the long version and docs/evolution.md."""
    (_, alone), (_, together) = hunted("sociability", 0.05), hunted("sociability", 0.95)
    assert together > 1.6 * alone > 1.0


# S3-45
@pytest.mark.skipif(not IS_LONG, reason="24 seeds for a small effect: MURMURA_LONG=1")
def test_company_protects_a_little() -> None:
    """Relatives die together, so a seed counts as one observation."""
    found: dict[str, list[float]] = {"sociability": [], "hue": []}
    for seed in range(200, 224):
        seen = Watched("fear-and-flocking", tuple(found), seed, minutes=8.0, spread=0.5)
        for gene, means in found.items():
            means.append(float(np.mean(seen.dead["predation", PREY, gene])))
    t = {gene: float(np.mean(m) / (np.std(m, ddof=1) / len(m) ** 0.5)) for gene, m in found.items()}
    assert t["sociability"] < -LEAST_SCORE
    assert abs(t["hue"]) < LEAST_SCORE, "colour must not protect"


@cache
def populations(bites: bool, rivals: bool) -> tuple[int, ...]:
    """The ecosystem with fewer animals, after 200 s: how many there are of each kind."""
    scenario = resized(mm.load_scenario("ecosystem"), 200)
    if not bites:
        scenario = scenario.with_values({"rules.combat.damage": 0.0})
    sim = mm.Simulation(scenario, seed=1, backend="cpu", threads=1)
    kinds = sim.column("species")
    if not rivals:
        sim.remove_agents(sim.ids[(kinds != EXPLORER) & (kinds != KILLERS)])
    sim.step(2000)
    return tuple(np.bincount(sim.column("species"), minlength=5).tolist())


def test_hunters_live_on_prey_and_limit_it() -> None:
    *prey, hunters = populations(True, True)
    *free, toothless = populations(False, True)
    assert hunters > 40 and sum(prey) > 200
    assert toothless < 5
    assert sum(free) > 1.5 * sum(prey)


def test_kinds_crowd_each_other_out() -> None:
    assert populations(True, False)[EXPLORER] > 3 * populations(True, True)[EXPLORER]


# S3-45, S3-46: with seeds on which nothing was tuned
def test_no_kind_is_the_best_everywhere() -> None:
    """All kinds live for half an hour, however they compete."""
    seeds, minutes = range(101, 101 + size(1, 20)), size(10, 30)
    complete = 0
    for seed in seeds:
        sim = mm.Simulation("ecosystem", seed=seed, backend="cpu", threads=1)
        sim.step(round(minutes * 60 / sim.scenario.motion.time_step))
        complete += bool((np.bincount(sim.column("species"), minlength=KINDS) > 0).all())
    assert complete >= 0.75 * len(seeds)
