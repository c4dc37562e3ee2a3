"""Energy, the mating clock, and document 002's update as a whole."""

from __future__ import annotations

import math

import numpy as np
import pytest

from murmura import Scenario
from murmura.rules.life.body import Energy
from murmura.scenario import load_scenario
from tests.rules.scenes import MAX_SPEED, close, make_flock, make_scenario, place, shares

DT = 0.015625


def test_defaults() -> None:
    # S0-23, S2-18: energy is off; 0.02 per second (decision 7); without energy, 30 % of the top speed remains
    assert not Scenario().rules.energy.enabled
    assert (Energy().decay, Energy().min_speed, Energy().speed_cost) == (0.02, 0.3, 0.5)
    assert not load_scenario("starlings").rules.energy.enabled


def test_energy_stays_while_the_rule_is_off() -> None:
    # S0-23
    sim = make_flock(make_scenario({"cohesion": {}}))
    sim.step(5)
    assert (sim.column("energy") == 1.0).all()


def test_energy_falls_with_time_and_speed() -> None:
    # S0-30
    speeds = [0.0, 2.0, 4.0, 8.0]
    sim = place(
        make_scenario({"energy": {"decay": 0.25}}),
        [[30.0 + 60.0 * k, 80.0] for k in range(4)],
        [[speed, 0.0] for speed in speeds],
    )
    sim.step()
    close(sim.column("energy"), [1.0 - 0.25 * DT * (1.0 + 0.5 * speed / MAX_SPEED) for speed in speeds])


def test_energy_ends_at_zero() -> None:
    # S0-30
    sim = place(make_scenario({"energy": {"decay": 4.0}}), [[30.0, 80.0]], [[2.0, 0.0]], energy=[0.05])
    sim.step()
    assert sim.column("energy")[0] == 0.0
    sim.step()
    assert sim.column("energy")[0] == 0.0


@pytest.mark.parametrize(("energy", "share"), [(1.0, 1.0), (0.5, 0.65), (0.0, 0.3)])
def test_the_tired_are_slow(energy: float, share: float) -> None:
    # S0-24, S0-26
    sim = place(make_scenario({"energy": {"decay": 0.0}}), [[30.0, 80.0]], [[7.9, 0.0]], energy=[energy])
    sim.step()
    assert sim.velocities[0, 0] == pytest.approx(min(7.9, MAX_SPEED * share), rel=1e-6)


def test_mating_cooldown_runs_down() -> None:
    # S0-31
    sim = place(
        make_scenario({"mating_cooldown": {}}),
        [[30.0, 80.0], [90.0, 80.0], [150.0, 80.0]],
        mating_cooldown=[1.0, 0.02, 0.0],
    )
    sim.step()
    close(sim.column("mating_cooldown"), [1.0 - DT, 0.02 - DT, 0.0])
    sim.step()
    close(sim.column("mating_cooldown"), [1.0 - 2.0 * DT, 0.0, 0.0])


def test_the_nine_steps_of_an_update() -> None:
    # S2-18, S0-21, S0-22, S0-24…S0-27, S0-29…S0-31
    # document 002's update(), line by line, from the forces that the step reports
    rng = np.random.default_rng(31)
    rules = {
        "fear": {"threats": [{"x": 60.0, "y": 40.0, "radius": 80.0}]},
        "energy": {"decay": 0.5},
        "mating_cooldown": {},
    }
    columns = {"energy": rng.uniform(0.0, 1.0, 40), "mating_cooldown": rng.choice([0.0, 0.01, 2.0], 40)}
    sim = make_flock(
        make_scenario(
            rules | {"separation": {}, "alignment": {}, "cohesion": {}}, world={"boundary": "open"}
        ),
        count=40,
        **columns,
    )
    for _ in range(3):
        before = {name: sim.column(name).astype(float) for name in sim.state.columns}
        panic = shares(sim)["panic"]
        sim.step()
        after = {name: sim.column(name).astype(float) for name in sim.state.columns}
        for k in range(40):
            old = {name: float(column[k]) for name, column in before.items()}
            fx, fy = float(after["acceleration_x"][k]), float(after["acceleration_y"][k])
            vx, vy = old["velocity_x"] + fx * DT * 60.0, old["velocity_y"] + fy * DT * 60.0
            top = 8.0 * (0.3 + 0.7 * old["energy"]) * (1.0 + panic[k] * 0.5)
            speed = math.hypot(vx, vy)
            if speed > top:
                vx, vy, speed = vx / speed * top, vy / speed * top, top
            expected = {
                "velocity_x": vx,
                "velocity_y": vy,
                "position_x": old["position_x"] + vx * DT,
                "position_y": old["position_y"] + vy * DT,
                "heading": math.atan2(vy, vx) if vx * vx + vy * vy > 0.01 else old["heading"],
                "panic_level": panic[k] * 0.98 if panic[k] * 0.98 >= 0.01 else 0.0,
                "energy": max(0.0, old["energy"] - 0.5 * DT * (1.0 + speed / 8.0 * 0.5)),
                "mating_cooldown": max(0.0, old["mating_cooldown"] - DT),
            }
            for name, value in expected.items():
                assert after[name][k] == pytest.approx(value, rel=1e-5, abs=1e-5), (name, k)
