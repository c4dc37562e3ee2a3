"""What models of particles need from the engine, against exact answers. Other backends run the same tests."""

from __future__ import annotations

import numpy as np
import pytest

import murmura as mm
from murmura.core.rule import register_rule
from murmura.core.world.randomness import STREAM_USER, seed_words, threefry
from murmura.scenario.models import Species
from tests.parity.side_by_side import twin_of

from .building_blocks import NAME, RATE, SPREAD, Particles, particles


@pytest.fixture(autouse=True)
def _known(own_rules: None) -> None:
    register_rule(NAME)(Particles)


@pytest.mark.parametrize("backend", ["cpu"])
@pytest.mark.parametrize("depth", [None, 30.0])
def test_both_members_of_a_pair_draw_the_same_number(depth: float | None, backend: str):
    """Kicks are opposite, so the momentum stays, although every agent's velocity changes."""
    sim = mm.Simulation(particles(60, depth), seed=4, backend=backend, announce=None)
    before = sim.velocities.astype(np.float64)
    twin = twin_of(sim)
    twin.step()
    sim.step()
    change = sim.velocities.astype(np.float64) - before
    assert np.abs(change).max() > 0.2
    assert np.abs(change.sum(axis=0)).max() < 1e-4
    np.testing.assert_allclose(sim.velocities, twin.velocities, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(sim.column("spin"), twin.column("spin"), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("backend", ["cpu"])
def test_the_number_of_a_pair_is_what_the_text_says(backend: str):
    """Two agents: the smaller id and the step are encrypted, and with the result as key the larger id and the step."""
    sim = mm.Simulation(particles(2), seed=9, backend=backend, announce=None)
    state = sim.state.copy()
    state.columns["position_x"][:], state.columns["position_y"][:] = (10.0, 13.0), 10.0
    state.columns["velocity_x"][:], state.columns["velocity_y"][:] = 0.0, 0.0
    sim.load_state(state)
    sim.step()
    low, high = seed_words(9)
    key = threefry(low, high ^ ((STREAM_USER * 0x9E3779B9) & 0xFFFFFFFF), 0, 0)
    expected = (threefry(*key, 1, 0)[0] >> 8) * 2.0**-24 - 0.5
    np.testing.assert_allclose(sim.velocities, [[expected, 0.0], [-expected, 0.0]], atol=1e-6)


@pytest.mark.parametrize("backend", ["cpu"])
def test_a_vector_of_a_rule_relaxes_as_the_exact_solution_says(backend: str):
    """Mean and variance of an Ornstein-Uhlenbeck process after two steps of 2 s, within 4.5 standard errors."""
    n = 3000
    sim = mm.Simulation(particles(n).with_values({"perception.radius": 0.5}), seed=2, backend=backend)
    sim.step(2)
    spin, t = sim.column("spin").astype(np.float64), 4.0
    variance = SPREAD**2 * (1.0 - np.exp(-2.0 * RATE * t))
    mean = np.array([np.exp(-RATE * t), 0.0])
    assert np.abs(spin.mean(axis=0) - mean).max() < 4.5 * np.sqrt(variance / n)
    assert np.abs(spin.var(axis=0) / variance - 1.0).max() < 4.5 * np.sqrt(2.0 / n)


@pytest.mark.parametrize("backend", ["cpu"])
def test_newborns_inherit_a_vector(backend: str):
    sim = mm.Simulation(particles(20, birth=1.0), seed=3, backend=backend, announce=None)
    sim.step(2)
    assert sim.agent_count == 21
    np.testing.assert_allclose(sim.column("spin")[20], -sim.column("spin")[3], rtol=1e-6)


@pytest.mark.parametrize("backend", ["cpu"])
@pytest.mark.parametrize("policy", ["capped", "overdamped"])
def test_overdamped_agents_move_as_forces_say(policy: str, backend: str):
    values = {"motion.policy": policy, "start.speed": 0.0}
    values |= {"rules.wind.speed": 5.0, "rules.wind.turbulence": 0.0, "rules.wind.gain": 0.1}
    scenario = particles(5, kicks=0.0).with_values(values)
    sim = mm.Simulation(scenario, seed=1, backend=backend, announce=None)
    sim.step(3)
    force = sim.column("acceleration_x")
    assert (force != 0.0).all()
    if policy == "overdamped":
        np.testing.assert_allclose(sim.velocities[:, 0], force, rtol=1e-6)
    else:
        assert (np.abs(sim.velocities[:, 0] - force) > 1.0).all()


@pytest.mark.parametrize("backend", ["cpu"])
@pytest.mark.parametrize("nearest", [64, 65, 150])
def test_many_nearest_neighbours_are_counted_exactly(nearest: int, backend: str):
    values = {"perception.nearest": nearest, "perception.radius": 19.0}
    sim = mm.Simulation(particles(400).with_values(values), seed=6, backend=backend, announce=None)
    sim.step()
    assert (sim.column("neighbors") == nearest).all()


CHANNELS = [("wrap", "reflect", None), ("soft", "wrap", 40.0)]


@pytest.mark.parametrize("backend", ["cpu"])
@pytest.mark.parametrize(("along", "across", "depth"), CHANNELS)
def test_a_channel_wraps_along_one_axis_alone(along: str, across: str, depth: float | None, backend: str):
    """Steps are those of the reference, and neighbours are found through one pair of edges and not the other."""
    values = {"world.boundary": along, "world.boundary_y": across, "start.speed": 3.0, "world.depth": depth}
    sim = mm.Simulation(particles(300).with_values(values), seed=7, backend=backend, announce=None)
    for _ in range(3):
        twin = twin_of(sim)
        twin.step()
        sim.step()
        np.testing.assert_allclose(sim.positions, twin.positions, atol=2e-3)
    x = sim.positions.astype(np.float64)
    sim.step()
    way = x[:, None] - x[None]
    for axis, edge in enumerate((along, across, along)[: x.shape[1]]):
        side = 40.0
        way[..., axis] -= side * np.round(way[..., axis] / side) if edge == "wrap" else 0.0
    distance = np.linalg.norm(way, axis=-1)
    apart = np.abs(distance - 6.0).min(axis=1) > 1e-4
    assert np.array_equal(sim.column("neighbors")[apart], ((distance <= 6.0).sum(axis=1) - 1)[apart])


def test_agents_bounce_off_the_walls_of_a_channel_and_leave_at_its_ends():
    values = {"world.boundary": "wrap", "world.boundary_y": "reflect", "start.speed": 0.0}
    sim = mm.Simulation(
        particles(2, kicks=0.0).with_values(values), positions=[[39.0, 20.0], [20.0, 39.5]],
        velocities=[[2.0, 0.0], [0.0, 2.0]],
    )  # fmt: skip
    sim.step()
    np.testing.assert_allclose(sim.positions, [[3.0, 20.0], [20.0, 36.5]], atol=1e-5)
    np.testing.assert_allclose(sim.velocities, [[2.0, 0.0], [0.0, -2.0]], atol=1e-6)


def test_checkpoints_and_new_agents_have_the_vector(tmp_path):
    sim = mm.Simulation(particles(6), seed=5)
    sim.step(2)
    sim.add_agents([[1.0, 1.0]], [[0.0, 0.0]], columns={"spin": [[3.0, 4.0]]})
    sim.save(tmp_path / "one.ckpt")
    again = mm.Simulation.restore(tmp_path / "one.ckpt")
    assert np.array_equal(again.column("spin"), sim.column("spin"))
    assert again.column("spin")[-1].tolist() == [3.0, 4.0]


def test_species_and_obstacles_may_be_lists():
    kinds = [Species(name="a"), Species(name="b")]
    assert mm.Scenario(species=kinds).species == tuple(kinds)


def test_vectors_of_many_worlds_are_read_and_written():
    flocks = mm.Ensemble(particles(5, kicks=0.0), seeds=[1, 2], announce=None)
    flocks.step()
    turned = -flocks.column("spin")
    assert turned.shape == (2, 5, 2)
    flocks.assign({"spin": turned})
    assert np.array_equal(flocks.column("spin"), turned)
