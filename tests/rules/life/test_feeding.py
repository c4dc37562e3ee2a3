"""Food: the documents' forces by hand, the four stages, exact capacity, and conservation of food."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from murmura import Scenario, Simulation
from murmura.core.state import FeedingState
from murmura.engine.reading.surroundings import FOOD_COLUMNS
from murmura.rules.life import feeding
from murmura.rules.life.feeding import CHANGES
from tests.rules.scenes import MAX_FORCE, MAX_SPEED, close, make_scenario, place, rule_forces

DT = 0.015625
FOOD = (120.0, 80.0)
NONE, APPROACHING, GATHERING, FEEDING = range(4)
X, Y, ROOM, PRESENT, INVITES, AMOUNT, FEEDERS = (
    FOOD_COLUMNS.index(name) for name in ("x", "y", "room", "present", "invites", "amount", "feeders")
)


def world(rules: dict[str, Any] | None = None, **values: Any) -> Scenario:
    source = {"x": FOOD[0], "y": FOOD[1]}
    food = {"sources": [source], "count": 0, "margin": 20.0, "reach": 100.0} | values
    return make_scenario({"energy": {"decay": 0.0}, "feeding": food} | (rules or {}))


def birds(scenario: Scenario, offsets: Any, stage: int, velocities: Any = None, **columns: Any) -> Simulation:
    """Hungry agents at these offsets from the food, all in one stage."""
    n = len(offsets)
    target = -1 if stage == NONE else 0
    given = {"energy": [0.5] * n, "feeding_state": [stage] * n, "target_food_id": [target] * n} | columns
    return place(scenario, np.array(FOOD) + np.asarray(offsets, float), velocities, **given)


def without_room(sim: Simulation) -> None:
    """Mark the source as having no room."""
    state = sim.state.copy()
    state.items["feeding"][0, [ROOM, INVITES]] = 0.0
    sim.load_state(state)


def limited(x: float, y: float, most: float) -> list[float]:
    size = math.hypot(x, y)
    return [x * min(1.0, most / size), y * min(1.0, most / size)] if size else [0.0, 0.0]


def test_an_agent_driven_far_from_its_food_gives_up() -> None:
    sim = birds(world(reach=60.0), [(80.0, 0.0), (100.0, 0.0)], APPROACHING)
    sim.step()
    assert sim.column("feeding_state").tolist() == [APPROACHING, NONE]
    assert sim.column("target_food_id").tolist() == [0, -1]


# S2-8, S2-9, S2-10, S2-28, S2-57; numbers 2.1.2, 2.1.4
def test_numbers_of_the_documents() -> None:
    f = Scenario().rules.feeding
    assert not f.enabled
    assert [int(state) for state in FeedingState] == [0, 1, 2, 3]
    assert (f.energy_restore, f.consumption, f.capacity, f.amount, f.respawn_time) == (
        0.3,
        1.0,
        20,
        100.0,
        10.0,
    )
    assert (f.count, f.attraction, f.reach, f.style, f.gather_radius, f.duration) == (
        5,
        1,
        200,
        "gather",
        50,
        2,
    )
    assert (f.hungry_below, f.drawn_below, f.sated_above, f.content_above) == (0.6, 0.7, 0.9, 0.8)
    assert (f.gather_from, f.lost_from, f.landing_radius, f.approach_speed, f.gather_speed) == (
        1.5,
        2,
        20,
        1.0,
        0.5,
    )
    assert (f.gather_force, f.feed_force, f.approach_flocking, f.gather_flocking) == (1.0, 1.0, 0.1, 0.15)
    assert (f.shelter, f.panic_limit, f.hunger_gain, f.margin) == (0.3, 0.5, 2.0, 150.0)


# S0-59
def test_the_approach_slows_on_arrival_and_ends() -> None:
    offsets = [[-70.0, 0.0], [-60.0, 30.0], [-20.0, 0.0], [0.0, 10.0], [-0.9, 0.0]]
    velocities = [[1.0, 0.5], [2.0, 2.0], [3.0, 0.0], [0.0, -1.5], [1.0, 0.0]]
    sim = birds(
        world(gather_radius=0.5, landing_radius=0.25, approach_speed=1.0), offsets, APPROACHING, velocities
    )
    expected = []
    for (x, y), (vx, vy) in zip(offsets, velocities, strict=True):
        d = math.hypot(x, y)
        speed = MAX_SPEED * (d / 50.0 if d < 50.0 else 1.0)
        expected.append(
            limited(-x / d * speed - vx, -y / d * speed - vy, MAX_FORCE) if d >= 1.0 else [0.0, 0.0]
        )
    close(rule_forces(sim, "feeding"), expected)


# S0-60, S0-61, S0-62, S0-63
@pytest.mark.parametrize("force", [1.0, 0.8, 100.0])
def test_gathering_agents_circle_the_food(force: float) -> None:
    offsets = [[30.0, 0.0], [0.0, -45.0], [20.0, 20.0], [60.0, 5.0], [-33.0, 8.0]]
    velocities = [[0.0, 3.0], [2.0, 2.0], [3.0, -1.0], [0.0, -1.5], [1.0, 0.0]]
    sim = birds(world(gather_radius=40.0, gather_force=force), offsets, GATHERING, velocities)
    without_room(sim)
    expected = []
    for k, ((x, y), (vx, vy)) in enumerate(zip(offsets, velocities, strict=True)):
        dx, dy, d = -x, -y, math.hypot(x, y)
        orbit = MAX_SPEED * 0.5 * (0.8 + (k % 10) * 0.04)
        error = d - 40.0
        strength = min(1.0, abs(error) / 40.0)
        wx = dx / d * error * strength - dy / d * orbit - vx
        wy = dy / d * error * strength + dx / d * orbit - vy
        expected.append(limited(wx, wy, force * MAX_FORCE))
    close(rule_forces(sim, "feeding"), expected)


# S0-61
def test_every_tenth_agent_circles_at_the_same_speed() -> None:
    n = 24
    sim = birds(world(gather_radius=40.0, gather_force=1000.0), [[40.0, 0.0]] * n, GATHERING)
    without_room(sim)
    forces = rule_forces(sim, "feeding")
    close(forces[:, 0], np.zeros(n))
    close(-forces[:, 1], [MAX_SPEED * 0.5 * (0.8 + (k % 10) * 0.04) for k in range(n)])


# S0-64
def test_the_style_changes_how_they_wait() -> None:
    offsets, velocities = [[30.0, 10.0], [4.0, 0.0], [55.0, 0.0]], [[1.0, 0.0]] * 3
    forces = {}
    for style in ("gather", "swarm", "hover"):
        sim = birds(world(gather_radius=40.0, style=style), offsets, GATHERING, velocities)
        without_room(sim)
        forces[style] = rule_forces(sim, "feeding")
    for a, b in (("gather", "swarm"), ("swarm", "hover"), ("hover", "gather")):
        assert (np.abs(forces[a] - forces[b]).max(axis=1) > 0.01).all()
    # Hovering: towards the rim at a fifth of the top speed, with half the force, braked.
    assert forces["hover"][1] == pytest.approx([0.5 * MAX_FORCE - 0.1, 0.0], abs=1e-6)
    speed = 0.2 * MAX_SPEED * 15.0 / 40.0
    assert forces["hover"][2] == pytest.approx([max(-speed - 1.0, -0.5 * MAX_FORCE) - 0.1, 0.0], abs=1e-6)
    # Swarming: pulled in from outside, pushed out of the core, with noise of at most 0.3 on top.
    assert abs(forces["swarm"][0, 0] + 0.4 * MAX_FORCE * 30.0 / math.hypot(30, 10)) <= 0.3 * MAX_FORCE + 1e-6
    assert abs(forces["swarm"][1, 0] - (1.0 - 4.0 / 12.0) * MAX_FORCE) <= 0.3 * MAX_FORCE + 1e-6


# S0-59, S0-63, S0-65, S0-66: the whole step, not only the force: outside the clamp, and at full speed and force
def test_forces_of_feeding_are_added_after_the_clamp(backend: str) -> None:
    cases = [
        (FEEDING, (-3.0, 0.0), (10.0, 0.0), (-3.0, 0.0)),
        (FEEDING, (-15.0, 0.0), (10.0, 0.0), (-2.5, 0.0)),
        (APPROACHING, (-95.0, 0.0), (13.0, 0.0), (0.5, 0.0)),
        (GATHERING, (-50.0, 0.0), (0.0, 13.0), (0.0, -0.5)),
    ]
    for stage, way, velocity, force in cases:
        scenario = world(reach=200.0).with_values({"motion.max_speed": 15.0})
        sim = birds(scenario, [way], stage, [velocity])
        without_room(sim)
        state = sim.state
        sim = Simulation(scenario, backend=backend, positions=sim.positions, velocities=sim.velocities)
        sim.load_state(state)
        sim.step()
        close(sim.forces[0], force, 1e-5)


# S0-65
def test_a_feeder_stops_in_fourteen_frames() -> None:
    sim = birds(world().with_values({"motion.time_step": 1.0 / 60.0}), [(-1.0, 0.0)], FEEDING, [(5.0, 0.0)])
    sim.step(14)
    assert np.hypot(*sim.velocities[0]) == pytest.approx(5.0 * 0.7**14, rel=1e-3)


# S0-65, S0-66
def test_feeders_brake() -> None:
    offsets = [[3.0, 0.0], [0.0, -4.9], [10.0, 0.0], [-8.0, 12.0]]
    velocities = [[2.0, 1.0], [-0.5, 0.5], [-3.0, 0.0], [1.0, 1.0]]
    sim = birds(world(feed_force=1.0), offsets, FEEDING, velocities)
    expected = []
    for (x, y), (vx, vy) in zip(offsets, velocities, strict=True):
        d = math.hypot(x, y)
        if d < 5.0:
            expected.append([-0.3 * vx, -0.3 * vy])
        else:
            fx, fy = limited(-x / d * 0.3 * MAX_SPEED - vx, -y / d * 0.3 * MAX_SPEED - vy, MAX_FORCE)
            expected.append([fx - 0.2 * vx, fy - 0.2 * vy])
    close(rule_forces(sim, "feeding"), expected)


def test_only_hungry_agents_are_attracted() -> None:
    """Trap 13: only hungry agents are attracted, and only feeders take food."""
    offsets = [[50.0, 0.0], [50.0, 0.0], [-95.0, 0.0], [-105.0, 0.0]]
    scenario = world(hungry_below=0.1)
    sim = birds(scenario, offsets, NONE, energy=[0.65, 0.75, 0.3, 0.3])
    pull = [MAX_FORCE * (1.0 - d / 100.0) * (1.0 + 2.0 * (1.0 - e)) for d, e in ((50, 0.65), (95, 0.3))]
    close(rule_forces(sim, "feeding"), [[-pull[0], 0.0], [0.0, 0.0], [pull[1], 0.0], [0.0, 0.0]])
    sim.step(30)
    assert sim.state.items["feeding"][0, AMOUNT] == 100.0


# S2-8, S2-9, S2-10, S2-57
def test_a_hungry_bird_finds_food_and_recovers() -> None:
    scenario = world(gather_radius=20.0, landing_radius=10.0, duration=0.25)
    sim = birds(scenario, [[-60.0, 0.0]], NONE, energy=[0.4])
    seen, timers, meals = [NONE], [], []
    for _ in range(1500):
        sim.step()
        stage = int(sim.column("feeding_state")[0])
        assert sim.column("target_food_id")[0] == (-1 if stage == NONE else 0)
        timers.append(sim.column("feeding_timer")[0])
        if stage != seen[-1]:
            seen.append(stage)
            assert timers[-1] == 0.0
        elif stage != NONE:
            assert timers[-1] == pytest.approx(timers[-2] + DT, abs=1e-4)
        meals += sim.events()
        if meals:
            break
    assert seen == [NONE, APPROACHING, GATHERING, FEEDING, NONE]
    energy, left = sim.column("energy")[0], sim.state.items["feeding"][0, AMOUNT]
    assert 0.8 < energy < 0.81
    assert energy - 0.4 == pytest.approx(0.3 * meals[0]["amount"], abs=1e-4)
    # The source has set aside one more portion than was eaten.
    assert 100.0 - left == pytest.approx(meals[0]["amount"], abs=2 * DT)
    assert (meals[0]["kind"], meals[0]["id"], meals[0]["other"], len(meals)) == ("meal", 0, 0, 1)


def test_a_source_admits_one_at_a_time_and_never_more_than_its_capacity() -> None:
    n, capacity = 12, 5
    angles = np.arange(n) * 2.0 * np.pi / n
    offsets = (3.0 + np.arange(n)[:, None]) * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    sim = birds(world(capacity=capacity), offsets, GATHERING)
    counts = []
    for _ in range(12):
        sim.step()
        counts.append(int((sim.column("feeding_state") == FEEDING).sum()))
        assert sim.state.items["feeding"][0, FEEDERS] == counts[-1]
    assert counts == [0, 1, 2, 3, 4, *[capacity] * 7]
    assert set(sim.ids[sim.column("feeding_state") == FEEDING]) == set(range(capacity)), "the nearest first"


# S2-57
def test_energy_comes_from_food_and_food_goes_into_energy() -> None:
    scenario = world(
        sources=[{"x": FOOD[0], "y": FOOD[1], "amount": 1.5}], respawn="never", content_above=1.0
    )
    sim = birds(scenario, [[float(k), 0.0] for k in range(8)], FEEDING, energy=[0.3] * 8)
    sim.step(5)
    gained = sim.column("energy") - 0.3
    close(gained, [0.3 * 4 * DT] * 8, 1e-5)  # the source hands out the first portion in its first turn
    sim.step(40)
    assert sim.state.items["feeding"][0, [AMOUNT, PRESENT, ROOM]].tolist() == [0.0, 0.0, 0.0]
    assert (sim.column("feeding_state") == NONE).all()
    assert (sim.column("energy") - 0.3).sum() == pytest.approx(0.3 * 1.5, abs=1e-5)
    assert sum(e["amount"] for e in sim.events()) == pytest.approx(1.5, abs=1e-5)
    sim.step(30)
    assert sim.state.items["feeding"][0, AMOUNT] == 0.0


@pytest.mark.parametrize("respawn", ["elsewhere", "same_place"])
def test_an_empty_source_fills_after_a_time(respawn: str) -> None:
    places = []
    for seed in (1, 1, 2):
        scenario = world(
            sources=[{"x": FOOD[0], "y": FOOD[1], "amount": 0.25}], respawn=respawn, respawn_time=0.25
        )
        sim = Simulation(scenario, seed, "reference", positions=[FOOD] * 4, velocities=np.zeros((4, 2)))
        state = sim.state.copy()
        state["energy"][:], state["feeding_state"][:], state["target_food_id"][:] = 0.1, FEEDING, 0
        sim.load_state(state)
        amounts = []
        for _ in range(24):
            sim.step()
            amounts.append(float(sim.state.items["feeding"][0, AMOUNT]))
        assert amounts[3] == 0.0 and amounts[18] == 0.0
        assert max(amounts[19:]) == 0.25
        places.append(tuple(sim.state.items["feeding"][0, [X, Y]].tolist()))
    assert places[0] == places[1]
    if respawn == "same_place":
        assert places[0] == places[2] == FOOD
    else:
        assert len({*places, FOOD}) == 3
        assert all(20.0 <= x <= 220.0 and 20.0 <= y <= 140.0 for x, y in places)


def test_places_of_sources_come_from_the_seed() -> None:
    scenario = world(count=6)
    tables = [
        Simulation(scenario.with_values({"agents": 1}), seed, "reference").state.items["feeding"]
        for seed in (1, 1, 2)
    ]
    assert tables[0].shape[0] == 7
    assert np.array_equal(tables[0], tables[1])
    assert tables[0][-1, [X, Y]].tolist() == tables[2][-1, [X, Y]].tolist() == list(FOOD)
    assert (tables[0][:-1, [X, Y]] != tables[2][:-1, [X, Y]]).all()
    assert len(np.unique(tables[0][:, X])) == 7


# S0-29
def test_panic_interrupts() -> None:
    for stage in (APPROACHING, GATHERING, FEEDING):
        scenario = world({"fear": {"fade": 1.0}}, landing_radius=15.0, gather_radius=15.0)
        offsets = [[60.0, 0.0] if stage == APPROACHING else [10.0, 0.0]] * 2
        sim = birds(scenario, offsets, stage, panic=[0.51, 0.5])
        sim.step()
        stages = sim.column("feeding_state").tolist()
        assert stages[0] == NONE
        assert stages[1] == stage
        sim.step(2)
        assert sim.column("feeding_state")[0] == NONE, "frightened agents do not set out either"


def test_courting_agents_do_not_eat() -> None:
    sim = birds(world(), [[30.0, 0.0]] * 7, NONE, mating_state=list(range(7)))
    sim.step()
    assert sim.column("feeding_state").tolist() == [1, 1, 0, 0, 0, 0, 1]


def test_other_forces_and_the_wind_fade_on_the_way_to_food() -> None:
    rules = {"cohesion": {}, "separation": {"radius": 25.0}, "wind": {"speed": 10.0, "turbulence": 0.0}}
    found = {}
    for stage in range(4):
        scenario = world(rules, gather_radius=15.0, landing_radius=12.0, drawn_below=0.0, hungry_below=0.0)
        apart = [[40.0, 0.0], [52.0, 0.0]] if stage == APPROACHING else [[10.0, 0.0], [-1.0, 0.0]]
        sim = birds(scenario, apart, stage, [[0.0, 1.0]] * 2)
        found[stage] = {name: rule_forces(sim, name) for name in rules}
    free = found[NONE]
    assert np.abs(free["cohesion"]).max() > 0.1
    for stage, left in ((APPROACHING, 0.1), (GATHERING, 0.15), (FEEDING, 0.0)):
        assert np.abs(found[stage]["cohesion"]).max() == pytest.approx(
            left * np.abs(free["cohesion"]).max(), rel=0.1
        )
    for stage, left in ((APPROACHING, 0.3), (GATHERING, 0.3), (FEEDING, 0.0)):
        close(found[stage]["wind"], left * free["wind"])
    # 12 units apart is outside the reduced separation radius (of 25) on the approach, and inside it while waiting.
    assert not found[APPROACHING]["separation"].any()
    assert found[GATHERING]["separation"].any()


def test_the_table_is_complete() -> None:
    pairs = [(change.before, change.after) for change in CHANGES]
    assert len(set(pairs)) == len(pairs)
    assert {state for pair in pairs for state in pair} == set(FeedingState) == set(feeding.STAGES)
    names = {word for change in CHANGES for word in change.when.split("`")[1::2]}
    assert names <= set(feeding.Feeding.model_fields)
