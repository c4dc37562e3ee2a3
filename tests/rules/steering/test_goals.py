"""Seek, flee, pursue, evade, wander, follow a leader."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from murmura import Simulation
from murmura.rules.steering.goals import FleePoint, Seek
from tests.rules.oracle import ZERO, Bird, Vector, added, birds_of, scaled, steering, way, with_length
from tests.rules.scenes import MAX_FORCE, MAX_SPEED, close, make_flock, make_scenario, place, rule_forces

WORLDS = pytest.mark.parametrize("boundary", ["wrap", "open"])


@WORLDS
def test_seek_slows_on_arrival(boundary: str) -> None:
    # S0-57, S3-4, S4-73: document 000's seek
    rule = {"x": 60.0, "y": 40.0, "weight": 0.75, "arrival_radius": 64.0}
    sim = make_flock(make_scenario({"seek": rule}, world={"boundary": boundary}))
    expected = []
    for bird in birds_of(sim):
        d = way(sim, (bird.x, bird.y), (60.0, 40.0))
        distance = math.hypot(*d)
        speed = MAX_SPEED * (distance / 64.0 if distance < 64.0 else 1.0)
        expected.append(scaled(steering(d, bird, speed, MAX_FORCE), 0.75))
    close(rule_forces(sim, "seek"), expected)


def test_arrival_begins_at_100_units_by_default() -> None:
    # S0-57
    assert Seek().arrival_radius == 100.0
    goal = {"x": 100.0, "y": 80.0}
    calm = {"max_force": 100.0}
    sim = place(
        make_scenario({"seek": goal}, motion=calm, world={"width": 400.0, "height": 400.0}),
        [[100.0, 80.0], [125.0, 80.0], [100.0, 180.0], [250.0, 80.0]],
    )
    close(rule_forces(sim, "seek"), [[0.0, 0.0], [-2.0, 0.0], [0.0, -8.0], [-8.0, 0.0]])
    sim = place(make_scenario({"seek": goal | {"arrival_radius": 0.0}}, motion=calm), [[101.0, 80.0]])
    close(rule_forces(sim, "seek"), [[-8.0, 0.0]])


def test_seek_at_the_goal_has_no_force() -> None:
    # S0-57
    sim = place(make_scenario({"seek": {"x": 100.0, "y": 80.0}}), [[100.0, 80.0]], [[3.0, 1.0]])
    assert not rule_forces(sim, "seek").any()


@pytest.mark.parametrize("name", ["seek", "flee_point"])
@pytest.mark.parametrize("velocity", [[0.0, 0.0], [3.0, 1.0]])
@pytest.mark.parametrize("backend", ["reference", "cpu"])
def test_a_zero_vector_asks_for_no_force(name: str, velocity: list[float], backend: str) -> None:
    # S0-57, S0-58, S4-54: nothing is divided by the distance 0, and the agent flies on
    scenario = make_scenario({name: {"x": 100.0, "y": 80.0}})
    sim = Simulation(scenario, 1, backend, positions=[[100.0, 80.0]], velocities=[velocity])
    assert not rule_forces(sim, name).any()
    sim.step()
    assert not sim.forces.any() and sim.velocities.tolist() == [velocity]


def test_a_seeker_arrives_and_stays() -> None:
    # S0-57
    motion = {"velocity_unit": "tick", "max_speed": 2.0, "max_force": 0.125}
    sim = place(
        make_scenario({"seek": {"x": 100.0, "y": 80.0, "arrival_radius": 32.0}}, motion=motion),
        [[20.0, 20.0]],
    )
    sim.step(300)
    assert math.dist(sim.positions[0], (100.0, 80.0)) < 0.1
    assert np.hypot(*sim.velocities[0]) < 0.1


@WORLDS
def test_flee_point(boundary: str) -> None:
    # S0-58: document 000's flee
    sim = make_flock(
        make_scenario({"flee_point": {"x": 60.0, "y": 40.0, "weight": 0.75}}, world={"boundary": boundary})
    )
    expected = [
        scaled(steering(way(sim, (60.0, 40.0), (b.x, b.y)), b, MAX_SPEED, MAX_FORCE), 0.75)
        for b in birds_of(sim)
    ]
    close(rule_forces(sim, "flee_point"), expected)


def test_flee_point_acts_only_within_reach() -> None:
    # S0-58: by default at any distance, and nowhere from the point itself
    assert FleePoint().reach == 0.0
    places = [[100.0, 80.0], [132.0, 80.0], [132.01, 80.0]]
    far = place(make_scenario({"flee_point": {"x": 100.0, "y": 80.0}}), places)
    near = place(make_scenario({"flee_point": {"x": 100.0, "y": 80.0, "reach": 32.0}}), places)
    close(rule_forces(far, "flee_point"), [[0, 0], [MAX_FORCE, 0], [MAX_FORCE, 0]])
    close(rule_forces(near, "flee_point"), [[0, 0], [MAX_FORCE, 0], [0, 0]])


def predicted(sim: Simulation, bird: Bird, other: Bird, lead: float, share: float = 1.0) -> Vector:
    """The offset to another's position after a share of the time it takes to get there, at most `lead` seconds."""
    pace = 1.0 if sim.scenario.motion.velocity_unit == "second" else 1.0 / sim.scenario.motion.time_step
    d = way(sim, (bird.x, bird.y), (other.x, other.y))
    seconds = min(lead, share * math.hypot(*d) / (sim.scenario.motion.max_speed * pace))
    return added(d, scaled(other.velocity, pace * seconds))


