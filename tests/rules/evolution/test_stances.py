"""What an animal does and why: the order of stances, scores, minimum times, fear, chase and food."""

from __future__ import annotations

import numpy as np
import pytest

from murmura.rules.evolution.stances import REASONS, STANCES, Reason, Stance

from .wild import DT, PREDATOR, PREY, stances, wild

FOOD = {
    "rules.feeding.sources": [{"x": 540.0, "y": 500.0}],
    "rules.feeding.count": 0,
    "rules.feeding.reach": 100.0,
}
ADULT = {"age": 50.0}


# S3-12
def test_every_stance_and_reason_has_words() -> None:
    assert [stance.name.lower() for stance in Stance] == [
        "idle", "flocking", "fleeing", "hunting", "seeking_food", "mating",
    ]  # fmt: skip
    assert set(STANCES) == set(Stance) and set(REASONS) == set(Reason)


# S3-13, S3-14, S3-15, S3-19: prey flees, its predator hunts, whatever else there is
def test_fear_and_prey_come_first() -> None:
    sim = wild(
        [[500, 500], [590, 500], [505, 500]],
        [PREY, PREDATOR, PREY],
        FOOD,
        columns=ADULT | {"energy": [0.1, 0.5, 0.9]},
    )
    sim.step()
    assert stances(sim) == ["fleeing", "hunting", "fleeing"]
    told = sim.explain(0)
    assert told["stance"]["reason"] == REASONS[Reason.PREDATOR_NEAR]
    assert sim.explain(1)["stance"]["reason"] == REASONS[Reason.PREY_NEAR]
    assert "fleeing" in told["doing"][0] and "predator" in told["doing"][0]
    quiet = {name: np.hypot(*rule["force"]) for name, rule in told["rules"].items() if name != "behavior"}
    assert max(quiet.values()) == 0.0, "only fear is applied"


# S3-6, S3-14: two predators at equal distances frighten, although there is nowhere to go
def test_predators_on_either_side_frighten(backend: str) -> None:
    sim = wild([[500, 500], [540, 500], [460, 500]], [PREY, PREDATOR, PREDATOR], backend=backend)
    sim.step()
    assert stances(sim)[0] == "fleeing"
    assert sim.column("panic")[0] > 0.0
    assert not sim.forces[0].any()


# S3-11, S3-14
def test_a_fleeing_animal_still_avoids_obstacles() -> None:
    rock = {"obstacles": [{"x": 470.0, "y": 505.0, "radius": 10.0}]}
    sim = wild([[500, 500], [540, 500]], [PREY, PREDATOR], rock, velocities=[[-4.0, 0.0], [0.0, 0.0]])
    told = sim.explain(0)["rules"]
    assert told["behavior"]["force"][0] < 0.0 and told["avoid_obstacles"]["force"][0] > 0.0
    assert np.hypot(*told["cohesion"]["force"]) == 0.0
    sim.step()
    assert stances(sim)[0] == "fleeing"


# S3-6: unit(away)/d over all predators within the fear radius
def test_fear_is_weighed_by_nearness() -> None:
    sim = wild([[500, 500], [540, 500], [500, 580], [500, 300]], [PREY, PREDATOR, PREDATOR, PREDATOR])
    fx, fy = sim.explain(0)["rules"]["behavior"]["force"]
    away = np.array([-1 / 40, -1 / 80])
    np.testing.assert_allclose([fx, fy], away / np.hypot(*away) * 0.3 * 0.5, rtol=1e-5)


# S3-7: fear makes animals faster, at the cost of energy (S3-45)
@pytest.mark.parametrize("fear", [0.0, 1.0])
def test_fearful_animals_flee_faster_and_get_hungry(fear: float) -> None:
    sim = wild(
        [[500, 500], [560, 500]],
        [PREY, PREDATOR],
        {"motion.panic_speed": 0.5, "rules.genome.flight_cost": 1.0, "rules.energy.decay": 0.001},
        velocities=[[-30, 0], [0, 0]],
        columns={"gene_fear": [fear, 0.0], "gene_efficiency": 0.0, "part_tail": 0.0},
    )
    sim.step(2)
    assert sim.velocities[0, 0] == pytest.approx(-4.0 * (1.0 + 0.5 * fear), rel=2e-3)
    assert sim.column("panic")[0] == pytest.approx(fear)
    calm = wild(
        [[500, 500]], [PREY], {"rules.energy.decay": 0.001}, velocities=[[-30, 0]], columns={"part_tail": 0.0}
    )
    calm.step(2)
    lost, usual = 1.0 - sim.column("energy")[0], 1.0 - calm.column("energy")[0]
    assert (lost > 1.3 * usual) == (fear == 1.0)


