"""The scenario `emergent` against a transcription of document 003's evaluateBoidBehavior, animal by animal."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import murmura as mm
from murmura.engine.reading.surroundings import FOOD_COLUMNS
from murmura.rules.evolution.stances import Stance

PREY, PREDATOR = 0, 1
FLOCKMATES = ("flocking", "idle")  # the document does not say what an animal without a flock does


def evaluate(
    me: int, state: Any, near: list[tuple[int, float]], has_food: bool, ready: Any, rule: Any
) -> str:
    """The document's ladder, in its order; `near`: rows and distances of the animals it perceives."""
    kinds = state["species"]
    role = int(kinds[me])
    predators = [j for j, d in near if kinds[j] == PREDATOR and d <= rule.fear_radius]
    reach = rule.chase_radius * float(state["gene_aggression"][me])
    prey = [j for j, d in near if kinds[j] == PREY and d <= reach]
    if role == PREY and predators:
        return "fleeing"
    if role == PREDATOR and prey:
        return "hunting"
    if state["energy"][me] < 0.3 and has_food:
        return "seeking_food"
    partners = [j for j, d in near if kinds[j] == role and ready[j] and d <= rule.mate_radius]
    if ready[me] and partners:
        return "mating"
    return "flocking"


def food_near(sim: Any, state: Any, i: int) -> bool:
    """Whether food of its own kind is within reach."""
    x, y = state["position_x"][i], state["position_y"][i]
    world, rules = sim.scenario.world, sim.scenario.rules

    def within(px: float, py: float, reach: float) -> bool:
        dx, dy = (math.remainder(a, size) for a, size in ((px - x, world.width), (py - y, world.height)))
        return math.hypot(dx, dy) <= reach

    if state["species"][i] == PREDATOR:
        rows = state.items["remains"]
        return any(row[3] > 0.0 and within(row[1], row[2], rules.remains.sense) for row in rows.tolist())
    at = {name: FOOD_COLUMNS.index(name) for name in ("x", "y", "room")}
    rows = state.items["feeding"].tolist()
    return any(
        row[at["room"]] > 0 and within(row[at["x"]], row[at["y"]], rules.feeding.reach) for row in rows
    )


# S3-14 to S3-19
def test_emergent_follows_the_documents_ladder() -> None:
    sim = mm.Simulation(mm.load_scenario("emergent"), seed=2, backend="cpu")
    seen: set[str] = set()
    compared = 0
    for turn in range(9):
        sim.step(60)
        state = sim.state.copy()
        ids = state.ids.tolist()
        row_of = {k: row for row, k in enumerate(ids)}
        expected = {}
        world = sim.scenario.world
        ready = state["ready"] == 1
        for i, k in enumerate(ids):
            energy, stance = float(state["energy"][i]), Stance(int(state["stance"][i]))
            if i % 4 != turn % 4 and state["energy"][i] >= 0.3:  # all hungry ones, which are few
                continue
            # At food it eats until sated, and a step may carry energy over the threshold.
            if stance == Stance.SEEKING_FOOD or abs(energy - 0.3) < 0.01 or state["health"][i] <= 0.0:
                continue
            near = []
            for other in sim.neighbors(k).tolist():
                j = row_of[other]
                d = [
                    math.remainder(float(state[c][j] - state[c][i]), size)
                    for c, size in (("position_x", world.width), ("position_y", world.height))
                ]
                near.append((j, math.hypot(*d)))
            expected[k] = evaluate(
                i, state, near, food_near(sim, state, i), ready, sim.scenario.rules.behavior
            )
        sim.step()
        now = dict(zip(sim.ids.tolist(), sim.column("stance").tolist(), strict=True))
        for k, wanted in expected.items():
            if k not in now:
                continue
            found = Stance(int(now[k])).name.lower()
            assert found == wanted or (wanted == "flocking" and found in FLOCKMATES), (sim.step_count, k)
            seen.add(found)
            compared += 1
    assert compared > 250
    assert seen >= {"fleeing", "hunting", "flocking", "mating", "seeking_food"}


def test_emergent_has_the_documents_numbers() -> None:
    scenario = mm.load_scenario("emergent")
    for kind in (PREY, PREDATOR):
        rules = scenario.of_species(kind).rules
        b = rules.behavior
        holds = (
            b.least_idle,
            b.least_flocking,
            b.least_fleeing,
            b.least_hunting,
            b.least_food,
            b.least_mating,
        )
        assert b.decision == "ladder" and not np.any(holds)
        assert (rules.feeding.hungry_below, b.hungry_below, b.hunts_below, b.sprint) == (0.3, 0.3, 1.0, 0.0)
        assert rules.reproduction.keeps == 0.5
        assert rules.combat.food_healing == 0.5
    assert scenario.motion.panic_speed == 1.0