UNITS = pytest.mark.parametrize(
    "motion", [{}, {"velocity_unit": "tick", "max_speed": 4.0, "time_step": 0.0625}], ids=["second", "tick"]
)


@UNITS
@WORLDS
def test_pursuit_of_where_the_quarry_will_be(boundary: str, motion: dict[str, Any]) -> None:
    rule = {"agent": 7, "lead": 4.0, "weight": 1.25}
    sim = make_flock(make_scenario({"pursue": rule}, world={"boundary": boundary}, motion=motion), count=30)
    flock = birds_of(sim)
    top = sim.scenario.motion.max_speed
    expected = [
        ZERO if b.id == 7 else scaled(steering(predicted(sim, b, flock[7], 4.0), b, top, MAX_FORCE), 1.25)
        for b in flock
    ]
    close(rule_forces(sim, "pursue"), expected)
    no_lead = place(
        make_scenario({"pursue": rule | {"lead": 0.0}}, world={"boundary": boundary}, motion=motion),
        sim.positions,
        sim.velocities,
    )
    assert np.abs(rule_forces(no_lead, "pursue") - expected).max() > 0.05


@UNITS
@WORLDS
def test_evasion_of_where_the_hunter_will_be(boundary: str, motion: dict[str, Any]) -> None:
    rule = {"agent": 7, "lead": 4.0, "reach": 64.0, "weight": 1.25}
    sim = make_flock(make_scenario({"evade": rule}, world={"boundary": boundary}, motion=motion), count=40)
    flock = birds_of(sim)
    top = sim.scenario.motion.max_speed
    expected = []
    for bird in flock:
        far = math.hypot(*way(sim, (bird.x, bird.y), (flock[7].x, flock[7].y))) > 64.0
        away = scaled(predicted(sim, bird, flock[7], 4.0, 0.5), -1.0)
        expected.append(ZERO if far or bird.id == 7 else scaled(steering(away, bird, top, MAX_FORCE), 1.25))
    assert 4 < np.count_nonzero(np.any(expected, axis=1)) < 36
    close(rule_forces(sim, "evade"), expected)


@pytest.mark.parametrize("name", ["pursue", "evade", "follow_leader"])
def test_an_agent_that_does_not_exist_has_no_effect(name: str) -> None:
    sim = make_flock(make_scenario({name: {"agent": 5}}), count=10)
    assert rule_forces(sim, name).any()
    sim.remove_agents([5])
    assert not rule_forces(sim, name).any()


def test_followers_make_for_the_place_behind_the_leader() -> None:
    # S4-73
    rule = {"agent": 3, "distance": 16.0, "arrival_radius": 48.0, "weight": 0.75}
    sim = make_flock(make_scenario({"follow_leader": rule}), seed=41, count=60)
    flock = birds_of(sim)
    leader = flock[3]
    heading = with_length(leader.velocity, 1.0)
    expected = []
    for bird in flock:
        to_leader = way(sim, (bird.x, bird.y), (leader.x, leader.y))
        ahead = -(to_leader[0] * heading[0] + to_leader[1] * heading[1])
        left = -(heading[0] * to_leader[1] - heading[1] * to_leader[0])
        d = added(to_leader, scaled(heading, -16.0))
        if bird.id == 3:
            force = ZERO
        elif 0.0 < ahead < 16.0 and abs(left) < 8.0:
            sideways = (-heading[1], heading[0]) if left >= 0.0 else (heading[1], -heading[0])
            force = steering(sideways, bird, MAX_SPEED, MAX_FORCE)
        else:
            force = steering(d, bird, MAX_SPEED * min(1.0, math.hypot(*d) / 48.0), MAX_FORCE)
        expected.append(scaled(force, 0.75))
    close(rule_forces(sim, "follow_leader"), expected)