# S3-7: base x (1 + fear), where `panic_speed` is the document's 1
@pytest.mark.parametrize(("fear", "speed"), [(0.0, 4.0), (0.5, 6.0), (1.0, 8.0)])
def test_the_speed_of_flight(fear: float, speed: float, backend: str) -> None:
    values = {"motion.panic_speed": 1.0, "rules.genome.least_vision": 60.0}
    sim = wild(
        [[500, 500], [560, 500]], [PREY, PREDATOR], values, velocities=[[-30, 0], [0, 0]],
        columns={"gene_fear": [fear, 0.0], "gene_efficiency": 0.0, "part_tail": 0.0}, backend=backend,
    )  # fmt: skip
    sim.step(2)
    assert sim.velocities[0, 0] == pytest.approx(-speed, rel=2e-3)


# S3-8, S3-9: the nearest prey, at its place in three steps
def test_the_chase() -> None:
    sim = wild(
        [[500, 500], [560, 500], [430, 500]],
        [PREDATOR, PREY, PREY],
        velocities=[[0, 0], [0, 8], [0, 0]],
    )
    fx, fy = sim.explain(0)["rules"]["behavior"]["force"]
    sim.step()
    assert sim.column("quarry_id")[0] == 1
    aim = np.array([60.0, 24.0])
    np.testing.assert_allclose([fx, fy], aim / np.hypot(*aim) * 0.5 * 0.4 * 1.1, rtol=1e-5)


# S3-38: aggression determines how far away a chase begins
@pytest.mark.parametrize(("aggression", "hunts"), [(0.5, False), (0.9, True)])
def test_chase_priority(aggression: float, hunts: bool) -> None:
    sim = wild([[500, 500], [600, 500]], [PREDATOR, PREY], columns={"gene_aggression": aggression})
    sim.step()
    assert (stances(sim)[0] == "hunting") == hunts


# S3-10, S3-16: food of its own kind, and only when hungry
@pytest.mark.parametrize(
    ("kind", "energy", "eats"), [(PREY, 0.25, True), (PREY, 0.8, False), (PREDATOR, 0.25, False)]
)
def test_food(kind: int, energy: float, eats: bool) -> None:
    sim = wild([[500, 500]], [kind], FOOD, columns={"energy": energy})
    sim.step(2)
    assert (stances(sim)[0] == "seeking_food") == eats
    assert (sim.velocities[0, 0] > 0.0) == eats
    if eats:
        assert sim.explain(0)["stance"]["reason"] == REASONS[Reason.HUNGRY]


# S3-17
def test_ready_animals_seek_a_partner() -> None:
    sim = wild([[500, 500], [580, 500], [500, 560]], [PREY, PREY, PREY], columns={"age": [50.0, 50.0, 1.0]})
    sim.step(3)
    assert stances(sim) == ["mating", "mating", "flocking"]
    assert sim.column("target_mate_id").tolist() == [1, 0, -1]
    assert sim.velocities[0, 0] > 0.0 > sim.velocities[1, 0]


# S3-16 before S3-17
def test_hunger_comes_before_courtship() -> None:
    sim = wild(
        [[500, 500], [560, 500]],
        [PREY] * 2,
        FOOD | {"rules.reproduction.energy_threshold": 0.1},
        columns=ADULT | {"energy": 0.2},
    )
    sim.step(2)
    assert stances(sim) == ["seeking_food"] * 2


# S3-18
def test_otherwise_it_flocks_or_wanders() -> None:
    sim = wild([[500, 500], [530, 500], [100, 100]], [PREY] * 3)
    sim.step(30)
    assert stances(sim) == ["flocking", "flocking", "idle"]
    rules = sim.explain(0)["rules"]
    assert all(np.hypot(*rules[name]["force"]) > 0 for name in ("separation", "alignment", "cohesion"))
    assert sim.explain(2)["stance"]["reason"] == REASONS[Reason.ALONE]


def test_a_flight_continues_for_its_minimum_time() -> None:
    sim = wild([[500, 500], [560, 500]], [PREY, PREDATOR], {"rules.behavior.least_fleeing": 1.0})
    sim.step()
    assert stances(sim)[0] == "fleeing"
    sim.remove_agents([1])
    for _ in range(9):
        sim.step()
        assert stances(sim)[0] == "fleeing"
        assert sim.explain(0)["stance"]["reason"] == REASONS[Reason.NOT_YET]
    sim.step(3)
    assert stances(sim)[0] == "idle"
    assert sim.column("stance_time")[0] == pytest.approx(DT, abs=0.15)


