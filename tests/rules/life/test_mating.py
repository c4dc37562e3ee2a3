"""Courtship of two and three birds step by step: handshakes, refusals, fights with one winner, and their costs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from murmura import Scenario, Simulation
from murmura.core.state import Gender, MatingState
from murmura.rules.life import mating
from murmura.rules.life.mating import CHANGES
from tests.rules.scenes import MAX_FORCE, MAX_SPEED, close, make_scenario, place, rule_forces

DT = 0.015625
NONE, SEEKING, APPROACHING, COURTING, MATING, FIGHTING, COOLDOWN = range(7)
AT_ONCE = 1e6  # a rate so high that a single agent begins to seek in the first step
ODD_ONE = {"species": [{"name": "tit"}, {"name": "owl"}]}


def world(
    rules: dict[str, Any] | None = None, parts: dict[str, Any] | None = None, **values: Any
) -> Scenario:
    """A world in which, by default, nobody refuses."""
    courtship = {"search_radius": 60.0, "selectivity": 0.0, "seek_rate": AT_ONCE} | values
    scene = {"mating": courtship, "mating_cooldown": {}} | (rules or {})
    return make_scenario(scene, **{"perception": {"radius": 64.0}} | (parts or {}))


def birds(scenario: Scenario, offsets: Any, sexes: str, velocities: Any = None, **columns: Any) -> Simulation:
    """Agents around the middle of the world; sexes as a word of m and f."""
    n = len(sexes)
    male = [sex == "m" for sex in sexes]
    given = {
        "gender": [int(Gender.MALE if m else Gender.FEMALE) for m in male],
        "aggression": [0.75 if m else 0.0 for m in male],
        "energy": [0.9] * n,
    }
    return place(
        scenario, np.array([120.0, 80.0]) + np.asarray(offsets, float), velocities, **given | columns
    )


def stages(sim: Simulation) -> list[int]:
    return [int(stage) for stage in sim.column("mating_state")]


def until(sim: Simulation, kind: str, most: int = 600) -> dict[str, Any]:
    for _ in range(most):
        sim.step()
        found = [event for event in sim.events() if event["kind"] == kind]
        if found:
            assert len(found) == 1
            return found[0]
    raise AssertionError(f"no {kind} in {most} steps; stages {stages(sim)}")


# S2-11, S2-13, S2-14, S2-15, S2-29, S2-30; numbers 2.1.2, 2.1.5
def test_numbers_of_the_documents() -> None:
    m = Scenario().rules.mating
    assert not m.enabled
    assert [int(state) for state in MatingState] == list(range(7))
    assert (int(Gender.FEMALE), int(Gender.MALE)) == (0, 1)
    assert (m.search_radius, m.attraction, m.courting_distance, m.mating_distance) == (80.0, 0.8, 30.0, 15.0)
    assert (m.mating_duration, m.cooldown, m.fight_radius, m.fight_duration) == (3.0, 8.0, 50.0, 1.5)
    assert (m.fight_strength, m.energy_threshold, m.selectivity, m.court_time) == (1.2, 0.4, 0.3, 0.5)
    assert (m.fight_drain, m.luck, m.home_advantage, m.loser_share, m.energy_cost) == (
        0.05,
        0.3,
        0.5,
        0.5,
        0.1,
    )
    assert (m.pair_force, m.pair_damping, m.close_damping, m.close, m.panic_limit) == (
        0.3,
        0.2,
        0.4,
        5.0,
        0.5,
    )
    assert m.seek_rate / 60.0 == pytest.approx(0.02)


# S2-11, S2-12, S2-13, S2-14, S0-31
def test_a_pair_seeks_courts_mates_and_rests() -> None:
    sim = birds(world(mating_duration=0.5, court_time=0.125), [[0.0, 0.0], [40.0, 0.0]], "mf")
    seen = [[NONE, NONE]]
    for _ in range(700):
        before = sim.column("mating_timer")
        sim.step()
        now = stages(sim)
        changed = np.array(now) != np.array(seen[-1])
        timers = sim.column("mating_timer")
        assert (timers[changed] == 0.0).all()
        busy = ~changed & (np.array(now) > NONE)
        close(timers[busy], before[busy] + DT, 1e-4)
        if now != seen[-1]:
            seen.append(now)
        if COOLDOWN in now:
            break
    targets = [-1, -1]
    his, hers = [row[0] for row in seen], [row[1] for row in seen]
    assert sorted(set(his), key=his.index) == [NONE, SEEKING, APPROACHING, COURTING, MATING, COOLDOWN]
    assert sorted(set(hers), key=hers.index) == [NONE, SEEKING, COURTING, MATING, COOLDOWN]
    assert seen[-2:] == [[MATING, MATING], [COOLDOWN, COOLDOWN]], "they begin and end together"
    assert sim.column("target_mate_id").tolist() == targets
    close(sim.column("mating_cooldown"), [8.0 - DT] * 2)
    close(sim.column("energy"), [0.9 - 0.1] * 2)
    told = sim.events()
    assert [(e["kind"], e["id"], e["other"]) for e in told] == [("mating", 1, 0)]
    sim.step(int(8.0 / DT) - 2)
    assert stages(sim) == [COOLDOWN, COOLDOWN]
    sim.step(3)
    assert COOLDOWN not in stages(sim)


# S2-12
def test_she_accepts_by_naming_him() -> None:
    sim = birds(
        world(), [[0.0, 0.0], [20.0, 0.0]], "mf", mating_state=[APPROACHING, SEEKING], target_mate_id=[1, -1]
    )
    sim.step()
    assert stages(sim) == [COURTING, COURTING]
    assert sim.column("target_mate_id").tolist() == [1, 0]


@pytest.mark.parametrize(
    ("sexes", "parts", "columns"),
    [
        ("mm", {}, {}),
        ("ff", {}, {}),
        ("mf", {}, {"energy": [0.39, 0.9]}),
        ("mf", {}, {"energy": [0.9, 0.39]}),
        ("mf", {}, {"mating_cooldown": [0.0, 99.0]}),
        ("mf", {}, {"mating_cooldown": [99.0, 0.0]}),
        ("mf", {}, {"feeding_state": [0, 1]}),
    ],
)
def test_unsuitable_agents_do_not_mate(sexes: str, parts: Any, columns: Any) -> None:
    sim = birds(world(parts=parts), [[0.0, 0.0], [20.0, 0.0]], sexes, **columns)
    for _ in range(40):
        sim.step()
        assert set(stages(sim)) <= {NONE, SEEKING}


# S2-2
def test_only_the_same_species_counts() -> None:
    scenario = world(parts=ODD_ONE)
    positions = [[100.0, 80.0], [110.0, 80.0], [90.0, 80.0]]
    for kinds, partner in (([0, 1, 0], 2), ([0, 0, 1], 1)):
        sim = place(scenario, positions, species=kinds)
        state = sim.state.copy()
        state["gender"][:] = [1, 0, 0]
        state["mating_state"][:] = SEEKING
        sim.load_state(state)
        sim.step()
        assert sim.column("target_mate_id").tolist() == [partner, -1, -1]


def test_nobody_seeks_farther_than_the_search_radius_and_the_nearest_is_chosen() -> None:
    sim = birds(world(search_radius=40.0), [[0.0, 0.0], [41.0, 0.0]], "mf", mating_state=[SEEKING] * 2)
    sim.step()
    assert stages(sim) == [SEEKING, SEEKING]
    sim = birds(world(), [[0.0, 0.0], [39.0, 0.0], [0.0, -36.0]], "mff", mating_state=[SEEKING] * 3)
    sim.step()
    assert sim.column("target_mate_id").tolist() == [2, -1, -1]


def test_a_refused_suitor_rests_and_she_forgets() -> None:
    start = {"mating_state": [APPROACHING, SEEKING], "target_mate_id": [1, -1]}
    sim = birds(world(selectivity=1.0), [[0.0, 0.0], [20.0, 0.0]], "mf", **start)
    sim.step()
    assert sim.column("rival_id").tolist() == [-1, 0]
    sim.step()
    assert stages(sim) == [COOLDOWN, SEEKING]
    close(sim.column("mating_cooldown"), [4.0 - DT, 0.0])
    assert sim.column("target_mate_id").tolist() == [-1, -1]
    sim.step(int(0.5 / DT) + 1)
    assert sim.column("rival_id").tolist() == [-1, -1]


def test_females_refuse_with_probability_selectivity() -> None:
    n = 40
    rng = np.random.default_rng(3)
    refused = 0
    for seed in range(8):
        places = np.repeat(rng.uniform(0, 1, (n, 2)) * [240.0, 160.0], 2, axis=0)
        places[1::2, 0] = (places[1::2, 0] + 5.0) % 240.0
        partner = np.arange(2 * n) ^ 1
        sim = place(
            world(selectivity=0.3), places, seed=seed, gender=[1, 0] * n, mating_state=[APPROACHING, SEEKING] * n,
            target_mate_id=np.where(np.arange(2 * n) % 2, -1, partner),
        )  # fmt: skip
        sim.step()
        females = sim.column("gender") == 0
        rivals = sim.column("rival_id")[females]
        assert ((rivals >= 0) == (sim.column("mating_state")[females] == SEEKING)).all()
        refused += int((rivals >= 0).sum())
    assert 0.3 * 8 * n == pytest.approx(refused, abs=3.5 * math.sqrt(8 * n * 0.21))


# S2-15
def test_a_fight_has_one_winner_who_scores_higher() -> None:
    scenario = world(luck=0.0, fight_duration=0.25)
    places = [[0.0, 0.0], [20.0, 10.0], [20.0, -12.0]]
    sim = birds(scenario, places, "fmm", aggression=[0.0, 0.9, 0.6], mating_state=[SEEKING] * 3)
    sim.step(2)
    assert sim.column("target_mate_id").tolist()[1:] == [0, 0]
    assert sim.column("rival_id").tolist()[1:] == [2, 1], "they have chosen each other"
    her, him, other = sim.positions.astype(float)
    sim.step()
    assert stages(sim)[1:] == [FIGHTING, FIGHTING]
    away = [math.dist(her, place) / 50.0 for place in (him, other)]
    close(sim.column("display")[1:], [0.9 + 0.9 - 0.5 * away[0], 0.6 + 0.9 - 0.5 * away[1]], 1e-5)
    fight = until(sim, "fight", 40)
    assert (fight["id"], fight["other"]) == (1, 2)
    assert stages(sim)[1:] == [APPROACHING, COOLDOWN]
    close(sim.column("mating_cooldown")[2], 4.0 - DT)
    assert sim.column("energy")[1] == pytest.approx(0.9 - 0.05 * 0.25, abs=0.05 * 2 * DT)
    mated = until(sim, "mating", 700)
    assert (mated["id"], mated["other"]) == (0, 1)


@pytest.mark.parametrize("scores", [[1.5, 1.25], [1.25, 1.5], [1.25, 1.25]])
def test_both_fighters_see_the_same_outcome(scores: list[float]) -> None:
    """With equal scores, the lower id wins."""
    sim = birds(world(), [[0.0, 0.0], [10.0, 0.0], [-10.0, 0.0]], "fmm")
    state = sim.state.copy()
    state["mating_state"][:], state["target_mate_id"][:] = [SEEKING, FIGHTING, FIGHTING], [-1, 0, 0]
    state["rival_id"][:], state["display"][1:], state["mating_timer"][:] = [-1, 2, 1], scores, 9.0
    sim.load_state(state)
    sim.step()
    winner = 2 if scores[1] > scores[0] else 1
    assert [(e["kind"], e["id"], e["other"]) for e in sim.events()] == [("fight", winner, 3 - winner)]
    assert stages(sim)[winner] == APPROACHING
    assert stages(sim)[3 - winner] == COOLDOWN


def test_of_three_rivals_two_fight() -> None:
    sim = birds(
        world(fight_duration=50.0),
        [[0.0, 0.0], [15.0, 0.0], [15.0, 4.0], [-18.0, 0.0]],
        "fmmm",
        mating_state=[SEEKING] * 4,
    )
    for _ in range(60):
        sim.step()
        fighters = sim.ids[sim.column("mating_state") == FIGHTING]
        rivals = sim.column("rival_id")
        assert all(rivals[rivals[k]] == k and rivals[k] in fighters for k in fighters)
    assert fighters.tolist() == [1, 2]


@pytest.mark.parametrize("lost", ["partner", "rival"])
def test_losing_the_partner_starts_over(lost: str) -> None:
    if lost == "partner":
        sim = birds(world(), [[0.0, 0.0], [4.0, 0.0]], "fm", mating_state=[MATING] * 2, target_mate_id=[1, 0])
    else:
        sim = birds(world(), [[0.0, 0.0], [10.0, 0.0], [14.0, 0.0]], "fmm")
        state = sim.state.copy()
        state["mating_state"][:], state["target_mate_id"][:] = [SEEKING, FIGHTING, FIGHTING], [-1, 0, 0]
        state["rival_id"][:] = [-1, 2, 1]
        sim.load_state(state)
    sim.step()
    sim.remove_agents([int(sim.ids[-1])])
    sim.step()
    assert stages(sim)[-1] == SEEKING
    assert sim.column("target_mate_id").tolist()[-1] == -1
    assert not sim.events()


def test_an_approach_without_success_ends() -> None:
    """She flies away as fast as he does: when his patience ends, he rests."""
    sim = birds(
        world(patience=0.5),
        [[0.0, 0.0], [45.0, 0.0]],
        "mf",
        [[8.0, 0.0]] * 2,
        mating_state=[APPROACHING, SEEKING],
        target_mate_id=[1, -1],
    )
    sim.step(31)
    assert stages(sim)[0] == APPROACHING
    sim.step(3)
    assert stages(sim)[0] == COOLDOWN


def test_panic_ends_courtship_and_hunger_prevents_it() -> None:
    fear = {"fear": {"fade": 1.0}}
    far = [[0.0, 0.0], [30.0, 0.0], [0.0, 40.0], [30.0, 40.0], [60.0, 0.0], [60.0, 40.0]]
    for panic, expected in ((0.51, NONE), (0.5, None)):
        sim = birds(world(fear), far, "mmmmmm", panic=[panic] * 6, mating_state=list(range(1, 7)))
        sim.step()
        found = stages(sim)
        assert found[5] in (NONE, COOLDOWN)
        if expected is NONE:
            assert found[:5] == [NONE] * 5
        else:
            assert NONE not in found[:1]
    sim = birds(world(), far[:3], "mmm", energy=[0.39] * 3, mating_state=[SEEKING, APPROACHING, COURTING])
    sim.step()
    assert stages(sim) == [NONE] * 3


def test_an_agreement_holds_even_if_one_partner_is_frightened() -> None:
    sim = birds(
        world({"fear": {}}), [[0.0, 0.0], [4.0, 0.0]], "fm", panic=[0.0, 0.9], mating_state=[MATING] * 2,
        target_mate_id=[1, 0], mating_timer=[9.0] * 2,
    )  # fmt: skip
    sim.step()
    assert stages(sim) == [COOLDOWN, COOLDOWN]
    assert [e["kind"] for e in sim.events()] == ["mating"]


def test_forces_of_pairs_and_rivals() -> None:
    velocities = [[1.0, 0.0], [0.0, -2.0]]
    for apart in (4.0, 12.0):
        sim = birds(
            world(),
            [[0.0, 0.0], [apart, 0.0]],
            "fm",
            velocities,
            mating_state=[MATING] * 2,
            target_mate_id=[1, 0],
        )
        brake = 0.4 if apart < 5.0 else 0.2
        pull = 0.3 * MAX_FORCE
        close(rule_forces(sim, "mating"), [[pull - brake, 0.0], [-pull, 2.0 * brake]], 1e-5)
    sim = birds(world(), [[0.0, 0.0], [20.0, 0.0], [40.0, 0.0]], "fmm")
    state = sim.state.copy()
    state["mating_state"][:], state["target_mate_id"][:] = [SEEKING, FIGHTING, FIGHTING], [-1, 0, 0]
    state["rival_id"][:] = [-1, 2, 1]
    sim.load_state(state)
    push = 100.0 / 400.0 * 1.2 * MAX_FORCE
    close(rule_forces(sim, "mating")[1:], [[-push, 0.0], [push, 0.0]], 1e-5)
    sim = birds(
        world(),
        [[0.0, 0.0], [0.0, 50.0]],
        "mf",
        mating_state=[APPROACHING, SEEKING],
        target_mate_id=[1, -1],
    )
    close(rule_forces(sim, "mating"), [[0.0, 0.8 * min(MAX_FORCE, MAX_SPEED)], [0.0, 0.0]], 1e-5)


def test_other_forces_fade_in_courtship() -> None:
    found = []
    for stage in (NONE, COURTING, MATING):
        target = [-1, -1] if stage == NONE else [1, 0]
        sim = birds(
            world({"cohesion": {}}, seek_rate=0.0),
            [[0.0, 0.0], [12.0, 0.0]],
            "fm",
            [[0.0, 1.0]] * 2,
            mating_state=[stage] * 2,
            target_mate_id=target,
        )
        found.append(rule_forces(sim, "cohesion"))
    assert np.abs(found[0]).max() > 0.1
    close(found[1], 0.2 * found[0])
    assert not found[2].any()


def test_courting_agents_see_all_around() -> None:
    behind = [[0.0, 0.0], [-20.0, 0.0]]
    for stage in (SEEKING, APPROACHING, COURTING, MATING, FIGHTING, COOLDOWN, NONE):
        sim = birds(world(), behind, "mf", [[4.0, 0.0]] * 2, mating_state=[stage, NONE])
        assert sim.neighbors(0).tolist() == ([1] if SEEKING <= stage <= FIGHTING else [])


def test_the_table_is_complete() -> None:
    pairs = [(change.before, change.after) for change in CHANGES]
    assert len(set(pairs)) == len(pairs)
    assert {state for pair in pairs for state in pair} == set(MatingState) == set(mating.STAGES)
    names = {word for change in CHANGES for word in change.when.split("`")[1::2]}
    assert names <= set(mating.Mating.model_fields)


# S0-65 for courtship: the whole step, not only the force
@pytest.mark.parametrize(("strength", "push"), [(1.2, 0.6), (5.0, 2.5)])
def test_fights_push_with_fight_strength(strength: float, push: float, backend: str) -> None:
    rivals = {
        "mating_state": [FIGHTING] * 2,
        "rival_id": [1, 0],
        "target_mate_id": [7, 7],
        "display": [1.0, 0.5],
    }
    scenario = world(fight_strength=strength)
    sim = birds(scenario, [[-4.0, 0.0], [4.0, 0.0]], "mm", **rivals)
    state = sim.state
    sim = Simulation(scenario, backend=backend, positions=sim.positions, velocities=sim.velocities)
    sim.load_state(state)
    sim.step()
    close(sim.forces, [[-push, 0.0], [push, 0.0]], 1e-5)
