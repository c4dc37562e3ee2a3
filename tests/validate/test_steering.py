"""Leaders, hunters, evaders and edges: steering does what its name says."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import murmura as mm

Array = NDArray[np.float64]
RULES = ("separation", "alignment", "cohesion", "containment", "follow_leader", "pursue", "evade")


def steered(
    backend: str, positions: Any, velocities: Any, side: float = 4000.0, **values: Any
) -> mm.Simulation:
    """Agents with all rules at weight 0 except those given a weight: one kernel for all tests."""
    scenario = mm.load_scenario("classic").with_values(
        {
            "world.width": side,
            "world.height": side,
            "world.boundary": "reflect",
            "motion.max_force": 0.2,
            **{f"rules.{name}.enabled": True for name in RULES},
            **{f"rules.{name}.weight": 0.0 for name in RULES},
            **values,
        }
    )
    return mm.Simulation(scenario, backend=backend, positions=positions, velocities=velocities)


def path(simulation: mm.Simulation, steps: int, every: int = 1) -> Array:
    places = [simulation.positions.astype(float)]
    for _ in range(steps // every):
        simulation.step(every)
        places.append(simulation.positions.astype(float))
    return np.array(places)


def distance(places: Array, a: int = 0, b: int = 1) -> Array:
    return np.hypot(*(places[:, a] - places[:, b]).T)


# S4-73
def test_a_leader_is_followed(backend: str) -> None:
    rng = np.random.default_rng(1)
    crowd = np.array([2000, 2000]) + rng.uniform(-150, 150, (20, 2))
    positions = np.vstack([[2000, 2000], crowd])
    velocities = np.vstack([[2, 0], rng.normal(size=(20, 2))])
    values = {
        "rules.follow_leader.weight": 1.0,
        "rules.follow_leader.agent": 0,
        "rules.separation.weight": 0.0,
    }
    simulation = steered(backend, positions, velocities, **values)
    simulation.step(400)
    leader, crowd = simulation.positions[0].astype(float), simulation.positions[1:].astype(float)
    assert leader == pytest.approx([2800, 2000], abs=0.1)  # undisturbed by its followers
    assert simulation.velocities[0] == pytest.approx([2, 0], abs=1e-5)
    behind = leader[0] - crowd[:, 0]
    assert (behind > 0).all()
    assert (behind < 80).all()
    assert (np.abs(crowd[:, 1] - leader[1]) < 30).all()
    assert simulation.velocities[1:, 0] == pytest.approx(np.full(20, 2.0), abs=0.5)


# S4-73
def test_no_agent_stays_in_the_leaders_way(backend: str) -> None:
    values = {"rules.follow_leader.weight": 1.0, "rules.follow_leader.distance": 40.0}
    places = path(steered(backend, [[2000, 2000], [2030, 2003]], [[2, 0], [1, 0]], **values), 60)
    # Ahead of the leader and nearly on its line, it steps aside, to the side it is already on.
    assert places[20, 1, 1] > 2006
    apart = places[:, 1] - places[:, 0]
    assert (np.hypot(*apart.T) > 5).all()


@pytest.mark.parametrize("bearing", [0.0, 1.3, 2.6, 4.0])
def test_a_pursuer_catches_a_slower_quarry(backend: str, bearing: float) -> None:
    start = np.array([2000, 2000]) + 200 * np.array([math.cos(bearing), math.sin(bearing)])
    values = {"rules.pursue.weight": 1.0, "rules.pursue.agent": 0}
    simulation = steered(backend, [[2000, 2000], start], [[0, 1.5], [0, 0.1]], **values)
    places = path(simulation, 500)
    assert distance(places)[0] == pytest.approx(200, abs=0.01)
    assert distance(places).min() < 3.0
    # The quarry does not react.
    assert places[-1, 0] == pytest.approx([2000, 2000 + 1.5 * 500], abs=0.2)


def test_foresight_shortens_the_pursuit(backend: str) -> None:
    def time_to_catch(lead: float) -> int:
        values = {"rules.pursue.weight": 1.0, "rules.pursue.agent": 0, "rules.pursue.lead": lead}
        places = path(steered(backend, [[2000, 2000], [2250, 2150]], [[0, 2], [-1, 0]], **values), 400)
        return int(np.argmax(distance(places) < 5.0)) or 10_000

    assert time_to_catch(2.0) < time_to_catch(0.0) < 10_000


def test_a_pursuer_does_not_catch_a_faster_quarry(backend: str) -> None:
    values = {"rules.pursue.weight": 1.0, "rules.pursue.agent": 0, "motion.max_speed": 3.0}
    places = path(steered(backend, [[1000, 2000], [950, 2000]], [[3, 0], [2, 0]], **values), 300)
    assert distance(places).min() > 40


def test_an_evader_gets_away_and_other_prey_is_caught(backend: str) -> None:
    def chase(evasion: float) -> Array:
        # 0 hunts 1, which comes its way.
        values = {
            "rules.pursue.weight": 1.0, "rules.pursue.agent": 1,
            "rules.evade.weight": evasion, "rules.evade.agent": 0, "rules.evade.reach": 200.0,
        }  # fmt: skip
        return distance(
            path(steered(backend, [[1000, 2000], [1150, 2010]], [[1, 0], [-1, 0.5]], **values), 400)
        )

    evaded, caught = chase(1.0), chase(0.0)
    assert caught.min() < 5.0
    assert evaded.min() > 30.0
    # Out of reach it no longer evades, but the hunter never gets as near again.
    worst = int(evaded.argmin())
    assert evaded[worst + 50 :].min() > evaded[worst]


def test_an_evader_without_foresight_gets_away(backend: str) -> None:
    values = {
        "rules.pursue.weight": 1.0, "rules.pursue.agent": 1,
        "rules.evade.weight": 1.0, "rules.evade.agent": 0, "rules.evade.reach": 200.0, "rules.evade.lead": 0.0,
    }  # fmt: skip
    found = distance(path(steered(backend, [[1000, 2000], [1150, 2010]], [[1, 0], [-1, 0.5]], **values), 400))
    assert found.min() > 100.0
    assert found[-1] == pytest.approx(found[200], abs=1.0)  # as fast as its hunter, it keeps its lead


def test_a_hunter_out_of_reach_is_ignored(backend: str) -> None:
    values = {"rules.evade.weight": 1.0, "rules.evade.agent": 0, "rules.evade.reach": 100.0}
    simulation = steered(backend, [[1000, 1000], [1101, 1000], [1099, 1000]], [[1, 0]] * 3, **values)
    simulation.step()
    assert simulation.forces[1].tolist() == [0, 0]
    assert np.abs(simulation.forces[2]).max() > 0.01


# S4-45
def test_containment_turns_all_agents_before_the_edge(backend: str) -> None:
    n, side = (200, 600.0) if backend == "cpu" else (40, 600.0)
    rng = np.random.default_rng(5)
    angles = rng.uniform(0, 2 * math.pi, n)
    positions = rng.uniform(100, 500, (n, 2))
    velocities = 3 * np.column_stack([np.cos(angles), np.sin(angles)])

    def nearest_edge(weight: float) -> float:
        values = {
            "rules.containment.weight": weight, "rules.containment.margin": 50.0, "rules.containment.foresight": 0.5,
        }  # fmt: skip
        places = path(steered(backend, positions, velocities, side, **values), 400, every=4)
        return float(np.minimum(places, side - places).min())

    assert nearest_edge(2.0) > 10.0
    assert nearest_edge(0.0) < 3.0