SCORED = {"rules.behavior.decision": "scored"}


# Decision 14: scores as an alternative to the ladder (numbers 2.2.4)
def test_by_score_a_far_idle_predator_is_no_reason_to_flee() -> None:
    places = [[500, 500], [630, 500], [500, 530]]
    sim = wild(places, [PREY, PREDATOR, PREY], SCORED, columns={"gene_aggression": 0.5})
    sim.step()
    assert stances(sim)[0] == "flocking"
    near = wild([[500, 500], [525, 500]], [PREY, PREDATOR], SCORED)
    near.step()
    assert stances(near)[0] == "fleeing"
    assert near.explain(0)["stance"]["reason"] == REASONS[Reason.PREDATOR_CLOSE]


def test_by_score_a_tired_hunter_rests_and_a_starving_one_eats_under_threat() -> None:
    tired = wild([[500, 500], [585, 500]], [PREDATOR, PREY], SCORED, columns={"energy": 0.2})
    tired.step()
    assert stances(tired)[0] == "idle"
    assert tired.explain(0)["stance"]["reason"] == REASONS[Reason.TIRED]
    columns = {"energy": [0.2, 1.0], "feeding_state": [2, 0], "target_food_id": [0, -1]}
    brave = wild([[500, 500], [580, 500]], [PREY, PREDATOR], FOOD | SCORED, columns=columns)
    brave.step()
    assert stances(brave)[0] == "seeking_food"
    assert brave.explain(0)["stance"]["reason"] == REASONS[Reason.DESPERATE]


# numbers 2.2.4: idle is a predator's rest; hungry prey eats, wherever that scores highest
def test_by_score_tired_prey_does_not_rest() -> None:
    alone = wild([[500, 500], [530, 500]], [PREY] * 2, SCORED, columns={"energy": 0.2})
    alone.step()
    assert stances(alone) == ["flocking"] * 2
    for energy in (0.2, 0.45, 0.55, 0.65):
        fed = wild([[500, 500]], [PREY], FOOD | SCORED, columns={"energy": energy})
        fed.step(2)
        assert stances(fed) == ["seeking_food"], energy
    sated = wild([[500, 500]], [PREY], FOOD | SCORED, columns={"energy": 0.75})
    sated.step(2)
    assert stances(sated) == ["idle"]


# S3-10: food of its own kind, whatever its thresholds say
def test_carcass_eaters_leave_plants_alone(backend: str) -> None:
    hungry = {"feeding.hungry_below": 0.5}
    columns = {"energy": 0.2}
    places = [[500, 500], [520, 560]]
    sim = wild(places, [PREY, PREDATOR], FOOD | {"rules.behavior.fear_radius": 1.0, "rules.behavior.chase_radius": 1.0},
               columns=columns, backend=backend, prey=hungry, predator=hungry)  # fmt: skip
    sim.step(2)
    assert (sim.column("feeding_state") > 0).tolist() == [True, False]


# A hunter placed by hand frightens just as a predator of their own world does
@pytest.mark.parametrize(
    ("decision", "backend"), [("ladder", "reference"), ("scored", "reference"), ("scored", "cpu")]
)
def test_a_hunter_placed_by_hand_frightens(decision: str, backend: str) -> None:
    values = {
        "rules.behavior.decision": decision,
        "rules.fear.enabled": True,
        "rules.predators.enabled": True,
        "rules.predators.hunters": [
            {"kind": "hawk", "x": 500.0, "y": 500.0, "max_speed": 0.01, "burst": 1.0}
        ],
    }
    sim = wild([[530, 500], [500, 900]], [PREY, PREY], values, columns={"gene_fear": 0.4}, backend=backend)
    sim.step(2)
    assert stances(sim)[0] == "fleeing" and stances(sim)[1] != "fleeing"
    near, far = sim.column("panic").astype(float)
    assert near > 0.6 and far == 0.0
    assert sim.velocities[0, 0] > 0.0
    if backend == "cpu":
        return  # without these rules it would need another kernel, which takes five seconds to compile
    sim.retune({"rules.predators.enabled": False, "rules.fear.enabled": False})
    sim.step(40)
    assert stances(sim)[0] != "fleeing", "gone, and forgotten"
