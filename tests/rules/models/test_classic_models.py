"""The classic models against the equations of their papers, implemented again agent by agent."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import murmura as mm
from murmura.core.world.randomness import STREAM_VICSEK, seed_words, uniform_from
from murmura.rules.models.headings import approximate_normal

Array = NDArray[np.float64]


def start(name: str, agents: int, values: dict[str, Any], seed: int = 3) -> mm.Simulation:
    return mm.Simulation(
        mm.load_scenario(name).with_values({"agents": agents, **values}), seed=seed, backend="reference"
    )


def shortest(d: Array, side: float) -> Array:
    return d - side * np.round(d / side)


def angle(a: float) -> float:
    return (a + math.pi) % (2.0 * math.pi) - math.pi


@pytest.mark.parametrize(("backend", "tolerance"), [("reference", 2e-6), ("cpu", 2e-5)])
def test_vicsek_moves_along_its_heading_and_then_adopts_the_mean(backend: str, tolerance: float) -> None:
    """The paper's equations 1 and 2: x(t+1) = x(t) + v(t), and headings at t + 1 are means of those at t, at x(t)."""
    side, eta, seed = 5.0, 1.3, 11
    values = {"world.width": side, "world.height": side, "rules.vicsek.noise": math.degrees(eta)}
    scenario = mm.load_scenario("vicsek").with_values({"agents": 100, **values})
    sim = mm.Simulation(scenario, seed=seed, backend=backend)
    headings = np.arctan2(*sim.velocities.astype(float).T[::-1])
    for step in range(4):
        x = sim.positions.astype(float)
        sim.step()
        moved = shortest(sim.positions - x, side)
        expected = 0.03 * np.stack([np.cos(headings), np.sin(headings)], axis=1)
        np.testing.assert_allclose(moved, expected, atol=tolerance)
        following = np.empty(100)
        for i in range(100):
            d = shortest(x - x[i], side)
            near = np.hypot(d[:, 0], d[:, 1]) <= 1.0
            mean = math.atan2(np.sin(headings[near]).sum(), np.cos(headings[near]).sum())
            u, _ = uniform_from(*seed_words(seed), step, i, STREAM_VICSEK)
            following[i] = mean + (float(u) - 0.5) * eta
        # Velocities already have the new headings: they belong to the same time as the positions.
        turned = 1.8 * np.stack([np.cos(following), np.sin(following)], axis=1)
        np.testing.assert_allclose(sim.velocities, turned, atol=60.0 * tolerance)
        headings = following


def test_vicsek_reports_its_turns_as_forces() -> None:
    sim = start("vicsek", 300, {"world.width": 5.0, "world.height": 5.0, "rules.vicsek.noise": 90.0})
    for _ in range(3):
        before = sim.velocities.astype(float)
        sim.step()
        assert sim.velocities == pytest.approx(before + sim.forces * sim.scenario.motion.thrust, abs=1e-5)
    assert sim.measure()["turning_rate"] > 0.0


def test_vicsek_without_noise_agrees_and_with_full_noise_does_not() -> None:
    small = {"world.width": 5.0, "world.height": 5.0}
    calm = start("vicsek", 300, {**small, "rules.vicsek.noise": 0.0})
    calm.step(300)
    assert calm.measure()["polarization"] > 0.999
    wild = start("vicsek", 300, {**small, "rules.vicsek.noise": 360.0})
    wild.step(50)
    assert wild.measure()["polarization"] < 0.2


def couzin_direction(i: int, x: Array, h: Array, zones: Any) -> float:
    """The desired direction by the paper's equations 1 to 3, in the plane; the current one if there is none."""
    away, along, towards = np.zeros(2), np.zeros(2), np.zeros(2)
    crowded = False
    for j in range(len(x)):
        if j == i:
            continue
        d = x[j] - x[i]
        r = math.hypot(*d)
        if r < zones.repulsion:
            away -= d / r
            crowded = True
            continue
        behind = abs(angle(math.atan2(d[1], d[0]) - math.atan2(h[i, 1], h[i, 0])))
        if behind > math.pi - math.radians(zones.blind_angle) / 2.0:
            continue
        if r < zones.repulsion + zones.orientation:
            along += h[j]
        elif r < zones.repulsion + zones.orientation + zones.attraction:
            towards += d / r
    wanted = away if crowded else along + towards
    return math.atan2(*(wanted if wanted.any() else h[i])[::-1])


@pytest.mark.parametrize("blind", [0.0, 90.0, 200.0])
def test_zones_turn_as_the_paper_says(blind: float) -> None:
    sim = start(
        "couzin",
        60,
        {
            "world.boundary": "open",
            "rules.zones.noise": 0.0,
            "rules.zones.blind_angle": blind,
            "start.radius": 6.0,
        },
    )
    zones = sim.scenario.rules.zones
    assert len({*np.round(np.hypot(*sim.velocities.T), 5)}) == 1
    whole = 0
    for _ in range(5):
        x, v = sim.positions.astype(float), sim.velocities.astype(float)
        h = v / np.hypot(v[:, 0], v[:, 1])[:, None]
        sim.step()
        for i in range(60):
            turn = angle(couzin_direction(i, x, h, zones) - math.atan2(h[i, 1], h[i, 0]))
            whole += abs(turn) < math.radians(4.0)
            done = angle(math.atan2(*sim.velocities[i][::-1]) - math.atan2(h[i, 1], h[i, 0]))
            # A half turn may go either way: only its size is determined.
            if abs(turn) < math.pi - 1e-3:
                assert done == pytest.approx(max(-math.radians(4.0), min(math.radians(4.0), turn)), abs=1e-5)
    assert 0 < whole < 300


