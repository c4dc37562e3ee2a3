"""Rules of flight against the formulas of docs/model.md, worked out by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import murmura as mm
from murmura.core.errors import ScenarioError

G, DT = 9.81, 1.0 / 60.0
QUIET = {f"rules.{name}.enabled": False for name in ("separation", "alignment", "cohesion", "boundary")}


def bird(velocity: list[float], z: float = 50.0, **values: Any) -> mm.Simulation:
    scenario = mm.Scenario().with_values(
        {"world.depth": 100.0, "world.boundary": "open", "motion.max_speed": 40.0, **QUIET, **values}
    )
    return mm.Simulation(scenario, backend="reference", positions=[[50.0, 50.0, z]], velocities=[velocity])


def acceleration(sim: mm.Simulation) -> Any:
    """What the next step adds to the velocity, per second."""
    before = sim.velocities[0].astype(float)
    sim.step()
    return (sim.velocities[0] - before) / DT


BANKING = {"rules.banking.enabled": True}


def test_at_cruise_speed_lift_carries_the_weight_and_thrust_balances_drag() -> None:
    assert acceleration(bird([10.0, 0.0, 0.0], **BANKING)) == pytest.approx([0.0, 0.0, 0.0], abs=1e-4)


@pytest.mark.parametrize("speed", [8.0, 12.0])
def test_lift_and_drag_grow_with_the_square_of_the_speed(speed: float) -> None:
    lift = (speed / 10.0) ** 2
    expected = [(1.0 - lift) * G / 3.3, 0.0, (lift - 1.0) * G]
    assert acceleration(bird([speed, 0.0, 0.0], **BANKING)) == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("degrees", [30.0, -70.0])
def test_lift_pulls_a_rolled_bird_sideways_and_it_sinks(degrees: float) -> None:
    sim = bird([10.0, 0.0, 0.0], **BANKING)
    state = sim.state.copy()
    state["roll"][:] = math.radians(degrees)
    sim.load_state(state)
    roll = math.radians(degrees)
    # For a bird that flies along x, left is y: a roll to the left pulls there.
    assert acceleration(sim) == pytest.approx([0.0, G * math.sin(roll), G * (math.cos(roll) - 1.0)], abs=1e-3)


def test_lateral_steering_makes_a_bird_roll_and_it_rolls_out_by_itself() -> None:
    goal = {
        "rules.seek.enabled": True,
        "rules.seek.x": 50.0,
        "rules.seek.y": 900.0,
        "motion.max_force": 0.002,
    }
    sim = bird([10.0, 0.0, 0.0], **BANKING, **goal)
    sim.step()
    left = sim.forces[0, 1] * 60.0  # the rest of the force is lift, which is not tilted yet
    assert left > 0.0
    assert sim.column("roll")[0] == pytest.approx(math.atan(0.8 * left * DT), rel=1e-3)
    sim.retune({"rules.seek.weight": 0.0})
    before = float(sim.column("roll")[0])
    sim.step()
    assert sim.column("roll")[0] == pytest.approx(before - math.atan(math.sin(before) * DT), rel=1e-3)


def test_a_climb_fades_in_level_flight() -> None:
    sim = bird([10.0, 0.0, 4.0], **{"rules.level.enabled": True, "rules.level.relaxation": 0.5})
    sim.step(30)
    assert sim.velocities[0, 2] == pytest.approx(4.0 * (1.0 - 2.0 * DT) ** 30, rel=1e-4)
    assert sim.velocities[0, :2] == pytest.approx([10.0, 0.0])


@pytest.mark.parametrize(("z", "share"), [(40.0, 0.5), (10.0, 1.0), (70.0, -1.0), (50.0, 0.0)])
def test_the_pull_to_a_height_is_proportional(z: float, share: float) -> None:
    values = {"rules.altitude.enabled": True, "rules.altitude.range": 20.0, "motion.max_force": 0.3}
    sim = bird([5.0, 0.0, 0.0], z, **values)
    sim.step()
    assert sim.forces[0] == pytest.approx([0.0, 0.0, 0.3 * share], abs=1e-6)


@pytest.mark.parametrize("rule", ["level", "altitude", "banking"])
def test_flight_needs_a_depth(rule: str) -> None:
    with pytest.raises(ScenarioError, match=f"rules.{rule} needs a 3-D world"):
        mm.Scenario().with_values({f"rules.{rule}.enabled": True})


def test_a_flock_that_banks_stays_up() -> None:
    values = {
        "agents": 40, "world.depth": 100.0, "world.width": 100.0, "world.height": 100.0, "world.boundary": "wrap",
        "world.boundary_z": "soft", "rules.banking.enabled": True, "rules.altitude.enabled": True,
        "rules.level.enabled": True, "rules.cruise.enabled": True, "motion.max_force": 0.05, "start.speed": 10.0,
        "perception.radius": 30.0, "rules.boundary.margin": 20.0,
    }  # fmt: skip
    sim = mm.Simulation(mm.Scenario().with_values(values), seed=2, backend="cpu", threads=1)
    sim.step(600)
    assert np.isfinite(sim.positions).all() and 5.0 < sim.positions[:, 2].mean() < 95.0
    assert 5.0 < np.linalg.norm(sim.velocities, axis=1).mean() < 16.0
