"""3-D worlds: start, reading, checkpoints and refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import murmura as mm
from murmura.core.errors import ScenarioError

SIDES = {"world.width": 200.0, "world.height": 180.0, "world.depth": 160.0}


def scenario(**values: Any) -> mm.Scenario:
    return mm.Scenario().with_values({"agents": 30, "perception.radius": 40.0, **SIDES, **values})


def simulation(**values: Any) -> mm.Simulation:
    return mm.Simulation(scenario(**values), seed=4, backend="reference")


def test_vectors_have_three_components() -> None:
    sim = simulation()
    sim.step(2)
    assert sim.positions.shape == sim.velocities.shape == sim.forces.shape == (30, 3)
    assert np.array_equal(sim.positions[:, 2], sim.column("position_z"))
    told = sim.explain(3)
    assert len(told["position"]) == len(told["velocity"]) == len(told["steering"]) == 3
    assert all(len(rule["force"]) == 3 for rule in told["rules"].values())
    azimuth = np.arctan2(sim.velocities[:, 1], sim.velocities[:, 0])
    np.testing.assert_allclose(sim.column("heading"), azimuth, atol=1e-5)


def test_the_plane_has_no_third_column() -> None:
    plane = mm.Simulation(mm.Scenario().with_values({"agents": 5}), backend="reference")
    assert plane.positions.shape == (5, 2) and "position_z" not in plane.state.columns


def test_a_random_start_fills_the_box_and_every_direction() -> None:
    sim = mm.Simulation(scenario(agents=6000, **{"start.margin": 10.0}), seed=1, backend="reference")
    places = sim.positions
    low, high = np.full(3, 10.0), np.array([190.0, 170.0, 150.0])
    assert (places >= low).all() and (places <= high).all()
    np.testing.assert_allclose(places.mean(axis=0), (low + high) / 2.0, atol=3.0)
    headings = sim.velocities / np.linalg.norm(sim.velocities, axis=1, keepdims=True)
    # For unit vectors uniform on the sphere, every second moment is 1/3 and components are uncorrelated.
    np.testing.assert_allclose(headings.T @ headings / 6000.0, np.eye(3) / 3.0, atol=0.02)
    np.testing.assert_allclose(headings.mean(axis=0), 0.0, atol=0.03)


def test_a_disc_is_a_ball() -> None:
    sim = mm.Simulation(
        scenario(agents=4000, **{"start.layout": "disc", "start.radius": 60.0}), seed=1, backend="reference"
    )
    away = np.linalg.norm(sim.positions - [100.0, 90.0, 80.0], axis=1)
    assert away.max() <= 60.0
    # Half of a ball's volume lies within the cube root of a half of its radius.
    assert np.median(away) == pytest.approx(60.0 * 0.5 ** (1.0 / 3.0), abs=1.0)


def test_a_checkpoint_keeps_the_third_axis(tmp_path: Path) -> None:
    sim = simulation(**{"world.boundary": "wrap", "world.boundary_z": "reflect"})
    sim.step(3)
    sim.save(tmp_path / "flock.npz")
    again = mm.Simulation.restore(tmp_path / "flock.npz", backend="reference")
    sim.step(3)
    again.step(3)
    assert again.state_hash() == sim.state_hash() and np.array_equal(again.positions, sim.positions)


def test_the_hash_covers_the_third_axis() -> None:
    a, b = simulation(), simulation()
    b.state.columns["velocity_z"][0] += 1.0
    assert a.state_hash() != b.state_hash()


def test_a_snapshot_and_measures_are_taken_in_space() -> None:
    sim = simulation()
    sim.step()
    assert np.array_equal(sim.snapshot().state["position_z"], sim.positions[:, 2])
    velocities = sim.velocities.astype(np.float64)
    headings = velocities / np.linalg.norm(velocities, axis=1, keepdims=True)
    found = sim.measure()
    assert found["polarization"] == pytest.approx(np.linalg.norm(headings.mean(axis=0)))
    assert found["mean_speed"] == pytest.approx(np.linalg.norm(velocities, axis=1).mean())


def test_no_agent_passes_the_floor() -> None:
    sim = simulation(**{"world.boundary": "wrap", "world.boundary_z": "soft", "motion.max_speed": 200.0})
    for _ in range(40):
        sim.step(1)
        assert (sim.positions[:, 2] >= 0.0).all() and (sim.positions[:, 2] <= 160.0).all()


def test_retuning_continues_in_space() -> None:
    sim = simulation()
    sim.step()
    sim.retune({"rules.alignment.weight": 3.0, "world.depth": 120.0})
    assert (sim.positions[:, 2] <= 120.0).all()
    sim.step()
    with pytest.raises(ScenarioError, match="a plane cannot become a space"):
        sim.retune({"world.depth": None})


def test_agents_are_added_in_space() -> None:
    sim = simulation()
    born = sim.add_agents([[1.0, 2.0, 3.0]], [[0.0, 0.0, 4.0]])
    assert sim.positions[-1].tolist() == [1.0, 2.0, 3.0] and sim.velocities[-1].tolist() == [0.0, 0.0, 4.0]
    sim.remove_agents(born)
    assert sim.agent_count == 30


@pytest.mark.parametrize(
    ("positions", "sentence"),
    [
        (np.ones((4, 2)), "this world has a depth: add a column z, or leave world.depth out"),
        (np.ones(4), r"one row \(x, y, z\) for each agent"),
        ([[1.0, 1.0, 170.0]], r"0..200 x 0..180 x 0..160 \[u\]"),
    ],
)
def test_a_start_that_does_not_fit_space_is_refused(positions: Any, sentence: str) -> None:
    with pytest.raises(ScenarioError, match=sentence):
        mm.Simulation(scenario(), positions=positions, backend="reference")


def test_three_columns_in_the_plane_are_refused() -> None:
    with pytest.raises(ScenarioError, match=r"this world is a plane: give it a world\.depth"):
        mm.Simulation(mm.Scenario(), positions=np.ones((4, 3)), backend="reference")


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"obstacles": [{"x": 9.0, "y": 9.0, "z": 4.0, "radius": 2.0}]}, "obstacles.0.z has no meaning in a plane"),
        ({"world.boundary_z": "wrap"}, "world.boundary_z has no meaning in a plane"),
        ({"rules.seek.z": 4.0}, "rules.seek.z has no meaning in a plane, got 4.0"),
        ({"obstacles": [{"kind": "cylinder", "x": 9.0, "y": 9.0, "radius": 2.0}]}, "a cylinder stands in a 3-D world"),
        (
            {"world.depth": 70.0, "world.boundary": "wrap", "perception.radius": 40.0},
            r"below half the smallest side of a wrapping world \(35 \[u\]\)",
        ),
        ({"world.depth": 200.0, "rules.vision.enabled": True}, "rules.vision is a model of the plane"),
        (
            {"world.depth": 200.0, "obstacles": [{"kind": "plane", "point": [1.0] * 3, "normal": [0.0] * 3}]},
            "normal must have a direction",
        ),
        (
            {
                "world.depth": 200.0, "world.boundary": "wrap",
                "obstacles": [{"kind": "plane", "point": [1.0, 1.0, 1.0], "normal": [1.0, 0.0, 0.0]}],
            },
            "would cut the world open along x",
        ),
        (
            {"world.depth": 200.0, "obstacles": [{"kind": "box", "low": [1.0, 1.0, 1.0], "high": [9.0, 9.0, 300.0]}]},
            "lies outside the world",
        ),
    ],
)  # fmt: skip
def test_values_for_the_other_dimension_are_refused_by_name(values: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ScenarioError, match=sentence):
        mm.Scenario().with_values({"agents": 10, **values})