def test_an_agent_in_the_leaders_way_steps_aside() -> None:
    # S4-73: to the nearer side, at right angles to its flight
    places = [[100.0, 80.0], [108.0, 83.0], [108.0, 77.0], [108.0, 89.0], [117.0, 80.0], [92.0, 80.0]]
    sim = place(
        make_scenario({"follow_leader": {"agent": 0, "distance": 16.0}}),
        places,
        [[4.0, 0.0]] + [[0.0, 0.0]] * 5,
    )
    found = rule_forces(sim, "follow_leader")
    close(found[1], [0.0, MAX_FORCE])
    close(found[2], [0.0, -MAX_FORCE])
    assert found[3][0] < 0.0  # too far aside to be in the way: it falls back
    assert found[4][0] < 0.0  # too far ahead
    close(found[5], [-MAX_FORCE, 0.0])  # behind, but nearer than it should be


def test_followers_end_up_behind_a_leader() -> None:
    # S4-73
    motion = {"velocity_unit": "tick", "max_speed": 2.0, "max_force": 0.125}
    sim = place(
        make_scenario(
            {"follow_leader": {"agent": 0, "distance": 16.0, "arrival_radius": 32.0}}, motion=motion
        ),
        [[100.0, 80.0], [130.0, 90.0], [60.0, 50.0]],
        [[1.0, 0.0], [0.0, 0.0], [0.0, 0.0]],
    )
    sim.step(400)
    x = sim.positions.astype(float)
    behind = (x[0, 0] - x[1:, 0] + 120.0) % 240.0 - 120.0
    assert ((behind > 10.0) & (behind < 40.0)).all()
    np.testing.assert_allclose(x[1:, 1], 80.0, atol=1.0)


def wander_directions(sim: Simulation) -> np.ndarray:
    """The direction of the wander force, as an angle from the heading; takes a step. Forces are not limited here."""
    v = sim.velocities.astype(float)
    sim.step()
    wanted = sim.forces + v
    np.testing.assert_allclose(np.hypot(*wanted.T), MAX_SPEED, rtol=1e-5)
    return np.angle((wanted[:, 0] + 1j * wanted[:, 1]) / (v[:, 0] + 1j * v[:, 1]))


def wanderers(circle_distance: float, seed: int = 51, **rule: Any) -> Simulation:
    scenario = make_scenario(
        {"wander": {"circle_distance": circle_distance} | rule}, motion={"max_force": 100.0}
    )
    return make_flock(scenario, seed=seed, count=100)


def test_wander_aims_at_a_circle_ahead() -> None:
    # S4-73: from outside, a circle of radius 1 whose centre is 2 ahead spans 30 degrees to each side
    turns = np.degrees(wander_directions(wanderers(2.0)))
    assert np.abs(turns).max() <= 30.0 + 1e-3
    assert np.ptp(turns) > 50.0
    assert abs(turns.mean()) < 8.0
    straight = np.degrees(wander_directions(wanderers(100.0)))
    assert np.abs(straight).max() < 0.6


def test_wander_drifts_smoothly_and_differs_between_agents() -> None:
    # S4-73
    sim = wanderers(2.0, rate=0.5)
    path = np.degrees([wander_directions(sim) for _ in range(128)])
    assert np.abs(np.diff(path, axis=0)).max() < 6.0
    assert np.median(np.ptp(path, axis=0)) > 20.0
    assert np.median(np.abs(np.corrcoef(path.T)[np.triu_indices(100, 1)])) < 0.9
    frozen = wanderers(2.0, rate=0.0)
    close(wander_directions(frozen), wander_directions(frozen), 1e-4)


def test_wander_depends_on_the_seed_and_the_weight() -> None:
    # S4-73, S4-5
    sim = wanderers(2.0)
    forces = rule_forces(sim, "wander")
    close(rule_forces(wanderers(2.0, weight=0.25), "wander") * 4.0, forces)
    other = Simulation(
        sim.scenario, 52, "reference", positions=sim.positions, velocities=sim.velocities.astype(float)
    )
    mine, others = wander_directions(sim), wander_directions(other)
    assert np.array_equal(wander_directions(wanderers(2.0)), mine)
    assert np.median(np.abs(mine - others)) > 0.05
