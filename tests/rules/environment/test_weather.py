"""Noise, wind and jitter. The lattice of noise itself is tested with the core."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from murmura import Simulation
from murmura.compute.plan import noise_offset
from murmura.core.noise import fractal_noise, noise
from murmura.core.world.randomness import seed_words
from murmura.rules.environment.weather import Noise, Wind
from tests.rules.oracle import birds_of
from tests.rules.scenes import close, make_flock, make_scenario, place, rule_forces


def noise_forces(sim: Simulation, scale: float, rate: float) -> list[tuple[float, float]]:
    """Document 000's addNoise; the seed shifts the world on the lattice by whole cells."""
    rule = sim.scenario.rules.noise
    corner_x, corner_y = noise_offset(seed_words(sim.seed))
    assert corner_x == int(corner_x)
    assert corner_y == int(corner_y)
    found = []
    for bird in birds_of(sim):
        strength = rule.strength if len(sim.neighbors(bird.id)) else rule.wander
        value = float(
            noise(bird.x * scale + sim.time * rate + corner_x, bird.y * scale + bird.id * 0.1 + corner_y)
        )
        turned = complex(bird.vx, bird.vy) * np.exp(1j * value * math.pi * strength) * 0.1
        found.append((turned.real, turned.imag))
    return found


def test_noise_turns_a_tenth_of_the_velocity() -> None:
    # S0-43, S0-44, S2-35: S0-103 and S0-104 with 0.05 and 0.1 by default
    assert (Noise().strength, Noise().wander, Noise().gain, Noise().rate) == (0.05, 0.1, 0.1, 0.5)
    for seed in (1, 2**40 + 3):
        sim = make_flock(make_scenario({"noise": {}}, motion={"time_step": 0.5}), seed=5)
        sim = Simulation(
            sim.scenario, seed, "reference", positions=sim.positions, velocities=sim.velocities.astype(float)
        )
        for _ in range(2):
            close(rule_forces(sim, "noise"), noise_forces(sim, 0.01, 0.5), 1e-5)
            sim.step(3)


def test_noise_is_stronger_alone() -> None:
    # S0-43, S0-44 with decision 8
    rule = {"strength": 0.125, "wander": 0.5, "scale": 0.0625, "rate": 2.0, "gain": 0.1}
    sim = make_flock(make_scenario({"noise": rule}), seed=6, count=16)
    turns: dict[bool, list[float]] = {True: [], False: []}
    for _ in range(8):
        sim.step(40)
        forces = rule_forces(sim, "noise")
        close(forces, noise_forces(sim, 0.0625, 2.0), 1e-5)
        for k, (f, v) in enumerate(zip(forces, sim.velocities.astype(float), strict=True)):
            turns[len(sim.neighbors(k)) == 0].append(abs(np.angle(complex(*f) / complex(*v))))
    assert min(len(found) for found in turns.values()) > 20
    assert np.mean(turns[True]) > 2.0 * np.mean(turns[False])


def test_noise_of_high_ids_is_as_fine_as_that_of_low_ones() -> None:
    # S0-103: a tenth of a cell per id; the lattice repeats every 2560 ids
    ids = [0, 7, 2560, 2567, 2_000_000_000]
    scenario = make_scenario({"noise": {"wander": 1.0}}, world={"boundary": "open"})
    places = [[100.0 + 60.0 * k, 80.0] for k in range(5)]
    sim = Simulation(scenario, 0, "reference", positions=places, velocities=[[4.0, 0.0]] * 5, ids=ids)
    turns = []
    for k, agent in enumerate(ids):
        value = float(
            noise(
                places[k][0] * 0.01 + noise_offset((0, 0))[0],
                0.8 + agent % 2560 * 0.1 + noise_offset((0, 0))[1],
            )
        )
        fx, fy = sim.explain(agent)["rules"]["noise"]["force"]
        assert math.atan2(fy, fx) == pytest.approx(value * math.pi, abs=1e-6)
        turns.append(value)
    assert len(set(turns)) == 5


def wind_force(sim: Simulation, x: float, y: float) -> tuple[float, float]:
    """Document 000's getForceAt."""
    wind = sim.scenario.rules.wind
    corner_x, corner_y = noise_offset(seed_words(sim.seed))
    angle = wind.direction * math.pi / 180.0
    force = [math.cos(angle) * wind.speed, math.sin(angle) * wind.speed]
    nx, ny = x * 0.003 + sim.time * 0.3 + corner_x, y * 0.003 + corner_y
    force[0] += float(fractal_noise(nx, ny, 3)) * wind.turbulence * wind.speed * 0.5
    force[1] += float(fractal_noise(nx + 100.0, ny + 100.0, 3)) * wind.turbulence * wind.speed * 0.5
    return force[0] * 0.01, force[1] * 0.01


