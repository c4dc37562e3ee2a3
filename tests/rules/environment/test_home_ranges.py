"""Home ranges: forces by hand, and owners that stay at home."""

from __future__ import annotations

import numpy as np
import pytest

import murmura as mm
from murmura.rules.environment.home_ranges import HomeRange


def forces_at(places: list[tuple[float, float]], species: list[int], boundary: str = "wrap") -> np.ndarray:
    scenario = mm.Scenario.from_data(
        {
            "name": "homes",
            "agents": len(places),
            "world": {"width": 1000, "height": 800, "boundary": boundary},
            "motion": {"max_force": 0.5},
            "rules": {
                "separation": {"enabled": False},
                "alignment": {"enabled": False},
                "cohesion": {"enabled": False},
                "territory": {"enabled": True, "homes": [{"x": 100, "y": 400, "radius": 200, "owner": 0}]},
            },
            "species": [{"name": "owners"}, {"name": "guests"}],
        }
    )
    sim = mm.Simulation(
        scenario,
        seed=1,
        backend="cpu",
        positions=places,
        velocities=np.zeros((len(places), 2)),
        species=species,
    )
    sim.step()
    return sim.forces


def test_owners_are_pulled_back_between_inner_and_outer_radius():
    shares = np.array([0.5, 0.7, 0.85, 1.0, 1.4, 1.6])
    forces = forces_at([(100 + 200 * share, 400) for share in shares], [0] * 6)
    expected = -0.5 * 0.5 * np.array([0.0, 0.0, 0.5, 1.0, 1.0, 0.0])
    np.testing.assert_allclose(forces[:, 0], expected, atol=1e-5)
    np.testing.assert_allclose(forces[:, 1], 0.0, atol=1e-6)


def test_others_are_pushed_out_harder_near_the_centre():
    shares = np.array([0.1, 0.5, 0.9, 1.1])
    forces = forces_at([(100, 400 + 200 * share) for share in shares], [1] * 4)
    np.testing.assert_allclose(forces[:, 1], 0.5 * 0.6 * np.maximum(0.0, 1.0 - shares), atol=1e-5)


def test_a_home_reaches_across_the_edge_of_a_torus():
    forces = forces_at([(960.0, 400.0)], [1])  # 140 to the left of the home's centre
    np.testing.assert_allclose(forces[0], [-0.5 * 0.6 * (1 - 140 / 200), 0.0], atol=1e-5)


def test_a_home_around_a_cluster():
    home = HomeRange.around([(0, 0), (10, 0), (0, 10), (10, 10)], owner=1)
    assert (home.x, home.y, home.owner) == (5.0, 5.0, 1)
    assert home.radius == pytest.approx(2 * np.hypot(5, 5))


def test_owners_stay_at_home():
    sim = mm.Simulation(mm.load_scenario("day-and-night").with_values({"agents": 300}), seed=4, backend="cpu")
    free = mm.Simulation(sim.scenario.with_values({"rules.territory.weight": 0.0}), seed=4, backend="cpu")
    inside = []
    for one in (sim, free):
        one.step(3600)
        bats = one.positions[one.column("species") == 1]
        inside.append(float((np.hypot(bats[:, 0] - 1150, bats[:, 1] - 500) < 280).mean()))
    assert inside[0] > 3.0 * inside[1] and inside[0] > 0.25


def test_an_owner_must_exist():
    with pytest.raises(mm.MurmuraError, match="owner must be the number of a species"):
        mm.load_scenario("day-and-night").with_values({"rules.territory.homes.0.owner": 2})
