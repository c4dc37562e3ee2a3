"""Bites, shells, knockback, injuries, healing and death; carcasses and warnings."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from .wild import DT, PREDATOR, PREY, deaths, wild

NEAR = [[500, 500], [508, 500]]
PAIR = [PREDATOR, PREY]
CALM = {"rules.combat.regeneration": 0.0, "rules.combat.damage": 20.0, "rules.combat.strike_back": 0.0}


PLAIN = {"gene_maturity": 0.0, "part_spike": 0.0}


def attack(values: dict[str, Any] | None = None, steps: int = 2, places: Any = NEAR, **columns: Any) -> Any:
    """A predator beside its prey, after some steps."""
    sim = wild(places, PAIR, CALM | {"motion.max_speed": 0.01} | (values or {}), columns=columns)
    sim.step(steps)
    return sim


def lost(sim: Any, agent: int = 1) -> float:
    """What bites have taken from an animal, in units of health."""
    size = float(sim.column("gene_size")[agent])
    growth = 1.0 + 0.3 * float(sim.column("gene_maturity")[agent])
    return (1.0 - float(sim.column("health")[agent])) * 200.0 * size * growth


# S3-21, S3-22, S3-37, S3-39: damage by size, aggression and spikes, less what shells absorb
@pytest.mark.parametrize(
    ("aggression", "spikes", "shells"), [(1.0, 0, 0), (0.8, 3, 0), (1.0, 0, 2), (1.0, 0, 5)]
)
def test_damage(aggression: float, spikes: int, shells: int) -> None:
    sim = attack(gene_aggression=aggression, part_spike=spikes, part_shell=shells, gene_maturity=0.0)
    expected = 20.0 * 1.3 * (1 + 0.5 * aggression) * (1 + 0.15 * spikes) * (1 - min(0.9, 0.3 * shells))
    assert lost(sim) == pytest.approx(expected, rel=1e-4)


# S3-21: beyond the range nothing happens
@pytest.mark.parametrize(("distance", "hurt"), [(11.9, True), (12.1, False)])
def test_attack_range(distance: float, hurt: bool) -> None:
    sim = attack(places=[[500, 500], [500 + distance, 500]])
    assert (lost(sim) > 0.0) == hurt


# S3-21, S3-22: a bite hurts whether or not the prey sees its biter, and is paid for either way
@pytest.mark.parametrize("view", [360.0, 270.0, 180.0])
def test_a_bite_from_behind_hurts(view: float, backend: str) -> None:
    values = CALM | {"perception.field_of_view": view, "rules.combat.strike_back": 10.0}
    places, away = [[500.0, 500.0], [508.0, 500.0]], [[2.0, 0.0], [2.0, 0.0]]
    sim = wild(places, PAIR, values, velocities=away, backend=backend, columns=PLAIN)
    assert (0 in sim.neighbors(1)) == (view == 360.0)
    before = sim.column("energy").copy()
    sim.step(2)
    assert sim.column("energy")[0] < before[0]
    expected = 20.0 * 1.3 * (1 + 0.5 * sim.column("gene_aggression")[0])
    assert lost(sim) == pytest.approx(expected, rel=1e-4)
    assert lost(sim, 0) > 0.0, "and the victim strikes back"


# S3-20: no attack while the cooldown runs, which is a whole number of steps
@pytest.mark.parametrize(("cooldown", "between"), [(1.0, 10), (0.5, 5), (0.3, 3), (0.1, 1), (0.0, 1)])
def test_cooldown(cooldown: float, between: int, backend: str) -> None:
    values = CALM | {"motion.max_speed": 0.01, "rules.combat.cooldown": cooldown, "rules.combat.damage": 1.0}
    sim = wild(NEAR, PAIR, values, backend=backend)
    bitten = []
    health = 1.0
    for step in range(35):
        sim.step()
        now = float(sim.column("health")[1])
        if now < health:
            bitten.append(step)
        health = now
    assert bitten[0] == 1 and set(np.diff(bitten)) == {between}


# S3-21: one attack at a time, the nearest
def test_one_victim_at_a_time() -> None:
    sim = wild(
        [[500, 500], [508, 500], [494, 500]], [PREDATOR, PREY, PREY], CALM | {"motion.max_speed": 0.01}
    )
    sim.step(2)
    assert (sim.column("health") < 1.0).tolist() == [False, False, True]


# S3-23: applied to the velocity itself, also of prey in full flight and of prey bitten from the side
@pytest.mark.parametrize("velocity", [(0.0, 0.0), (4.4, 0.0), (0.0, 4.4), (-4.4, 0.0)])
def test_knockback_drives_the_prey_away(velocity: tuple[float, float], backend: str) -> None:
    kicked, spared = (
        wild(
            NEAR, PAIR, CALM | {"rules.combat.knockback": force},
            velocities=[[0.0, 0.0], velocity], columns={"gene_force": 0.02}, backend=backend,
        )
        for force in (3.0, 0.0)
    )  # fmt: skip
    for sim in (kicked, spared):
        sim.step()
    way = spared.positions[1] - spared.positions[0]
    for sim in (kicked, spared):
        sim.step()
    # The speed cap acts from the next step on.
    gained = kicked.velocities[1] - spared.velocities[1]
    assert gained == pytest.approx(3.0 * way / np.hypot(*way), abs=3e-3)


# S3-24, S3-26
def test_without_health_it_dies_of_predation() -> None:
    sim = attack(health=[1.0, 0.01], steps=3)
    assert deaths(sim) == [(1, "predation", 0)]
    assert sim.ids.tolist() == [0]


# S3-25, S3-26: energy is separate, and running out of it is fatal too
def test_health_and_energy_are_separate() -> None:
    sim = attack({"rules.combat.bite_cost": 0.0})
    assert sim.column("energy").tolist() == [1.0, 1.0] and sim.column("health")[1] < 1.0
    starved = wild([[100, 100]], [PREY], {"rules.energy.decay": 0.01}, columns={"energy": 0.0005})
    starved.step(3)
    assert deaths(starved) == [(0, "starvation", None)]


# S3-45: aggressive animals risk injury, and may die of it
def test_prey_strikes_back() -> None:
    meek, bold = (attack({"rules.combat.strike_back": 10.0}, gene_aggression=a) for a in (0.2, 1.0))
    assert lost(bold, 0) == pytest.approx(10.0, rel=1e-3) and lost(meek, 0) == pytest.approx(2.0, rel=1e-3)
    armed = attack({"rules.combat.strike_back": 10.0}, gene_aggression=1.0, part_spike=[0, 4])
    assert lost(armed, 0) == pytest.approx(16.0, rel=1e-3)
    fallen = attack({"rules.combat.strike_back": 10.0}, steps=3, health=[0.01, 1.0])
    assert deaths(fallen) == [(0, "combat", 1)]


# Size and slow growth make animals sturdy
@pytest.mark.parametrize("column", ["gene_size", "gene_maturity"])
def test_sturdy_bodies(column: str) -> None:
    weak, strong = (attack(**{column: [1.0, value]}).column("health")[1] for value in (0.5, 1.0))
    assert strong > weak


# S3-27
def test_time_heals() -> None:
    sim = wild([[100, 100]], [PREY], {"rules.combat.regeneration": 0.02}, columns={"health": 0.9})
    sim.step(10)
    assert sim.column("health")[0] == pytest.approx(0.9 + 0.02 * 10 * DT, rel=1e-4)
    sim.step(45)
    assert sim.column("health")[0] == 1.0


# S3-28: half of the energy gained, in units of both: 150 of energy and 200 of health for size 1
@pytest.mark.parametrize(("size", "maturity"), [(1.0, 0.0), (2.0, 0.5)])
def test_food_heals(size: float, maturity: float) -> None:
    food = {
        "rules.feeding.sources": [{"x": 500.0, "y": 500.0}],
        "rules.feeding.count": 0,
        "rules.feeding.reach": 50.0,
    }
    columns = {
        "health": 0.3,
        "energy": 0.4,
        "energy_before": 0.4,
        "feeding_state": 3,
        "target_food_id": 0,
        "stance": 4,
        "gene_size": size,
        "gene_maturity": maturity,
    }
    sim = wild([[500, 500]], [PREY], CALM | food, columns=columns)
    sim.step(8)
    gained = (float(sim.column("energy")[0]) - 0.4) * 150.0 * size
    assert gained > 10.0
    healed = (float(sim.column("health")[0]) - 0.3) * 200.0 * size * (1.0 + 0.3 * maturity)
    assert healed == pytest.approx(0.5 * gained, rel=1e-4)


def killed(**columns: Any) -> Any:
    sim = attack({"rules.combat.cooldown": 10.0}, steps=2, health=[1.0, 0.01], **columns)
    sim.step(2)
    return sim


def test_killed_animals_leave_a_carcass_and_a_warning() -> None:
    sim = killed()
    (row,) = np.flatnonzero(sim.state.items["remains"][:, 3] > 0.0)
    slot, x, y, amount, strength, *_ = sim.state.items["remains"][row].tolist()
    assert slot == 1.0, "its id modulo the number of slots"
    np.testing.assert_allclose([x, y], [508, 500], atol=0.1)
    assert amount == pytest.approx(0.8, rel=0.1) and strength > 0.9


def test_predators_eat_carcasses_and_take_no_more_than_is_there() -> None:
    sim = killed(energy=[0.2, 1.0])
    whole = float(sim.state.items["remains"][:, 3].sum())
    before = float(sim.column("energy")[0])
    sim.step(10)
    taken = whole - float(sim.state.items["remains"][:, 3].sum())
    # What a step takes from the carcass is eaten in the next one.
    assert (float(sim.column("energy")[0]) - before) * 1.3 == pytest.approx(taken, abs=0.03)
    assert taken > 0.2
    sim.step(100)
    assert sim.state.items["remains"][:, 3].sum() == 0.0
    assert sim.column("energy")[0] <= 1.0


def test_a_meal_at_a_carcass_is_reported_bite_by_bite() -> None:
    sim = killed(energy=[0.2, 1.0])
    whole = float(sim.state.items["remains"][1, [3, 5]].sum())  # with what is taken but not yet eaten
    before = float(sim.column("energy")[0])
    sim.events()
    sim.step(50)
    meals = [e for e in sim.events() if e["kind"] == "meal"]
    assert {(e["id"], e["other"]) for e in meals} == {(0, 1)}, "the eater, and the number of the place"
    eaten = sum(e["amount"] for e in meals)
    assert eaten == pytest.approx(whole - float(sim.state.items["remains"][1, [3, 5]].sum()), abs=1e-5)
    assert (float(sim.column("energy")[0]) - before) * 1.3 == pytest.approx(eaten, abs=1e-3) and eaten > 0.4
    steps = [e["step"] for e in meals]
    assert len(set(steps)) == len(steps) and max(e["amount"] for e in meals) <= 0.0251


def test_prey_keeps_away_from_places_of_death() -> None:
    sim = killed()
    sim.add_agents([[530.0, 500.0]], [[0.0, 0.0]], {"species": [PREY]})
    sim.remove_agents([0])
    fx, fy = sim.explain(2)["rules"]["remains"]["force"]
    assert fx > 0.0 and abs(fy) < 0.1 * fx


def test_remains_are_gone_after_their_time() -> None:
    sim = killed()
    sim.remove_agents([0])
    sim.step(310)
    assert (sim.state.items["remains"][:, 3:5] == 0.0).all()


def test_two_that_die_together_and_share_a_slot_leave_nothing() -> None:
    """Slots are assigned by id modulo their number: of two, agents 1 and 3 share one, and 2 has the other."""
    places = [[500, 500], [508, 500], [300, 500], [308, 500], [700, 500], [708, 500]]
    kinds = [PREDATOR, PREY, PREY, PREDATOR, PREDATOR, PREY]
    for doomed, left in (((1, 5), 0), ((1, 2), 2)):
        sim = wild(
            places, kinds, CALM | {"motion.max_speed": 0.01, "rules.remains.places": 2},
            columns={"health": [0.01 if k in doomed else 1.0 for k in range(6)]},
        )  # fmt: skip
        sim.step(3)
        assert {agent for agent, _, _ in deaths(sim)} == set(doomed)
        assert (sim.state.items["remains"][:, 4] > 0.0).sum() == left
