"""Obstacles in space: no agent enters or crosses one at any speed; agents bounce like light and steer away."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import murmura as mm
from murmura.core.errors import ScenarioError

SIDE = 200.0
SHAPES: dict[str, dict[str, Any]] = {
    "sphere": {"x": 100.0, "y": 100.0, "z": 90.0, "radius": 30.0},
    "column": {"kind": "cylinder", "x": 100.0, "y": 100.0, "radius": 25.0},
    "stump": {"kind": "cylinder", "x": 100.0, "y": 100.0, "radius": 35.0, "bottom": 20.0, "top": 80.0},
    "box": {"kind": "box", "low": [60.0, 80.0, 50.0], "high": [130.0, 120.0, 110.0]},
    "turned": {"kind": "box", "low": [60.0, 80.0, 50.0], "high": [130.0, 120.0, 110.0], "turn": 30.0},
    "floor": {"kind": "plane", "point": [0.0, 0.0, 40.0]},
    "slope": {"kind": "plane", "point": [100.0, 100.0, 100.0], "normal": [1.0, 0.5, 1.0]},
    "prism": {"points": [[60.0, 60.0], [140.0, 70.0], [100.0, 140.0]]},
}


def depth_inside(name: str, x: Any) -> Any:
    """How deep inside a shape places lie, shape (n,); negative outside. For a plane, the height above it."""
    shape = SHAPES[name]
    if name == "sphere":
        return 30.0 - np.linalg.norm(x - [100.0, 100.0, 90.0], axis=1)
    if name in ("column", "stump"):
        side = shape["radius"] - np.hypot(x[:, 0] - 100.0, x[:, 1] - 100.0)
        return side if name == "column" else np.minimum(side, 30.0 - np.abs(x[:, 2] - 50.0))
    if name == "box":
        return np.minimum(x - shape["low"], shape["high"] - x).min(axis=1)
    if name == "turned":  # a box is the intersection of six half spaces
        away = x - [95.0, 100.0, 80.0]
        normals = [[np.sqrt(0.75), 0.5, 0.0], [-0.5, np.sqrt(0.75), 0.0], [0.0, 0.0, 1.0]]
        return (np.array([35.0, 20.0, 30.0]) - np.abs(away @ np.transpose(normals))).min(axis=1)
    if name == "floor":
        return x[:, 2] - 40.0
    if name == "slope":
        return (x - 100.0) @ np.array([1.0, 0.5, 1.0]) / 1.5
    corners = np.array(shape["points"])
    edges = np.roll(corners, -1, axis=0) - corners
    away = x[:, None, :2] - corners
    return ((edges[:, 0] * away[..., 1] - edges[:, 1] * away[..., 0]) / np.hypot(*edges.T)).min(axis=1)


def scenario(names: list[str], **values: Any) -> mm.Scenario:
    quiet = {f"rules.{rule}.enabled": False for rule in ("separation", "alignment", "cohesion", "boundary")}
    return mm.Scenario().with_values(
        {
            "agents": 200, "world.width": SIDE, "world.height": SIDE, "world.depth": SIDE,
            "world.boundary": "reflect", "motion.max_speed": 900.0, "start.speed": 900.0, "perception.radius": 20.0,
            "rules.jitter.enabled": True, "rules.avoid_obstacles.weight": 0.0,
            "obstacles": [SHAPES[name] for name in names], **quiet, **values,
        }
    )  # fmt: skip


def start(names: list[str], **values: Any) -> mm.Simulation:
    rng = np.random.default_rng(3)
    places = rng.uniform(2.0, SIDE - 2.0, (600, 3))
    outside = np.ones(len(places), bool)
    for name in names:
        outside &= (depth_inside(name, places) < -1.0) | (name in ("floor", "slope"))
    velocities = rng.normal(0.0, 1.0, (600, 3))
    velocities *= 900.0 / np.linalg.norm(velocities, axis=1, keepdims=True)
    return mm.Simulation(
        scenario(names, **values), seed=1, backend="reference",
        positions=places[outside][:200], velocities=velocities[outside][:200],
    )  # fmt: skip


@pytest.mark.parametrize("name", SHAPES)
def test_nobody_passes_and_speeds_are_kept(name: str) -> None:
    sim = start([name])
    side = np.sign(depth_inside(name, sim.positions))
    hits = 0
    for _ in range(25):
        sim.step()
        inside = depth_inside(name, sim.positions.astype(np.float64))
        assert (np.sign(inside) == side).all()
        speeds = np.linalg.norm(sim.velocities, axis=1)
        np.testing.assert_allclose(speeds, 900.0, rtol=1e-4)
        hits += int((np.abs(inside) < 5e-3).sum())
    assert hits > 20, "too few agents hit the obstacle"
    assert (sim.positions >= 0.0).all() and (sim.positions <= SIDE).all()


def test_a_wrapping_world_shows_obstacles_across_its_seams() -> None:
    ball = {"x": 100.0, "y": 100.0, "z": 3.0, "radius": 10.0}
    flat = scenario([], **{"world.boundary": "wrap", "rules.jitter.enabled": False, "obstacles": [ball]})
    sim = mm.Simulation(
        flat, backend="reference", positions=[[100.0, 100.0, 180.0]], velocities=[[0.0, 0.0, 900.0]]
    )
    sim.step()
    assert sim.positions[0, 2] == pytest.approx(193.0, abs=0.01) and sim.velocities[0, 2] == pytest.approx(
        -900.0
    )


@pytest.mark.parametrize(
    ("name", "place", "away"),
    [
        ("sphere", [100.0, 100.0, 130.0], [0.0, 0.0, 1.0]),
        ("column", [130.0, 100.0, 20.0], [1.0, 0.0, 0.0]),
        ("stump", [100.0, 100.0, 90.0], [0.0, 0.0, 1.0]),
        ("box", [135.0, 100.0, 80.0], [1.0, 0.0, 0.0]),
        ("turned", [95.0 + 40.0 * np.sqrt(0.75), 120.0, 80.0], [np.sqrt(0.75), 0.5, 0.0]),
        ("floor", [20.0, 30.0, 35.0], [0.0, 0.0, -1.0]),
        ("prism", [30.0, 60.0, 77.0], [-1.0, 0.0, 0.0]),
    ],
)
def test_avoidance_points_straight_away(name: str, place: list[float], away: list[float]) -> None:
    values = {"rules.avoid_obstacles.weight": 1.0, "rules.jitter.enabled": False, "motion.max_force": 5.0}
    sim = mm.Simulation(
        scenario([name], **values), backend="reference", positions=[place], velocities=[[0.0] * 3]
    )
    force = np.array(sim.explain(0)["rules"]["avoid_obstacles"]["force"])
    np.testing.assert_allclose(
        force / np.linalg.norm(force), np.array(away) / np.linalg.norm(away), atol=1e-6
    )


def test_nobody_starts_inside() -> None:
    sim = mm.Simulation(scenario(["sphere", "turned", "stump"]), seed=2, backend="reference")
    for name in ("sphere", "turned", "stump"):
        assert (depth_inside(name, sim.positions) <= 1e-3).all()
    with pytest.raises(ScenarioError, match=r"row 0 \(100, 100, 100\) lies inside obstacles.0"):
        mm.Simulation(scenario(["box"]), positions=[[100.0, 100.0, 100.0]], backend="reference")


def test_a_quarter_turn_swaps_the_sides_of_a_box() -> None:
    """A box turned by 90 degrees acts like the box with its sides swapped, up to rounding."""
    swapped = {"kind": "box", "low": [75.0, 65.0, 50.0], "high": [115.0, 135.0, 110.0]}
    quarter = SHAPES["turned"] | {"turn": 90.0}
    ways = {}
    for name, shape in (("swapped", swapped), ("quarter", quarter)):
        still = scenario([], obstacles=[shape], **{"rules.jitter.enabled": False})
        sim = mm.Simulation(still, seed=1, backend="reference")
        sim.step()
        ways[name] = np.concatenate([sim.positions, sim.velocities], axis=1)
    np.testing.assert_allclose(ways["quarter"], ways["swapped"], atol=2e-3, rtol=1e-5)


def test_a_turned_box_must_stay_inside_and_off_its_own_image() -> None:
    corner = {"kind": "box", "low": [0.0, 0.0, 50.0], "high": [70.0, 40.0, 110.0], "turn": 45.0}
    with pytest.raises(ScenarioError, match=r"obstacles\.0: \(.*\) when it is turned lies outside the world"):
        scenario([], obstacles=[corner])
    long = {"kind": "box", "low": [31.0, 60.0, 50.0], "high": [169.0, 140.0, 110.0]}
    assert scenario([], obstacles=[long], **{"world.boundary": "wrap"})
    with pytest.raises(ScenarioError, match="shrink the obstacle"):
        scenario([], obstacles=[long | {"turn": 30.0}], **{"world.boundary": "wrap"})
