"""How the forces of rules are combined."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from murmura.compute.plan import noise_offset
from murmura.core.noise import noise
from murmura.core.world.randomness import seed_words
from murmura.scenario import Motion, Rules, load_scenario

from . import oracle
from .scenes import MAX_FORCE, close, make_flock, make_scenario, place, shares

TRIO: dict[str, Any] = {
    "separation": {"radius": 20.0, "weight": 1.5},
    "alignment": {"weight": 0.75, "weighting": "linear"},
    "cohesion": {"weight": 1.25, "weighting": "linear", "density_adaptation": True},
}


def trio(sim: Any) -> np.ndarray:
    """The weighted sum of the three rules by the documents."""
    return np.array(oracle.separation(sim)) + oracle.alignment(sim) + oracle.cohesion(sim)


def noise_force(sim: Any, bird: oracle.Bird, strength: float) -> complex:
    x, y = noise_offset(seed_words(sim.seed))
    value = float(noise(bird.x * 0.01 + sim.time * 0.5 + x, bird.y * 0.01 + bird.id * 0.1 + y))
    return complex(bird.vx, bird.vy) * np.exp(1j * value * math.pi * strength) * 0.1


def test_weighted_sum_noise_and_clamp() -> None:
    # S0-42…S0-46, S2-34, S4-31: document 002's calculate(), with decision 8 for agents that are alone
    rng = np.random.default_rng(71)
    panic = rng.choice([0.0, 0.25, 1.0], 60)
    rules = TRIO | {"noise": {"strength": 0.25, "wander": 0.5}, "fear": {"spread": 0.0}}
    sim = make_flock(make_scenario(rules), seed=72, panic=panic)
    total = trio(sim)
    flock = oracle.birds_of(sim)
    near = [len(oracle.neighbors_of(sim, bird, flock)) for bird in flock]
    expected = []
    for bird, force, count in zip(flock, total, near, strict=True):
        extra = noise_force(sim, bird, 0.25 if count else 0.5)
        expected.append(
            oracle.limited((force[0] + extra.real, force[1] + extra.imag), MAX_FORCE * (1.0 + bird.panic))
        )
    assert 0 in near
    assert max(near) > 5
    sim.step()
    close(sim.forces, expected, 1e-5)
    assert sim.column("local_density").tolist() == near  # S0-46
    sizes = np.hypot(*sim.forces.T)
    for level in (0.0, 0.25, 1.0):
        assert sizes[panic == level].max() == pytest.approx(MAX_FORCE * (1.0 + level), rel=1e-5)  # S0-45


def test_alone_there_is_only_noise() -> None:
    # S0-43 with decision 8: wander strength, and the clamp holds for it too
    sim = place(
        make_scenario(TRIO | {"noise": {"wander": 0.5}}),
        [[100.0, 80.0], [200.0, 20.0]],
        [[4.0, 0.0], [0.0, 7.5]],
    )
    bird, fast = oracle.birds_of(sim)
    expected = [noise_force(sim, bird, 0.5), noise_force(sim, fast, 0.5)]
    assert abs(expected[1]) > MAX_FORCE > abs(expected[0])
    expected[1] *= MAX_FORCE / abs(expected[1])
    sim.step()
    close(sim.forces, [[f.real, f.imag] for f in expected], 1e-5)
    assert sim.column("local_density").tolist() == [0.0, 0.0]


def test_small_forces_add_up_unclamped() -> None:
    # S0-42, S2-19: what stays below max_force is the plain sum
    rules = {name: TRIO[name] | {"weight": 0.25} for name in TRIO}
    sim = make_flock(make_scenario(rules), seed=73)
    total = trio(sim)
    assert np.hypot(*total.T).max() < MAX_FORCE
    sim.step()
    close(sim.forces, total)


def test_without_the_clamp_of_the_total() -> None:
    # S1-9…S1-13: document 001 clamps the force of each rule but not their weighted sum
    rules = {
        "separation": {"radius": 20.0, "weight": 1.5, "falloff": "inverse"},
        "alignment": {"weight": 1.0},
        "cohesion": {"weight": 1.0},
    }
    sim = make_flock(make_scenario(rules, motion={"clamp_total": False, "velocity_unit": "tick"}), seed=74)
    total = trio(sim)
    sizes = np.hypot(*total.T)
    assert sizes.max() > 2.0 * MAX_FORCE
    found = shares(sim)
    for name, rule in rules.items():
        assert np.hypot(*found[name].T).max() == pytest.approx(MAX_FORCE * rule["weight"])
    sim.step()
    close(sim.forces, total)


def test_the_classic_scenario_composes_as_document_001_says() -> None:
    # S1-3…S1-5, S1-8…S1-13
    classic = load_scenario("classic")
    assert not classic.motion.clamp_total
    assert classic.motion.velocity_unit == "tick"
    assert classic.world.boundary == "wrap"
    assert (classic.rules.alignment.weighting, classic.rules.cohesion.weighting) == ("uniform", "uniform")
    sim = make_flock(
        classic.with_values({"perception.radius": 32.0, "rules.separation.radius": 20.0}), seed=75
    )
    x, v = sim.positions.astype(float), sim.velocities.astype(float)
    total = trio(sim)
    sim.step()
    close(sim.forces, total, 1e-5)
    v = v + total
    v *= np.minimum(1.0, 3.0 / np.hypot(*v.T))[:, None]
    close(sim.velocities, v, 1e-5)
    close(sim.positions, (x + v) % (1600.0, 900.0), 1e-4)


def test_the_roadmap_composes_as_document_004_says() -> None:
    # S4-31, S4-21, S4-25, S4-28: weighted sum, clamp, then constant speed
    # In formation: all near each other, nobody so near or on such a course that separation comes first.
    rng = np.random.default_rng(76)
    lattice = 2.2 * np.stack(np.meshgrid(np.arange(9), np.arange(9)), axis=-1).reshape(81, 2)
    angles = rng.normal(1.0, 0.004, 81)
    sim = place(
        load_scenario("roadmap"),
        lattice + rng.uniform(20.0, 20.1, (81, 2)),
        np.column_stack([np.cos(angles), np.sin(angles)]),
    )
    v = sim.velocities.astype(float)
    steer = np.array([oracle.limited(tuple(force), 0.1) for force in trio(sim)])
    assert np.hypot(*steer.T).max() == pytest.approx(0.1)
    sim.step()
    close(sim.forces, steer, 1e-5)
    v = v + steer
    close(sim.velocities, v / np.hypot(*v.T)[:, None], 1e-5)


def test_other_forces_are_added_to_the_clamped_ones() -> None:
    # S0-45, S0-52, S2-19: wind, attractors, fear and boundary go straight into the acceleration
    rules = TRIO | {
        "wind": {"speed": 8.0, "turbulence": 0.5},
        "boundary": {"margin": 40.0},
        "attractors": {"points": [{"x": 100.0, "y": 80.0, "strength": 2.0, "radius": 120.0}]},
        "fear": {"threats": [{"x": 60.0, "y": 40.0, "radius": 64.0}], "spread": 0.0},
    }
    sim = make_flock(make_scenario(rules, world={"boundary": "soft"}), seed=78)
    found = shares(sim)
    panic = found["panic"]
    wishes = [
        oracle.limited(tuple(force), MAX_FORCE * (1.0 + level))
        for force, level in zip(trio(sim), panic, strict=True)
    ]
    expected = np.array(wishes) + sum(found[name] for name in ("wind", "boundary", "attractors", "fear"))
    sim.step()
    close(sim.forces, expected, 1e-5)
    assert np.hypot(*sim.forces.T).max() > 2.0 * MAX_FORCE
    assert panic.max() > 0.5


def test_panic_raises_the_limit_by_panic_force() -> None:
    # S0-45
    crowd = [[100.0, 80.0], [104.0, 80.0], [100.0, 86.0]]
    rules = TRIO | {"separation": {"radius": 20.0, "weight": 4.0}, "fear": {"spread": 0.0}}
    for panic_force in (0.0, 1.0, 2.0):
        sim = place(make_scenario(rules, motion={"panic_force": panic_force}), crowd, panic=[0.5, 0.0, 0.0])
        sim.step()
        assert np.hypot(*sim.forces[0]) == pytest.approx(MAX_FORCE * (1.0 + 0.5 * panic_force), rel=1e-5)
        assert np.hypot(*sim.forces[1]) == pytest.approx(MAX_FORCE, rel=1e-5)


def test_a_disabled_rule_has_no_force() -> None:
    sim = make_flock(make_scenario({"cohesion": {}}), seed=79)
    assert list(sim.explain(0)["rules"]) == ["cohesion"]
    close(sim.explain(0)["steering"], oracle.cohesion(sim)[0])


def test_defaults_of_the_documents() -> None:
    # S0-42, S0-45, S1-4, S1-5: weights 1, 1 and 1.5; speed and force are tunable numbers
    rules, motion = Rules(), Motion()
    assert (rules.alignment.weight, rules.cohesion.weight, rules.separation.weight) == (1.0, 1.0, 1.5)
    assert (motion.max_speed, motion.max_force, motion.panic_force, motion.panic_speed) == (
        15.0,
        0.5,
        1.0,
        0.5,
    )
    assert motion.clamp_total