@pytest.mark.parametrize(("direction", "turbulence"), [(0.0, 0.3), (60.0, 1.0), (225.0, 0.0), (-90.0, 0.75)])
def test_wind(direction: float, turbulence: float) -> None:
    # S0-48…S0-51
    rule = {"speed": 12.0, "direction": direction, "turbulence": turbulence}
    sim = make_flock(make_scenario({"wind": rule}, motion={"time_step": 0.5}), seed=7)
    for _ in range(2):
        expected = [wind_force(sim, bird.x, bird.y) for bird in birds_of(sim)]
        close(rule_forces(sim, "wind"), expected, 1e-5)
        sim.step(4)


def test_steady_wind_is_the_same_everywhere() -> None:
    # S0-48, S0-51
    sim = make_flock(make_scenario({"wind": {"speed": 8.0, "direction": 90.0, "turbulence": 0.0}}), seed=8)
    close(rule_forces(sim, "wind"), np.tile([0.0, 0.08], (60, 1)), 1e-7)


def test_gusts_differ_in_place_time_and_axis_and_stay_within_half_the_wind() -> None:
    # S0-49, S0-50
    sim = make_flock(make_scenario({"wind": {"speed": 8.0, "turbulence": 1.0}}), seed=9)
    first = rule_forces(sim, "wind") - [0.08, 0.0]
    assert np.abs(first).max() <= 0.04
    assert np.ptp(first, axis=0).min() > 0.003
    assert abs(np.corrcoef(first.T)[0, 1]) < 0.98
    sim.step(60)
    assert np.abs(rule_forces(sim, "wind") - [0.08, 0.0] - first).max() > 0.002


def test_no_wind_no_force() -> None:
    # S0-47
    assert Wind().speed == 0.0
    sim = make_flock(make_scenario({"wind": {"speed": 0.0, "turbulence": 1.0}}), seed=10)
    assert not rule_forces(sim, "wind").any()


def turns_after_a_step(angle: float, rate: float, count: int = 2000) -> np.ndarray:
    """Degrees by which each agent turned in one step of 1/64 s."""
    rng = np.random.default_rng(11)
    heading = rng.uniform(-np.pi, np.pi, count)
    rule = {"angle": angle, "max_turn_rate": rate}
    sim = place(
        make_scenario({"jitter": rule}, perception={"radius": 1.0}),
        rng.uniform(0.0, (240.0, 160.0), (count, 2)),
        np.stack([np.cos(heading), np.sin(heading)], axis=1) * 4.0,
        seed=12,
    )
    before = sim.velocities.astype(float)
    sim.step()
    after = sim.velocities.astype(float)
    np.testing.assert_allclose(np.hypot(*after.T), 4.0, rtol=1e-5)
    return np.degrees(np.angle((after[:, 0] + 1j * after[:, 1]) / (before[:, 0] + 1j * before[:, 1])))


@pytest.mark.parametrize(
    ("angle", "rate", "most"), [(10.0, 3600.0, 10.0), (10.0, 128.0, 2.0), (180.0, 5760.0, 90.0)]
)
def test_jitter_turns_evenly_up_to_its_limit(angle: float, rate: float, most: float) -> None:
    # S4-12: at most max_turn_rate x dt, whatever the angle
    turns = turns_after_a_step(angle, rate)
    assert np.abs(turns).max() <= most * 1.0001
    assert stats.kstest(turns / (2.0 * most) + 0.5, "uniform").pvalue > 1e-3


def test_jitter_depends_on_the_seed() -> None:
    # S4-12, S4-5
    scenario = make_scenario({"jitter": {}})
    runs = {seed: place(scenario, [[100.0, 80.0]], [[4.0, 0.0]], seed=seed) for seed in (1, 2)}
    again = place(scenario, [[100.0, 80.0]], [[4.0, 0.0]], seed=1)
    for sim in (*runs.values(), again):
        sim.step(10)
    assert np.array_equal(again.velocities, runs[1].velocities)
    assert not np.array_equal(runs[1].velocities, runs[2].velocities)


def test_no_jitter_without_an_angle() -> None:
    # S4-12
    sim = place(make_scenario({"jitter": {"angle": 0.0}}), [[100.0, 80.0]], [[4.0, 0.0]])
    sim.step(10)
    assert sim.velocities.tolist() == [[4.0, 0.0]]