def test_nearly_normal_noise_has_mean_0_and_deviation_1() -> None:
    class World:
        seed_low, seed_high, step = 5, 0, 7

    drawn = np.asarray(approximate_normal(np.arange(200_000), World, 102))
    assert drawn.mean() == pytest.approx(0.0, abs=0.01)
    assert drawn.std() == pytest.approx(1.0, abs=0.01)
    assert np.abs(drawn).max() <= 3.4642
    # A normal distribution has 68.3 % within one deviation and 95.4 % within two.
    assert (np.abs(drawn) < 1.0).mean() == pytest.approx(0.683, abs=0.02)
    assert (np.abs(drawn) < 2.0).mean() == pytest.approx(0.954, abs=0.01)


@pytest.mark.parametrize("decay", [0.0, 0.25, 0.4, 0.4987, 0.5, 1.0, 1.5, 2.75, 6.3])
def test_cucker_smale_is_its_differential_equation(decay: float, backend: str) -> None:
    values = {
        "agents": 30,
        "world.boundary": "open",
        "perception.radius": 1000.0,
        "rules.cucker_smale.decay": decay,
        "rules.cucker_smale.length": 2.0,
        "rules.cucker_smale.strength": 30.0,
    }
    sim = mm.Simulation(mm.load_scenario("cucker-smale").with_values(values), seed=3, backend=backend)
    x, v = sim.positions.astype(float), sim.velocities.astype(float)
    sim.step()
    for i in range(30):
        psi = 1.0 / (1.0 + ((x - x[i]) ** 2).sum(axis=1) / 4.0) ** decay
        gained = 30.0 / 30.0 * (psi[:, None] * (v - v[i])).sum(axis=0) * sim.scenario.motion.time_step
        assert sim.velocities[i] == pytest.approx(v[i] + gained, rel=1e-5, abs=1e-6)


def test_cucker_smale_keeps_the_mean_velocity_and_agrees() -> None:
    sim = start("cucker-smale", 40, {"rules.cucker_smale.decay": 0.25, "world.boundary": "open"})
    mean = sim.velocities.mean(axis=0)
    spread = sim.velocities.std(axis=0).max()
    sim.step(1500)
    assert sim.velocities.mean(axis=0) == pytest.approx(mean, abs=1e-3)
    assert sim.velocities.std(axis=0).max() < 0.01 * spread


def seen_by_rays(i: int, x: Array, h: Array, p: Any) -> tuple[float, float]:
    """Acceleration and turn of one agent: the integrals of the paper by a fine sum over directions, body by body."""
    rays = np.linspace(-math.pi, math.pi, 200_001)[:-1]
    step = rays[1] - rays[0]
    pull = turn = 0.0
    for j in range(len(x)):
        if j == i:
            continue
        d = x[j] - x[i]
        bearing = angle(math.atan2(d[1], d[0]) - math.atan2(h[i, 1], h[i, 0]))
        half = math.atan2(0.5 * p.body, math.hypot(*d))
        covered = np.abs((rays - bearing + math.pi) % (2.0 * math.pi) - math.pi) <= half
        ends = (bearing - half, bearing + half)
        pull -= p.acceleration * (np.cos(rays[covered]).sum() * step)
        pull += p.acceleration * p.acceleration_edges * sum(math.cos(e) for e in ends)
        turn -= p.turning * (np.sin(rays[covered]).sum() * step)
        turn += p.turning * p.turning_edges * sum(math.sin(e) for e in ends)
    return pull, turn


def test_vision_integrates_what_the_eye_sees() -> None:
    sim = start("vision", 8, {"world.boundary": "open", "rules.vision.turning_edges": 0.2})
    p, dt = sim.scenario.rules.vision, sim.scenario.motion.time_step
    for _ in range(2):
        x, v = sim.positions.astype(float), sim.velocities.astype(float)
        speed = np.hypot(v[:, 0], v[:, 1])
        h = v / speed[:, None]
        sim.step()
        for i in range(8):
            pull, turn = seen_by_rays(i, x, h, p)
            wanted = speed[i] + dt * (p.relaxation * (p.preferred_speed - speed[i]) + pull)
            assert math.hypot(*sim.velocities[i]) == pytest.approx(wanted, abs=3e-5)
            done = angle(math.atan2(*sim.velocities[i][::-1]) - math.atan2(h[i, 1], h[i, 0]))
            assert done == pytest.approx(turn * dt, abs=3e-5)


def test_two_eyes_keep_the_distance_at_which_area_and_edges_balance() -> None:
    values = {"world.boundary": "open", "rules.vision.acceleration_edges": 0.2}
    sim = mm.Simulation(
        mm.load_scenario("vision").with_values(values),
        backend="reference",
        positions=[[0.0, 0.0], [2.8, 0.0]],
        velocities=[[1.0, 0.0], [1.0, 0.0]],
    )
    sim.step(2_000)
    assert np.hypot(*(sim.positions[1] - sim.positions[0])) == pytest.approx(0.5 / 0.2, rel=1e-3)
