"""The flock at step 0: drawn from the seed, or given as arrays, or refused with the reason."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import murmura as mm
from murmura.core.errors import ScenarioError
from murmura.core.rule import REGISTRY, Rule, register_rule
from murmura.engine.initial import random_start, random_starts

MANY = 4000


def begin(name: str = "classic", seed: int = 0, agents: int = MANY, **values: Any) -> mm.Simulation:
    return mm.Simulation(mm.load_scenario(name).with_values({"agents": agents, **values}), seed, "reference")


# S2-17, S0-17
def test_birds_start_in_random_directions_at_speed_five() -> None:
    simulation = begin("starlings", seed=1)
    vx, vy = simulation.velocities.astype(float).T
    assert np.hypot(vx, vy) == pytest.approx(np.full(MANY, 5.0), abs=1e-5)
    # Uniform angles: the circular mean is near 0, and every twelfth of the circle has its share.
    assert abs(np.exp(1j * np.arctan2(vy, vx)).mean()) < 4 / np.sqrt(MANY)
    counts, _ = np.histogram(np.arctan2(vy, vx), bins=12, range=(-np.pi, np.pi))
    assert ((counts - MANY / 12) ** 2 / (MANY / 12)).sum() < 31.3  # chi-squared, 11 degrees, 0.1 %
    assert simulation.column("heading") == pytest.approx(np.arctan2(vy, vx), abs=1e-5)


def test_places_are_uniform_within_the_margin() -> None:
    simulation = begin("starlings", seed=2)
    p = simulation.positions.astype(float)
    assert (p >= 100).all()
    assert (p <= [1500, 900]).all()
    counts, _, _ = np.histogram2d(*p.T, bins=(4, 4), range=[[100, 1500], [100, 900]])
    assert ((counts - MANY / 16) ** 2 / (MANY / 16)).sum() < 37.7  # chi-squared, 15 degrees, 0.1 %


def test_a_disc_is_filled_evenly() -> None:
    simulation = begin("classic", seed=3, **{"start.layout": "disc", "start.radius": 100.0})
    r = np.hypot(*(simulation.positions.astype(float) - [800, 450]).T)
    assert r.max() <= 100.001
    assert (r < 50).mean() == pytest.approx(0.25, abs=0.03)


def test_speeds_may_vary() -> None:
    speeds = np.hypot(
        *begin("classic", seed=4, **{"start.speed": 1.0, "start.speed_spread": 1.0}).velocities.T
    )
    assert speeds.min() >= 0.999
    assert speeds.max() <= 2.001
    assert speeds.mean() == pytest.approx(1.5, abs=0.03)


def directed(spread: float, direction: float = 250.0, **values: Any) -> Any:
    """Unit vectors of a start in one direction, and their angles from it [deg]."""
    chosen = {"start.direction": direction, "start.direction_spread": spread, **values}
    velocities = begin("starlings", seed=8, **chosen).velocities.astype(float)
    units = velocities / np.linalg.norm(velocities, axis=1)[:, None]
    along = np.zeros(units.shape[1])
    along[:2] = np.cos(np.radians(direction)), np.sin(np.radians(direction))
    return units, np.degrees(np.arccos(np.clip(units @ along, -1.0, 1.0)))


@pytest.mark.parametrize("depth", [None, 300.0])
def test_all_start_in_one_direction(depth: float | None) -> None:
    units, away = directed(0.0, **{"world.depth": depth})
    assert away.max() < 0.05
    assert np.degrees(np.arctan2(units[:, 1], units[:, 0])) == pytest.approx(np.full(MANY, -110.0), abs=1e-3)


def test_directions_spread_evenly_over_an_arc_and_over_a_cap() -> None:
    _, away = directed(60.0)
    assert away.max() <= 60.001
    assert (away < 20.0).mean() == pytest.approx(1 / 3, abs=0.03)
    units, away = directed(60.0, **{"world.depth": 300.0})
    assert away.max() <= 60.001
    # The area of a cap is proportional to 1 - cos; around the axis no side is preferred.
    assert (away < 30.0).mean() == pytest.approx((1.0 - np.cos(np.pi / 6.0)) / 0.5, abs=0.03)
    assert abs(units[:, 2].mean()) < 0.03


def test_a_spread_of_half_a_turn_covers_all_directions() -> None:
    units, _ = directed(180.0, **{"world.depth": 300.0})
    assert np.abs(units.mean(axis=0)).max() < 4 / np.sqrt(MANY)
    assert (units**2).mean(axis=0) == pytest.approx(np.full(3, 1 / 3), abs=0.02)


def test_a_direction_does_not_change_positions_and_speeds() -> None:
    plain, straight = begin(seed=6, agents=50), begin(seed=6, agents=50, **{"start.direction": 0.0})
    assert (plain.positions == straight.positions).all()
    np.testing.assert_allclose(*(np.hypot(*sim.velocities.T) for sim in (plain, straight)), rtol=1e-6)


def test_a_spread_beyond_half_a_turn_is_refused_and_one_without_a_direction_reported() -> None:
    with pytest.raises(ScenarioError, match=r"start\.direction_spread must be <= 180 \[deg\], got 200"):
        begin(**{"start.direction_spread": 200.0})
    scenario = mm.load_scenario("classic").with_values({"start.direction_spread": 20.0})
    (line,) = scenario.hidden_values()
    assert line.startswith("start.direction_spread = 20 [deg] does not act: without a start.direction")
    assert line.endswith("set start.direction")
    assert scenario.with_values({"start.direction": 90.0}).hidden_values() == []


# S2-1, S2-2, S2-5, S2-6, S2-7, S2-9, S2-12
def test_all_start_calm_fed_and_single() -> None:
    simulation = begin("starlings", agents=50)
    assert simulation.ids.tolist() == list(range(50))
    assert simulation.scenario.species_names() == ("default",)
    expected = {
        "panic_level": 0, "local_density": 0, "energy": 1, "feeding_state": 0, "mating_state": 0, "feeding_timer": 0,
        "mating_timer": 0, "mating_cooldown": 0, "target_food_id": -1, "target_mate_id": -1, "species_id": 0,
    }  # fmt: skip
    for name, value in expected.items():
        assert (simulation.column(name) == value).all(), name


# S2-3, S2-15
def test_half_are_males_and_only_males_are_aggressive() -> None:
    simulation = begin("classic", seed=5)
    male = simulation.column("gender") == 1
    temper = simulation.column("aggression_level")
    assert male.mean() == pytest.approx(0.5, abs=4 * 0.5 / np.sqrt(MANY))
    assert (temper[~male] == 0).all()
    assert temper[male].min() >= 0.5
    assert temper[male].max() < 1.0
    assert temper[male].mean() == pytest.approx(0.75, abs=0.02)


def test_species_get_their_shares() -> None:
    simulation = begin("mixed", agents=1630)
    assert np.bincount(simulation.column("species")).tolist() == [500, 800, 300, 30]


def test_the_start_of_an_agent_does_not_depend_on_their_number() -> None:
    few, many = begin(seed=6, agents=10), begin(seed=6, agents=20)
    assert (few.positions == many.positions[:10]).all()
    assert (few.velocities == many.velocities[:10]).all()


def test_nobody_starts_inside_an_obstacle() -> None:
    obstacles = [
        {"x": 10.0, "y": 450.0, "radius": 150.0},  # reaches across the edge
        {"points": [[800.0, 200.0], [1200.0, 300.0], [900.0, 800.0]]},
        {"points": [[0.0, 0.0], [100.0, 100.0]]},
    ]
    simulation = begin(seed=7, agents=1500, obstacles=obstacles)
    p = simulation.positions.astype(float)
    dx = np.abs(p[:, 0] - 10)
    assert np.hypot(np.minimum(dx, 1600 - dx), p[:, 1] - 450).min() >= 150
    a, b, c = (np.array(corner) for corner in obstacles[1]["points"])  # type: ignore[index]

    def left_of(start: Any, end: Any) -> Any:
        return (end[0] - start[0]) * (p[:, 1] - start[1]) - (end[1] - start[1]) * (p[:, 0] - start[0]) > 0

    assert not (left_of(a, b) & left_of(b, c) & left_of(c, a)).any()
    assert (left_of(a, b) & left_of(b, c)).any()


def test_no_room_outside_the_obstacles_is_an_error() -> None:
    full = [{"points": [[0.0, 0.0], [1600.0, 0.0], [1600.0, 900.0], [0.0, 900.0]]}]
    with pytest.raises(ScenarioError, match="found no place outside the obstacles; remove some"):
        begin(agents=3, obstacles=full)


def given(**arrays: Any) -> mm.Simulation:
    arrays = {"positions": [[10.0, 10.0], [20.0, 20.0]], **arrays}
    return mm.Simulation(mm.load_scenario("classic"), backend="reference", **arrays)


def test_given_arrays_are_used_unchanged() -> None:
    simulation = given(velocities=[[1.0, 0.5], [-2.0, 0.25]])
    assert simulation.agent_count == simulation.scenario.agents == 2
    assert simulation.positions.tolist() == [[10.0, 10.0], [20.0, 20.0]]
    assert simulation.velocities.tolist() == [[1.0, 0.5], [-2.0, 0.25]]
    assert simulation.column("heading") == pytest.approx(np.arctan2([0.5, 0.25], [1.0, -2.0]), abs=1e-6)


def test_missing_velocities_are_drawn_by_id() -> None:
    drawn = begin(seed=3, agents=6).velocities
    simulation = mm.Simulation(
        "classic", seed=3, backend="reference", positions=[[10.0, 10.0], [20.0, 20.0]], ids=[4, 2]
    )
    assert (simulation.velocities == drawn[[2, 4]]).all()


def test_given_species_and_integer_arrays() -> None:
    simulation = mm.Simulation(
        "mixed",
        backend="reference",
        positions=np.array([[10, 10], [20, 20]]),
        species=[3, 1],
        ids=np.array([9, 4]),
    )
    assert simulation.ids.tolist() == [4, 9]
    assert simulation.column("species").tolist() == [1, 3]


# S4-1
def test_constant_speed_holds_from_the_first_instant() -> None:
    simulation = mm.Simulation(
        "roadmap",
        backend="reference",
        positions=[[10.0, 10.0], [20.0, 20.0]],
        velocities=[[30.0, 40.0], [0.0, 0.1]],
    )
    assert simulation.velocities == pytest.approx(np.array([[0.6, 0.8], [0.0, 1.0]]), abs=1e-6)
    with pytest.raises(
        ScenarioError, match=r"row 1 is zero, but motion\.policy is constant: give it a direction"
    ):
        mm.Simulation("roadmap", positions=[[1.0, 1.0], [2.0, 2.0]], velocities=[[1.0, 0.0], [0.0, 0.0]])


def test_a_place_that_rounds_to_the_edge_stays_inside() -> None:
    simulation = given(positions=[[1599.9999999, 899.9999999]], velocities=[[1.0, 0.0]])
    assert (simulation.positions < [1600, 900]).all()
    assert simulation.positions == pytest.approx(np.array([[1600.0, 900.0]]), abs=1e-3)


@pytest.mark.parametrize("name", ["positions", "velocities"])
@pytest.mark.parametrize(
    ("array", "words"),
    [
        (np.zeros(4), ["(n, 2)", "(4,)"]),
        (np.zeros((2, 3)), ["(n, 2)", "(2, 3)"]),
        (np.zeros((2, 2, 2)), ["(n, 2)", "(2, 2, 2)"]),
        ([], ["(n, 2)", "(0,)"]),
        (5.0, ["(n, 2)", "()"]),
        ([[1.0, 2.0], [3.0]], ["(n, 2)", "list"]),
        ("abc", ["(n, 2)", "str"]),
        ([["a", "b"], ["c", "d"]], ["(n, 2)"]),
        (np.array([[1j, 2.0], [3.0, 4.0]]), ["(n, 2)"]),
        ([[1.0, np.nan], [2.0, 2.0]], ["finite", "nan", "row 0"]),
        ([[1.0, 2.0], [np.inf, 2.0]], ["finite", "inf", "row 1"]),
        ([[1.0, 2.0], [None, 2.0]], ["finite", "row 1"]),
        ([[1.0, 2.0], [1e39, 2.0]], ["at most 1e+09", "row 1"]),
    ],
)
def test_arrays_of_the_wrong_shape_or_kind_are_refused(name: str, array: Any, words: list[str]) -> None:
    with pytest.raises(ScenarioError) as error:
        given(**{name: array})
    assert str(error.value).startswith(f"{name} must ")
    for word in words:
        assert word in str(error.value)


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ({"velocities": [[1.0, 0.0]]}, ["velocities", "each of the 2 positions", "got 1"]),
        ({"positions": [[-5.0, 10.0]]}, ["positions", "0..1600 x 0..900 [u]", "[-5.0, 10.0]", "row 0"]),
        ({"positions": [[5.0, 10.0], [1600.0, 1.0]]}, ["positions", "[1600.0, 1.0]", "row 1"]),
        ({"ids": [1, 1]}, ["ids", "different"]),
        ({"ids": [-1, 1]}, ["ids", "0 to"]),
        ({"ids": [1, 2**31]}, ["ids", "0 to 2147483646"]),
        ({"ids": [1]}, ["ids", "2 whole numbers", "(1,)"]),
        ({"ids": [1.0, 2.0]}, ["ids", "2 whole numbers", "float64"]),
        ({"ids": [True, False]}, ["ids", "2 whole numbers", "bool"]),
        ({"ids": [[1], [2, 3]]}, ["ids", "2 whole numbers"]),
        ({"species": [0, 1]}, ["species", "0 to 0", "1"]),
        ({"species": [0, -1]}, ["species", "0 to 0", "-1"]),
        ({"species": [0]}, ["species", "2 whole numbers", "(1,)"]),
        ({"species": [[0], [0, 0]]}, ["species", "2 whole numbers"]),
        ({"species": ["a", "b"]}, ["species", "2 whole numbers"]),
    ],
)
def test_arrays_that_do_not_fit_are_refused(arrays: Any, words: list[str]) -> None:
    with pytest.raises(ScenarioError) as error:
        given(**arrays)
    for word in words:
        assert word in str(error.value)


@pytest.mark.parametrize("name", ["velocities", "species", "ids"])
def test_arrays_without_positions_are_refused(name: str) -> None:
    with pytest.raises(ScenarioError, match="pass positions too"):
        mm.Simulation("classic", **{name: [[1.0, 0.0]]})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("shape", "place"),
    [
        ({"x": 100.0, "y": 100.0, "radius": 20.0}, [110.0, 110.0]),
        ({"x": 5.0, "y": 100.0, "radius": 20.0}, [1595.0, 100.0]),  # across the seam
        ({"x": 5.0, "y": 895.0, "radius": 20.0}, [1595.0, 5.0]),
        ({"points": [[100.0, 100.0], [200.0, 100.0], [150.0, 200.0]]}, [150.0, 150.0]),
    ],
)
def test_a_start_inside_an_obstacle_is_refused(shape: Any, place: list[float]) -> None:
    scenario = mm.load_scenario("classic").with_values({"obstacles": [shape]})
    with pytest.raises(ScenarioError, match=r"row 1 \(.*\) lies inside obstacles\.0; move it out"):
        mm.Simulation(scenario, positions=[[500.0, 500.0], place], velocities=[[1.0, 0.0]] * 2)


def test_too_many_given_agents_for_the_world_are_refused() -> None:
    scenario = mm.load_scenario("classic").with_values({"world.width": 101.0, "world.height": 101.0})
    with pytest.raises(ScenarioError, match="use fewer agents, a larger world"):
        mm.Simulation(scenario, positions=np.full((30_000, 2), 50.0))


@pytest.mark.parametrize("begins", ["with", "added", "switched on"])
def test_a_rule_may_set_any_column_of_founders(begins: str) -> None:
    class Weary(Rule):
        """Founders start with an energy that depends on their id."""

        writes = ("energy",)

        def columns_at_start(self, ids: Any, seed: int) -> dict[str, Any]:
            return {"energy": 1.0 / (2.0 + ids)}

        @staticmethod
        def feel(p: Any, me: Any, found: Any, world: Any) -> Any:
            return {"energy": me.energy}

    register_rule("weary")(Weary)
    try:
        simulation = begin(agents=3, **{"rules.weary": {"enabled": begins != "switched on"}})
        if begins == "added":
            simulation.add_agents([[10.0, 10.0]], [[1.0, 0.0]])
        elif begins == "switched on":
            simulation.retune({"rules.weary.enabled": True})
        expected = 1.0 / (2.0 + simulation.ids)
        assert simulation.column("energy") == pytest.approx(expected, rel=1e-6)
    finally:
        del REGISTRY["weary"]


@pytest.mark.parametrize("name", mm.scenario_names())
def test_starts_of_many_seeds_are_those_of_each(name: str) -> None:
    """Sines of many numbers at once could differ in the last bit from those of a few."""
    scenario = mm.load_scenario(name).with_values({"agents": 13})
    seeds = [0, 7, 2**32 + 5, 2**64 - 1]
    parts = random_starts(scenario, seeds).split(len(seeds))
    for seed, part in zip(seeds, parts, strict=True):
        assert part.digest(0) == random_start(scenario, seed).digest(0), seed
    assert len({part.digest(0) for part in parts}) == len(seeds)


def test_starts_of_many_seeds_avoid_obstacles_and_may_be_empty() -> None:
    rocks = [{"kind": "circle", "x": 400.0, "y": 400.0, "radius": 300.0}]
    scenario = mm.load_scenario("classic").with_values({"agents": 40, "obstacles": rocks})
    for seed, part in enumerate(random_starts(scenario, range(5)).split(5)):
        assert part.digest(0) == random_start(scenario, seed).digest(0)
    empty = scenario.with_values({"agents": 0})
    assert [len(part) for part in random_starts(empty, [1, 2]).split(2)] == [0, 0]
