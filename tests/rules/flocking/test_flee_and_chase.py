"""Relations between species: fleeing, chasing, and factors on the flocking rules."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from murmura import Scenario, Simulation
from tests.rules.oracle import ZERO, added, birds_of, neighbors_of, scaled, steering
from tests.rules.scenes import MAX_FORCE, MAX_SPEED, close, make_flock, make_scenario, place, rule_forces

PREY, HUNTER = 0, 1


def hunt(rules: dict[str, Any], **parts: Any) -> Scenario:
    """Prey that flees hunters, and hunters that chase prey."""
    species = [
        {"name": "prey", "towards": {"hunter": "flee"}},
        {"name": "hunter", "towards": {"prey": "chase"}},
    ]
    return make_scenario(rules, species=species, **parts)


def mixed_flock(scenario: Scenario, count: int = 60) -> Simulation:
    return make_flock(scenario, seed=61, count=count, species=np.arange(count) % 3 // 2)


@pytest.mark.parametrize("boundary", ["wrap", "open"])
@pytest.mark.parametrize("lead", [0.0, 3.0, 24.0])
def test_hunters_chase_the_nearest_prey_and_look_ahead(lead: float, boundary: str) -> None:
    # S3-8, S3-9: document 003's chase, within what a hunter perceives
    scenario = hunt(
        {"chase": {"weight": 1.25, "lead": lead}}, world={"boundary": boundary}, motion={"time_step": 0.25}
    )
    sim = mixed_flock(scenario)
    flock = birds_of(sim)
    expected = []
    for bird in flock:
        prey = [seen for seen in neighbors_of(sim, bird, flock) if seen[0].species == PREY]
        force = ZERO
        if bird.species == HUNTER and prey:
            target, d, _ = min(prey, key=lambda seen: seen[2])
            force = steering(added(d, scaled(target.velocity, lead * 0.25)), bird, MAX_SPEED, MAX_FORCE)
        expected.append(scaled(force, 1.25))
    assert np.count_nonzero(np.any(expected, axis=1)) > 10
    close(rule_forces(sim, "chase"), expected)


def test_three_frames_ahead_with_velocities_per_tick() -> None:
    # S3-9: position + 3 x velocity, as document 003 prints it
    motion = {"velocity_unit": "tick", "max_speed": 8.0}
    sim = place(
        hunt({"chase": {}}, motion=motion),
        [[100.0, 80.0], [110.0, 80.0]],
        [[0.0, 0.0], [0.0, 4.0]],
        species=[HUNTER, PREY],
    )
    assert sim.scenario.rules.chase.lead == 3.0
    direction = np.array([10.0, 12.0])
    close(
        rule_forces(sim, "chase")[0],
        direction / np.hypot(*direction) * MAX_FORCE * sim.scenario.rules.chase.weight,
    )


def test_only_the_nearest_is_chased() -> None:
    # S3-8: the others do not matter, and unseen ones are not chased
    places = [[100.0, 80.0], [110.0, 80.0], [100.0, 92.0], [95.0, 80.0]]
    sim = place(
        hunt({"chase": {"weight": 1.0}}),
        places,
        [[0.5, 0.0]] + [[0.0, 0.0]] * 3,
        species=[HUNTER, PREY, PREY, PREY],
    )
    assert sim.neighbors(0).tolist() == [1, 2]  # the nearest of all is behind
    assert sim.explain(0)["rules"]["chase"]["neighbors"] == [1]
    close(rule_forces(sim, "chase"), [[MAX_FORCE, 0.0], [0, 0], [0, 0], [0, 0]])


@pytest.mark.parametrize("backend", ["reference", "cpu"])
def test_prey_at_distance_0_is_the_nearest(backend: str) -> None:
    # S3-8: the document's chase has no least distance, unlike its other rules; it leads to where the prey will be
    motion = {"velocity_unit": "tick", "max_speed": 8.0}
    scenario = hunt({"chase": {"weight": 1.0}}, motion=motion)
    places, still = [[100.0, 80.0], [100.0, 80.0], [104.0, 80.0]], [0.0, 0.0]
    species = [HUNTER, PREY, PREY]
    sim = Simulation(
        scenario, 1, backend, positions=places, velocities=[still, [0.0, 4.0], still], species=species
    )
    close(rule_forces(sim, "chase")[0], [0.0, MAX_FORCE])
    at_rest = Simulation(scenario, 1, backend, positions=places, velocities=[still] * 3, species=species)
    assert not rule_forces(at_rest, "chase")[0].any()
    at_rest.step()
    assert np.isfinite(at_rest.velocities).all() and not at_rest.velocities[0].any()


def test_a_hunter_without_prey_has_no_force() -> None:
    # S3-8
    sim = place(
        hunt({"chase": {}}), [[100.0, 80.0], [104.0, 80.0]], [[3.0, 1.0]] * 2, species=[HUNTER, HUNTER]
    )
    assert not rule_forces(sim, "chase").any()


@pytest.mark.parametrize("boundary", ["wrap", "open"])
def test_prey_flees_hunters(boundary: str) -> None:
    # unit(away)/d over the hunters perceived, as S3-1 does for the crowd
    sim = mixed_flock(hunt({"flee": {"weight": 1.5}}, world={"boundary": boundary}))
    flock = birds_of(sim)
    expected = []
    for bird in flock:
        total = ZERO
        for other, d, distance in neighbors_of(sim, bird, flock):
            if bird.species == PREY and other.species == HUNTER:
                total = added(total, scaled(d, -1.0 / distance**2))
        expected.append(scaled(steering(total, bird, MAX_SPEED, MAX_FORCE), 1.5))
    assert np.count_nonzero(np.any(expected, axis=1)) > 10
    close(rule_forces(sim, "flee"), expected)


def test_without_relations_the_rules_take_no_part() -> None:
    sim = make_flock(make_scenario({"flee": {}, "chase": {}}), count=5)
    assert sim.explain(0)["rules"] == {}


FACTORS = {
    "flock": (1.0, 1.0, 1.0),
    "align": (1.0, 1.0, 0.0),
    "join": (1.0, 0.0, 1.0),
    "avoid": (2.0, 0.0, 0.0),
    "separate": (1.0, 0.0, 0.0),
    "ignore": (0.0, 0.0, 0.0),
    "flee": (1.0, 0.0, 0.0),
    "chase": (0.0, 0.0, 0.0),
}


@pytest.mark.parametrize("relation", FACTORS)
def test_relations_weigh_neighbours_in_the_flocking_rules(relation: str) -> None:
    species = [{"name": "us", "towards": {"them": relation}}, {"name": "them"}]
    rules: dict[str, Any] = {
        "separation": {"falloff": "inverse", "weight": 1.0},
        "alignment": {},
        "cohesion": {},
    }
    places = [[100.0, 80.0], [110.0, 80.0], [100.0, 84.0]]
    velocities = [[0.0, 0.0], [2.0, 1.0], [-1.0, 2.0]]
    sim = place(make_scenario(rules, species=species), places, velocities, species=[0, 0, 1])
    push, along, join = FACTORS[relation]
    wanted = {
        "separation": (-0.1, -0.25 * push),
        "alignment": (2.0 - along, 1.0 + 2.0 * along),
        "cohesion": (10.0, 4.0 * join),
    }
    for name, direction in wanted.items():
        size = math.hypot(*direction)
        close(rule_forces(sim, name)[0], np.array(direction) / size * MAX_FORCE)


def test_species_have_numbers_of_their_own() -> None:
    # S3-1…S3-5 give each boid its own max_speed, max_force and radii
    species = [
        {"name": "slow", "values": {"motion.max_speed": 2.0}},
        {"name": "strong", "values": {"motion.max_force": 1.5, "rules.seek.weight": 0.5}},
    ]
    sim = place(
        make_scenario({"seek": {"x": 100.0, "y": 80.0, "arrival_radius": 0.0}}, species=species),
        [[60.0, 80.0], [140.0, 80.0]],
        [[1.75, 0.0], [0.0, 0.0]],
        species=[0, 1],
    )
    close(rule_forces(sim, "seek"), [[0.25, 0.0], [-0.75, 0.0]])
