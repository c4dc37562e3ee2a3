"""The public surface of a simulation, against traces worked out by hand and plain formulas."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import murmura as mm
from murmura.core.errors import BackendError, ScenarioError, UnknownNameError
from murmura.core.state import FLOAT_COLUMNS, INTEGER_COLUMNS

BACKENDS = ["reference", "cpu"]


def small(name: str, agents: int = 60, **values: Any) -> mm.Scenario:
    return mm.load_scenario(name).with_values({"agents": agents, **values})


# S1-3, S1-8, S1-9, S1-10, S1-12, S1-13, S1-14
def test_two_boids_of_document_001_take_the_step_worked_out_by_hand(backend: str) -> None:
    # max speed 3, max force 0.08, weights 1.5, 1, 1. Forces on boid 0, after the clamp to 0.08:
    #   separation (-3, 0) - (2, 0)   -> (-0.08, 0) x 1.5
    #   alignment  ( 0, 3) - (2, 0)   -> 0.08 (-2, 3)/sqrt(13)
    #   cohesion   ( 3, 0) - (2, 0)   -> (0.08, 0)
    # and on boid 1, likewise, 0.08 (3, -2)/sqrt(13) x 1.5 + 0.08 (3, -2)/sqrt(13) + 0.08 (-3, -2)/sqrt(13).
    simulation = mm.Simulation(
        "classic", backend=backend, positions=[[100, 100], [110, 100]], velocities=[[2, 0], [0, 2]]
    )
    forces = [[-0.0843760, 0.0665640], [0.0998460, -0.1553160]]
    velocities = [[1.9156240, 0.0665640], [0.0998460, 1.8446840]]
    simulation.step()
    assert simulation.forces == pytest.approx(np.array(forces), abs=1e-6)
    assert simulation.velocities == pytest.approx(np.array(velocities), abs=1e-6)
    assert simulation.positions == pytest.approx(np.array([[100, 100], [110, 100]]) + velocities, abs=1e-5)
    # The acceleration is reset to zero: without forces the velocity stays.
    simulation.retune({f"rules.{name}.weight": 0.0 for name in ("separation", "alignment", "cohesion")})
    simulation.step()
    assert (simulation.forces == 0.0).all()
    assert simulation.velocities == pytest.approx(np.array(velocities), abs=1e-6)
    assert simulation.positions == pytest.approx(
        np.array([[100, 100], [110, 100]]) + 2 * np.array(velocities), abs=1e-5
    )


# S1-4, S1-8
def test_the_speed_limit_comes_before_the_move(backend: str) -> None:
    simulation = mm.Simulation("classic", backend=backend, positions=[[100, 100]], velocities=[[30, 40]])
    simulation.step()
    assert simulation.velocities == pytest.approx(np.array([[1.8, 2.4]]), abs=1e-6)
    assert simulation.positions == pytest.approx(np.array([[101.8, 102.4]]), abs=1e-4)


# S1-15, S4-44
def test_agents_that_leave_on_one_side_enter_on_the_other(backend: str) -> None:
    simulation = mm.Simulation(
        "classic",
        backend=backend,
        positions=[[1599, 300], [1, 600], [400, 899], [800, 1], [1599.5, 899.5]],
        velocities=[[3, 0], [-3, 0], [0, 3], [0, -3], [2, 2]],
    )
    simulation.step()
    expected = [[2, 300], [1598, 600], [400, 2], [800, 898], [1.5, 1.5]]
    assert simulation.positions == pytest.approx(np.array(expected, float), abs=1e-3)


# S0-21, S0-22, S2-19
@pytest.mark.parametrize(
    ("name", "time_step"), [("classic", 1 / 60), ("starlings", 1 / 60), ("starlings", 1 / 240)]
)
def test_forces_are_those_of_the_last_step(backend: str, name: str, time_step: float) -> None:
    scenario = small(name, **{"motion.max_speed": 100.0, "motion.time_step": time_step, "start.speed": 5.0})
    simulation = mm.Simulation(scenario, seed=5, backend=backend)
    assert (simulation.forces == 0.0).all()
    for _ in range(3):
        p, v = simulation.positions.astype(float), simulation.velocities.astype(float)
        simulation.step()
        f = simulation.forces.astype(float)
        assert np.abs(f).max() > 0.01
        ticks = name == "classic"
        new_v = v + f * (1.0 if ticks else 60.0 * time_step)
        assert simulation.velocities == pytest.approx(new_v, abs=2e-5)
        new_p = p + new_v * (1.0 if ticks else time_step)
        if ticks:
            new_p %= [scenario.world.width, scenario.world.height]
        assert simulation.positions == pytest.approx(new_p, abs=1e-3)


def test_time_counts_whole_steps(backend: str) -> None:
    simulation = mm.Simulation(small("starlings", **{"motion.time_step": 0.01}), backend=backend)
    assert (simulation.time, simulation.step_count, simulation.agent_count) == (0.0, 0, 60)
    simulation.step()
    simulation.step(4)
    simulation.step(0)
    simulation.step(np.int64(5))
    assert (simulation.time, simulation.step_count) == (pytest.approx(0.1), 10)


def test_arrays_are_in_ascending_id_and_belong_to_the_reader(backend: str) -> None:
    rng = np.random.default_rng(1)
    ids = rng.permutation(500)[:40]
    p, v = rng.uniform(100, 700, (40, 2)), rng.normal(size=(40, 2))
    simulation = mm.Simulation("classic", backend=backend, positions=p, velocities=v, ids=ids)
    order = np.argsort(ids)
    assert simulation.ids.tolist() == sorted(ids.tolist())
    assert simulation.positions == pytest.approx(p[order], abs=1e-4)
    assert simulation.velocities == pytest.approx(v[order], abs=1e-6)
    before = simulation.state_hash()
    seen = (simulation.ids, simulation.positions, simulation.velocities, simulation.forces)
    for array in (*seen, simulation.column("energy"), simulation.neighbors(int(ids[0]))):
        with pytest.raises(ValueError, match="read-only"):  # it would change nothing
            array[:] = 7
    assert simulation.state_hash() == before
    simulation.step(3)
    assert simulation.ids.tolist() == sorted(ids.tolist())
    assert simulation.positions.shape == simulation.velocities.shape == simulation.forces.shape == (40, 2)


# S4-5, S4-10
@pytest.mark.parametrize("name", ["classic", "roadmap", "starlings", "mixed"])
def test_the_same_seed_gives_the_same_flight_and_another_seed_another(backend: str, name: str) -> None:
    def flight(seed: int, pieces: list[int]) -> str:
        simulation = mm.Simulation(small(name, 40), seed=seed, backend=backend)
        for piece in pieces:
            simulation.step(piece)
        return simulation.state_hash()

    assert flight(7, [5]) == flight(7, [5]) == flight(7, [1, 3, 1])
    assert flight(7, [5]) != flight(8, [5])
    assert flight(7, [5]) != flight(7 + 2**32, [5])
    assert flight(7, [5]) != flight(7, [4])


@pytest.mark.parametrize("name", [*FLOAT_COLUMNS, *INTEGER_COLUMNS])
def test_columns_can_be_read_by_name(name: str) -> None:
    simulation = mm.Simulation(small("mixed", 50), seed=2, backend="cpu")
    simulation.step(2)
    column = simulation.column(name)
    assert column.shape == (50,)
    assert column.dtype == (np.float32 if name in FLOAT_COLUMNS else np.int32)
    pairs = {
        "position_x": simulation.positions[:, 0],
        "velocity_y": simulation.velocities[:, 1],
        "acceleration_x": simulation.forces[:, 0],
        "id": simulation.ids,
    }
    if name in pairs:
        assert (column == pairs[name]).all()


# S0-27, S0-46, S2-6, S2-16
def test_heading_and_density_columns_follow_the_flight(backend: str) -> None:
    simulation = mm.Simulation(
        small("starlings", 80, **{"world.width": 500.0, "world.height": 400.0}), 3, backend
    )
    counts = [len(simulation.neighbors(k)) for k in simulation.ids]
    assert max(counts) > 3
    simulation.step()
    assert simulation.column("local_density").tolist() == counts
    vx, vy = simulation.velocities.T
    assert simulation.column("heading") == pytest.approx(np.arctan2(vy, vx), abs=1e-5)


# S4-15
@pytest.mark.parametrize("name", ["classic", "roadmap", "starlings"])
def test_neighbors_are_those_within_radius_and_view(name: str) -> None:
    simulation = mm.Simulation(small(name, 80), seed=4, backend="cpu")
    simulation.step(2)
    world, perception = simulation.scenario.world, simulation.scenario.perception
    p, v = simulation.positions.astype(float), simulation.velocities.astype(float)
    found = 0
    for k in range(80):
        d = p - p[k]
        if world.boundary == "wrap":
            d -= np.array([world.width, world.height]) * np.round(d / [world.width, world.height])
        size = np.hypot(*d.T)
        with np.errstate(invalid="ignore"):
            cosine = d @ v[k] / (size * math.hypot(*v[k]))
        seen = (size <= perception.radius) & (cosine >= math.cos(math.radians(perception.field_of_view / 2)))
        seen |= (size <= perception.radius) & (perception.field_of_view == 360)
        seen[k] = False
        assert simulation.neighbors(k).tolist() == np.flatnonzero(seen).tolist()
        found += seen.sum()
    assert found > 20


# S4-49, S4-50
def test_measures_by_name() -> None:
    simulation = mm.Simulation(
        "classic",
        backend="reference",
        positions=[[100, 100], [103, 104], [800, 400]],
        velocities=[[2, 0], [0, 2], [2, 0]],
    )
    found = simulation.measure()
    assert {
        "polarization", "milling", "mean_speed", "nearest_neighbor_distance", "clustering_coefficient", "groups",
        "largest_group",
    } <= set(found)  # fmt: skip
    assert found["polarization"] == pytest.approx(math.hypot(2, 1) / 3)
    assert found["mean_speed"] == pytest.approx(2 * 60)  # per second, although velocities are per tick
    far = math.hypot(800 - 103, 400 - 104)
    assert found["nearest_neighbor_distance"] == pytest.approx((5 + 5 + far) / 3)
    assert found["groups"] == 2
    assert found["largest_group"] in (2, pytest.approx(2 / 3))


def test_the_hash_changes_with_every_bit() -> None:
    simulation = mm.Simulation(small("classic", 5), backend="reference")
    seen = {simulation.state_hash()}
    for name in (*FLOAT_COLUMNS, *INTEGER_COLUMNS):
        for row in (0, 4):
            for bit in (0, 30):
                state = simulation.state.copy()
                state.columns[name].view(np.uint32)[row] ^= 1 << bit
                seen.add(state.digest(simulation.step_count))
    assert len(seen) == 1 + 21 * 4
    assert simulation.state.digest(simulation.step_count + 1) not in seen


def test_the_hash_sees_a_difference_of_one_ulp() -> None:
    p = np.array([[100.0, 100.0], [500.0, 500.0]], np.float32)
    q = p.copy()
    q[0, 0] = np.nextafter(q[0, 0], np.float32(200))
    v = [[1.0, 0.0], [0.0, 1.0]]
    one, two = (mm.Simulation("classic", backend="reference", positions=x, velocities=v) for x in (p, q))
    assert one.state_hash() != two.state_hash()


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_bits_do_not_depend_on_threads(threads: int) -> None:
    simulation = mm.Simulation(small("classic", 300), seed=9, backend="cpu", threads=threads)
    alone = mm.Simulation(small("classic", 300), seed=9, backend="cpu", threads=1)
    simulation.step(20)
    alone.step(20)
    assert simulation.threads == threads
    assert simulation.state_hash() == alone.state_hash()


def test_an_empty_world_steps_too() -> None:
    for backend in BACKENDS:
        simulation = mm.Simulation(small("classic", 0), backend=backend)
        simulation.step(3)
        assert (simulation.step_count, simulation.agent_count) == (3, 0)
        assert simulation.positions.shape == (0, 2)
        assert math.isnan(simulation.measure()["polarization"])


def test_the_representation_names_scenario_step_and_seed() -> None:
    simulation = mm.Simulation(small("classic", 5), seed=3, backend="reference")
    assert repr(simulation) == "<Simulation 'classic': 5 agents, step 0, seed 3, reference x 1>"


@pytest.mark.parametrize("count", [-1, True, 1.0, "1", None, np.float32(1)])
def test_steps_are_whole_and_not_negative(count: Any) -> None:
    simulation = mm.Simulation(small("classic", 5), backend="reference")
    with pytest.raises(ScenarioError, match="whole number of steps, 0 or more, got"):
        simulation.step(count)
    assert simulation.step_count == 0


@pytest.mark.parametrize("seed", [-1, 2**64, True, 1.0, "1", None])
def test_seeds_are_whole_numbers_of_64_bits(seed: Any) -> None:
    with pytest.raises(ScenarioError, match=r"seed must be a whole number from 0 to 2\*\*64 - 1, got"):
        mm.Simulation(small("classic", 5), seed=seed, backend="reference")
    mm.Simulation(small("classic", 5), seed=2**64 - 1, backend="reference").step()


@pytest.mark.parametrize("threads", [0, -1, 257, True, 1.5, "2"])
def test_threads_are_between_1_and_256(threads: Any) -> None:
    with pytest.raises(ScenarioError, match="threads must be a whole number from 1 to 256, got"):
        mm.Simulation(small("classic", 5), threads=threads)


@pytest.mark.parametrize(
    ("backend", "hint"), [("cpuu", "'cpu'"), ("referense", "'reference'"), ("gpu", "known"), (None, "known")]
)
def test_unknown_backends_are_answered_with_the_known_ones(backend: Any, hint: str) -> None:
    with pytest.raises(BackendError, match="no backend is called") as error:
        mm.Simulation(small("classic", 5), backend=backend)
    assert hint in str(error.value)


@pytest.mark.parametrize("wrong", ["starling", "", 5, None])
def test_unknown_scenarios_are_answered_with_where_the_known_ones_are(wrong: Any) -> None:
    with pytest.raises(UnknownNameError, match="`murmura scenarios` lists all"):
        mm.Simulation(wrong)


@pytest.mark.parametrize("agent", [5, -1, 2**40, 2**70])
def test_ids_that_do_not_exist_are_named(agent: int) -> None:
    simulation = mm.Simulation(small("classic", 5), backend="reference")
    for ask in (simulation.neighbors, simulation.explain, simulation.remove_agents):
        with pytest.raises(UnknownNameError, match="id"):
            ask(agent)  # type: ignore[operator]
    with pytest.raises(UnknownNameError, match="no agent has the id 5; alive: 5 agents with ids from 0 to 4"):
        simulation.neighbors(5)


@pytest.mark.parametrize("agent", ["a", 1.0, None, True, [0, 1], [[0], [1, 2]], np.array([0])])
def test_an_id_is_one_whole_number(agent: Any) -> None:
    simulation = mm.Simulation(small("classic", 5), backend="reference")
    for ask in (simulation.neighbors, simulation.explain):
        with pytest.raises(UnknownNameError, match="id"):
            ask(agent)


def test_nobody_lives_in_an_empty_world() -> None:
    with pytest.raises(UnknownNameError, match="no agent has the id 0; alive: nobody"):
        mm.Simulation(small("classic", 0), backend="reference").explain(0)


@pytest.mark.parametrize(
    ("name", "hint"), [("engery", "'energy'"), ("postion_x", "position_x"), (5, "columns")]
)
def test_unknown_columns_are_answered_with_the_nearest(name: Any, hint: str) -> None:
    simulation = mm.Simulation(small("classic", 5), backend="reference")
    with pytest.raises(UnknownNameError, match="no column is called") as error:
        simulation.column(name)
    assert hint in str(error.value)


def test_measures_are_taken_by_name():
    simulation = mm.Simulation(mm.load_scenario("classic").with_values({"agents": 30}), 1, "reference")
    assert list(simulation.measure(["groups", "polarization"])) == ["groups", "polarization"]
    with pytest.raises(ValueError, match="did you mean 'polarization'"):
        simulation.measure(["polarisation"])
