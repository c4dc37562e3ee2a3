"""Several species in one world: each has its own numbers and reacts to the others as the table says."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import murmura as mm

Array = NDArray[np.float64]


def two_kinds(
    backend: str, wanted: Any, positions: Any, velocities: Any, species: Any, **values: Any
) -> mm.Simulation:
    """A world of species a and b, in which a reacts to b, and b ignores a. No other rule acts.

    c and d never appear; they keep the rules for chase and flight enabled, so that all tests share a kernel.
    """
    kinds = [
        {"name": "a", "towards": {"b": wanted}},
        {"name": "b", "towards": {"a": "ignore", "b": "ignore"}},
        {"name": "c", "towards": {"d": "flee"}},
        {"name": "d", "towards": {"c": "chase"}},
    ]
    for kind in kinds:
        own = {path[2:]: value for path, value in values.items() if path.startswith(f"{kind['name']}:")}
        kind["values"] = own
    shared = {path: value for path, value in values.items() if ":" not in path}
    scenario = mm.load_scenario("mixed").with_values(
        {"species": kinds, "rules.noise.gain": 0.0, "perception.field_of_view": 360.0, **shared}
    )
    return mm.Simulation(
        scenario, backend=backend, positions=positions, velocities=velocities, species=species
    )


def distance(simulation: mm.Simulation, steps: int) -> Array:
    found = []
    for _ in range(steps):
        simulation.step()
        found.append(math.hypot(*(simulation.positions[0].astype(float) - simulation.positions[1])))
    return np.array(found)


SIDE_BY_SIDE = {"positions": [[500, 500], [515, 500]], "velocities": [[0, 5], [0, 5]], "species": [0, 1]}


@pytest.mark.parametrize(
    ("wanted", "direction"),
    [
        ("ignore", 0),
        ("separate", -1),
        ("avoid", -1),
        ("flee", -1),
        ("join", None),
        ("chase", 1),
    ],
)
def test_the_word_decides_which_way_the_force_points(
    backend: str, wanted: str, direction: int | None
) -> None:
    # a and b fly north beside each other; b is to the east.
    simulation = two_kinds(backend, wanted, **SIDE_BY_SIDE)
    simulation.step()
    fx = float(simulation.forces[0, 0])
    assert simulation.forces[1].tolist() == [0, 0]
    if direction is not None:
        assert np.sign(fx) == direction
    else:
        # Joining includes keeping apart when near: pull and push both act and nearly cancel.
        far = two_kinds(backend, wanted, [[500, 500], [540, 500]], [[0, 5], [0, 5]], [0, 1])
        far.step()
        assert far.forces[0, 0] > 0.1


def test_ignored_neighbours_change_nothing(backend: str) -> None:
    rng = np.random.default_rng(2)
    positions = np.vstack([[500, 500], np.array([500, 500]) + rng.uniform(-40, 40, (10, 2))])
    velocities = np.vstack([[3, 4], rng.normal(size=(10, 2)) * 5])
    simulation = two_kinds(backend, "ignore", positions, velocities, [0] + [1] * 10)
    simulation.step(30)
    assert simulation.velocities[0].tolist() == [3, 4]
    assert simulation.positions[0] == pytest.approx([500 + 3 * 0.5, 500 + 4 * 0.5], abs=1e-3)


@pytest.mark.parametrize(("wanted", "aligned", "pulled"), [("flock", 1, 1), ("align", 1, 0), ("join", 0, 1)])
def test_flocking_words_align_or_join_or_both(backend: str, wanted: str, aligned: int, pulled: int) -> None:
    # b is 40 to the east and flies east; a flies north. Separation reaches 20.
    simulation = two_kinds(backend, wanted, [[500, 500], [540, 500]], [[0, 14], [5, 0]], [0, 1])
    found = simulation.explain(0)["rules"]
    assert found["alignment"]["neighbors"] == [1] * aligned
    assert found["cohesion"]["neighbors"] == [1] * pulled
    assert found["separation"]["neighbors"] == []
    simulation.step()
    # Each force is (14, 0) - (0, 14), clamped to 0.5; their sum is clamped again.
    expected = np.array([1, -1]) * 0.5 / math.sqrt(2)
    assert simulation.forces[0] == pytest.approx(expected, abs=1e-5)


def test_avoided_species_are_kept_farther_away_than_its_own(backend: str) -> None:
    # Between one of its own kind on the left and an avoided one on the right, both 10 away.
    simulation = two_kinds(
        backend,
        "avoid",
        [[500, 500], [490, 500], [510, 500]],
        [[0, 5]] * 3,
        [0, 0, 1],
        **{"rules.alignment.weight": 0.0, "rules.cohesion.weight": 0.0},
    )
    simulation.step()
    assert simulation.forces[0, 0] < -0.1
    # A plain table entry with half the factor on the right reverses it.
    simulation = two_kinds(
        backend,
        {"separation": 0.5},
        [[500, 500], [490, 500], [510, 500]],
        [[0, 5]] * 3,
        [0, 0, 1],
        **{"rules.alignment.weight": 0.0, "rules.cohesion.weight": 0.0},
    )
    simulation.step()
    assert simulation.forces[0, 0] > 0.1


def test_a_hunter_catches_slower_prey(backend: str) -> None:
    start = [[500, 500], [540, 520]], [[5, 0], [0, 5]], [0, 1]
    speeds = {"a:motion.max_speed": 15.0, "b:motion.max_speed": 5.0}
    hunted = distance(two_kinds(backend, "chase", *start, **speeds), 400)
    spared = distance(two_kinds(backend, "ignore", *start, **speeds), 400)
    assert hunted.min() < 2.0
    assert spared.min() > 35.0


# S3-8
def test_the_nearest_prey_is_hunted(backend: str) -> None:
    simulation = two_kinds(
        backend, "chase", [[500, 500], [530, 500], [450, 500]], [[0, 1], [0, 0], [0, 0]], [0, 1, 1]
    )
    simulation.step()
    assert simulation.forces[0, 0] > 0.1
    simulation = two_kinds(
        backend, "chase", [[500, 500], [550, 500], [470, 500]], [[0, 1], [0, 0], [0, 0]], [0, 1, 1]
    )
    simulation.step()
    assert simulation.forces[0, 0] < -0.1


def test_fleeing_agents_get_away(backend: str) -> None:
    # b approaches from behind, faster than a is flying.
    start = [[500, 500], [470, 503]], [[3, 0], [8, 0]], [0, 1]
    fled = distance(two_kinds(backend, "flee", *start), 400)
    stayed = distance(two_kinds(backend, "ignore", *start), 400)
    assert stayed.min() < 3.5
    assert fled.min() > 15.0
    assert fled[-1] > fled[0]


def test_relations_need_not_be_mutual(backend: str) -> None:
    simulation = two_kinds(backend, "chase", **SIDE_BY_SIDE)
    simulation.step(20)
    assert simulation.velocities[1].tolist() == [0, 5]
    assert simulation.velocities[0, 0] > 1.0


def test_each_species_uses_its_own_numbers(backend: str) -> None:
    values = {
        "a:motion.max_speed": 4.0,
        "b:motion.max_speed": 9.0,
        "a:perception.radius": 25.0,
        "a:rules.separation.radius": 20.0,
        "a:rules.alignment.radius": 25.0,
        "a:rules.cohesion.radius": 25.0,
    }
    simulation = two_kinds(backend, "flock", [[500, 500], [530, 500]], [[30, 0], [30, 0]], [0, 1], **values)
    assert simulation.neighbors(0).tolist() == []
    assert simulation.neighbors(1).tolist() == [0]
    simulation.step()
    assert simulation.column("local_density").tolist() == [0, 1]
    assert np.hypot(*simulation.velocities.T) == pytest.approx([4.0, 9.0], abs=1e-4)


def test_the_mixed_scenario_keeps_all_species_and_their_limits() -> None:
    simulation = mm.Simulation("mixed", seed=1, backend="cpu")
    kinds = simulation.column("species")
    caps = np.array([15.0, 14.0, 14.0, 17.0])
    for _ in range(10):
        simulation.step(60)
        assert (simulation.column("species") == kinds).all()
        speeds = np.hypot(*simulation.velocities.astype(float).T)
        assert (speeds <= caps[kinds] * (1 + 1e-5)).all()
        assert np.isfinite(simulation.positions).all()
    assert np.bincount(kinds).min() >= 20
    assert simulation.agent_count == 1500


def test_in_the_mixed_scenario_prey_keeps_clear_of_hunters() -> None:
    def prey_near_a_hunter(scenario: mm.Scenario) -> float:
        """How many prey are within 30 of a hunter, on average over 15 s: at one instant they are too few."""
        simulation = mm.Simulation(scenario, seed=3, backend="cpu")
        found = []
        for _ in range(15):
            simulation.step(60)
            kinds, p = simulation.column("species"), simulation.positions.astype(float)
            d = p[kinds != 3][None] - p[kinds == 3][:, None]
            d -= np.array([2000, 1250]) * np.round(d / [2000, 1250])
            found.append((np.hypot(d[..., 0], d[..., 1]) < 30.0).sum(axis=1).mean())
        return float(np.mean(found))

    shipped = mm.load_scenario("mixed")
    control = shipped.with_values({"rules.flee.weight": 0.0})  # the same hunters, and prey that does not flee
    assert prey_near_a_hunter(shipped) < 0.4 * prey_near_a_hunter(control)
